package main

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/source/lex"
)

// comments lends the static layer's lexers to the judge, which reads some files
// again without their comments. Neither layer knows the other.
func comments(lang gate.Language, src []byte) []judge.Span {
	var spans []judge.Span
	for _, s := range lex.Split(lang, src).Spans {
		spans = append(spans, judge.Span{Start: s.Start, End: s.End, Comment: s.Class == lex.Comment})
	}
	return spans
}
