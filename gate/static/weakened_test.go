package static_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
)

const (
	withLogin    = "@app.route(\"/users\")\n@login_required\ndef users():\n    return show(everybody())\n"
	withoutLogin = "@app.route(\"/users\")\ndef users():\n    return show(everybody())\n"
)

func treeOf(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return out
}

// weakened are the findings about weakened security, "path:line severity rule".
func weakened(t *testing.T, base, head fs.FS) []gate.Finding {
	t.Helper()
	c, err := change.Compared(t.Context(), base, head)
	if err != nil {
		t.Fatal(err)
	}
	found := gate.NewFindings(c.Targets, nil)
	out, err := newScanner(t, nil).Run(t.Context(), c, found)
	if err != nil || len(out.Incomplete) > 0 {
		t.Fatal(err, out.Incomplete)
	}
	var all []gate.Finding
	for _, target := range c.Targets {
		all = append(all, found.Of(target.Path)...)
	}
	return slices.DeleteFunc(all, func(f gate.Finding) bool { return !strings.HasPrefix(f.Rule, "weakening/") })
}

func TestACheckThatAChangeTakesAwayDecidesWhereItStood(t *testing.T) {
	found := weakened(t, treeOf(map[string]string{"app.py": withLogin}), treeOf(map[string]string{"app.py": withoutLogin}))
	if len(found) != 1 || found[0].Line != 2 || found[0].Severity != gate.SeveritySuspicious || !found[0].Decides() || found[0].Evidence != "@login_required" {
		t.Errorf("found %+v", found)
	}
}

