package weakening

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
)

func (v *view) tests() (was, is []test) {
	if !v.testsRead {
		v.testsRead, v.was, v.is = true, v.base.tests(), v.head.tests()
		v.was, v.is = v.was[:min(len(v.was), maxTested)], v.is[:min(len(v.is), maxTested)]
	}
	return v.was, v.is
}

// guards finds blocks that refused something.
func (v *view) guards(m *matcher) []Finding {
	var out []Finding
	was, is := v.tests()
	for at, t := range was {
		if !t.denies || t.answer || !m.guards.match(t.text()) || m.unless.match(t.text()) {
			continue
		}
		if i := counterpart(was[:at], t, is); i >= 0 {
			if !is[i].denies && (!t.caught && !strings.Contains(is[i].body, "if") || passes.MatchString(is[i].body)) && !v.stillRefuses(t) {
				out = append(out, v.finding(m, is[i].at.first, is[i].at.last, "it no longer refuses", is[i].text()))
			} else if is[i].denies && stops(t.body) && !stops(is[i].body) && goesOn(v.head.stmts, is[i]) {
				out = append(out, v.finding(m, is[i].at.first, is[i].at.last, "it goes on after the refusal", is[i].text()))
			} else if o, how := sometimes(t, is); how != "" && !v.stillRefuses(t) {
				out = append(out, v.finding(m, o.at.first, o.at.last, "only asked where "+gate.Clip(how, maxShown), o.text()))
			}
			continue
		}
		// Without its handler an error goes on to the person who called.
		if t.caught || newRefusal(v, t).elsewhere(m) {
			continue
		}
		out = append(out, v.finding(m, v.near(t.at), 0, "", t.text()))
	}
	return out
}

