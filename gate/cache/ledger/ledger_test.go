package ledger

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/cache"
)

func keep(t *testing.T, s Scan) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	store, err := cache.Open(cache.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	Keep(store.Space(Space), s)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func show(t *testing.T, dir, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Show(dir, format, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestARecordIsShownWithItsReasons(t *testing.T) {
	dir := keep(t, Scan{At: time.Date(2026, 3, 2, 9, 14, 7, 0, time.UTC), Files: 43, Runs: []Run{
		{Kind: "script", Targets: []string{"a.py"}, Outcome: Reused, Why: "nothing that it looked at has changed"},
		{Kind: "tests", Targets: []string{"b.py"}, More: 2, As: "as on a build machine", Outcome: RunAgain, Why: "it read b.py, which changed", AllFiles: "its clock", NotKept: "its time was up"},
		{Kind: "script", Targets: []string{"\x1b[2J.py"}, Outcome: RunFirst, Why: "new"},
	}, LeftOut: 4})
	want := `last scan  2026-03-02 09:14:07 UTC, 3 runs: 1 reused, 2 run
files      43 in the tree that programs find
reused     script a.py: nothing that it looked at has changed
run again  tests b.py and 2 more, as on a build machine: it read b.py, which changed; any changed file starts it again: its clock; not kept: its time was up
run        script ?[2J.py: new
left out   4 more runs
`
	if got := show(t, dir, "text"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s, err := Decode([]byte(show(t, dir, "json")))
	if err != nil || len(s.Runs) != 3 || s.Runs[1].NotKept != "its time was up" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAFreshScanSaysWhy(t *testing.T) {
	dir := keep(t, Scan{At: time.Now(), Fresh: "a merge queue runs all programs", Runs: []Run{{Outcome: RunAgain}}})
	if got := show(t, dir, "text"); !strings.Contains(got, "fresh      nothing was reused: a merge queue runs all programs\n") {
		t.Error(got)
	}
}

func TestARecordIsBoundedWhereItIsWritten(t *testing.T) {
	s := Scan{At: time.Now()}
	for range MaxRuns + 5 {
		s.Runs = append(s.Runs, Run{Outcome: Reused, Why: strings.Repeat("é", maxText), Targets: make([]string, maxTargets+3)})
	}
	got, err := Decode([]byte(show(t, keep(t, s), "json")))
	if err != nil || len(got.Runs) != MaxRuns || got.LeftOut != 5 || got.Runs[0].More != 3 || len(got.Runs[0].Why) > maxText {
		t.Errorf("%d runs, %d left out, %v", len(got.Runs), got.LeftOut, err)
	}
}

func TestShowWithoutARecordSaysWhatLeavesNone(t *testing.T) {
	var b bytes.Buffer
	if err := Show(filepath.Join(t.TempDir(), "none"), "text", &b); err == nil || !strings.Contains(err.Error(), "--no-cache") {
		t.Error(err)
	}
	if err := Show(t.TempDir(), "yaml", &b); err == nil || !strings.Contains(err.Error(), `not "yaml"`) {
		t.Error(err)
	}
}

func TestInvalidRecordsAreNotShown(t *testing.T) {
	for _, bad := range []string{
		``, `null`, `{}`, `[]`, `{"at":"2026-03-02T09:14:07Z","runs":[{}]}`, `{"at":"2026-03-02T09:14:07Z","runs":[{"outcome":"passed"}]}`,
		`{"at":"2026-03-02T09:14:07Z","left_out":-1}`, `{"at":"2026-03-02T09:14:07Z"} {}`, `{"at":"2026-03-02T09:14:07Z","more":1}`,
		`{"at":"2026-03-02T09:14:07Z","runs":[{"outcome":"reused","why":"` + strings.Repeat("x", maxText+1) + `"}]}`,
	} {
		if s, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%.60s: %+v", bad, s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"at":"2026-03-02T09:14:07Z","files":3,"runs":[{"kind":"script","targets":["a"],"outcome":"reused","why":"w"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		text(s, &b)
		if strings.ContainsFunc(b.String(), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
			t.Errorf("shown as %q", b.String())
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := Decode(again); err != nil || !reflect.DeepEqual(len(s.Runs), len(w.Runs)) {
			t.Errorf("%+v, then %+v, %v", s, w, err)
		}
	})
}
