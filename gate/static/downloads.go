package static

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/plain"
)

// plainly returns what the rules find in a shell script whose downloads, and what runs them,
// are in plain form. resolved is the script with its variables written out, nil where that is
// the same. What is only suspicious, and was found on the same line as it is written, is left
// out: the base may do that already.
func (x texts) plainly(t text, resolved []byte, found []gate.Finding) []gate.Finding {
	if t.language != gate.LanguageShell {
		return nil
	}
	if t.expanded = resolved != nil; t.expanded {
		t.content = resolved
	}
	content, ok := plain.Script(t.content)
	if !ok {
		return nil
	}
	t.odd = t.changedLines(content)
	t.content, t.origin, t.deobfuscated = content, because(t.origin, "downloads in plain form"), true
	return slices.DeleteFunc(x.rules(t), func(f gate.Finding) bool {
		return f.Severity < gate.SeveritySuspicious || f.Severity == gate.SeveritySuspicious && slices.ContainsFunc(found, func(o gate.Finding) bool {
			return o.Rule == f.Rule && o.Line == f.Line
		})
	})
}
