package static

import (
	"io/fs"
	"path"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// machineRules are about what every script does that sets up a machine. What a raise adds to
// them, and every other rule, is about what no such script has to do.
var machineRules = map[string]bool{
	"file-write/shell-system-file": true, "persistence/shell-service": true, "persistence/shell-start-file": true, "process/shell-machine": true,
}

// administrates matches commands by which scripts set up a machine.
var administrates = regexp.MustCompile(`(?m)^[ \t]*(?:sudo[ \t]+)?(?:apt-get[ \t][^\n]*\binstall\b|apt[ \t]+install\b|(?:dnf|yum|zypper|apk)[ \t][^\n]*\b(?:install|add)\b|useradd\b|adduser\b|groupadd\b|usermod\b|ufw[ \t]|firewall-cmd\b|systemctl[ \t]+(?:enable|restart|daemon-reload)\b|sysctl[ \t]+-w\b)` +
	`|\|\|[ \t]*(?:useradd|adduser|groupadd)\b`)

// Bounds of what is read of a folder of the base.
const (
	maxNeighbours    = 60
	maxNeighbour     = 128 << 10 // bytes of one
	enoughNeighbours = 2         // scripts that set up a machine
)

// administers returns what tells whether the folder of a file is one of scripts that set up a
// machine, as the base has it: two or more other scripts there do. What a change itself adds says nothing.
func administers(c *gate.Change, t *gate.Target) func() bool {
	return sync.OnceValue(func() bool {
		if c.Base == nil {
			return false
		}
		folder := path.Dir(olderPath(t))
		entries, err := fs.ReadDir(c.Base, folder)
		if err != nil {
			return false // the folder is new
		}
		found := 0
		for _, e := range entries[:min(len(entries), maxNeighbours)] {
			name := path.Join(folder, e.Name())
			if !e.Type().IsRegular() || name == olderPath(t) || path.Ext(name) != ".sh" {
				continue
			}
			if text, err := bounded.ReadFile(c.Base, name, maxNeighbour); err == nil && administrates.Match(text) {
				found++
			}
		}
		return found >= enoughNeighbours
	})
}
