package weakening

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
)

// hook is a function that refuses, and that a new statement of the change puts in front of others:
// middleware, a guard, an interceptor, or what a handler is wrapped in.
type hook struct {
	does *pair
	// everywhere says that it runs in front of whatever there is; else it does in front of what new
	// statements of the function in mention.
	everywhere bool
	in         *pair
	// idle says that it refuses no one: it can only do what is done to every answer.
	idle bool
}

// maxHooks bounds the hooks of one change.
const maxHooks = 50

// findHooks finds the functions that the change puts in front of others.
func (a *all) findHooks() []hook {
	var out []hook
	for _, q := range a.pairs {
		// What is decorated as a hook is one by itself.
		if q.base == nil && slices.ContainsFunc(q.head.stmts[:q.head.heads], func(s stmt) bool {
			return strings.HasPrefix(s.text, "@") && wider.MatchString(s.text) && !wraps.MatchString(s.text)
		}) && a.known.refuses(q.head) && len(out) < maxHooks {
			out = append(out, hook{does: q, everywhere: true, in: q})
		}
		for _, s := range q.come {
			everywhere := wider.MatchString(s.text)
			if strings.HasPrefix(s.text, "import") || strings.HasPrefix(s.text, "from ") {
				continue
			}
			for _, name := range words.FindAllString(s.text, -1) {
				for _, p := range a.byName[name] {
					if p == q || p.head.parent == q.head && p.head.heads > 0 && p.head.stmts[p.head.heads-1] == s || len(out) >= maxHooks {
						continue
					}
					if slices.ContainsFunc(out, func(h hook) bool { return h.does == p && h.in == q && (h.everywhere || !everywhere) }) {
						continue
					}
					if refuses := a.known.refuses(p.head); everywhere || refuses && (a.passesOn(p) || depends(s.text, name)) {
						out = append(out, hook{p, everywhere, q, !refuses})
					}
				}
			}
		}
	}
	return out
}

// hooks are the functions that the change puts in front of one.
func (a *all) hooks(of *pair) []*pair {
	var out []*pair
	for _, h := range a.hooked() {
		if h.idle || h.does == of || slices.Contains(out, h.does) || h.does.head.lang != of.head.lang {
			continue
		}
		if h.everywhere || h.in == of || a.mentionedIn(h.in, of.head) {
			out = append(out, h.does)
		}
	}
	return out
}

// mentionedIn reports whether a new statement of a function mentions another one, by its name or by
// that of its file where it is all that the file exports.
func (a *all) mentionedIn(in *pair, u *unit) bool {
	return slices.ContainsFunc(a.byWord()[known(u)], func(m mention) bool { return m.in == in })
}

// parts are a function with the functions inside of it, or a class with its methods.
func (a *all) parts(p *pair) []*pair {
	out := []*pair{p}
	for _, inner := range a.within[p.head] {
		out = append(out, inner)
		out = append(out, a.within[inner.head]...) // a decorator with arguments
	}
	return out
}

// doneBy are the statements that come into a function and what is inside of it, with those that
// define in its file what they use.
func (a *all) doneBy(p *pair) []stmt {
	var out []stmt
	for _, q := range a.parts(p) {
		out = append(out, q.come...)
	}
	return append(out, definitions(&view{all: a, pair: &pair{head: p.head, come: out}})...)
}

// reached are the changed functions that a call leads to, by its name.
func (a *all) reached(name string) []*pair {
	var out []*pair
	next := []string{name}
	for range maxDeep {
		var deeper []string
		for _, name := range next {
			for _, p := range a.byName[name] {
				if slices.Contains(out, p) || len(out) >= maxHooks {
					continue
				}
				out = append(out, p)
				for _, q := range a.parts(p) {
					for _, s := range q.come {
						deeper = append(deeper, called(s.text)...)
					}
				}
			}
		}
		next = deeper
	}
	return out
}

// refuses reports whether a function, one inside of it or a method refuses a request.
func (f functions) refuses(u *unit) bool {
	inner := append([]*unit{u}, f.inside[u]...)
	for _, i := range f.inside[u] {
		inner = append(inner, f.inside[i]...) // a decorator with arguments
	}
	return slices.ContainsFunc(inner, func(q *unit) bool {
		decides := deciding.MatchString(q.short())
		return slices.ContainsFunc(q.stmts, func(s stmt) bool {
			return turnsAway.MatchString(s.text) && !logs.MatchString(s.text) || decides && strings.HasPrefix(s.text, "return ") && !bareYes.MatchString(s.text)
		})
	})
}

