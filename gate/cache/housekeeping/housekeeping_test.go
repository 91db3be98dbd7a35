package housekeeping

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/exit"
)

// filled is the folder of a cache with two entries.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cache")
	store, err := cache.Open(cache.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, digit := range []string{"a", "b"} {
		store.Space("judge").Put(strings.Repeat(digit, 64), []byte("an answer"))
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestShow(t *testing.T) {
	dir := filled(t)
	var text, doc bytes.Buffer
	if err := Show(dir, "text", &text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"holds    2 entries in 0.0 MiB; at most 100000 in 1024.0 MiB\n", "judge    2 entries in ", "oldest   last used on "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if err := Show(dir, "json", &doc); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Folder  string
		Entries int
		Spaces  map[string]struct{ Entries int }
	}
	if err := json.Unmarshal(doc.Bytes(), &got); err != nil || got.Folder != dir || got.Entries != 2 || got.Spaces["judge"].Entries != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	wantUsage(t, Show(dir, "yaml", &text), `--format is text or json, not "yaml"`)
	absent := filepath.Join(t.TempDir(), "absent")
	if err := Show(absent, "text", &text); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(absent); !os.IsNotExist(err) {
		t.Errorf("showing has made the folder: %v", err)
	}
}

func TestPrune(t *testing.T) {
	for name, tt := range map[string]struct {
		bounds Bounds
		want   string
	}{
		"entries within the bounds stay": {Bounds{}, "removed 0 entries"},
		"entries above the size go":      {Bounds{MaxSize: "1"}, "removed 2 entries"},
		"everything goes":                {Bounds{All: true}, "removed 2 entries"},
		"young entries stay":             {Bounds{MaxAge: "1d"}, "removed 0 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Prune(filled(t), tt.bounds, &out); err != nil || !strings.HasPrefix(out.String(), tt.want) {
				t.Errorf("%v: %s", err, &out)
			}
		})
	}
	var out bytes.Buffer
	if err := Prune(filepath.Join(t.TempDir(), "absent"), Bounds{All: true}, &out); err != nil || !strings.HasPrefix(out.String(), "nothing to remove: ") {
		t.Errorf("%v: %s", err, &out)
	}
	wantUsage(t, Prune(t.TempDir(), Bounds{MaxAge: "soon"}, &out), `--max-age: "soon" is not a duration`)
	wantUsage(t, Prune(t.TempDir(), Bounds{MaxSize: "much"}, &out), `--max-size: "much" is not a size`)
}

func wantUsage(t *testing.T, err error, want string) {
	t.Helper()
	if e, coded := errors.AsType[*exit.Error](err); !coded || e.Code != exit.Usage || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
