package gittest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Hostile is a repository whose configuration, attributes and hooks name a
// program wherever git knows a place for one. The program leaves a marker.
type Hostile struct {
	*Repo
	Base    string // a commit
	Head    string // a later one, checked out
	Missing string // a blob that is not here, but promised by a remote
	marker  string
}

// NewHostile returns one in which a file of the work tree differs from the index.
func NewHostile(t testing.TB) Hostile {
	t.Helper()
	r := New(t)
	marker := filepath.Join(t.TempDir(), "marker")
	h := Hostile{Repo: r, marker: marker, Missing: strings.Repeat("5", 40)}
	r.Write("a.py", strings.Repeat("print(1)\n", 50))
	r.Write("sub/b.txt", "text\n")
	h.Base = r.Commit("base")
	r.Write(".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf\n")
	r.Write("a.py", strings.Repeat("print(1)\n", 50)+"print(2)\n")
	h.Head = r.Commit("head")
	r.Write("a.py", "print(3)\n") // differs from the index, so that a comparison must read it

	program := filepath.Join(t.TempDir(), "program")
	script := "#!/bin/sh\necho \"$0 $*\" >> '" + marker + "'\nexit 0\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "fsmonitor-watchman", "post-rewrite", "pre-commit"} {
		r.Write(".git/hooks/"+hook, script)
		if err := os.Chmod(r.Path(".git/hooks/"+hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.Write(".git/info/attributes", "* filter=evil diff=evil merge=evil\n")
	r.Write("included", "[core]\n\tfsmonitor = "+program+"\n")
	config := [][2]string{
		{"core.fsmonitor", program}, {"core.hooksPath", r.Path(".git/hooks")}, {"core.pager", program}, {"core.editor", program},
		{"core.askPass", program}, {"core.sshCommand", program}, {"core.gitProxy", program}, {"core.alternateRefsCommand", program},
		{"core.attributesFile", r.Path(".git/info/attributes")}, {"core.untrackedCache", "true"}, {"core.worktree", "/"},
		{"diff.external", program}, {"diff.evil.command", program}, {"diff.evil.textconv", program}, {"diff.ignoreSubmodules", "all"},
		{"filter.evil.clean", program}, {"filter.evil.smudge", program}, {"filter.evil.process", program}, {"filter.evil.required", "true"},
		{"merge.evil.driver", program}, {"credential.helper", "!" + program}, {"gpg.program", program}, {"gpg.ssh.program", program},
		{"log.showSignature", "true"}, {"interactive.diffFilter", program}, {"sequence.editor", program},
		{"pager.cat-file", program}, {"pager.ls-files", program}, {"pager.diff-tree", program}, {"pager.rev-parse", program},
		{"alias.cat-file", "!" + program}, {"alias.ls-tree", "!" + program}, {"alias.rev-parse", "!" + program},
		{"include.path", r.Path("included")}, {"protocol.ext.allow", "always"}, {"protocol.allow", "always"},
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"},
		{"remote.origin.url", "ext::" + program}, {"remote.origin.promisor", "true"}, {"remote.origin.partialCloneFilter", "blob:none"},
		{"remote.origin.uploadpack", program}, {"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
		{"uploadpack.packObjectsHook", program}, {"submodule.recurse", "true"}, {"trace2.eventTarget", marker},
	}
	for _, kv := range config {
		r.Git("config", kv[0], kv[1])
	}
	return h
}

// Triggered returns what the marker holds, and takes it away.
func (h Hostile) Triggered() string {
	h.t.Helper()
	data, err := os.ReadFile(h.marker)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.Remove(h.marker); err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

// Unpinned runs git as a tool without care would.
func (h Hostile) Unpinned(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = h.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	_ = cmd.Run() // many of these fail after they have run the program
}
