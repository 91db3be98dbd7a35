package behaviour

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var ruleStartCode = Rule{
	ID: "persistence/observed-start-code", Severity: gate.SeverityDangerous,
	Title:   "Downloaded or hidden code at every start",
	Message: "arranged that downloaded or hidden code runs again and again",
	Why:     "A line in a shell profile, a table of jobs or a start folder fetches a program and runs it, decodes one, or connects a shell: who controls the other end controls the machine from then on.",
	Instead: "Print the line and let the user add it; install programs by a package manager, with a digest.",
}

// startPlace matches files that are read at a login or run at certain times.
var startPlace = regexp.MustCompile(`^` + home + `/(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|xprofile|xinitrc|xsession)|\.config/(?:autostart|systemd)/.*|\.local/share/cron/.*|Library/Launch(?:Agents|Daemons)/.*)$|^/(?:etc|usr/lib|lib|run|var/spool)/(?:.*/)?(?:cron|systemd|profile)`)

// startCode are files of a login or a timer that the program left, of which a line fetches code and
// runs it, decodes it, or connects a shell.
func startCode(s *trace) []hit {
	var out []hit
	for _, c := range s.Seen.Captures {
		if !startPlace.MatchString(path.Clean(c.Path)) {
			continue
		}
		at := ruleStartCode.Severity
		if s.Kind == Tests {
			at = gate.SeveritySuspicious // in a home of their own, tests write such files
		}
		for line := range strings.Lines(string(c.Data)) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && runsUnseen(line) {
				out = append(out, hit{ruleStartCode, s.inRecipe(at), "write " + path.Base(c.Path) + ": " + gate.Clip(line, 120), sandbox.Event{}})
				break
			}
		}
	}
	return out
}

// runsUnseen reports whether a line of a shell runs what it downloads or decodes, or connects a
// shell to another host.
func runsUnseen(line string) bool {
	for _, r := range commandRules {
		switch r.rule.ID {
		case ruleReverseShell.ID, ruleDownloadRun.ID, ruleDecodeRun.ID:
			if r.pattern.MatchString(line) {
				return true
			}
		}
	}
	return false
}
