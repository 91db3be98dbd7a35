package weakening

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/rule"
)

// ownRules are read once, which takes longer than all of the tests.
var ownRules = sync.OnceValues(func() (*rule.Set, error) {
	return rule.Load(rule.Source{Name: "rules", FS: os.DirFS("../rules"), Checked: true})
})

// engine is one with gate's own rules.
func engine(t testing.TB) *Engine {
	t.Helper()
	set, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	return New(set.Rules)
}

// file is one of a change; base or head is "" where there is none.
func file(path, base, head string) File {
	l := map[string]gate.Language{"py": gate.LanguagePython, "js": gate.LanguageJavaScript, "ts": gate.LanguageTypeScript, "go": gate.LanguageGo}
	f := File{Path: path, Language: l[path[strings.LastIndexByte(path, '.')+1:]]}
	if base != "" {
		f.Base = []byte(base)
	}
	if head != "" {
		f.Head = []byte(head)
	}
	return f
}

// ids are the rules of findings, each once, without their category.
func ids(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, strings.TrimPrefix(f.Rule.ID, "weakening/"))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const withGuard = `def show(request, pk):
    doc = Document.get(pk)
    if doc.owner_id != request.user.id:
        raise PermissionDenied()
    return render(doc)
`

const withoutGuard = `def show(request, pk):
    doc = Document.get(pk)
    return render(doc)
`

func TestAChangeThatTakesACheckAwayIsFound(t *testing.T) {
	const route = "router.get(\"/bills/:id\", requireAuth, async (req, res) => {\n  res.json(await bill(req.params.id));\n});\n"
	for name, tc := range map[string]struct {
		files []File
		want  string
	}{
		"a guard is deleted": {[]File{file("a.py", withGuard, withoutGuard)}, "access-guard-removed"},
		"a guard is deleted that logs under a condition before it refuses": {[]File{file("a.py",
			strings.Replace(withGuard, "        raise", "        if verbose:\n            log.info('other owner')\n        raise", 1), withoutGuard)}, "access-guard-removed"},
		"a refusal in the same words asks about something else": {[]File{file("a.go",
			"package a\n\nfunc load(b []byte, want string) error {\n\tif checksum(b) != want {\n\t\treturn ErrDigestMismatch\n\t}\n\treturn run(b)\n}\n",
			"package a\n\nfunc load(b []byte, want string) error {\n\tempty := len(b) == 0\n\tif empty {\n\t\treturn ErrDigestMismatch\n\t}\n\treturn run(b)\n}\n")}, "signature-check-removed"},
		"a refusal in the same words is made only if something else holds": {[]File{file("a.go",
			"package a\n\nfunc load(b []byte, want string) error {\n\tif h.sumOf(b) != f.want[f.name] {\n\t\treturn ErrDigestMismatch\n\t}\n\treturn run(b)\n}\n",
			"package a\n\nfunc load(b []byte, want string) error {\n\tsum := h.sumOf(b)\n\tif strict && sum != f.want[f.name] {\n\t\treturn ErrDigestMismatch\n\t}\n\treturn run(b)\n}\n")}, "signature-check-removed"},
		"a guard of an address is deleted": {[]File{file("a.go", "package a\n\nfunc get(userIP net.IP) error {\n\tif userIP.IsPrivate() {\n\t\treturn errPrivate\n\t}\n\treturn fetch(userIP)\n}\n",
			"package a\n\nfunc get(userIP net.IP) error {\n\treturn fetch(userIP)\n}\n")}, "address-check-removed"},
		"a guard is deleted and its function renamed": {[]File{file("a.py", withGuard,
			strings.Replace(withoutGuard, "def show(", "def show_document(", 1))}, "access-guard-removed"},
		"a guard is deleted while its function moves to another file": {[]File{
			file("a.py", withGuard+"\n\ndef other():\n    pass\n", "def other():\n    pass\n"), file("b.py", "", withoutGuard)}, "access-guard-removed"},
		"a middleware is dropped and a new route has it": {[]File{file("a.js", route,
			strings.Replace(route, "requireAuth, ", "", 1)+"router.get(\"/other\", requireAuth, async (req, res) => {\n  res.end();\n});\n")}, "access-check-removed"},
		"what checks an input is made without its demands": {[]File{file("a.ts",
			"export class Orders {\n  change(@Body(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })) dto: Change) {\n    return this.orders.save(dto);\n  }\n}\n",
			"export class Orders {\n  change(@Body(new ValidationPipe({ transform: true })) dto: Change) {\n    return this.orders.save(dto);\n  }\n}\n")}, "validation-removed"},
		"the refusal is only logged": {[]File{file("a.py", withGuard, strings.Replace(withGuard, "raise PermissionDenied()", "log.warning('other owner')", 1))}, "access-guard-removed"},
		"a query loses its owner while another function takes it over": {[]File{file("a.ts",
			"export async function bill(db, customer, id) {\n  const rows = await db.query(\"SELECT id, total FROM bills WHERE id = $1 AND customer = $2\", [id, customer]);\n  return rows[0];\n}\n",
			"export class Bills {\n  load(customer, id) {\n    return this.flush().then((m) => m.get(id));\n  }\n\n  flush() {\n    this.batch ??= this.db.query(\"SELECT id, total FROM bills WHERE id = ANY($1)\", [this.ids]);\n    return this.batch;\n  }\n}\n")}, "owner-filter-removed"},
		"a hook of a framework is deleted": {[]File{file("a.py",
			"class Docs(View):\n    permission_classes = [IsOwner]\n\n    def get(self):\n        return 1\n",
			"class Docs(View):\n    def get(self):\n        return 1\n")}, "access-check-removed"},
		"an error of a check is swallowed in Go": {[]File{file("a.go",
			"func login(u User, p string) error {\n\tif err := bcrypt.CompareHashAndPassword(u.Hash, []byte(p)); err != nil {\n\t\treturn err\n\t}\n\treturn start(u)\n}\n",
			"func login(u User, p string) error {\n\t_ = bcrypt.CompareHashAndPassword(u.Hash, []byte(p))\n\treturn start(u)\n}\n")}, "error-ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(engine(t).Compare(tc.files, nil)); !slices.Contains(got, tc.want) {
				t.Errorf("found %v, want %s", got, tc.want)
			}
		})
	}
}

