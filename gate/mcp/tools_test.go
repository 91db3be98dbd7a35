package mcp

import (
	"strings"
	"testing"
)

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
