package rule

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/strict"
)

// File names of a family.
const (
	RulesFile   = "rules.yaml"
	SamplesFile = "samples.yaml"
)

// maxFile bounds a rule file and a sample file.
const maxFile = 4 << 20

// Source is one place that rules come from.
type Source struct {
	Name string // shown in errors, such as the folder; may be empty
	FS   fs.FS
	// Checked says that a test has loaded these rules without this flag: their
	// patterns are then not checked again, which most of the time goes into.
	Checked bool
	// Literals are those of its patterns, computed before; nil computes them.
	Literals *LiteralTable
}

// Set is a consistent collection of rules.
type Set struct {
	Rules   []*Rule // sorted by id
	Signals map[string]*Matcher
}

// Load reads every family of the sources: a rules.yaml in the root and in each
// folder below it. Signals are shared by all of them. All mistakes are reported
// at once.
func Load(sources ...Source) (*Set, error) {
	return (&Set{}).With(sources...)
}

// With returns a set that has the families of more sources besides those of this
// one, which stays as it is. Its rules know the signals of this one, and not the
// other way round.
func (s *Set) With(sources ...Source) (*Set, error) {
	set := &Set{Rules: slices.Clone(s.Rules), Signals: map[string]*Matcher{}}
	maps.Copy(set.Signals, s.Signals)
	var errs []error
	for _, src := range sources {
		n, err := set.read(src)
		if err == nil && n == 0 {
			err = fmt.Errorf("%s: no %s in it or in a folder of it", src.Name, RulesFile)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := set.link(set.Rules[len(s.Rules):]); err != nil {
		return nil, err
	}
	slices.SortFunc(set.Rules, func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
	return set, nil
}

// read adds the families of one source and returns how many there are.
func (s *Set) read(src Source) (families int, err error) {
	files, err := familyFiles(src.FS, RulesFile)
	if err != nil {
		return 0, fmt.Errorf("%s: look for rules: %w", src.Name, err)
	}
	// Parsing is most of what the start of a short run takes.
	type parsed struct {
		family family
		ok     bool
		errs   []error
	}
	found := make([]parsed, len(files))
	err = gate.ForEach(context.Background(), runtime.GOMAXPROCS(0), len(files), func(_ context.Context, i int) error {
		name := files[i]
		data, err := bounded.ReadFile(src.FS, name, maxFile)
		if err != nil {
			found[i].errs = append(found[i].errs, fmt.Errorf("%s: %w", src.Name, err))
			return nil
		}
		r := &reader{Reader: strict.Reader{File: path.Join(src.Name, name)}, checked: src.Checked, table: src.Literals}
		var root *yaml.Node
		if src.Checked {
			root = readSimple(data)
		}
		if root == nil {
			root = r.Document(data)
		}
		if root != nil {
			found[i].family, found[i].ok = r.family(root, path.Base(path.Dir(path.Join(src.Name, name)))), true
		}
		found[i].errs = append(found[i].errs, r.Err())
		return nil
	})
	errs := []error{err}
	for _, p := range found {
		if p.ok {
			errs = append(errs, s.add(src.Name, p.family))
		}
		errs = append(errs, p.errs...)
	}
	return len(files), errors.Join(errs...)
}

// familyFiles finds the files of that name in the root and one level below.
func familyFiles(fsys fs.FS, name string) ([]string, error) {
	deep, err := fs.Glob(fsys, "*/"+name)
	if err != nil {
		return nil, err
	}
	root, err := fs.Glob(fsys, name)
	return append(root, deep...), err
}

// add takes over a family and reports duplicates.
func (s *Set) add(pack string, f family) error {
	var errs []error
	for _, m := range f.signals {
		if old, dup := s.Signals[m.Signal]; dup {
			errs = append(errs, &strict.Error{At: m.Source, Msg: fmt.Sprintf("the signal %q is defined already at %s", m.Signal, old.Source)})
			continue
		}
		s.Signals[m.Signal] = m
	}
	for _, r := range f.rules {
		r.Pack = pack
		if i := slices.IndexFunc(s.Rules, func(o *Rule) bool { return o.ID == r.ID }); i >= 0 && r.ID != "" {
			errs = append(errs, &strict.Error{At: r.Source, Msg: fmt.Sprintf("the rule %q is defined already at %s", r.ID, s.Rules[i].Source)})
			continue
		}
		s.Rules = append(s.Rules, r)
	}
	return errors.Join(errs...)
}

// link puts signals where they are referred to, and makes sure that every
// matcher that looks at whole files has words to look for. Rules of another set
// are linked already, and may be in use.
func (s *Set) link(rules []*Rule) error {
	l := linker{set: s}
	for _, r := range rules {
		if r.Match != nil {
			r.Match = l.resolve(r.Match)
			l.words(r.Match)
		}
		l.conditions(r.All)
		l.conditions(r.Unless)
		for i := range r.Escalations {
			l.conditions(r.Escalations[i].All)
			l.conditions(r.Escalations[i].Unless)
		}
	}
	slices.SortFunc(l.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(l.errs...)
}

type linker struct {
	set  *Set
	errs []error
}

func (l *linker) conditions(cs []Condition) {
	for i := range cs {
		c := &cs[i]
		if l.conditions(c.Any); c.Matcher == nil {
			continue
		}
		c.Matcher = l.resolve(c.Matcher)
		if c.Within < 0 && !c.Captures {
			l.words(c.Matcher)
		}
	}
}

func (l *linker) resolve(m *Matcher) *Matcher {
	if m.Signal == "" || len(m.Patterns) > 0 {
		return m
	}
	if found, ok := l.set.Signals[m.Signal]; ok {
		return found
	}
	known := make([]string, 0, len(l.set.Signals))
	for name := range l.set.Signals {
		known = append(known, name)
	}
	slices.Sort(known)
	l.errs = append(l.errs, &strict.Error{At: m.Source, Msg: fmt.Sprintf("unknown signal %q%s", m.Signal, strict.Allowed(m.Signal, known))})
	return m
}

// words reports patterns that have neither literals nor keywords.
func (l *linker) words(m *Matcher) {
	if len(m.Keywords) > 0 || m.Checked {
		return
	}
	m.Checked = true
	for _, p := range m.Patterns {
		if len(Literals(p)) == 0 {
			l.errs = append(l.errs, &strict.Error{At: m.Source, Msg: fmt.Sprintf(
				"no literal of %d bytes or more is part of every match of %q: name some under \"keywords\"", minDerived, p)})
		}
	}
}
