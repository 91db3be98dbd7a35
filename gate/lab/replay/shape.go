package replay

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/tokens"
)

// example is a dismissal as the parts of a statement.
type example struct {
	Usage
	shape string
	parts []part
}

// part is a token of an example, with the blanks before it.
type part struct {
	text  string
	blank bool
	place bool // it may be another in another example
}

// The forms that may be in a place.
var (
	nameForm   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	numberForm = regexp.MustCompile(`^\d+$`)
	plainForm  = regexp.MustCompile(`^["'][\w ./:-]*["']$`)
)

// constants are words that are values: another is another meaning.
const constants = " True False None true false null undefined nil NaN Infinity this self super "

// newExample reads a dismissed text. It is false for a text of which no expression can be
// made: another language, comments in it, characters beyond ASCII.
func newExample(u Usage) (example, bool) {
	ex := example{Usage: u}
	if u.Text == "" || strings.ContainsFunc(u.Text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ex, false
	}
	text, ok := tokens.Read(u.Language, []byte(u.Text))
	if !ok || len(text.Statements) != 1 {
		return ex, false
	}
	all := text.Statements[0].Tokens
	shape := []string{u.Rule, string(u.Language)}
	rest := u.Text
	for i, t := range all {
		if t.Kind == tokens.Blank {
			continue
		}
		after := strings.TrimLeft(rest, " ")
		written := t.Text
		if t.Kind == tokens.String && !strings.HasPrefix(after, written) {
			written = strings.ReplaceAll(written, `"`, "'") // as it was before its quotes were made the same
		}
		if t.Kind == tokens.Newline || t.Kind == tokens.Remark || !strings.HasPrefix(after, written) {
			return ex, false
		}
		p := part{text: written, blank: len(after) < len(rest), place: place(all, i)}
		rest = after[len(written):]
		ex.parts = append(ex.parts, p)
		if p.place {
			shape = append(shape, formOf(written))
		} else {
			shape = append(shape, "="+written)
		}
	}
	ex.shape = strings.Join(shape, "\x00")
	return ex, strings.TrimSpace(rest) == ""
}

// place reports whether a token may be another one in a usage: a variable, a number or a
// string, and not what is called, asked for a member, or named as a parameter.
func place(all []tokens.Token, i int) bool {
	t := all[i]
	switch {
	case t.Kind == tokens.String:
		return plainForm.MatchString(t.Text)
	case t.Kind != tokens.Word || strings.Contains(constants, " "+t.Text+" "):
		return false
	case numberForm.MatchString(t.Text):
		return true
	case !nameForm.MatchString(t.Text):
		return false
	}
	mark := func(j int, which string) bool {
		return j >= 0 && j < len(all) && all[j].Kind == tokens.Mark && strings.Contains(which, all[j].Text)
	}
	return (mark(i-1, "(,[=+:{") || i == 0) && mark(i+1, "),]=+:}") && (!mark(i+1, "=:") || i == 0)
}

// formOf is the kind of thing that is in a place.
func formOf(text string) string {
	switch {
	case numberForm.MatchString(text):
		return "number"
	case nameForm.MatchString(text):
		return "name"
	}
	return "string"
}

// expression is what matches every example of a group, which have one shape: what is the
// same in all as it is, and in the other places any text of the same form.
func expression(group []example) string {
	var b strings.Builder
	for i, p := range group[0].parts {
		same, blanks := true, 0
		for _, ex := range group {
			same = same && ex.parts[i].text == p.text
			if ex.parts[i].blank {
				blanks++
			}
		}
		switch blanks {
		case 0:
		case len(group):
			b.WriteString(" ")
		default:
			b.WriteString(" ?")
		}
		if same {
			b.WriteString(regexp.QuoteMeta(p.text))
			continue
		}
		switch formOf(p.text) {
		case "number":
			b.WriteString(`\d+`)
		case "name":
			b.WriteString(`[A-Za-z_]\w*`)
		default:
			b.WriteString(`["'][\w ./:-]*["']`)
		}
	}
	return b.String()
}