var (
	// turnsAway matches statements by which a request or a call ends with a refusal.
	turnsAway = dfa.MustCompile(`(?:^|[{;:?] ?)(?:raise|throw)\b|\bpanic\(|\b[aA]bort\w*\(|\.assert\(|\b(?:4(?:0[0-9]|1[0-9]|2[0-9]))\b|\bStatus(?:Unauthorized|Forbidden|BadRequest|NotFound|TooManyRequests|RequestEntityTooLarge)\b|\bhttp\.Error\(|\bstatus\.Errorf?\(|\bHttpResponseForbidden\b|\bPermissionDenied\b|\breject\(|\bdisconnect\(|\bnext\( ?(?:[^)]*\bnew |err\b)|^return .*\b(?:Err[A-Z]\w*|errors\.(?:New|Join)|fmt\.Errorf)\b`)
	// logs matches statements that only write down what happened.
	logs = dfa.MustCompile(`^(?:\w+\.)*(?:log(?:ger|ging)?|console|print\w*|slog|warnings)\b`)
	// deciding matches functions of frameworks of which the answer decides.
	deciding = dfa.MustCompile(`^(?:canActivate|has_permission|has_object_permission|test_func|get_queryset|authorize)$`)
	// onwards matches calls of what a hook is in front of.
	onwards = dfa.MustCompile(`\bnext\b|\bServeHTTP\(|\bcall_next\(|\bget_response\(|\.Next\(\)|\b(?:handler|handle|view|method|func|fn|f|h|inner|resolve|resolver|action|do)(?:\.(?:apply|call))?\(|^yield\b`)
)

// depends reports whether a statement has a framework call a function first and pass on what it returns.
// https://fastapi.tiangolo.com/tutorial/dependencies/
func depends(text, name string) bool {
	for _, m := range dependency.FindAllStringSubmatch(text, -1) {
		if m[1] == name {
			return true
		}
	}
	return false
}

var dependency = regexp.MustCompile(`\b(?:Depends|Security|Provide|Annotated\[\w+, ?Depends)\( ?(?:\w+\.)*(\w+)`)

// passesOn reports whether a function lets through what it does not refuse.
func (a *all) passesOn(p *pair) bool {
	return slices.ContainsFunc(a.parts(p), func(q *pair) bool {
		return slices.ContainsFunc(q.head.stmts, func(s stmt) bool {
			return onwards.MatchString(s.text) && !(q.head.lang == gate.LanguageGo && goHead.MatchString(s.text))
		})
	})
}

// withoutShown is a statement without the names of functions that the change shows: what a
// function is called says nothing about what it does.
func (a *all) withoutShown(text string) string {
	return words.ReplaceAllStringFunc(text, func(w string) string {
		if a.isShown(w) || a.given()[w] {
			return "_"
		}
		return w
	})
}

// isShown reports whether a function is new, and refuses nothing.
func (a *all) isShown(name string) bool {
	return slices.ContainsFunc(a.byName[name], func(p *pair) bool { return p.base == nil || len(p.base.stmts) == 0 }) &&
		!slices.ContainsFunc(a.reached(name), func(p *pair) bool {
			return a.known.refuses(p.head) || slices.ContainsFunc(p.head.tests(), func(t test) bool { return t.denies && !t.answer && !t.caught })
		})
}

// givenNames are names that the change gives to what new functions return.
func (a *all) givenNames() map[string]bool {
	out := map[string]bool{}
	for _, p := range a.pairs {
		for _, s := range p.come {
			m := gives.FindStringSubmatch(s.text)
			if m == nil || m[2] == "" || p.head.name != "" || importing.MatchString(s.text) {
				continue
			}
			out[m[2]] = out[m[2]] || slices.ContainsFunc(called(s.text), a.isShown)
		}
	}
	return out
}

// swallowed reports whether the errors of a statement are caught, and no one is refused then.
func (u *unit) swallowed(i int) bool {
	s := u.stmts[i]
	open := ""
	depth := s.depth
	for j := i - 1; j >= 0; j-- {
		if u.stmts[j].depth < depth {
			if depth = u.stmts[j].depth; tries.MatchString(u.stmts[j].text) {
				open = u.stmts[j].text
				break
			}
		}
	}
	if open == "" {
		return false
	}
	for j := i + 1; j < len(u.stmts); j++ {
		o := u.stmts[j]
		if o.depth > depth {
			continue
		}
		if o.depth < depth || !catches.MatchString(o.text) {
			return false
		}
		body := append(u.block(j), o.text)
		if !deniesAny(u.lang, body) {
			return true
		}
	}
	return false
}

var (
	tries   = dfa.MustCompile(`^try\b`)
	catches = dfa.MustCompile(`^(?:except\b|\}? ?catch\b)`)
)

