package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate/change/git/gittest"
)

func TestObjects(t *testing.T) {
	g := gittest.New(t)
	small := OID(g.Blob("small\n"))
	empty := OID(g.Blob(""))
	text := strings.Repeat("0123456789abcdef", MaxBuffered/16) + "x"
	large := OID(g.Blob(text))
	g.Write("f", "x\n")
	commit := OID(g.Commit("x"))
	o := objects(t, open(t, g.Dir))

	if data, err := o.Blob(small); err != nil || string(data) != "small\n" {
		t.Errorf("small: %q, %v", data, err)
	}
	if data, err := o.Blob(empty); err != nil || len(data) != 0 {
		t.Errorf("empty: %q, %v", data, err)
	}
	if n, err := o.Size(large); err != nil || n != int64(len(text)) {
		t.Errorf("large: %d, %v", n, err)
	}
	if _, err := o.Blob(large); !errors.Is(err, ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
	r, err := o.Stream(large)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || string(data) != text {
		t.Errorf("stream: %d bytes, %v", len(data), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for name, oid := range map[string]OID{
		"a missing object":        OID(strings.Repeat("1", 40)),
		"a commit":                commit,
		"a name with a line feed": OID(string(small)[:39] + "\n"),
		"two requests in one":     OID(string(small) + "\n" + string(small)),
		"an expression":           "HEAD:f",
		"an empty name":           "",
	} {
		if _, err := o.Blob(oid); err == nil {
			t.Errorf("%s can be read as a blob", name)
		}
		if _, err := o.Stream(oid); err == nil {
			t.Errorf("%s can be streamed as a blob", name)
		}
	}
	if data, err := o.Blob(small); err != nil || string(data) != "small\n" {
		t.Errorf("after the errors: %q, %v", data, err)
	}
}

func TestOneDamagedObjectDoesNotHideTheOthers(t *testing.T) {
	g := gittest.New(t)
	bad, good := g.Blob("bad\n"), g.Blob("good\n")
	p := g.Path(".git/objects/" + bad[:2] + "/" + bad[2:])
	if err := os.Chmod(p, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("\x78\x01garbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := objects(t, open(t, g.Dir))
	for range 3 {
		if _, err := o.Blob(OID(bad)); err == nil {
			t.Error("the damaged object can be read")
		}
		if data, err := o.Blob(OID(good)); err != nil || string(data) != "good\n" {
			t.Errorf("the good object: %q, %v", data, err)
		}
	}
}

func TestObjectsAreReadConcurrently(t *testing.T) {
	g := gittest.New(t)
	var oids []OID
	for i := range 50 {
		oids = append(oids, OID(g.Blob(fmt.Sprintf("blob %d\n", i))))
	}
	o := objects(t, open(t, g.Dir))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, oid := range oids {
				if data, err := o.Blob(oid); err != nil || string(data) != fmt.Sprintf("blob %d\n", i) {
					t.Errorf("blob %d: %q, %v", i, data, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestObjectsEndWithTheirContext(t *testing.T) {
	g := gittest.New(t)
	oid := OID(g.Blob("x\n"))
	large := OID(g.Blob(strings.Repeat("x", MaxBuffered)))
	ctx, cancel := context.WithCancel(t.Context())
	o := open(t, g.Dir).Objects(ctx)
	defer o.Close()
	if _, err := o.Blob(oid); err != nil {
		t.Fatal(err)
	}
	r, err := o.Stream(large)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := io.Copy(io.Discard, r); err == nil {
		t.Log("the stream had been read before it was stopped") // the pipe may hold the rest
	}
	for o.blobs.running() { // the end of the context is noticed in another goroutine
		runtime.Gosched()
	}
	if _, err := o.Blob(oid); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
}

func (b *batch) running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.closed
}

func TestTreeFS(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.txt", "a\n")
	g.Write("dir/sub/b.sh", "#!/bin/sh\n")
	g.Write("ümlaut \"q\"\nx", "u\n")
	g.Git("add", "-A")
	g.Git("update-index", "--chmod=+x", "dir/sub/b.sh")
	g.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	commit := g.CommitStaged("x")
	r := open(t, g.Dir)
	entries, err := r.Tree(t.Context(), OID(commit))
	if err != nil {
		t.Fatal(err)
	}
	tree, refused := NewTreeFS(objects(t, r), entries)
	if len(refused) > 0 {
		t.Errorf("refused %+v", refused)
	}
	if err := fstest.TestFS(tree, "a.txt", "dir/sub/b.sh", "ümlaut \"q\"\nx", "module"); err != nil {
		t.Error(err)
	}
	info, err := tree.Lstat("dir/sub/b.sh")
	if err != nil || info.Mode() != 0o755 || info.Size() != 10 {
		t.Errorf("%v, %v", info, err)
	}
	info, err = tree.Lstat("module")
	if err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTreeFSDoesNotFollowLinks(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.txt", "a\n")
	g.Link("a.txt", "link")
	g.Link("../../etc", "up")
	commit := g.Commit("x")
	r := open(t, g.Dir)
	entries, err := r.Tree(t.Context(), OID(commit))
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := NewTreeFS(objects(t, r), entries)
	for _, name := range []string{"link", "up", "up/passwd"} {
		if _, err := tree.Open(name); err == nil {
			t.Errorf("%s can be opened", name)
		}
	}
	if target, err := tree.ReadLink("up"); err != nil || target != "../../etc" {
		t.Errorf("up leads to %q, %v", target, err)
	}
	if info, err := fs.Lstat(tree, "link"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("link is %v, %v", info, err)
	}
	if _, err := tree.ReadLink("a.txt"); err == nil {
		t.Error("a file has a link target")
	}
}

func TestTreeFSRefusesWhatNoCheckoutHolds(t *testing.T) {
	tests := map[string]string{
		"a path that climbs":                    "../x",
		"a path that climbs in the middle":      "a/../../x",
		"an absolute path":                      "/etc/passwd",
		"an empty part":                         "a//b",
		"a dot":                                 "a/./b",
		"git's own data":                        ".git/config",
		"git's own data in a folder":            "a/.git/hooks/pre-commit",
		"git's own data in capitals":            "a/.GIT/config",
		"git's own data on HFS+":                ".g\u200cit/config",
		"git's own data on NTFS":                "git~1/config",
		"git's own data on NTFS with a stream":  ".git::$INDEX_ALLOCATION/config",
		"git's own data with a trailing dot":    ".git./config",
		"a path too deep":                       strings.Repeat("d/", MaxDepth) + "f",
		"a second entry of a name":              "twice",
		"a file where a folder is":              "folder",
		"a file below a file":                   "file/below",
		"a path with a NUL byte":                "a\x00b",
		"a path that is longer than any can be": strings.Repeat("x", MaxPath+1),
	}
	good := []string{"twice", "folder/f", "file", ".github/x", ".gitignore", "a/.gitmodules", "..a", "...", "git~2", "\xff"}
	for name, path := range tests {
		t.Run(name, func(t *testing.T) {
			var entries []Entry
			for _, p := range append(good, path) {
				entries = append(entries, Entry{Path: p, Mode: ModeFile, OID: OID(oidA)})
			}
			tree, refused := NewTreeFS(nil, entries)
			if len(refused) != 1 || refused[0].Path != path {
				t.Errorf("refused %+v", refused)
			}
			for _, p := range good {
				if _, ok := tree.Entry(p); !ok {
					t.Errorf("%q is not there", p)
				}
			}
		})
	}
}
