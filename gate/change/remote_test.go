package change

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// remote is a repository whose commits are maps of contents.
type remote struct {
	commits map[string]map[string]string // path, or "path mode", to content
	blobs   map[string]string
	lost    string // content that cannot be read
}

func (r *remote) Tree(_ context.Context, commit string) ([]RemoteFile, error) {
	files, ok := r.commits[commit]
	if !ok {
		return nil, errors.New("no such commit")
	}
	r.blobs = cmpOrMake(r.blobs)
	var out []RemoteFile
	for name, text := range files {
		path, mode := name, uint32(0o100644)
		if i := strings.LastIndex(name, " "); i > 0 {
			path = name[:i]
			_, _ = fmt.Sscanf(name[i+1:], "%o", &mode)
		}
		id := fmt.Sprintf("%x", sha1.Sum([]byte(text)))
		r.blobs[id] = text
		out = append(out, RemoteFile{Path: path, Mode: mode, ID: id, Size: int64(len(text))})
	}
	slices.SortFunc(out, func(a, b RemoteFile) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func cmpOrMake(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func (r *remote) Blob(_ context.Context, id string, limit int64) ([]byte, error) {
	text, ok := r.blobs[id]
	if !ok || text == r.lost {
		return nil, errors.New("the blob is gone")
	}
	if int64(len(text)) > limit {
		return nil, errors.New("too large")
	}
	return []byte(text), nil
}

func TestDifferencesInARemoteBecomeTargets(t *testing.T) {
	r := &remote{commits: map[string]map[string]string{
		"base": {"same.py": "s", "edit.py": "a\nb\nc\n", "gone.py": "g", "old/name.py": "moved", "mode.sh": "m", "kind": "k"},
		"head": {"same.py": "s", "edit.py": "a\nB\nc\n", "new.py": "n", "new/name.py": "moved", "mode.sh 100755": "m", "kind 120000": "same.py", "sub 160000": "x"},
	}}
	c, err := Compare(t.Context(), r, "base", "head", Options{Paths: gate.DefaultPolicy().Paths})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, target := range c.Targets {
		got[target.Path] = fmt.Sprintf("%s %v %s", target.Kind, target.Lines.Ranges(), target.OldPath)
	}
	want := map[string]string{
		"edit.py": "modified [[2 2]] ", "gone.py": "deleted [] ", "new.py": "added [] ", "kind": "type [] ",
		"new/name.py": "renamed [] old/name.py", "old/name.py": "deleted [] ", "mode.sh": "mode [] ", "sub": "added [] ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if want := []string{"edit.py", "kind", "mode.sh", "new.py", "new/name.py", "same.py"}; !c.Remote || !slices.Equal(c.Files, want) {
		t.Errorf("remote %v, files %v", c.Remote, c.Files)
	}
	if to, err := fs.ReadLink(c.Head, "kind"); err != nil || to != "same.py" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if data, err := fs.ReadFile(c.Head, "same.py"); err != nil || string(data) != "s" {
		t.Errorf("what the change does not touch: %q, %v", data, err)
	}
	if data, err := c.Read(c.Targets[slices.IndexFunc(c.Targets, func(x *gate.Target) bool { return x.Path == "new.py" })], 10); err != nil || string(data) != "n" {
		t.Errorf("new.py: %q, %v", data, err)
	}
}

func TestFilesThatCannotBeReadFromARemoteAreGaps(t *testing.T) {
	r := &remote{lost: "lost", commits: map[string]map[string]string{
		"base": {}, "head": {"a.py": "lost", "b.py": "fine", "../escape.py": "e", "big.py": strings.Repeat("x", maxRemoteFile+1)},
	}}
	c, err := Compare(t.Context(), r, "base", "head", Options{Paths: gate.DefaultPolicy().Paths})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, g := range c.Incomplete {
		paths = append(paths, g.Path)
	}
	if diff := cmp.Diff([]string{"../escape.py", "a.py", "big.py"}, paths); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	if _, err := Compare(t.Context(), r, "base", "nowhere", Options{Paths: gate.DefaultPolicy().Paths}); err == nil {
		t.Error("a commit that is not there was compared")
	}
}

func TestRemoteReadsOfUntouchedFilesAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range maxUntouched + 1 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprint(i)
	}
	r := &remote{commits: map[string]map[string]string{"base": files, "head": files}}
	c, err := Compare(t.Context(), r, "base", "head", Options{Paths: gate.DefaultPolicy().Paths})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxUntouched {
		name := fmt.Sprintf("%d.txt", i)
		for range 2 { // the second time costs nothing
			if _, err := fs.ReadFile(c.Head, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := fs.ReadFile(c.Head, fmt.Sprintf("%d.txt", maxUntouched)); !errors.Is(err, errUntouched) {
		t.Errorf("beyond the bound: %v", err)
	}
	if _, err := fs.Stat(c.Head, fmt.Sprintf("%d.txt", maxUntouched)); err != nil {
		t.Errorf("its description costs a request: %v", err)
	}
}
