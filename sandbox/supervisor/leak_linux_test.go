package supervisor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/tools/testenv"
)

func TestAValueBehindMuchElseIsFoundInWhatWasWritten(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of megabytes in one goroutine")
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := newMatcher(&wire.Observe{Canaries: []wire.Canary{{ID: "key", Value: value}}})
	large := append(bytes.Repeat([]byte("y"), maxSearchedFiles+1000), value...)
	for _, c := range []struct {
		name       string
		built      bool
		found      bool
		unsearched bool
	}{
		{"by the program", false, true, false},
		{"by a compiler", true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "z")
			if err := os.WriteFile(path, large, 0o600); err != nil {
				t.Fatal(err)
			}
			j := newJournal()
			unsearched, _ := leaks(m, []string{path}, map[string]bool{path: c.built}, nil, "", j)
			events, _ := j.all(nil)
			if (len(events) == 1) != c.found || (unsearched > 0) != c.unsearched {
				t.Errorf("%d events, %d bytes not searched", len(events), unsearched)
			}
		})
	}
}

func TestTheSameByteAgainAndAgainDoesNotCount(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of megabytes in one goroutine")
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := newMatcher(&wire.Observe{Canaries: []wire.Canary{{ID: "key", Value: value}}})
	dir := t.TempDir()
	holes, after := filepath.Join(dir, "holes"), filepath.Join(dir, "larger")
	for path, size := range map[string]int64{holes: maxSkimmed, after: maxSkimmed + 1} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte(value), size); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	j := newJournal()
	unsearched, _ := leaks(m, []string{holes, after}, nil, nil, "", j)
	if events, _ := j.all(nil); len(events) != 2 || unsearched != 0 {
		t.Errorf("%d events, %d bytes not searched", len(events), unsearched)
	}
}

// TestReportsTakeNoRoomFromWhatTheProgramWrote: a value that is encoded twice is found only
// where a file is looked at in full, and there is room for so much of that.
func TestReportsTakeNoRoomFromWhatTheProgramWrote(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of megabytes in one goroutine")
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := newMatcher(&wire.Observe{Canaries: []wire.Canary{{ID: "key", Value: value}}})
	twice := base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(value))))
	dir := t.TempDir()
	reports := filepath.Join(dir, "reports")
	var written []string
	for path, data := range map[string]string{
		"reports/large": strings.Repeat("y", maxSearchedFiles), "reports/plain": "X=" + value, "reports/twice": twice,
		"larger": twice + "\n" + strings.Repeat("y", maxSearchedFiles),
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(data), 0o600)); err != nil {
			t.Fatal(err)
		}
		written = append(written, path)
	}
	j := newJournal()
	leaks(m, written, nil, nil, reports, j)
	var found []string
	events, _ := j.all(nil)
	for _, e := range events {
		found = append(found, strings.TrimPrefix(e.Object, dir+"/"))
	}
	slices.Sort(found)
	if got := strings.Join(found, " "); got != "larger reports/plain" {
		t.Errorf("found in %q", got)
	}
}

func TestASmallFileIsSearchedWithAnyWriter(t *testing.T) {
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := newMatcher(&wire.Observe{Canaries: []wire.Canary{{ID: "key", Value: value}}})
	path := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(path, []byte("X="+value), 0o600); err != nil {
		t.Fatal(err)
	}
	j := newJournal()
	leaks(m, []string{path}, map[string]bool{path: true}, nil, "", j)
	if events, _ := j.all(nil); len(events) != 1 {
		t.Errorf("%d events", len(events))
	}
}

func TestAPlantedFileThatIsAsItWasIsNoLeak(t *testing.T) {
	const value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	m := newMatcher(&wire.Observe{Canaries: []wire.Canary{{ID: "key", Value: value}}})
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
		t.Fatal(err)
	}
	j := newJournal()
	leaks(m, []string{path}, nil, []wire.Plant{{Path: path, Data: []byte(value)}}, "", j)
	if events, _ := j.all(nil); len(events) != 0 {
		t.Errorf("%+v", events)
	}
}
