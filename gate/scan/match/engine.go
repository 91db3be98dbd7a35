package match

import (
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/scan/rule"
)

// Engine runs one set of rules.
type Engine struct {
	rules    []*rule.Rule
	patterns map[*rule.Matcher]*pattern

	mu       sync.Mutex
	programs map[gate.Language]*program
}

// New returns an engine for rules, which come from [rule.Load]. Rules that are
// decided by program code are left out.
func New(rules []*rule.Rule) *Engine {
	e := &Engine{
		patterns: map[*rule.Matcher]*pattern{},
		programs: map[gate.Language]*program{},
	}
	for _, r := range rules {
		if r.Match == nil {
			continue
		}
		e.rules = append(e.rules, r)
		e.know(r.Match)
		e.conditions(r.All)
		e.conditions(r.Unless)
		for _, raise := range r.Raise {
			e.conditions(raise.All)
			e.conditions(raise.Unless)
		}
	}
	return e
}

func (e *Engine) conditions(cs []rule.Condition) {
	for _, c := range cs {
		e.know(c.Matcher)
	}
}

func (e *Engine) know(m *rule.Matcher) {
	if _, ok := e.patterns[m]; !ok {
		e.patterns[m] = &pattern{matcher: m}
	}
}

// program is what one language needs of the rules. It is built when the first
// text of that language comes, so that starting costs nothing for the others.
type program struct {
	once   sync.Once
	rules  []*rule.Rule
	words  *automaton
	owners [][]*pattern // whose keyword a word is, by word
}

func (e *Engine) program(lang gate.Language) *program {
	e.mu.Lock()
	p, ok := e.programs[lang]
	if !ok {
		p = &program{}
		e.programs[lang] = p
	}
	e.mu.Unlock()
	p.once.Do(func() { p.build(e, lang) })
	return p
}

func speaks(languages []gate.Language, lang gate.Language) bool {
	return len(languages) == 0 || slices.Contains(languages, lang)
}

func (p *program) build(e *Engine, lang gate.Language) {
	index := map[string]int{}
	var words []string
	seen := map[*rule.Matcher]bool{}
	add := func(m *rule.Matcher) {
		if seen[m] || !speaks(m.Languages, lang) {
			return
		}
		seen[m] = true
		for _, k := range m.Keywords {
			i, ok := index[k]
			if !ok {
				i = len(words)
				index[k] = i
				words = append(words, k)
				p.owners = append(p.owners, nil)
			}
			p.owners[i] = append(p.owners[i], e.patterns[m])
		}
	}
	fileWide := func(cs []rule.Condition) {
		for _, c := range cs {
			if c.Within == rule.WithinFile && !c.Captures {
				add(c.Matcher)
			}
		}
	}
	for _, r := range e.rules {
		if !speaks(r.Languages, lang) || !speaks(r.Match.Languages, lang) {
			continue
		}
		p.rules = append(p.rules, r)
		add(r.Match)
		fileWide(r.All)
		fileWide(r.Unless)
		for _, raise := range r.Raise {
			fileWide(raise.All)
			fileWide(raise.Unless)
		}
	}
	p.words = newAutomaton(words)
}
