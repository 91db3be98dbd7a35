package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate/engine"
)

// What arguments of FuzzArguments stand for: identifiers are made anew for each server.
const (
	mine   = "SESSION-MINE"   // the client's own session
	theirs = "SESSION-THEIRS" // the session of another user
)

// secret is in the files that no client may read.
const secret = "5ecret-of-somebody-else"

// FuzzArguments calls each tool with whatever a client sends. The server answers, or refuses in
// the protocol. It shows nothing of files beside its state and of other users' sessions, changes
// nothing there, and serves the next call.
func FuzzArguments(f *testing.F) {
	tools := toolsOf(f)
	for _, seed := range []struct{ tool, arguments string }{
		{"write_file", `{"path": "../../x", "text": "a"}`},
		{"write_file", `{"path": "a/.git/hooks/pre-commit", "base64": "YQ=="}`},
		{"write_file", `{"path": "a", "text": "b", "base64": "!"}`},
		{"read_file", `{"path": "/etc/passwd", "offset": -1}`},
		{"read_file", `{"path": "a.txt", "session": "` + mine + `", "offset": 2, "encoding": "base64"}`},
		{"read_file", `{"path": "theirs.txt", "session": "` + theirs + `"}`},
		{"read_file", `{"path": "theirs.txt", "session": "../` + theirs + `"}`},
		{"list_directory", `{"path": "a/../.."}`},
		{"list_directory", `{"session": "new"}`},
		{"search_files", `{"pattern": "(", "regexp": true, "files": "[a"}`},
		{"search_files", `{"pattern": "mine", "session": "` + mine + `"}`},
		{"run_command", `{"command": "cat a.txt", "timeout_seconds": 1e99}`},
		{"run_code", `{"language": "python", "code": "1", "args": ["\u0000"]}`},
		{"scan_code", `{"path": "a.py", "code": "print(1)"}`},
		{"scan_code", `{"path": "../beside.txt", "code": "\ud800", "language": "none"}`},
		{"scan_change", `{"root": "/etc", "base": "--output=x"}`},
		{"load_skill", `{"name": "../skills/greet"}`},
		{"load_skill", `{"name": "greet"}`},
		{"read_resource", `{"skill": "greet", "path": "../../beside.txt"}`},
		{"explain_finding", `{"rule": "no/such"}`},
		{"none", `[]`},
	} {
		f.Add(uint8(slices.Index(tools, seed.tool)), seed.arguments) // -1 for a tool that there is not
	}
	home := f.TempDir()
	beside := filepath.Join(home, "beside.txt")
	put(f, beside, secret)
	put(f, filepath.Join(home, "skills/greet/SKILL.md"), "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n")
	o := Options{State: filepath.Join(home, "state"), Skills: []string{filepath.Join(home, "skills")}, RunsPerHour: 1 << 30, Programs: &fake{
		// A program leaves one file, so that no workspace fills up.
		does: func(context.Context, engine.Program, map[string]string) (engine.Ended, error) {
			return ended(map[string]string{"a.txt": "mine"}), nil
		},
	}}
	another := open(f, o)
	another.owner = "another user"
	other, c := connect(f, another, nil), connect(f, open(f, o), nil)
	theirID := works(f, other, "write_file", arguments{"path": "theirs.txt", "text": secret}).session()
	myID := works(f, c, "write_file", arguments{"path": "a.txt", "text": "mine"}).session()
	f.Fuzz(func(t *testing.T, tool uint8, text string) {
		if len(text) > 4<<10 || !json.Valid([]byte(text)) {
			return
		}
		name := "none"
		if int(tool) < len(tools) {
			name = tools[tool]
		}
		sent := strings.NewReplacer(mine, myID, theirs, theirID).Replace(text)
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(sent)})
		if reply, _ := json.Marshal(res); err == nil && !strings.Contains(text, secret) && strings.Contains(string(reply), secret) {
			t.Fatalf("%s(%s) shows %s", name, text, reply)
		}
		if name == "none" && err == nil {
			t.Fatal("a tool that there is not was called")
		}

		if name == "write_file" {
			works(t, c, "run_command", arguments{"command": "true", "session": myID})
		}
		if r := works(t, c, "read_file", arguments{"path": "a.txt", "session": myID}); r.out["text"] != "mine" {
			t.Fatalf("the file of the client is %q", r.out["text"])
		}
		refused(t, c, "explain_finding", arguments{"rule": "no/such"}, "no/such")
		if r := works(t, other, "read_file", arguments{"path": "theirs.txt", "session": theirID}); r.out["text"] != secret {
			t.Fatalf("the file of another user is %q", r.out["text"])
		}
		if data, err := os.ReadFile(beside); err != nil || string(data) != secret {
			t.Fatalf("the file beside the state is %q, %v", data, err)
		}
		if left, err := os.ReadDir(home); err != nil || len(left) != len([]string{"beside.txt", "skills", "state"}) {
			t.Fatalf("beside the state: %v, %v", left, err)
		}
	})
}

// toolsOf are the names of all tools, sorted.
func toolsOf(f *testing.F) []string {
	f.Helper()
	list, err := connect(f, open(f, Options{}), nil).ListTools(f.Context(), nil)
	if err != nil {
		f.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

func put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
