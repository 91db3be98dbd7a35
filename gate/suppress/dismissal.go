package suppress

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/tokens"
)

// The versions of the baseline file. The older one has no dismissals.
const (
	versionPlain      = 1
	versionDismissals = 2
)

// MaxDays is how far ahead the last day of a dismissal may be.
const MaxDays = 366

// Account is what is known of a user who dismissed findings.
type Account struct {
	// Verified says that the account has the right to.
	Verified bool
	// Refused is why what it dismissed doesn't count, "" where it does.
	Refused string
}

// accountName is what the name of an account looks like (docs.github.com, "Username
// considerations"). A bot has no judgement of its own.
var accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// CheckAccount says what is wrong with the name of an account.
func CheckAccount(name string) error {
	if !accountName.MatchString(name) {
		return fmt.Errorf("%q is not the name of an account", clip(name))
	}
	return nil
}

// checkDismissal says what is wrong with what only dismissals have, or must not have.
func (e Entry) checkDismissal() error {
	if !e.Dismissal() {
		if strings.HasPrefix(e.Hash, hashOfFlow) {
			return errors.New(`a dismissal has to say who dismissed it ("by")`)
		}
		return nil
	}
	if err := CheckAccount(e.By); err != nil {
		return err
	}
	switch {
	case e.Severity >= gate.SeverityDangerous:
		return errors.New("what is dangerous can't be dismissed")
	case e.Layer != gate.LayerStatic:
		return fmt.Errorf("findings of the layer %s can't be dismissed", e.Layer)
	case strings.HasPrefix(e.Hash, hashOfFile):
		return errors.New("a dismissal is for lines, not for a whole file")
	case e.Expires == "":
		return errors.New("a dismissal has to end: expires is missing")
	}
	return nil
}

// Latest is the last day that a dismissal of today may have.
func Latest(today time.Time) Day { return On(today.AddDate(0, 0, MaxDays)) }

// tokens returns the statements of the document, nil where they can't be read.
func (d *document) tokens(l gate.Language) *tokens.Text {
	if !d.read {
		d.read = true
		if d.plain {
			d.statements, _ = tokens.Read(l, d.text)
		}
	}
	return d.statements
}