func TestChecksMayGoWhereAProgramProtectsNothing(t *testing.T) {
	for path, want := range map[string]string{"examples/app.py": "note", "functional_tests.py": "note", "shop/functional.py": "suspicious", "shop/settings/dev.py": "note", "shop/settings/base.py": "suspicious", "dev/app.py": "suspicious", "tests/test_app.py": "", "vendor/app.py": "", "dist/app.py": "suspicious", "bundles/app.py": "suspicious", "src/app.py": "suspicious"} {
		found := weakened(t, treeOf(map[string]string{path: withLogin}), treeOf(map[string]string{path: withoutLogin}))
		got := ""
		if len(found) > 0 {
			got = found[0].Severity.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestATestDoesNotCoverForACheckThatIsGone(t *testing.T) {
	found := weakened(t, treeOf(map[string]string{"app.py": withLogin}), treeOf(map[string]string{
		"app.py": withoutLogin, "tests/test_app.py": "from app import users\nusers = login_required(users)\n"}))
	if len(found) != 1 {
		t.Errorf("found %+v", found)
	}
}

func TestChecksAreNotWeakenedWithoutABase(t *testing.T) {
	head := treeOf(map[string]string{"app.py": "import requests\nrequests.get(u, verify=False)\n"})
	target := &gate.Target{Path: "app.py", Language: gate.LanguagePython, Role: gate.RoleSource, Kind: gate.ChangeNone, Mode: 0o644}
	found := gate.NewFindings([]*gate.Target{target}, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), &gate.Change{Head: head, Targets: []*gate.Target{target}}, found); err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Of("app.py") {
		if strings.HasPrefix(f.Rule, "weakening/") {
			t.Errorf("found %+v", f)
		}
	}
}

func TestASecretInWeakenedCodeIsNotShown(t *testing.T) {
	found := weakened(t, treeOf(map[string]string{"app.py": "KEY = os.environ[\"APP_SECRET\"]\n"}), treeOf(map[string]string{"app.py": "KEY = os.environ.get(\"APP_SECRET\", \"made-up-secret\")\n"}))
	if len(found) != 1 || strings.Contains(found[0].Evidence, "made-up") {
		t.Errorf("found %+v", found)
	}
}

func TestSettingsOfBuildsAndPackagesAreComparedAndThoseOfTestsAreNot(t *testing.T) {
	const strict, lax = "ignore-scripts=true\n", "ignore-scripts=false\n"
	const tested, passes = `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest || true"}}`
	const steps = "on: push\njobs:\n  a:\n    steps:\n    - run: make test"
	const private, public = "resource \"aws_s3_bucket_acl\" \"a\" {\n  acl = \"private\"\n}\n", "resource \"aws_s3_bucket_acl\" \"a\" {\n  acl = \"public-read\"\n}\n"
	for path, tc := range map[string]struct{ base, head, want string }{
		".npmrc":                   {strict, lax, "suspicious"},
		"tests/.npmrc":             {strict, lax, ""},
		"package.json":             {tested, passes, "suspicious"},
		".github/workflows/ci.yml": {steps + "\n", steps + " || true\n", "suspicious"},
		"infra/main.tf":            {private, public, "suspicious"},
		"examples/main.tf":         {private, public, "note"},
		"local/main.tf":            {private, public, "note"},
	} {
		got := ""
		for _, f := range weakened(t, treeOf(map[string]string{path: tc.base}), treeOf(map[string]string{path: tc.head})) {
			got = f.Severity.String()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", path, got, tc.want)
		}
	}
}

func TestACheckThatMovesIntoAnUnchangedFileOfTheTreeIsNotGone(t *testing.T) {
	const (
		python   = "def drop(request, pk):\n    doc = Document.get(pk)\n    if doc.owner_id != request.user.id:\n        raise PermissionDenied()\n    doc.delete()\n"
		refuses  = "def theirs(request, pk):\n    if Document.get(pk).owner_id != request.user.id:\n        raise PermissionDenied()\n"
		calls    = "def drop(request, pk):\n    doc = Document.get(pk)\n    theirs(request, pk)\n    doc.delete()\n"
		script   = "export function drop(u, doc) {\n  if (doc.owner !== u.id) throw new Error(\"forbidden\");\n  docs.delete(doc.key);\n}\n"
		scripted = "import { theirs } from \"./lib/guards\";\n\nexport function drop(u, doc) {\n  theirs(doc);\n  docs.delete(doc.key);\n}\n"
	)
	for name, tc := range map[string]struct {
		base, head, path, near, text string
		gone                         bool
	}{
		"Python, imported by its package": {python, "from shop.guards import theirs\n\n\n" + calls, "shop/a.py", "shop/guards.py", refuses, false},
		"Python, imported from beside":    {python, "from .guards import theirs\n\n\n" + calls, "shop/a.py", "shop/guards.py", refuses, false},
		"Python, not imported":            {python, calls, "shop/a.py", "shop/guards.py", refuses, true},
		"TypeScript":                      {script, scripted, "src/a.ts", "src/lib/guards.ts", "export function theirs(doc) {\n  if (doc.owner !== session.u.id) throw new Forbidden();\n}\n", false},
		"TypeScript, without a refusal":   {script, scripted, "src/a.ts", "src/lib/guards.ts", "export function theirs(doc) {\n  log(doc.owner, session.u.id);\n}\n", true},
		"Go, in the package": {"package a\n\nfunc drop(s Session, d Doc) error {\n\tif d.Owner != s.UserID {\n\t\treturn errForbidden\n\t}\n\treturn d.Delete()\n}\n",
			"package a\n\nfunc drop(s Session, d Doc) error {\n\tif err := theirs(d); err != nil {\n\t\treturn err\n\t}\n\treturn d.Delete()\n}\n",
			"a/a.go", "a/b.go", "package a\n\nfunc theirs(d Doc) error {\n\tif d.Owner != now().UserID {\n\t\treturn errForeign\n\t}\n\treturn nil\n}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			found := weakened(t, treeOf(map[string]string{tc.path: tc.base, tc.near: tc.text}), treeOf(map[string]string{tc.path: tc.head, tc.near: tc.text}))
			gone := slices.ContainsFunc(found, func(f gate.Finding) bool { return f.Rule == "weakening/access-guard-removed" })
			if gone != tc.gone {
				t.Errorf("the check is gone: %v, want %v: %+v", gone, tc.gone, found)
			}
		})
	}
}
