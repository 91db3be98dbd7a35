package suppress

import (
	"bytes"
	"io/fs"

	"github.com/aigate/gate/gate"
)

// Dismissed is what a dismissal is about.
type Dismissed struct {
	Rule, Path, Reason string
	Language           gate.Language
	Text               string // the statement, with every run of blanks as one
}

// Dismissed finds what the dismissals of a baseline are about in a tree, where that is one
// statement or one line. unread is how many are about something else, such as a flow, or
// about what is not there any more.
func (b *Baseline) Dismissed(tree fs.FS, language func(path string, text []byte) gate.Language) (found []Dismissed, unread int) {
	if b == nil {
		return nil, 0
	}
	docs := map[string]*document{}
	texts := map[string]map[string]string{} // by path and rule: the text of each hash
	for _, e := range b.Dismissals().Entries {
		doc, read := docs[e.Path]
		if !read {
			doc, _ = load(tree, e.Path) // nil: what can't be read is counted below
			docs[e.Path] = doc
		}
		if doc == nil {
			unread++
			continue
		}
		l := language(e.Path, doc.text)
		key := e.Path + "\x00" + e.Rule
		if texts[key] == nil {
			texts[key] = doc.byHash(l, e.Rule)
		}
		text, ok := texts[key][e.Hash]
		if !ok {
			unread++
			continue
		}
		found = append(found, Dismissed{Rule: e.Rule, Path: e.Path, Reason: e.Reason, Language: l, Text: text})
	}
	return found, unread
}

// byHash are the statements and lines of a document by what a dismissal has of them.
func (d *document) byHash(l gate.Language, rule string) map[string]string {
	out := map[string]string{}
	if !d.plain {
		return out
	}
	for line := range bytes.SplitSeq(d.text, []byte{'\n'}) {
		out[lineHash(line)] = squeezed(line)
	}
	text := d.tokens(l)
	if text == nil {
		return out
	}
	for i, s := range text.Statements {
		if block, ok := d.block(s.First, s.Last); ok {
			out[hashOfFlow+text.Sum(rule, i)] = squeezed(block)
		}
	}
	return out
}
