package weakening

import (
	"slices"
	"testing"
)

func TestACheckInAFunctionThatIsNotOnThePathIsLost(t *testing.T) {
	const (
		ownGuard = "def theirs(user, doc):\n    if doc.owner_id != user.id:\n        raise PermissionDenied()\n"
		says     = "def theirs(user, doc):\n    return doc.owner_id == user.id\n"
		base     = "def drop(request, pk):\n    doc = Document.get(pk)\n    if doc.owner_id != request.user.id:\n        raise PermissionDenied()\n    doc.delete()\n"
		script   = "export function save(u, name) {\n  if (!canEdit(u)) throw new Error(\"forbidden\");\n  pages.set(name);\n}\n"
	)
	for name, files := range map[string][]File{
		"nothing calls it": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    doc.delete()\n"),
			file("guards.py", "", ownGuard)},
		"another function calls it": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    doc.delete()\n\n\ndef show(request, doc):\n    theirs(request.user, doc)\n"),
			file("guards.py", "", ownGuard)},
		"it is called after what it should keep from running": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    doc.delete()\n    theirs(request.user, doc)\n"),
			file("guards.py", "", ownGuard)},
		"it is called only with a setting": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    if STRICT:\n        theirs(request.user, doc)\n    doc.delete()\n"),
			file("guards.py", "", ownGuard)},
		"its answer is not asked": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    theirs(request.user, doc)\n    doc.delete()\n"),
			file("guards.py", "", says)},
		"it asks something else": {
			file("a.py", base, "def drop(request, pk):\n    doc = Document.get(pk)\n    theirs(request.user, doc)\n    doc.delete()\n"),
			file("guards.py", "", "def theirs(user, doc):\n    if doc.draft:\n        raise PermissionDenied()\n")},
		"it is called only if a flag holds": {
			file("a.ts", script, "export function save(u, name) {\n  strict && demand(u);\n  pages.set(name);\n}\n"),
			file("checks.ts", "export function canEdit(u) {\n  return u.role === \"admin\";\n}\n", ""),
			file("rights.ts", "", "export function demand(u) {\n  if (u.role !== \"admin\") throw new Forbidden();\n}\n")},
		"it never refuses": {
			file("a.ts", script, "export function save(u, name) {\n  demand(u);\n  pages.set(name);\n}\n"),
			file("checks.ts", "export function canEdit(u) {\n  return u.role === \"admin\";\n}\n", ""),
			file("rights.ts", "", "export function demand(u) {\n  log.info(u.role);\n}\n")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(engine(t).Compare(files, nil)); !slices.Contains(got, "access-guard-removed") {
				t.Errorf("found %v, want access-guard-removed", got)
			}
		})
	}
}

func TestAHardenedParserThatNothingUsesIsNone(t *testing.T) {
	got := ids(engine(t).Compare([]File{file("a.py",
		"from defusedxml.ElementTree import fromstring\n\n\ndef read(document):\n    return fromstring(document)\n",
		"from lxml import etree\n\n\ndef parser():\n    return etree.XMLParser(resolve_entities=False)\n\n\ndef read(document):\n    return etree.fromstring(document)\n")}, nil))
	if !slices.Contains(got, "hardened-parser-removed") {
		t.Errorf("found %v, want hardened-parser-removed", got)
	}
}

func TestACheckInAnUnchangedFileThatTheChangeImportsCounts(t *testing.T) {
	const (
		base = "def drop(request, pk):\n    doc = Document.get(pk)\n    if doc.owner_id != request.user.id:\n        raise PermissionDenied()\n    doc.delete()\n"
		head = "from guards import theirs\n\n\ndef drop(request, pk):\n    doc = Document.get(pk)\n    theirs(pk)\n    doc.delete()\n"
	)
	for name, tc := range map[string]struct {
		near string
		lost bool
	}{
		"it refuses":           {"def theirs(pk):\n    if Document.get(pk).owner_id != current().request.user.id:\n        raise PermissionDenied()\n", false},
		"it only says so":      {"def theirs(pk):\n    log.info(Document.get(pk).owner_id, current().request.user.id)\n", true},
		"it asks for the kind": {"def theirs(pk):\n    if Document.get(pk).draft:\n        raise PermissionDenied()\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			near := func(path string) []File {
				if path != "a.py" {
					t.Errorf("asked for the imports of %s", path)
				}
				return []File{file("guards.py", "", tc.near)}
			}
			if got := slices.Contains(ids(engine(t).Compare([]File{file("a.py", base, head)}, near)), "access-guard-removed"); got != tc.lost {
				t.Errorf("the check is gone: %v, want %v", got, tc.lost)
			}
		})
	}
}
