package static

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
)

// ownedRules are about putting a file where it runs by itself. What the file does is seen where it
// lies, if that is the repository.
var ownedRules = map[string]bool{
	"file-write/shell-system-file": true, "persistence/shell-service": true, "persistence/shell-start-file": true, "persistence/shell-tool-file": true,
	"persistence/shell-git-hook": true,
}

// installsOwn matches a command that installs a unit of systemd or a hook of git; group 1 is what it installs.
var installsOwn = regexp.MustCompile(`\b(?:cp|install|ln)\s[^\n;|&]*?["'\s]((?:\.{1,2}/)*(?:[A-Za-z][\w.-]*/)*[A-Za-z][\w.@-]*)["']?\s+["']?(?:[^\s"';|&]*\.git/hooks/[\w-]+|/(?:etc|usr/local/lib|usr/lib|lib)/systemd/(?:system|user)/?[\w.@-]*)["']?\s*(?:$|[;&|])`)

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
		name := string(m[1])
		for strings.HasPrefix(name, "../") || strings.HasPrefix(name, "./") {
			_, name, _ = strings.Cut(name, "/")
		}
		if t.inHead(name) || t.inHead(path.Join(path.Dir(t.path), name)) {
			return true
		}
	}
	return false
}

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
