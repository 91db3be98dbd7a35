package execute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
)

// A change that adds a dependency, or raises the version of one, would run nothing of what
// needs it in an image with the dependencies of the base. The change names packages and
// versions; where they come from, and with which rights they are fetched, is the base's
// and the machine's to say (locks.Extend, package deps), and nothing of a package is
// executed for that.

// extension is what the change names beyond the base.
type extension struct {
	lock  locks.Lock
	added []string // "name version"
	there bool     // the image that units run in has it
	why   string   // it has not
}

// extend notes what the head names beyond the locks of the base.
func (s *Stage) extend(c *gate.Change, p *provided) {
	p.extended = map[gate.Language]extension{}
	if c.Base == nil || c.Head == nil {
		return
	}
	all, _, err := locks.Read(c.Head, c.Files)
	if err != nil {
		return // a finding or a gap says what is wrong with them
	}
	for _, head := range all {
		if s.o.Locked {
			var ok bool
			if head, ok = head.Locked(); !ok {
				continue
			}
		}
		language := lockLanguages[head.Language]
		if lock, added, ok := locks.Extend(p.locks[language], head); ok {
			p.extended[language] = extension{lock: lock, added: added, why: s.o.NotAdded}
		}
	}
}

// provideExtended returns the image with what the base and the change name; ok is false
// where there is none, or the change names nothing of its own.
func (s *Stage) provideExtended(ctx context.Context, engine imager, p *provided, language gate.Language) (info images.DependencyInfo, ok bool) {
	x, named := p.extended[language]
	if !named || s.o.NotAdded != "" {
		return info, false
	}
	info, ok, err := s.imageOf(ctx, engine, x.lock)
	if lost := s.lost(ctx, engine, p, language, info); ok && lost != "" {
		ok, err = false, fmt.Errorf("with them, %s of the base could not be fetched", lost)
	}
	switch {
	case ok:
		x.there, x.why = true, ""
		p.locks[language] = x.lock
	case err != nil:
		x.why = err.Error()
		s.o.Log.say("the packages that the change names could not be installed", "language", language, "error", err)
	default:
		x.why = s.o.NotInstalled
	}
	p.extended[language] = x
	return info, ok
}

// lost returns the packages that the image of the base has and one with what the change names
// lacks, "" for none: no credentials are used for what a change names, so a private registry may
// have refused them.
func (s *Stage) lost(ctx context.Context, engine imager, p *provided, language gate.Language, info images.DependencyInfo) string {
	var missing []string
	for _, problem := range info.Problems {
		_, what, _ := strings.Cut(problem, ": ")
		name, _, not := strings.Cut(what, " is not installed")
		if not && !slices.ContainsFunc(p.extended[language].added, func(added string) bool { return strings.HasPrefix(added, name+" ") }) {
			missing = append(missing, name)
		}
	}
	base, known := p.locks[language]
	if len(missing) == 0 || !known {
		return ""
	}
	old, ok, _ := s.imageOf(ctx, engine, base)
	if !ok {
		return ""
	}
	missing = slices.DeleteFunc(missing, func(name string) bool {
		return slices.ContainsFunc(old.Problems, func(problem string) bool { return strings.Contains(problem, ": "+name+" is not installed") })
	})
	return strings.Join(missing[:min(len(missing), maxFromChange)], ", ")
}

// fromChange is the finding that a unit ran with packages that only the change names, or
// failed without them; ok is false where neither is so.
func (p *provided) fromChange(u plan.Unit, r result) (f gate.Finding, ok bool) {
	x, named := p.extended[u.Job.Image]
	if !named || len(r.runs) == 0 {
		return gate.Finding{}, false
	}
	names := slices.Clone(x.added[:min(len(x.added), maxFromChange)])
	if more := len(x.added) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	rule, evidence := ruleFromChange, strings.Join(names, "; ")
	if !x.there {
		if r.needs == "" {
			return gate.Finding{}, false
		}
		rule = ruleNotFetched
		if x.why != "" {
			evidence += " (" + x.why + ")"
		}
	}
	return gate.Finding{
		Rule: rule.ID, Layer: gate.LayerSandbox, Severity: rule.Severity,
		Message: "when it was run as " + u.Kind + ", it " + rule.Message, Evidence: evidence, Origin: "the manifests of the change",
	}, true
}

// maxFromChange is how many packages a finding names.
const maxFromChange = 10
