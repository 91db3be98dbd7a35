package taint

import (
	"sync"

	"github.com/aigate/gate/gate"
)

// loading knows what runs as soon as a text in tokens is loaded.
type loading struct {
	source  *source
	outline *outline
	lang    gate.Language
	once    sync.Once
	loaded  map[int32]bool // functions that run then
}

// runs reports whether what is at an offset does.
func (l *loading) runs(offset int) bool {
	if l.outline.guarded(offset) {
		return false
	}
	scope := l.outline.scopeAt(offset)
	return scope < 0 || l.started()[scope]
}

// started returns the functions that run.
func (l *loading) started() map[int32]bool {
	l.once.Do(func() {
		l.loaded = map[int32]bool{}
		calls := l.callers()
		var queue []int32
		start := func(fs []int32) {
			for _, f := range fs {
				if !l.loaded[f] {
					l.loaded[f] = true
					queue = append(queue, f)
				}
			}
		}
		if l.lang == gate.LanguageGo {
			start(l.outline.named["init"])
		}
		start(calls[-1])
		for len(queue) > 0 {
			f := queue[0]
			queue = queue[1:]
			start(calls[f])
		}
	})
	return l.loaded
}

// callers returns which functions are called in each function, and outside of all
// of them under -1. A literal without a name runs in place: most are
// callbacks.
func (l *loading) callers() map[int32][]int32 {
	s, o := l.source, l.outline
	calls := map[int32][]int32{}
	for t := range s.tokens {
		if !l.calls(t) || o.guarded(s.offset(t)) {
			continue
		}
		in := o.scopeAt(s.offset(t))
		if in < 0 && l.lang == gate.LanguageGo && !l.initialises(t) {
			continue // a method of an interface
		}
		calls[in] = append(calls[in], o.named[s.text(t)]...)
	}
	for i, f := range o.funcs {
		if f.name == "" && !o.guarded(f.body.Start) {
			calls[f.scope] = append(calls[f.scope], int32(i))
		}
	}
	return calls
}

// calls reports whether the name at token t calls a function of the text.
func (l *loading) calls(t int) bool {
	s := l.source
	if !s.isName(t) || s.mark(t+1) != '(' || s.is(t-1, "def", "func", "function", "class") {
		return false
	}
	if len(l.outline.named[s.text(t)]) == 0 || l.outline.heads[int32(t)] {
		return false
	}
	return !l.bodyAfter(t+1) && s.mark(t-1) != ')' // else the head of a method
}

// initialises reports whether token t follows an assignment on its line.
func (l *loading) initialises(t int) bool {
	for i := t - 1; i >= 0 && l.source.tokens[i].kind != newline; i-- {
		if l.source.mark(i) == '=' {
			return true
		}
	}
	return false
}

// bodyAfter reports whether the brackets at token open are the parameters of a
// function whose body follows.
func (l *loading) bodyAfter(open int) bool {
	s := l.source
	shut := s.close(open)
	if l.lang == gate.LanguagePython || s.mark(shut+1) != '{' {
		return false
	}
	_, ok := l.outline.bodyAt(s.offset(shut + 1))
	return ok
}
