package static_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/tools/testenv"
)

// A file with more names than are looked at is not known to be what its own name says.
func TestAFileWithMoreNamesThanAreReadIsAGap(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for n, want := range map[int]string{10: "", 20: "notes.txt: it may be run as something else than its name says: at most 16 of its readings are looked at"} {
		base := fstest.MapFS{"a.txt": {Data: []byte("hi\n"), Mode: 0o644}}
		for i := range n {
			base[fmt.Sprintf("t%d.py", i)] = &fstest.MapFile{Data: []byte("notes.txt"), Mode: 0o777 | fs.ModeSymlink}
		}
		got := scanEdit(t, base, fstest.MapFS{"notes.txt": {Data: []byte("hi\n"), Mode: 0o644}})
		if gaps := strings.Join(got.gaps, "\n"); gaps != want {
			t.Errorf("%d links: gaps %q", n, gaps)
		}
	}
}
