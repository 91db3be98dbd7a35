package mcp

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAScanTellsHowFarItIs(t *testing.T) {
	told := make(chan string, 100)
	c := connect(t, open(t, Options{}), &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	p := &sdk.CallToolParams{Name: "scan_code", Arguments: arguments{"code": "print(1)\n", "language": "python"}}
	p.SetProgressToken("token")
	if res, err := c.CallTool(t.Context(), p); err != nil || res.IsError {
		t.Fatal(err)
	}
	if first := <-told; !strings.HasPrefix(first, "static: ") {
		t.Error(first)
	}
}

func TestToolsHaveASchemaThatTakesNothingElse(t *testing.T) {
	c := connect(t, open(t, Options{}), nil)
	n := 0
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		schema, _ := tool.InputSchema.(map[string]any)
		if schema["additionalProperties"] == nil || tool.OutputSchema == nil || len(tool.Description) < 50 {
			t.Errorf("%s: %v", tool.Name, schema)
		}
		all, _ := schema["properties"].(map[string]any)
		for name, p := range all {
			m, _ := p.(map[string]any)
			bounded := m["maxLength"] != nil || m["maximum"] != nil || m["enum"] != nil || m["maxItems"] != nil || m["type"] == "boolean"
			if !bounded || m["description"] == nil {
				t.Errorf("%s: %s has no bound or no description: %v", tool.Name, name, m)
			}
		}
	}
	if n != 11 {
		t.Errorf("%d tools", n)
	}
}

func TestAFileIsWrittenReadFoundAndRun(t *testing.T) {
	f := &fake{}
	c := connect(t, open(t, Options{Programs: f}), nil)
	w := works(t, c, "write_file", arguments{"path": "src/a.py", "text": "print('hello')\n"})
	r := works(t, c, "read_file", arguments{"path": "src/a.py"})
	if !strings.Contains(r.text, "print('hello')") || !strings.Contains(r.text, "[end of data ") || r.session() != w.session() {
		t.Error(r.text)
	}
	if r := works(t, c, "list_directory", nil); !strings.Contains(r.text, "src/") {
		t.Error(r.text)
	}
	if r := works(t, c, "search_files", arguments{"pattern": "hello"}); !strings.Contains(r.text, "src/a.py:1: print('hello')") {
		t.Error(r.text)
	}
	if r := works(t, c, "run_command", arguments{"command": "python3 src/a.py", "toolbox": "python"}); r.out["workspace_files"] != 1.0 || f.ran != 1 {
		t.Error(r.text)
	}
}
