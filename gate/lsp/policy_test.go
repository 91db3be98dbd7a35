package lsp

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lsp/protocol"
)

const opened = "import os\n\n\ndef f(path):\n    os.chmod(path, 0o777)\n"

func TestPolicyOfTheFolderIsIgnored(t *testing.T) {
	const rule = "privilege/python-world-writable"
	r := project(t, map[string]string{"a.py": "import os\n", ".gate.yml": "profile: default\n"})
	put(t, r.Dir, map[string]string{".gate.yml": "rules: {disable: [" + rule + "]}\npaths: {exclude: ['**']}\n"})
	e := open(t, r.Dir, Options{}, nil)
	commented := strings.Replace(opened, "    os.chmod", "    # gate:allow "+rule+` reason="it is mine"`+"\n    os.chmod", 1)
	e.edit("a.py", commented)
	if got := e.diagnostics("a.py", 1); !has(got, "5:4-5:25 warning "+rule) || !has(got, "policy-change/suppression") {
		t.Errorf("%q", got)
	}
	// A commit of the same while the server runs changes nothing either.
	put(t, r.Dir, map[string]string{"a.py": commented})
	r.Commit("mine")
	e.change("a.py", 2, protocol.Change{Text: commented + "\n"})
	if got := e.diagnostics("a.py", 2); !has(got, "warning "+rule) {
		t.Errorf("%q", got)
	}
	// A server that starts now has it as its base, and the policy with it.
	e = open(t, r.Dir, Options{}, nil)
	e.edit("a.py", commented)
	if got := e.diagnostics("a.py", 1); len(got) > 0 {
		t.Errorf("the base's policy is not taken: %q", got)
	}
}

func TestSuppressionsOfTheBaseAreAcceptedAndShown(t *testing.T) {
	const rule = "privilege/python-world-writable"
	text := strings.Replace(opened, "    os.chmod", "    # gate:allow "+rule+` reason="shared with the group"`+"\n    os.chmod", 1)
	e := open(t, project(t, map[string]string{"a.py": text}).Dir, Options{}, nil)
	e.edit("a.py", text+"\nprint(1)\n")
	if got := e.diagnostics("a.py", 1); !slices.Equal(got, []string{"5:4-5:25 hint " + rule}) {
		t.Errorf("%q", got)
	}
	e.mu.Lock()
	message := e.told[e.uri("a.py")].Diagnostics[0].Message
	e.mu.Unlock()
	if !strings.Contains(message, "[accepted: shared with the group]") {
		t.Error(message)
	}
}

func TestFindingsOfTheBaseAreInformation(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": opened}).Dir, Options{}, nil)
	e.edit("a.py", opened)
	if got := e.diagnostics("a.py", 1); !slices.Equal(got, []string{"4:4-4:25 information privilege/python-world-writable"}) {
		t.Errorf("%q", got)
	}
}

func TestFilesOutsideOfGitAreNewAndNothingIsAccepted(t *testing.T) {
	e := open(t, t.TempDir(), Options{}, nil)
	e.edit("a.py", strings.Replace(opened, "    os.chmod", "    # gate:allow privilege/python-world-writable reason=\"mine\"\n    os.chmod", 1))
	if got := e.diagnostics("a.py", 1); !slices.Equal(got, []string{"5:4-5:25 warning privilege/python-world-writable"}) {
		t.Errorf("%q", got)
	}
}

func TestABrokenPolicyIsSaidAtEveryText(t *testing.T) {
	e := open(t, project(t, map[string]string{".gate.yml": "profile: strictest\n"}).Dir, Options{}, nil)
	e.edit("a.py", "print(1)\n")
	if got := e.diagnostics("a.py", 1); !slices.Equal(got, []string{"0:0-0:8 warning not-looked-at"}) {
		t.Errorf("%q", got)
	}
	e.wait("message", func() bool { return has(e.messages, "strictest") })
}