// path returns the statements that a finding rests on, from its source to its sink, and
// those of the sink. There are none where a line of it is in no statement.
func (d *document) path(l gate.Language, f gate.Finding) (all, sink []int) {
	text := d.tokens(l)
	if text == nil || f.Line == 0 {
		return nil, nil
	}
	add := func(found []int) {
		for _, i := range found {
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	for _, step := range f.Flow {
		found := text.Of(step.Line, step.Line)
		if len(found) == 0 {
			return nil, nil
		}
		add(found)
	}
	if sink = text.Of(f.Line, f.EndLine); len(sink) == 0 {
		return nil, nil
	}
	add(sink)
	return all, sink
}

// dismissed is the entry that would dismiss a finding, without who and why: of the tokens
// of its statements, or else of its lines.
func (d *document) dismissed(path string, l gate.Language, f gate.Finding) (Entry, bool) {
	e := Entry{Path: path, Layer: f.Layer, Rule: f.Rule, Severity: f.Severity}
	if f.Layer != gate.LayerStatic || f.Line == 0 || !d.plain {
		return e, false
	}
	all, sink := d.path(l, f)
	if len(all) == 0 {
		hash, lines, ok := d.evidence(f)
		if ok && lines != nil {
			e.Hash, e.Count = hash, d.occurrences(lines)
		}
		return e, e.Count > 0
	}
	e.Hash = hashOfFlow + d.statements.Sum(f.Rule, all...)
	e.Count = times(d.statements.Statements, sink)
	return e, true
}

// times counts how often some statements, one behind the other, are in a text.
func times(text []tokens.Statement, which []int) int {
	n := 0
	for at := range len(text) - len(which) + 1 {
		same := true
		for i, w := range which {
			same = same && slices.Equal(text[at+i].Tokens, text[w].Tokens)
		}
		if same {
			n++
		}
	}
	return n
}

// byDismissal looks for a finding that a user dismissed.
func (s *Set) byDismissal(path string, f gate.Finding) *gate.Suppression {
	for _, e := range s.entries[path] {
		if !e.Dismissal() || e.Rule != f.Rule || e.Layer != f.Layer || e.Expires.before(s.today) {
			continue
		}
		doc := s.document(path)
		if doc == nil {
			return nil
		}
		now, ok := doc.dismissed(path, s.targets[path].Language, f)
		if !ok || now.Hash != e.Hash {
			continue
		}
		if why := s.refuses(e.Entry, now, f); why != "" {
			e.refused = why
			continue
		}
		e.used = true
		account := s.opts.Accounts[strings.ToLower(e.By)]
		by := fmt.Sprintf("a dismissal of %s, %s%s", e.By, e.where(), until(e.Expires))
		if !account.Verified {
			by += ", whose permission was not checked"
		}
		return &gate.Suppression{By: by, Reason: e.Reason, Dismissal: &gate.Dismissal{Account: e.By, Expires: string(e.Expires), Verified: account.Verified}}
	}
	return nil
}

// refuses says why a dismissal doesn't cover a finding with its tokens, "" where it does.
func (s *Set) refuses(e, now Entry, f gate.Finding) string {
	account, known := s.opts.Accounts[strings.ToLower(e.By)]
	switch {
	case f.Severity >= gate.SeverityDangerous:
		return "the finding is dangerous now, and what is dangerous can't be dismissed"
	case f.Severity > e.Severity:
		return fmt.Sprintf("it dismisses a %s finding, and this one is %s", e.Severity, f.Severity)
	case e.Expires > Latest(s.opts.Today):
		return fmt.Sprintf("its last day is more than %d days ahead", MaxDays)
	case account.Refused != "":
		return account.Refused
	case s.opts.Accounts != nil && !known:
		return fmt.Sprintf("the permission of %s was not checked", e.By)
	case now.Count > e.Count:
		return fmt.Sprintf("it dismisses the statement %d times, and it is there %d times", e.Count, now.Count)
	case s.opts.AgainstBase && s.shifted(e.Path, f):
		return "the change gives the statement another meaning: its surroundings, or what its names refer to"
	}
	return ""
}

// Dismissers are the accounts whose dismissals could count for a change, in lower case
// and sorted.
func (b *Baseline) Dismissers(c *gate.Change, today time.Time) []string {
	var out []string
	if b == nil {
		return nil
	}
	for _, e := range b.Entries {
		known := slices.ContainsFunc(c.Targets, func(t *gate.Target) bool { return t.Path == e.Path && t.Exists() })
		if e.Dismissal() && known && !e.Expires.before(On(today)) {
			out = append(out, strings.ToLower(e.By))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Dismissals is a baseline with only the dismissals of another.
func (b *Baseline) Dismissals() *Baseline {
	if b == nil {
		return nil
	}
	return &Baseline{slices.DeleteFunc(slices.Clone(b.Entries), func(e Entry) bool { return !e.Dismissal() })}
}

// addedDismissals reports what the head's baseline dismisses and the base's does not. A
// baseline that can't be read dismisses nothing.
func (s *Set) addedDismissals() []gate.Finding {
	doc, err := load(s.opts.Change.Head, BaselineFile)
	if err != nil {
		return nil
	}
	head, err := ParseBaseline(BaselineFile, doc.text)
	if err != nil {
		return nil
	}
	var out []gate.Finding
	for _, e := range head.Dismissals().Entries {
		had := slices.ContainsFunc(s.entries[e.Path], func(o *accepted) bool {
			then := o.Entry
			then.Line = e.Line
			return then == e
		})
		if had {
			continue
		}
		if len(out) == maxStale {
			return append(out, say(RuleAdded, e.Line, e.Line, "and more dismissals", ""))
		}
		out = append(out, say(RuleAdded, e.Line, e.Line, fmt.Sprintf("%s dismisses %s in %s", e.By, e.Rule, e.Path), e.Reason))
	}
	return out
}

// Dismiss makes the entries that dismiss findings of one rule in a file of a tree; who,
// why and until when is taken from an entry.
func Dismiss(tree fs.FS, file gate.FileResult, found []gate.Finding, as Entry) ([]Entry, error) {
	doc, err := load(tree, file.Path)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, f := range found {
		switch {
		case f.Severity >= gate.SeverityDangerous || f.CorroboratedBy != "":
			return nil, fmt.Errorf("%s at line %d is dangerous, and what is dangerous can't be dismissed: change the code, or pass the pull request with the override label", f.Rule, f.Line)
		case !suppressible(f.Rule):
			return nil, fmt.Errorf("%s is about a change itself and can't be dismissed", f.Rule)
		case f.Suppressed != nil && f.Suppressed.Dismissal == nil:
			return nil, fmt.Errorf("%s at line %d is accepted already, by %s", f.Rule, f.Line, f.Suppressed.By)
		}
		e, ok := doc.dismissed(file.Path, file.Language, f)
		if !ok {
			return nil, fmt.Errorf("%s is not in lines of the file that the static layer found, so it can't be dismissed", f.Rule)
		}
		e.By, e.Reason, e.Expires = as.By, as.Reason, as.Expires
		if err := e.check(); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return merged(out), nil
}

// With adds entries to a baseline, in place of those for the same finding.
func (b *Baseline) With(added []Entry) Baseline {
	next := slices.DeleteFunc(slices.Clone(b.Entries), func(e Entry) bool {
		return slices.ContainsFunc(added, func(a Entry) bool { return a.compare(e) == 0 })
	})
	return Baseline{append(next, added...)}
}
