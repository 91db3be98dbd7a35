package static

import (
	"bytes"
	"io/fs"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/match"
)

// ownedRules are about putting a file where it runs by itself. What the file does is seen where it
// lies, if that is the repository.
var ownedRules = map[string]bool{
	"file-write/shell-system-file": true, "persistence/shell-service": true, "persistence/shell-start-file": true, "persistence/shell-tool-file": true,
	"persistence/shell-git-hook": true,
}

// installsOwn matches a command that installs a unit of systemd, a schedule or a hook of git; group 1 is the variable
// that the path begins with, if any, and group 2 what it installs.
var installsOwn = regexp.MustCompile(`\b(?:cp|install|ln)\s[^\n;|&]*?["'\s](?:\$\{?(\w+)\}?/)?((?:\.{1,2}/)*(?:[A-Za-z][\w.-]*/)*[A-Za-z][\w.@-]*)["']?\s+["']?(?:[^\s"';|&]*\.git/hooks/[\w-]+|/etc/cron\.(?:d|hourly|daily|weekly|monthly)/?[\w.-]*|/(?:etc|usr/local/lib|usr/lib|lib)/systemd/(?:system|user)/?[\w.@-]*)["']?\s*(?:$|[;&|])`)

// owned makes notes of findings about installing files of the repository.
func (t text) owned(found []match.Match) {
	if t.inHead == nil {
		return
	}
	for i, m := range found {
		if m.Severity != gate.SeveritySuspicious || m.Because != "" || !ownedRules[m.Rule.ID] {
			continue
		}
		line := lineAround(t.content, m.Start)
		if m.Rule.ID == "persistence/shell-service" {
			line = t.content // the service is enabled on another line than it is installed
		}
		if t.installs(line) {
			found[i].Severity, found[i].Because = gate.SeverityNote, "from the repository, where it is read"
		}
	}
}

// installs reports whether a command of a text installs a file of the repository.
func (t text) installs(commands []byte) bool {
	for line := range bytes.SplitSeq(commands, []byte{'\n'}) {
		m := installsOwn.FindSubmatch(line)
		if m == nil {
			continue
		}
		if len(m[1]) > 0 && !t.placed(m[1]) {
			continue
		}
		name := string(m[2])
		for strings.HasPrefix(name, "../") || strings.HasPrefix(name, "./") {
			_, name, _ = strings.Cut(name, "/")
		}
		if t.inHead(name) || t.inHead(path.Join(path.Dir(t.path), name)) {
			return true
		}
	}
	return false
}

// placed reports whether a variable holds the folder of the script or of the repository wherever
// the script sets it.
func (t text) placed(variable []byte) bool {
	found := false
	for line := range bytes.SplitSeq(t.content, []byte{'\n'}) {
		value, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), append(bytes.Clone(variable), '='))
		if !ok {
			continue
		}
		if !ownFolder.Match(value) {
			return false
		}
		found = true
	}
	return found
}

// ownFolder matches values that are the folder of the script, or of the repository.
var ownFolder = regexp.MustCompile(`^["']?\$\((?:\s*cd\s+(?:--\s+)?["']?\$\()?\s*(?:dirname\s+(?:--\s+)?["']?\$(?:0|\{?BASH_SOURCE)|git\s+rev-parse\s+--show-toplevel\s*\)["']?\s*$)`)

// lineAround is the line of a text at an offset.
func lineAround(text []byte, at int) []byte {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return text[start : at+end]
	}
	return text[start:]
}

// inHead returns what tells whether the head has a regular file of that name.
func inHead(c *gate.Change) func(string) bool {
	return func(name string) bool {
		if c.Head == nil || !fs.ValidPath(name) {
			return false
		}
		info, err := fs.Stat(c.Head, name)
		return err == nil && info.Mode().IsRegular()
	}
}
