package weakening

import (
	"slices"
	"strings"
	"testing"
)

const release = `func (u *Updater) Install(version string) error {
	sig, err := u.fetch(version + ".sig")
	if err != nil {
		return err
	}
	if !ed25519.Verify(u.Key, u.binary, sig) {
		return ErrSignature
	}
	return u.write()
}
`

func TestACheckThatIsMadeOnlySometimesIsFound(t *testing.T) {
	for name, tc := range map[string]struct{ path, base, head, want string }{
		"under a new condition": {"a.go", release, strings.Replace(strings.Replace(release,
			"\tif !ed25519", "\tif len(sig) > 0 {\n\tif !ed25519", 1), "ErrSignature\n\t}\n", "ErrSignature\n\t}\n\t}\n", 1), "signature-check-removed"},
		"behind a case that refuses nothing": {"a.go", release, strings.Replace(release,
			"\tif err != nil {\n\t\treturn err\n\t}\n\tif !ed25519.Verify(u.Key, u.binary, sig) {\n\t\treturn ErrSignature\n\t}\n",
			"\tswitch {\n\tcase errors.Is(err, ErrNone):\n\t\tlog.Print(err)\n\tcase err != nil:\n\t\treturn err\n\tcase !ed25519.Verify(u.Key, u.binary, sig):\n\t\treturn ErrSignature\n\t}\n", 1), "signature-check-removed"},
		"without the return behind the refusal": {"a.js",
			"function show(req, res) {\n  if (req.user.role !== \"admin\") {\n    res.status(403).end();\n    return;\n  }\n  res.json(all());\n}\n",
			"function show(req, res) {\n  if (req.user.role !== \"admin\") {\n    res.status(403).end();\n  }\n  res.json(all());\n}\n", "access-guard-removed"},
		"only where the value is there": {"a.js",
			"function back(req, res) {\n  if (!req.query.state || req.query.state !== expected) {\n    return res.status(400).end();\n  }\n  go();\n}\n",
			"function back(req, res) {\n  if (!req.query.code) {\n    return res.status(400).end();\n  }\n  if (req.query.state && req.query.state !== expected) {\n    return res.status(400).end();\n  }\n  go();\n}\n", "csrf-check-removed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(engine(t).Compare([]File{file(tc.path, tc.base, tc.head)}, nil)); !slices.Contains(got, tc.want) {
				t.Errorf("found %v, want %s", got, tc.want)
			}
		})
	}
}

func TestACheckOfAnotherShapeStaysQuiet(t *testing.T) {
	const roles = "function show(req, res) {\n  if (req.user.role !== \"admin\") {\n    return res.status(403).end();\n  }\n  res.json(all());\n}\n"
	for name, files := range map[string][]File{
		"an else goes on in place of a return": {file("a.js",
			"function show(req, res) {\n  if (req.user.role !== \"admin\") {\n    res.status(403).end();\n    return;\n  }\n  res.json(all());\n}\n",
			"function show(req, res) {\n  if (req.user.role !== \"admin\") {\n    res.status(403).end();\n  } else {\n    res.json(all());\n  }\n}\n")},
		"a helper with another name decides": {file("a.js", roles,
			"function isOwnerOf(user) {\n  if (req.user.role !== \"admin\") {\n    return false;\n  }\n  return true;\n}\n"+strings.Replace(roles, "req.user.role !== \"admin\"", "!isOwnerOf(req.user)", 1))},
		"the condition around the check is wider than it was": {file("a.py",
			"def run(context, user):\n    if is_entity(context):\n        if not has_permission(user):\n            raise Forbidden()\n",
			"def run(context, user):\n    if is_entity(context) or is_run(context):\n        if not has_permission(user):\n            raise Forbidden()\n")},
		"the decorator of a helper carries the check": {file("a.py",
			"@login_required\ndef show(pk):\n    return jsonify(load(pk))\n",
			"def with_own(view):\n    @login_required\n    def wrapped(pk):\n        return view(load(pk))\n\n    return wrapped\n\n\n@with_own\ndef show(doc):\n    return jsonify(doc)\n")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := engine(t).Compare(files, nil); len(got) > 0 {
				t.Errorf("found %v: %s", ids(got), got[0].Evidence)
			}
		})
	}
}

