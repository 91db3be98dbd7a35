package locks

import (
	"testing"
	"testing/fstest"
	"time"
)

// committed is a tree with a time.
type committed struct {
	fstest.MapFS
	when time.Time
}

func (c committed) When() time.Time { return c.when }

func TestTheVersionOfNodeIsTheOneThatTheTreeAsksFor(t *testing.T) {
	t.Parallel()
	const manifest = `{"dependencies": {"a": "1"}}`
	workflow := func(text string) map[string]string {
		return map[string]string{".github/workflows/ci.yml": "jobs:\n  test:\n    strategy:\n      matrix:\n        " + text + "\n"}
	}
	for name, tt := range map[string]struct {
		files              map[string]string
		when               string
		major, asked, what string
	}{
		"nothing asks":                    {nil, "2026-11-20", "", "26", "the time of the commit"},
		"an old commit":                   {nil, "2025-02-18", "22", "22", "the time of the commit"},
		"one before the next support":     {nil, "2026-10-27", "24", "24", "the time of the commit"},
		"a very old commit":               {nil, "2021-01-01", "22", "18", "the time of the commit"},
		"a time that is not known":        {nil, "", "", "", ""},
		"for nvm":                         {map[string]string{".nvmrc": "v22.4.1\n", ".node-version": "24"}, "2026-11-20", "22", "22", ".nvmrc"},
		"a name":                          {map[string]string{".nvmrc": "lts/krypton"}, "2026-11-20", "24", "24", ".nvmrc"},
		"a name that is not known":        {map[string]string{".nvmrc": "lts/unobtainium", ".node-version": "24.1"}, "2026-11-20", "24", "24", ".node-version"},
		"for asdf":                        {map[string]string{".tool-versions": "python 3.12\nnodejs 22.1.0\n"}, "2026-11-20", "22", "22", ".tool-versions"},
		"for Volta":                       {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "volta": {"node": "22.1.0"}}`}, "2026-11-20", "22", "22", "package.json (volta)"},
		"the newest that is tested":       {workflow("node-version: [12.x, 14.x, 18.x, 22.x, 20.x]"), "2026-11-20", "22", "22", ".github/workflows/ci.yml"},
		"the newest is that of the image": {workflow("node: [22, '26']"), "2025-02-18", "", "26", ".github/workflows/ci.yml"},
		"newer than that of the image":    {workflow("node: [22, 28]"), "2025-02-18", "", "28", ".github/workflows/ci.yml"},
		"older than what is offered":      {workflow("node: 16"), "2026-11-20", "22", "16", ".github/workflows/ci.yml"},
		"words":                           {workflow("node_version: [lts/*, latest]"), "2026-06-20", "", "26", ".github/workflows/ci.yml"},
		"an expression":                   {workflow("node-version: ${{ matrix.node }}"), "2026-11-20", "", "26", "the time of the commit"},
		"other numbers":                   {workflow("python-version: [22]\n        timeout: 22"), "2026-11-20", "", "26", "the time of the commit"},
		"no YAML":                         {workflow("node: [22"), "2026-11-20", "", "26", "the time of the commit"},
		"a range below":                   {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "engines": {"node": ">=18 <25"}}`}, "2026-11-20", "24", "24", "package.json (engines)"},
		"a range with that of the time":   {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "engines": {"node": "^20.1 || >=24.0.0"}}`}, "2026-06-20", "24", "24", "the time of the commit"},
		"no range":                        {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "engines": {"node": "new"}}`}, "2026-11-20", "", "26", "the time of the commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := committed{MapFS: fstest.MapFS{"package.json": {Data: []byte(manifest)}}}
			for file, text := range tt.files {
				tree.MapFS[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if tt.when != "" {
				var err error
				if tree.when, err = time.Parse(time.DateOnly, tt.when); err != nil {
					t.Fatal(err)
				}
			}
			all, _, err := ReadTree(tree)
			if err != nil || len(all) != 1 {
				t.Fatalf("%v %v", all, err)
			}
			if want := (Interpreter{Major: tt.major, Asked: tt.asked, By: tt.what}); all[0].Interpreter != want {
				t.Errorf("%+v, want %+v", all[0].Interpreter, want)
			}
			other := Interpreter{Major: tt.major, Asked: tt.asked, By: tt.what}.Other()
			if got, want := other != "", tt.major != "" && tt.major != tt.asked; got != want {
				t.Errorf("another version: %q", other)
			}
		})
	}
}

func TestAnotherVersionOfNodeIsAnotherImage(t *testing.T) {
	t.Parallel()
	digests := map[string]bool{}
	for _, version := range []string{"22", "24", "26"} {
		all, _, err := ReadTree(fstest.MapFS{"package.json": {Data: []byte(`{"dependencies": {"a": "1"}}`)}, ".nvmrc": {Data: []byte(version)}})
		if err != nil {
			t.Fatal(err)
		}
		digests[all[0].Digest] = true
	}
	if len(digests) != 3 {
		t.Errorf("%d digests of three versions", len(digests))
	}
}

func TestBunIsInstalledWhereTheBaseIsMadeForIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"a lock file":             {map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, "bun.lock": "{}"}, true},
		"a script that starts it": {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "scripts": {"test": "NODE_ENV=test; bun test"}}`}, true},
		"its manager":             {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "packageManager": "bun@1.3.0"}`}, true},
		"a word that is alike":    {map[string]string{"package.json": `{"dependencies": {"bun-types": "1"}, "scripts": {"build": "esbundle bun"}}`}, false},
		"another manager":         {map[string]string{"package.json": `{"dependencies": {"a": "1"}, "packageManager": "pnpm@9.0.0"}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{}
			for p, text := range tt.files {
				tree[p] = &fstest.MapFile{Data: []byte(text)}
			}
			all, left, err := ReadTree(tree)
			if err != nil || len(left) > 0 || len(all) != 1 || all[0].Bun != tt.want {
				t.Fatalf("%+v, left %v, %v", all, left, err)
			}
			without := all[0]
			without.Bun = false
			if same := digest(without) == all[0].Digest; same == tt.want {
				t.Error("the digest does not follow from it")
			}
		})
	}
}
