package suppress

import (
	"bytes"
	"io/fs"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// SuppressedByUsage is what a suppression by the policy's list of safe usages is
// reported as.
const SuppressedByUsage = "rules.usage in the policy"

// usage is a safe usage, ready to be compared.
type usage struct {
	gate.Usage
	line *regexp.Regexp
}

// usages compiles what the policy has checked; an expression that doesn't compile
// matches nothing.
func usages(all []gate.Usage) []usage {
	var out []usage
	for _, u := range all {
		if re, err := regexp.Compile("^(?:" + u.Line + ")$"); err == nil {
			out = append(out, usage{u, re})
		}
	}
	return out
}

// byUsage looks for a safe usage. It covers what can be read off the lines
// themselves: no finding that rests on other lines as well, none that is
// dangerous, and no call that goes on below them.
func (s *Set) byUsage(path string, f gate.Finding) *gate.Suppression {
	if f.Layer != gate.LayerStatic || f.Line == 0 || len(f.Flow) > 0 || f.Severity >= gate.SeverityDangerous {
		return nil
	}
	for _, u := range s.usages {
		if u.Rule != f.Rule {
			continue
		}
		doc := s.document(path)
		if doc == nil {
			return nil
		}
		block, ok := doc.block(f.Line, max(f.EndLine, f.Line))
		if !ok || !balanced(block) {
			return nil
		}
		if u.line.MatchString(squeezed(block)) {
			return &gate.Suppression{By: SuppressedByUsage, Reason: u.Reason}
		}
	}
	return nil
}

// balanced reports whether every bracket that is opened is closed.
func balanced(text []byte) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if bytes.Count(text, []byte(pair[:1])) != bytes.Count(text, []byte(pair[1:])) {
			return false
		}
	}
	return !bytes.HasSuffix(bytes.TrimSpace(text), []byte("\\"))
}

// UsageText is what a safe usage would have to match to cover a finding of a file: its
// lines, with every run of blanks as one; "" where they can't be read. It is false where
// no safe usage can.
func UsageText(tree fs.FS, path string, f gate.Finding) (text string, can bool) {
	if f.Layer != gate.LayerStatic || f.Line == 0 || len(f.Flow) > 0 {
		return "", false
	}
	doc, err := load(tree, path)
	if err != nil {
		return "", true
	}
	block, ok := doc.block(f.Line, max(f.EndLine, f.Line))
	if !ok || !balanced(block) {
		return "", false
	}
	return squeezed(block), true
}

func squeezed(block []byte) string { return string(bytes.Join(bytes.Fields(block), []byte(" "))) }