func TestComparisonsAreOrderedByWhatTheyAccept(t *testing.T) {
	for name, tc := range map[string]struct {
		was, is string
		denies  bool
		weaker  bool
	}{
		"equal becomes a prefix":              {`host == "a.example"`, `host.startswith("a.")`, false, true},
		"a list becomes a part of the name":   {`host not in ALLOWED`, `"example" not in host`, true, true},
		"a type becomes a presence":           {`typeof pin !== "string"`, `!pin`, true, true},
		"a pattern becomes a presence":        {`not re.fullmatch(PIN, pin)`, `not pin`, true, true},
		"contained becomes equal":             {`!host.includes("example")`, `host !== "example.com"`, true, false},
		"a role becomes a method of the user": {`user.role !== "admin"`, `!user.isAdmin`, true, false},
		"the bound is let in":                 {`attempts >= MAX`, `attempts > MAX`, true, true},
		"the bound is left out":               {`attempts > MAX`, `attempts >= MAX`, true, false},
		"another subject":                     {`host == "a"`, `path.startswith("/a")`, false, false},
	} {
		if got := comparisonOf(tc.was, tc.denies).weakerIn(comparisonOf(tc.is, tc.denies)); got != tc.weaker {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTextsMadeOfConstantsAreNoInput(t *testing.T) {
	const base = "def find(db, args):\n    return db.execute(\"SELECT id FROM t WHERE a = ?\", (args[\"a\"],))\n"
	for name, tc := range map[string]struct {
		head  string
		found bool
	}{
		"a list of clauses":                   {"def find(db, args):\n    where = [\"a = ?\"]\n    if args.get(\"b\"):\n        where.append(\"b = ?\")\n    return db.execute(\"SELECT id FROM t WHERE \" + \" AND \".join(where), args)\n", false},
		"what a function returns":             {"def clauses(args):\n    out = [\"a = ?\"]\n    out.append(\"b IN (%s)\" % \", \".join(\"?\" * len(args)))\n    return \" AND \".join(out), args\n\n\ndef find(db, args):\n    where, params = clauses(args)\n    return db.execute(f\"SELECT id FROM t WHERE {where}\", params)\n", false},
		"a table of columns":                  {"COLUMNS = {\"new\": \"id DESC\", \"name\": \"name\"}\n\n\ndef find(db, args):\n    order = COLUMNS[args[\"sort\"]]\n    return db.execute(f\"SELECT id FROM t WHERE a = ? ORDER BY {order}\", args)\n", false},
		"a clause with a value":               {"def find(db, args):\n    where = [\"a = ?\"]\n    where.append(f\"b = '{args['b']}'\")\n    return db.execute(\"SELECT id FROM t WHERE \" + \" AND \".join(where), args)\n", true},
		"a parameter":                         {"def find(db, args):\n    order = args[\"sort\"]\n    return db.execute(f\"SELECT id FROM t WHERE a = ? ORDER BY {order}\", args)\n", true},
		"a name that nothing gives":           {"def find(db, args):\n    return db.execute(f\"SELECT id FROM t WHERE {clause}\", args)\n", true},
		"a name with the same name elsewhere": {"def other():\n    order = \"id\"\n    return order\n\n\ndef find(db, order):\n    return db.execute(f\"SELECT id FROM t WHERE a = ? ORDER BY {order}\")\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := slices.Contains(ids(engine(t).Compare([]File{file("a.py", base, tc.head)}, nil)), "query-from-text")
			if got != tc.found {
				t.Errorf("found %v, want %v", got, tc.found)
			}
		})
	}
}