func TestAnHonestChangeStaysQuiet(t *testing.T) {
	const route = "router.get(\"/bills/:id\", requireAuth, async (req, res) => {\n  res.json(await bill(req.params.id));\n});\n"
	for name, files := range map[string][]File{
		"the guard moves to a helper in another file": {
			file("a.py", withGuard, "def show(request, pk):\n    doc = Document.get(pk)\n    ensure_owner(request.user, doc)\n    return render(doc)\n"),
			file("guards.py", "", "def ensure_owner(user, doc):\n    if doc.owner_id != user.id:\n        raise PermissionDenied()\n"),
		},
		"the guard moves to a helper with any name": {
			file("a.py", withGuard, "def show(request, pk):\n    doc = own(request, pk)\n    return render(doc)\n\n\ndef own(request, pk):\n    doc = Document.get(pk)\n    if doc.owner_id != request.user.id:\n        raise PermissionDenied()\n    return doc\n"),
		},
		"the guard becomes a decorator": {
			file("a.py", withGuard, "@owner_required\n"+withoutGuard),
		},
		"the guard is turned around": {
			file("a.py", withGuard, "def show(request, pk):\n    doc = Document.get(pk)\n    if doc.owner_id == request.user.id:\n        return render(doc)\n    raise PermissionDenied()\n"),
		},
		"the middleware goes to the router": {
			file("a.js", route, "router.use(requireAuth);\n"+strings.Replace(route, "requireAuth, ", "", 1)),
		},
		"the middleware goes to where the router is mounted": {
			file("a.js", route, strings.Replace(route, "requireAuth, ", "", 1)),
			file("app.js", "app.use(\"/api\", bills);\n", "app.use(\"/api\", requireAuth, bills);\n"),
		},
		"the function is deleted with its guard":     {file("a.py", withGuard+"\n\ndef other():\n    pass\n", "def other():\n    pass\n")},
		"the file is deleted":                        {file("a.py", withGuard, "")},
		"the function moves to another file":         {file("a.py", withGuard, ""), file("b.py", "", withGuard)},
		"only the format changes":                    {file("a.py", withGuard, strings.ReplaceAll(withGuard, "    ", "  "))},
		"only line ends change":                      {file("a.py", withGuard, strings.ReplaceAll(withGuard, "\n", "\r\n"))},
		"what is weak in the base stays as it is":    {file("a.py", "import requests\nrequests.get(u, verify=False)\n", "import requests\nrequests.get(u, verify=False)\nprint(1)\n")},
		"what is weak in the base moves to a helper": {file("a.py", "def f(u):\n    return requests.get(u, verify=False)\n", "def g(u):\n    return requests.get(u, verify=False)\n\n\ndef f(u):\n    return g(u)\n")},
		"a language that isn't compared":             {{Path: "a.rb", Language: gate.LanguageRuby, Base: []byte("check!\n"), Head: []byte("x\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := engine(t).Compare(files, nil); len(got) > 0 {
				t.Errorf("found %v: %s", ids(got), got[0].Evidence)
			}
		})
	}
}