// heeded reports whether a function of the change that is called refuses by an error, or by an
// answer that the caller asks or passes on.
func (r refusal) heeded(i int, name string) bool {
	shown := false
	s := r.v.head.stmts[i]
	for _, u := range r.v.all.known.named[name] {
		if u.lang != r.v.head.lang {
			continue
		}
		shown = true
		if i < r.v.head.heads {
			if r.v.all.known.refuses(u) {
				return true
			}
			continue
		}
		raises, answers := r.v.all.known.collect(u, map[string]bool{}, map[*unit]bool{}, maxDeep)
		_, isTest := testIn(r.v.head.lang, s)
		if raises || answers && (r.heeds(i, name) || !isTest && r.used(i)) {
			return true
		}
	}
	return !shown
}

// used reports whether something is done with what a call gives, besides writing it down.
func (r refusal) used(i int) bool {
	s := r.v.head.stmts[i]
	m := assigned.FindStringSubmatch(s.text)
	if m == nil {
		return !dropped.MatchString(s.text)
	}
	given := map[string]bool{}
	addWords(given, m[1])
	return slices.ContainsFunc(r.v.head.stmts[i+1:], func(o stmt) bool {
		_, isTest := testIn(r.v.head.lang, o)
		return !isTest && !logs.MatchString(o.text) && slices.ContainsFunc(words.FindAllString(o.text, -1), func(w string) bool { return given[w] && !plain.MatchString(w) })
	})
}

// dropped matches calls of which no caller uses the answer.
var dropped = dfa.MustCompile(`^(?:await )?[\w.$#]+\([^()]*(?:\([^()]*\)[^()]*)*\) ?;?$`)

// known is the name by which others mention a function: that of its file where it is all that the
// file exports.
func known(u *unit) string {
	if name := u.short(); name != "exports" && name != "" {
		return name
	}
	return strings.TrimSuffix(path.Base(u.path), path.Ext(u.path))
}

// calls reports whether a covering statement is in a function that the head newly calls.
func (v *view) calls(cover int) bool { return cover >= v.called && cover-v.called < len(v.callees) }

// another reports whether a statement asks what another refusal of the base asked, and not what this
// one did: of two checks that were in one function one was left behind.
func (r refusal) another(s stmt) bool {
	if kin(s.text, r.was.cond) >= 0.3 {
		return false
	}
	was, _ := r.v.tests()
	return slices.ContainsFunc(was, func(o test) bool {
		return o.denies && o.at != r.was.at && o.cond != r.was.cond && kin(s.text, o.cond) >= 0.6
	})
}

// asked reports whether a new statement of the head is more than a call of functions of the change
// that refuse nothing.
func (r refusal) asked(s stmt) bool {
	i := slices.Index(r.v.head.stmts, s)
	if i < 0 || i < r.v.head.heads {
		return true
	}
	shown := false
	for _, name := range called(s.text) {
		if len(r.v.all.known.named[name]) == 0 {
			continue
		}
		if r.heeded(i, name) {
			return true
		}
		shown = true
	}
	return !shown
}

// takenOver reports whether a statement that went called a function of the base that is gone as
// well, and the head refuses in another way all that this one refused; or whether the head calls,
// and heeds, what became of the function.
func (v *view) takenOver(gone stmt) bool {
	for _, name := range called(gone.text) {
		for _, u := range v.all.lost {
			if u.short() != name || u.lang != v.head.lang {
				continue
			}
			asked := 0
			for _, t := range u.tests() {
				if !t.denies || t.answer || t.caught {
					continue
				}
				if noError.MatchString(t.cond) {
					continue // what failed is asked by what follows
				}
				asked++
				t.cond = given(u.stmts).expand(t.cond)
				if r := (refusal{v, t, len(v.head.stmts)}); !r.moved() {
					return false
				}
			}
			if asked > 0 {
				return true
			}
		}
		for u, heir := range v.all.heirs {
			if u.short() != name || u.lang != v.head.lang || heir.short() == name || !slices.ContainsFunc(heir.tests(), func(t test) bool { return t.denies && !t.answer }) {
				continue
			}
			r := refusal{v, test{}, len(v.head.stmts)}
			for i, s := range v.head.stmts {
				if slices.Contains(called(s.text), heir.short()) && slices.Contains(v.come, s) && r.always(i) && r.heeded(i, heir.short()) {
					return true
				}
			}
		}
	}
	return false
}

// noError matches conditions that something failed.
var noError = dfa.MustCompile(`^(?:err|e|error) (?:!=|is not|!==) (?:nil|None|null)$`)
