package canary

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox"
)

// minPiece is how much of a value at the end of a cut text is recognised as its
// beginning, in bytes.
const minPiece = 8

// prepare lists every text to take out, with what is in its place. A longer
// text comes before a shorter one that is part of it.
func (s *Set) prepare() {
	type form struct{ text, id string }
	var forms []form
	for _, c := range s.values {
		for _, f := range encodings(c.Value) {
			forms = append(forms, form{f.text, strings.TrimSuffix(c.ID+", "+f.name, ", ")})
		}
	}
	slices.SortStableFunc(forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	var pairs []string
	for _, f := range forms {
		pairs = append(pairs, f.text, Placeholder(f.id))
		s.forms = append(s.forms, f.text)
	}
	s.clean = strings.NewReplacer(pairs...)
}

type encoded struct{ text, name string }

// encodings are the forms in which a value is looked for.
func encodings(v string) []encoded {
	reversed := []byte(v)
	slices.Reverse(reversed)
	h := hex.EncodeToString([]byte(v))
	out := []encoded{
		{v, ""}, {string(reversed), "reversed"}, {h, "hex"}, {strings.ToUpper(h), "hex"},
		{strings.ToLower(v), "lower case"}, {strings.ToUpper(v), "upper case"},
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// What comes before the value shifts it by 0, 1 or 2 bytes; the letters at
		// both ends depend on its neighbours.
		for shift := range 3 {
			t := e.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))
			from, to := (shift*8+5)/6, (shift+len(v))*8/6
			out = append(out, encoded{t[from:to], "base64"})
		}
	}
	slices.SortFunc(out, func(a, b encoded) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.name, b.name)) })
	return slices.CompactFunc(out, func(a, b encoded) bool { return a.text == b.text })
}

// Text returns a text with placeholders in it.
func (s *Set) Text(t string) string { return s.clean.Replace(t) }

// Clean puts placeholders into everything that a run gave back. Nothing behind
// it sees a value. It reports the ids of those that were in the output.
func (s *Set) Clean(r *sandbox.Result) (printed []string) {
	for _, stream := range []*sandbox.Stream{&r.Stdout, &r.Stderr} {
		text := string(stream.Data)
		for _, c := range s.values {
			if strings.Contains(text, c.Value) && !slices.Contains(printed, c.ID) {
				printed = append(printed, c.ID)
			}
		}
		text = s.Text(text)
		if stream.Truncated {
			text = s.withoutPiece(text)
		}
		stream.Data = []byte(text)
	}
	r.Reason = s.Text(r.Reason)
	r.Left.Commands = slices.Clone(r.Left.Commands)
	for i, c := range r.Left.Commands {
		r.Left.Commands[i] = s.Text(c)
	}
	r.Behaviour.Events = slices.Clone(r.Behaviour.Events)
	for i := range r.Behaviour.Events {
		e := &r.Behaviour.Events[i]
		e.Object, e.Data = s.Text(e.Object), []byte(s.Text(string(e.Data)))
		e.Args = slices.Clone(e.Args)
		for j := range e.Args {
			e.Args[j] = s.Text(e.Args[j])
		}
	}
	r.Behaviour.Captures = slices.Clone(r.Behaviour.Captures)
	for i := range r.Behaviour.Captures {
		c := &r.Behaviour.Captures[i]
		c.Path, c.Data = s.Text(c.Path), []byte(s.Text(string(c.Data)))
	}
	return printed
}

// withoutPiece removes the beginning of a value from the end of a text that was
// cut.
func (s *Set) withoutPiece(t string) string {
	cut := len(t)
	for _, f := range s.forms {
		for n := min(len(f)-1, len(t)); n >= minPiece; n-- {
			if strings.HasSuffix(t, f[:n]) {
				cut = min(cut, len(t)-n)
				break
			}
		}
	}
	return t[:cut]
}
