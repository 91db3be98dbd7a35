package supervisor

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

var nodeHook = wire.Hook{Programs: []string{"node"}, Variable: "NODE_OPTIONS", Mark: "PUT", Earlier: []string{"-r", "--require", "--build-snapshot"}}

func TestAHookConcernsItsProgramsAndWhatLoadsThem(t *testing.T) {
	for exe, want := range map[string]bool{
		"/usr/local/bin/node": true, "/opt/aigate/deps/0/node/bin/node": true, "/usr/bin/node22": true, "/usr/bin/python3.11": false, "/usr/bin/bash": false,
		"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2": true, "/lib/ld-musl-x86_64.so.1": true,
	} {
		if got := concerns(nodeHook, exe, "/not/there"); got != want {
			t.Errorf("%s: %v, want %v", exe, got, want)
		}
	}
}

func TestACopyIsKnownByItsSizeAndByTheVariableInIt(t *testing.T) {
	hook := nodeHook
	hook.Copied = 600 << 10
	fill := func(n int, end string) []byte { return append(bytes.Repeat([]byte("x"), n), end...) }
	for name, tt := range map[string]struct {
		data []byte
		want bool
	}{
		"small, with it":              {fill(100, "NODE_OPTIONS"), false},
		"large, without it":           {fill(700<<10, "NODE_OPTION"), false},
		"large, with it at the end":   {fill(700<<10, "NODE_OPTIONS"), true},
		"across two looks at it":      {append(fill(256<<10-5, "NODE_OPTIONS"), fill(700<<10, "")...), true},
		"across two looks later":      {append(fill(512<<10-11-6, "NODE_OPTIONS"), fill(700<<10, "")...), true},
		"large, with another like it": {append(fill(256<<10-5, "NODE-OPTIONS"), fill(700<<10, "")...), false},
	} {
		path := filepath.Join(t.TempDir(), "tool")
		if err := os.WriteFile(path, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := concerns(hook, "/workspace/tool", path); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if !concerns(hook, "/workspace/tool", "/not/there") {
		t.Error("one that cannot be read is left out")
	}
}

func TestAnOptionThatLoadsCodeBeforeTheHooksIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		had  string
		want string
	}{
		"none":                        {[]string{"node", "a.js"}, "", ""},
		"before the script":           {[]string{"node", "-r", "./x.js", "a.js"}, "", "-r"},
		"with its value":              {[]string{"node", "--require=./x.js", "a.js"}, "", "--require"},
		"as Node spells it too":       {[]string{"node", "--build_snapshot", "a.js"}, "", "--build_snapshot"},
		"behind the value of another": {[]string{"node", "--title", "x", "-r", "./x.js"}, "", "-r"},
		"an argument of the script":   {[]string{"node", "a.js", "-r", "x"}, "", ""},
		"behind another with its own": {[]string{"node", "--title=x", "a.js", "-r", "x"}, "", ""},
		"in the variable":             {[]string{"node", "a.js"}, "--max-old-space-size=64 --require ./x.js", "--require"},
		"in quotes":                   {[]string{"node", "a.js"}, `"--require=./x y.js"`, "--require"},
		"others in the variable":      {[]string{"node", "a.js"}, "--max-old-space-size=64 --import=./x.js", ""},
		"no arguments at all":         {nil, "", ""},
	} {
		if got := earlier(nodeHook, tt.args, tt.had); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestTheWorstOfManyThatBeganWithoutIsKept(t *testing.T) {
	h := newHooks(nil)
	for i := range 2 * wire.MaxUnhooked {
		h.miss("/usr/bin/node", string(rune('a'+i)), false)
	}
	h.miss("/usr/bin/node", "failed", true)
	h.miss("/usr/bin/node", "failed", true)
	got := h.report()
	if len(got) != wire.MaxUnhooked || !slices.Contains(got, wire.Unhooked{Program: "node", Why: "failed", Failed: true}) {
		t.Errorf("got %d, %v", len(got), got)
	}
}

func TestAProgramThatDoesNotOpenItsFileIsNamed(t *testing.T) {
	python := wire.Hook{Programs: []string{"python"}, Folder: "/usr/lib/python3", File: "_keep."}
	h := newHooks([]wire.Hook{python})
	h.expects(7, expected{"python3", python})
	h.expects(8, expected{"python3.11", python})
	h.forgets(8) // it has become another program
	h.forgets(9) // of which nothing was expected
	want := []wire.Unhooked{{Program: "python3", Why: notLoaded}, {Program: "python3.11", Why: notLoaded}}
	if got := h.report(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var none *hooks
	none.restore(nil, 1)
	if got := none.report(); got != nil {
		t.Errorf("without hooks: %v", got)
	}
}