// counterpart is the place of the test that stands for one of the base: of those that ask and do the
// same the one with as many before it, else the first that asks the same; -1 for none.
func counterpart(before []test, t test, is []test) int {
	same := func(o test) bool { return o.cond == t.cond && o.body == t.body && !o.answer }
	skip := 0
	for _, o := range before {
		if same(o) {
			skip++
		}
	}
	for i, o := range is {
		if same(o) {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	return slices.IndexFunc(is, func(o test) bool { return o.cond == t.cond && !o.answer })
}

// handlers finds new handlers of errors that go on as if there were none.
func (v *view) handlers(m *matcher) []Finding {
	var out []Finding
	was, is := v.tests()
	for _, t := range is {
		if !t.caught || t.denies || !m.handlers.match(t.text()+" in "+v.head.short()) || m.unless.match(t.text()) {
			continue
		}
		// Where the check is new as well, nothing is weaker than it was.
		_, tried, _ := strings.Cut(t.cond, " of ")
		checked := tried != "" && (v.all.allGone[tried] > 0 || slices.ContainsFunc(v.base.stmts, func(s stmt) bool { return s.text == tried }))
		known := slices.ContainsFunc(was, func(o test) bool { return o.caught && (o.body == t.body || o.cond == t.cond && !o.denies) })
		if checked && !known && passes.MatchString(t.body) {
			out = append(out, v.finding(m, t.at.first, t.at.last, "", t.text()))
		}
	}
	return out
}

// maxShown is how much of a condition a message shows, in bytes.
const maxShown = 80

// passes matches blocks that do nothing about an error, or say that all is well.
var passes = dfa.MustCompile(`^(?:(?:\w+\.)*(?:log(?:ger|ging)?|console|print|slog|warnings)\b[^;]*;? ?)?(?:pass|return (?:True|true|nil)\b.*|(?:return )?next\(\) ?;?)?$`)

// stillRefuses reports whether a new statement refuses what a test did.
func (v *view) stillRefuses(t test) bool {
	return slices.ContainsFunc(v.come, func(s stmt) bool { return s.text != t.at.text && denies(v.head.lang, s.text) })
}

// loosened finds conditions that let more through.
func (v *view) loosened(m *matcher) []Finding {
	var out []Finding
	was, is := v.tests()
	in := func(ts []test, t test) bool {
		return slices.ContainsFunc(ts, func(o test) bool { return o.cond == t.cond && o.answer == t.answer })
	}
	before, now := refusalsOf(was), refusalsOf(is)
	used := map[int]bool{}
	for _, t := range was {
		if t.denies && !t.answer && !t.caught && m.conditions.match(t.text()) && !m.unless.match(t.text()) {
			if o, how := narrowed(t, before, now); how != "" && !v.elsewhere(t.cond, o) {
				out = append(out, v.finding(m, o.at.first, o.at.last, how, o.text()))
				continue
			}
		}
		if in(is, t) || t.caught {
			continue
		}
		best, at := 0.3, -1
		for i, o := range is {
			if k := kin(t.cond, o.cond); k > best && !used[i] && o.answer == t.answer && !o.caught && !in(was, o) {
				best, at = k, i
			}
		}
		if at < 0 {
			continue
		}
		used[at] = true
		o := is[at]
		if t.denies != o.denies && !t.answer || t.mixed || o.mixed {
			continue // the blocks changed places
		}
		refuses := t.denies
		if t.answer {
			refuses = refusing.MatchString(v.head.short())
		}
		if !m.conditions.match(t.text()) && !m.conditions.match(o.text()) || m.unless.match(t.text()) || m.unless.match(o.text()) {
			continue
		}
		how, lost := loosened(t.cond, o.cond, refuses)
		if how == "" || lost != "" && (v.elsewhere(lost, o) || !t.denies && !m.conditions.match(test{cond: lost, body: t.body, answer: t.answer}.text())) {
			continue
		}
		out = append(out, v.finding(m, o.at.first, o.at.last, how, o.text()))
	}
	return out
}

// refusing are names of functions of which "true" means that something is refused.
var refusing = dfa.MustCompile(`(?i)block|expired|revoked|banned|locked|forbid|denied|deny|reject|invalid|private|malicious|unsafe|suspicious|should_?(?:challenge|throttle)|is_?(?:internal|limited)|exceed|needs|require|missing|stale`)

// elsewhere reports whether a part of a condition is tested by another statement now.
func (v *view) elsewhere(part string, except test) bool {
	return slices.ContainsFunc(v.cover(), func(s stmt) bool {
		return s.text != except.at.text && (strings.Contains(s.text, part) || kin(s.text, part) >= 0.5)
	})
}

// numbers finds limits that moved too far.
func (v *view) numbers(m *matcher) []Finding {
	type numbered struct {
		template string
		of       []quantity
	}
	read := func(s stmt) numbered {
		t, q := quantities(s.text)
		return numbered{t, q}
	}
	var was []numbered
	for _, s := range v.gone {
		if n := read(s); len(n.of) > 0 {
			was = append(was, n)
		}
	}
	if len(was) == 0 {
		return nil
	}
	var out []Finding
	for _, s := range v.come {
		if m.unless.match(s.text) {
			continue
		}
		now := read(s)
		for _, old := range was {
			if old.template != now.template || len(old.of) != len(now.of) {
				continue
			}
			for i, q := range now.of {
				before := old.of[i].value
				if before <= 0 || !m.numbers.match(tail(q.before)) {
					continue
				}
				ratio := q.value / before
				if c := m.Change; c.Larger > 0 && ratio >= c.Larger || c.Smaller > 0 && ratio <= c.Smaller {
					out = append(out, v.finding(m, s.first, s.last, fmt.Sprintf("%g where it was %g", q.value, before), s.text))
					break
				}
			}
			break
		}
	}
	return out
}

var texts = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// lists finds lists from which texts went.
func (v *view) lists(m *matcher) []Finding {
	var out []Finding
	for _, s := range v.gone {
		if !m.lists.match(s.text) || m.unless.match(s.text) {
			continue
		}
		where := m.lists.slow().FindStringIndex(s.text)
		name := strings.TrimSpace(s.text[:where[1]])
		for _, o := range v.come {
			if !strings.HasPrefix(o.text, name) {
				continue
			}
			missing := lacks(texts.FindAllString(o.text[len(name):], -1), texts.FindAllString(s.text[len(name):], -1))
			added := lacks(texts.FindAllString(s.text[len(name):], -1), texts.FindAllString(o.text[len(name):], -1))
			if len(missing) > len(added) {
				out = append(out, v.finding(m, o.first, o.last, "without "+strings.Join(missing[:min(len(missing), 3)], ", "), o.text))
			}
		}
	}
	return out
}

// answers finds functions that answer before they have looked at anything.
func (v *view) answers(m *matcher) []Finding {
	first := func(u *unit) (stmt, bool) {
		if len(u.stmts) <= u.heads {
			return stmt{}, false
		}
		return u.stmts[u.heads], true
	}
	now, ok := first(v.head)
	if !ok || !m.always.match(now.text) {
		return nil
	}
	if before, ok := first(v.base); !ok || m.always.match(before.text) {
		return nil
	}
	return []Finding{v.finding(m, now.first, now.last, "", now.text)}
}
