package match

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/static/rule"
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
		for _, raise := range r.Escalations {
			e.conditions(raise.All)
			e.conditions(raise.Unless)
		}
	}
	return e
}

func (e *Engine) conditions(cs []rule.Condition) {
	for _, c := range cs {
		if e.conditions(c.Any); c.Matcher != nil {
			e.know(c.Matcher)
		}
	}
}

func (e *Engine) know(m *rule.Matcher) {
	if _, ok := e.patterns[m]; !ok {
		e.patterns[m] = newPattern(m)
	}
}

// program is what one language needs of the rules. It is built when the first
// text of that language comes, so that starting costs nothing for the others.
type program struct {
	once   sync.Once
	rules  []wanted
	words  *automaton
	owners [][]owner          // whose word it is, by word
	sizes  []int32            // bytes of each word
	slots  int                // how many there are
	slot   map[*pattern]slots // of each pattern
}

// wanted is a rule with what a text has to hold for it.
type wanted struct {
	rule  *rule.Rule
	slots slots
}

// owner is a slot that a word belongs to.
type owner struct {
	slot   int32
	begins bool // only where no letter, digit or underscore precedes it
}

// begins reports whether a hit is at the start of a word of the text.
func (p *program) begins(text []byte, h hit) bool {
	start := h.end - p.sizes[h.word]
	if start == 0 {
		return true
	}
	return !char.IsASCIIWord(text[start-1])
}

// slots say where the hits of a pattern's words are counted. Each expression
// has slots for sets of literals of which one is part of its every match, the
// pattern one for the keywords that its author named, which is -1 for none.
type slots struct {
	named int32
	exprs [][]int32
}

func (e *Engine) program(lang gate.Language) *program {
	e.mu.Lock()
	p, ok := e.programs[lang]
	if !ok {
		p = &program{slot: map[*pattern]slots{}}
		e.programs[lang] = p
	}
	e.mu.Unlock()
	p.once.Do(func() { p.build(e, lang) })
	return p
}

// speaks reports whether rules for those languages are for a text. One of unknown
// type is looked at as plain text, too.
func speaks(languages []gate.Language, lang gate.Language) bool {
	if len(languages) == 0 || slices.Contains(languages, lang) {
		return true
	}
	if !lang.Generic() {
		return false
	}
	return slices.Contains(languages, gate.LanguageGeneric) || lang == gate.LanguageUnknown && slices.Contains(languages, gate.LanguageText)
}

func (p *program) build(e *Engine, lang gate.Language) {
	w := wordList{program: p, index: map[string]int{}, taken: map[string]int32{}}
	var looked []*pattern
	add := func(m *rule.Matcher) {
		if speaks(m.Languages, lang) {
			looked = append(looked, e.patterns[m])
		}
	}
	var fileWide func(cs []rule.Condition)
	fileWide = func(cs []rule.Condition) {
		for _, c := range cs {
			if fileWide(c.Any); c.Within < 0 {
				add(c.Matcher)
			}
		}
	}
	for _, r := range e.rules {
		if !speaks(r.Languages, lang) || !speaks(r.Match.Languages, lang) {
			continue
		}
		p.rules = append(p.rules, wanted{rule: r})
		add(r.Match)
		fileWide(r.All)
		fileWide(r.Unless)
		for _, raise := range r.Escalations {
			fileWide(raise.All)
			fileWide(raise.Unless)
		}
	}
	literals := literalsOf(looked)
	for i, p := range looked {
		w.add(p, literals[i])
	}
	for i, r := range p.rules {
		p.rules[i].slots = p.slot[e.patterns[r.rule.Match]]
	}
	p.words = newAutomaton(w.words)
}

// literalsOf returns the words of each expression of each pattern. Those of rules that aren't
// gate's own have to be computed, so it is done side by side.
func literalsOf(patterns []*pattern) [][][][]string {
	out := make([][][][]string, len(patterns))
	seen := map[*pattern]bool{}
	var first []int // where each pattern is for the first time
	for i, p := range patterns {
		if !seen[p] {
			seen[p] = true
			first = append(first, i)
		}
	}
	read := func(_ context.Context, n int) error {
		out[first[n]] = patterns[first[n]].matcher.Literals()
		return nil
	}
	ctx := context.Background()
	if gate.ForEach(ctx, runtime.GOMAXPROCS(0), len(first), read) != nil {
		for n := range first { // it can only be a panic, which comes again where it is caught
			_ = read(ctx, n)
		}
	}
	return out
}

// wordList collects the words of a program.
type wordList struct {
	*program
	words []string
	index map[string]int
	taken map[string]int32 // slots by their words
}

// add gives a pattern its slots. literals are the words of its expressions.
func (w *wordList) add(p *pattern, literals [][][]string) {
	if _, known := w.slot[p]; known {
		return
	}
	s := slots{named: -1}
	if len(p.matcher.Keywords) > 0 {
		s.named = w.take(p.matcher.Keywords)
	}
	for _, expression := range literals {
		var own []int32
		for _, words := range expression {
			own = append(own, w.take(words))
		}
		s.exprs = append(s.exprs, own)
	}
	w.slot[p] = s
}

// take makes a slot for words, or finds the one that there is: many rules look
// for the same.
func (w *wordList) take(words []string) int32 {
	key := strings.Join(words, "\x00")
	if slot, ok := w.taken[key]; ok {
		return slot
	}
	slot := int32(w.slots)
	w.taken[key] = slot
	w.slots++
	for _, word := range words {
		word, begins := strings.CutPrefix(word, rule.WordStart)
		i, ok := w.index[word]
		if !ok {
			i = len(w.words)
			w.index[word] = i
			w.words = append(w.words, word)
			w.owners = append(w.owners, nil)
			w.sizes = append(w.sizes, int32(len(word)))
		}
		w.owners[i] = append(w.owners[i], owner{slot, begins})
	}
	return slot
}
