package engine

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/source/lex"
)

// NewJudge builds a judge that can tell comments from code. A policy that it cannot work
// with is the user's mistake.
func NewJudge(o judge.Options) (*judge.Judge, error) {
	o.Comments = comments
	j, err := judge.New(o)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return j, nil
}

// comments lends the lexers to the judge, which reads some files again without their
// comments.
func comments(lang gate.Language, src []byte) []judge.Span {
	var spans []judge.Span
	for _, s := range lex.Scan(lang, src).Spans {
		spans = append(spans, judge.Span{Start: s.Start, End: s.End, Comment: s.Class == lex.Comment})
	}
	return spans
}
