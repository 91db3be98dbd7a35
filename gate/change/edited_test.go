package change_test

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
)

func TestAnEditHasTheLinesThatItChanges(t *testing.T) {
	before, after := []byte("a = 1\nb = 2\nc = 3\n"), []byte("a = 1\nb = 20\nc = 3\nd = 4\n")
	c, err := change.Edited(t.Context(), "x/a.py", 0o644, before, after)
	if err != nil || len(c.Targets) != 1 {
		t.Fatal(err, c)
	}
	got := c.Targets[0]
	if got.Kind != gate.ChangeModified || got.Language != gate.LanguagePython || !slices.Equal(got.Lines.Ranges(), []gate.LineRange{{2, 2}, {4, 4}}) {
		t.Errorf("%+v", got)
	}
	if c.Base == nil {
		t.Error("an edit without its base")
	}
}

func TestAFileThatIsNewIsAllInTheChange(t *testing.T) {
	c, err := change.Edited(t.Context(), "a.sh", 0o755, nil, []byte("echo a\n"))
	if err != nil || len(c.Targets) != 1 || c.Targets[0].Kind != gate.ChangeAdded || !c.Targets[0].Lines.All() {
		t.Fatal(err, c)
	}
}
