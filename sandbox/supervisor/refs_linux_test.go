package supervisor

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // the names of Git's objects
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// commitIn writes a commit into a repository, and returns its name.
func commitIn(t *testing.T, repository, message string, parents ...string) string {
	t.Helper()
	text := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	whole := fmt.Sprintf("commit %d\x00%s\n%s\n", len(text)+len(message)+2, text, message)
	sum := sha1.Sum([]byte(whole)) //nolint:gosec // the names of Git's objects
	id := hex.EncodeToString(sum[:])
	var buf bytes.Buffer
	z := zlib.NewWriter(&buf)
	if _, err := z.Write([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	putFile(t, filepath.Join(repository, "objects", id[:2], id[2:]), buf.String())
	return id
}

func putFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPlantedBranchesAreFollowed(t *testing.T) {
	repository := t.TempDir()
	first := commitIn(t, repository, "first")
	second := commitIn(t, repository, "second", first)
	third := commitIn(t, repository, "third", second)
	amended := commitIn(t, repository, "third again", second)
	merge := commitIn(t, repository, "merge", amended, third)
	other := commitIn(t, repository, "other")
	packed := commitIn(t, repository, "later", "1111111111111111111111111111111111111111")
	branch := filepath.Join(repository, "refs/heads/main")
	putFile(t, filepath.Join(repository, "HEAD"), "ref: refs/heads/main\n")
	r := newRemembered()
	r.plants([]wire.Plant{{Path: branch, Data: []byte(third + "\n")}, {Path: branch + "/none", Data: []byte("no commit")}})
	if len(r.refs) != 1 {
		t.Fatalf("%d references", len(r.refs))
	}
	for name, tt := range map[string]struct{ now, packedRefs, want string }{
		"it is as it was":                 {now: third},
		"a commit more":                   {now: merge},
		"it is in a file of all branches": {packedRefs: "# pack-refs with: sorted\n" + third + " refs/heads/main\n"},
		"its commits are in a pack":       {now: packed},
		"no commit":                       {now: "../../x"},
		"set back":                        {now: first, want: spoiledRewritten},
		"the last commit is another":      {now: amended, want: spoiledRewritten},
		"another history":                 {now: other, want: spoiledReplaced},
		"deleted":                         {packedRefs: third + " refs/heads/other\n", want: spoiledRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(branch) // it may not be there
			if tt.now != "" {
				putFile(t, branch, tt.now+"\n")
			}
			putFile(t, filepath.Join(repository, "packed-refs"), tt.packedRefs)
			if got := r.refs[0].became([]string{filepath.Join(repository, "objects")}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestAPlantedBranchWithoutItsCommitIsLost(t *testing.T) {
	repository := t.TempDir()
	commit := commitIn(t, repository, "first")
	branch := filepath.Join(repository, "refs/heads/main")
	putFile(t, filepath.Join(repository, "HEAD"), "ref: refs/heads/main\n")
	putFile(t, branch, commit+"\n")
	r := newRemembered()
	r.plants([]wire.Plant{{Path: branch, Data: []byte(commit + "\n")}})
	stores := []string{filepath.Join(repository, "objects")}
	if err := os.Remove(filepath.Join(stores[0], commit[:2], commit[2:])); err != nil {
		t.Fatal(err)
	}
	if got := r.refs[0].became(stores); got != spoiledReplaced {
		t.Errorf("without its object: %q, want %q", got, spoiledReplaced)
	}
	putFile(t, filepath.Join(stores[0], "pack", "pack-1.pack"), "PACK")
	if got := r.refs[0].became(stores); got != "" {
		t.Errorf("with a pack that may hold it: %q", got)
	}
}

func FuzzParentsIn(f *testing.F) {
	f.Add([]byte("commit 5\x00tree x\nparent y\n\nm"))
	f.Add([]byte("tag 5\x00object y\n\nm"))
	f.Fuzz(func(t *testing.T, object []byte) {
		if parents, _ := parentsIn(object); len(parents) > len(object) {
			t.Errorf("%d parents in %d bytes", len(parents), len(object))
		}
	})
}
