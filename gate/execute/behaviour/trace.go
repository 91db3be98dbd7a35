package behaviour

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

// trace is a run with what several rules want to know of it.
type trace struct {
	Run
	events []sandbox.Event
	// resolved are the names that it looked up, in lower case.
	resolved map[string]bool
	// spoke is when it first exchanged data with an outside host; -1 is never.
	spoke time.Duration
	// links are links by their path.
	links map[string]string
	// made are the files that it wrote, by path, with the first time.
	made map[string]time.Duration
	// personal is of how many kinds the personal data is that it opened: mail, documents.
	personal int
}

func newTrace(r Run) *trace {
	if r.Has == nil {
		r.Has = func(string) bool { return false }
	}
	if r.Literal == nil {
		r.Literal = func([]byte) bool { return true }
	}
	s := &trace{Run: r, resolved: map[string]bool{}, spoke: -1, links: map[string]string{}, made: map[string]time.Duration{}}
	for _, e := range r.Seen.Events {
		if len(e.Canaries) == 0 && ignorable(e) {
			if p := path.Clean(e.Object); e.Action == sandbox.ActionWrite && (coverageFile.MatchString(p) || codeFile.MatchString(p)) {
				s.note(e.Object, e.First) // or it would be a place for what is run later
			}
			continue
		}
		s.events = append(s.events, e)
		switch e.Action {
		case sandbox.ActionResolve:
			s.resolved[lookedUp(e)] = true
		case sandbox.ActionLink:
			if len(e.Args) > 0 {
				s.links[path.Clean(e.Object)] = e.Args[0]
			}
		case sandbox.ActionWrite:
			s.note(e.Object, e.First)
		case sandbox.ActionRename:
			if len(e.Args) > 0 {
				s.note(e.Args[0], e.First)
			}
		case sandbox.ActionRequest, sandbox.ActionTraffic:
			if s.spoke < 0 || e.First < s.spoke {
				s.spoke = e.First
			}
		}
	}
	s.personal = kindsOpened(s.events)
	return s
}

func (s *trace) note(p string, at time.Duration) {
	p = path.Clean(p)
	if first, ok := s.made[p]; !ok || at < first {
		s.made[p] = at
	}
}

// of returns the events of some kinds.
func (s *trace) of(actions ...sandbox.Action) []sandbox.Event {
	var out []sandbox.Event
	for _, e := range s.events {
		if slices.Contains(actions, e.Action) {
			out = append(out, e)
		}
	}
	return out
}

// unasked reports whether no one who started the program like this expects it to
// reach outside: an import, an installation, tests.
func (s *trace) unasked() bool {
	return !s.Recipe && (s.Kind == Module || s.Kind == Hook || s.Kind == Tests)
}

// inRecipe lowers what is the purpose of a recipe to a note.
func (s *trace) inRecipe(at gate.Severity) gate.Severity {
	if s.Recipe {
		return gate.SeverityNote
	}
	return at
}

// target is the path that an event ends up at: the new one of a rename.
func target(e sandbox.Event) string {
	if e.Action == sandbox.ActionRename && len(e.Args) > 0 {
		return path.Clean(e.Args[0])
	}
	return path.Clean(e.Object)
}

func hits(rule Rule, at gate.Severity, e sandbox.Event) []hit {
	return []hit{{rule: rule, severity: at, text: Text(e), event: e}}
}

// Text says in a line what an event is.
func Text(e sandbox.Event) string {
	t := string(e.Action) + " " + detail(e)
	return t
}

// detail is an event without its kind.
func detail(e sandbox.Event) string {
	t := e.Object
	switch args := arguments(e); {
	case len(args) == 0:
	case e.Action == sandbox.ActionExec:
		t += " " + strings.Join(args, " ")
	case e.Action == sandbox.ActionResolve, e.Action == sandbox.ActionRequest, e.Action == sandbox.ActionMetadata: // whom it asked
	case e.Action == sandbox.ActionRename, e.Action == sandbox.ActionLink:
		t += " → " + strings.Join(args, " ")
	default:
		t += " " + strings.Join(args, " ")
	}
	if len(e.Canaries) > 0 {
		t += " with " + canaryNames(e.Canaries)
	}
	return t
}

// arguments are those of an event, without the name of the program where that is
// the first.
func arguments(e sandbox.Event) []string {
	if e.Action == sandbox.ActionExec && len(e.Args) > 0 && path.Base(strings.TrimPrefix(e.Args[0], "-")) == path.Base(e.Object) {
		return e.Args[1:]
	}
	return e.Args
}

// command is the command line of an exec event, with the program's name only.
func command(e sandbox.Event) string {
	return strings.Join(append([]string{path.Base(e.Object)}, arguments(e)...), " ")
}

// below reports whether a path is one of the folders or lies in one.
func below(p string, dirs ...string) bool {
	for _, d := range dirs {
		if p == d || strings.HasPrefix(p, d+"/") {
			return true
		}
	}
	return false
}

// writable reports whether a path is where programs may write.
func writable(p string) bool {
	return below(p, sandbox.Workspace, sandbox.OutputFolder, "/tmp", "/dev/shm")
}
