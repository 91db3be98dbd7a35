package change

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestTwoTreesAreComparedFileByFile(t *testing.T) {
	base := fstest.MapFS{"same.py": {Data: []byte("a = 1\n")}, "edited.py": {Data: []byte("a = 1\nb = 2\n")}, "gone.py": {Data: []byte("c = 3\n")}}
	head := fstest.MapFS{"same.py": {Data: []byte("a = 1\n")}, "edited.py": {Data: []byte("a = 1\nb = 3\n")}, "new.py": {Data: []byte("d = 4\n")}}
	c, err := Compared(t.Context(), base, head)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]gate.ChangeKind{"edited.py": gate.ChangeModified, "gone.py": gate.ChangeDeleted, "new.py": gate.ChangeAdded}
	if len(c.Targets) != len(want) {
		t.Fatalf("%d targets, want %d", len(c.Targets), len(want))
	}
	for _, target := range c.Targets {
		if target.Kind != want[target.Path] {
			t.Errorf("%s is %s, want %s", target.Path, target.Kind, want[target.Path])
		}
		if target.Path == "edited.py" && (target.Lines.Touches(1, 1) || !target.Lines.Touches(2, 2)) {
			t.Errorf("the changed line of edited.py is 2")
		}
	}
	if len(c.Files) != 3 {
		t.Errorf("the head has 3 files, not %d", len(c.Files))
	}
}