func TestAFindingStandsWhereTheCheckWas(t *testing.T) {
	found := engine(t).Compare([]File{file("a.py", withGuard, withoutGuard)}, nil)
	if len(found) != 1 || found[0].Line != 3 || found[0].Path != "a.py" || !strings.Contains(found[0].Evidence, "doc.owner_id != request.user.id") {
		t.Errorf("found %+v", found)
	}
}

func TestNumbersAreReadAsTheLanguagesWriteThem(t *testing.T) {
	for text, want := range map[string]float64{
		"15 * time.Minute": 900, "time.Hour": 3600, "timedelta(days=1, hours=1)": 90000, `"15m"`: 900, `"2 hours"`: 7200,
		"60 * 60 * 24": 86400, "1 << 20": 1 << 20, "600_000": 600000, "1e3": 1000, "2 ** 10": 1024, "`30d`": 2592000,
	} {
		if got, ok := evaluate(text); !ok || got != want {
			t.Errorf("%s is %v, %v, want %v", text, got, ok, want)
		}
	}
}

func TestConditionsAreComparedByWhatTheyLetThrough(t *testing.T) {
	for name, tc := range map[string]struct {
		base, head string
		denies     bool
		looser     bool
	}{
		"a part of what is asked for is gone":      {"a and b", "a", false, true},
		"one more way in":                          {"a", "a or b", false, true},
		"or in place of and":                       {"a and b", "a or b", false, true},
		"a part of what is refused is gone":        {"a || b", "a", true, true},
		"refused only if something else holds too": {"a", "a && b", true, true},
		"and in place of or where it refuses":      {"a || b", "a && b", true, true},
		"reversed":                                 {"user.id == doc.owner", "user.id != doc.owner", false, true},
		"not any more":                             {"not a and b", "a and b", false, true},
		"within a part":                            {"a or (b and c)", "a or b", false, true},
		"one more part is asked for":               {"a", "a and b", false, false},
		"one more thing is refused":                {"a", "a or b", true, false},
		"the order":                                {"a and b", "b and a", false, false},
		"brackets":                                 {"(a) and (b)", "a and b", false, false},
		"another name":                             {"user.ok and b", "person.ok and b", false, false},
	} {
		if how, _ := loosened(tc.base, tc.head, tc.denies); (how != "") != tc.looser {
			t.Errorf("%s: %q", name, how)
		}
	}
}

func TestAProgramIsSplitIntoFunctions(t *testing.T) {
	for path, tc := range map[string]struct{ text, want string }{
		"a.py": {"import x\nclass A:\n    @check\n    def b(self):\n        def c():\n            pass\n        return c\n    d = 1\n", "|A|A.b|A.b.c"},
		"a.go": {"package p\n\nfunc (s *S) a(x int) error {\n\tmux.HandleFunc(\"/x\", func(w W, r *R) {\n\t\tf()\n\t})\n\treturn nil\n}\n", "|S.a|S.a.HandleFunc \"/x\""},
		"a.ts": {"export class A {\n  private async b(x: T): Promise<U> {\n    if (x) {\n      return 1;\n    }\n  }\n}\nconst c = (x) => x.ok;\nrouter.get(\"/d\", async (req, res) => {\n  f();\n});\nfunction e() {}\n", "|A|A.b|c|get \"/d\"|e"},
	} {
		f := file(path, "", tc.text)
		units, ok := read(f.Language, path, f.Head)
		var names []string
		for _, u := range units {
			names = append(names, u.name)
		}
		if got := strings.Join(names, "|"); !ok || got != tc.want {
			t.Errorf("%s: %s, want %s", path, got, tc.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, l := range []string{"a.py", "a.js", "a.ts", "a.go"} {
		f.Add(l, withGuard, withoutGuard)
		f.Add(l, "if (a) { return 403 }\n}}}}", "@x\n@y\nfunc (a b) c(d {\n\tif e := f(); e != nil {")
		f.Add(l, "x = \"\\", "timedelta(days=1e9) ** 99 << 99 \"9y\"")
	}
	e := engine(f)
	f.Fuzz(func(t *testing.T, path, base, head string) {
		if !slices.Contains([]string{"a.py", "a.js", "a.ts", "a.go"}, path) {
			return
		}
		lines := strings.Count(head, "\n") + strings.Count(head, "\r") + 1
		for _, x := range e.Compare([]File{file(path, base, head)}, nil) {
			if x.Line < 1 || x.Line > lines || x.End < x.Line {
				t.Errorf("%s is on the lines %d..%d of %d", x.Rule.ID, x.Line, x.End, lines)
			}
		}
	})
}
