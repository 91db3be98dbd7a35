package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
)

// result is what became of one file.
type result struct {
	judgement *gate.Judgement // nil when nothing of it was judged
	findings  []gate.Finding
	gaps      []string
	skip      string // what of it was left out on purpose
	tokens    int
	took      time.Duration // for generating tokens
}

// judge judges one file, on another host where the one it began on is lost.
func (j *Judge) judge(ctx context.Context, work job) result {
	begin := time.Now()
	var all reading
	var s *session
	cause := errNotReached
	for {
		next, err := j.session(ctx)
		if err != nil {
			if s == nil {
				cause = err
			}
			all.gaps = append(all.gaps, "not judged: "+cause.Error())
			break
		}
		s = next
		r, err := s.readTwice(ctx, work)
		all.merge(r)
		if err == nil {
			break
		}
		cause = err
		var f *failure
		if !errors.As(err, &f) || !f.lost {
			all.gaps = append(all.gaps, "not judged: "+cause.Error())
			break
		}
		j.drop(s, f.reason)
	}

	meterOf(ctx).review(time.Since(begin))
	out := s.result(all, begin)
	if len(out.gaps) == 0 && out.judgement != nil {
		s.keep(s.seenKey(work), []byte("seen"))
	}
	return out
}

// result turns a reading that began at some time into a stage's result.
func (s *session) result(all reading, begin time.Time) result {
	out := result{findings: all.findings, gaps: slices.Compact(slices.Sorted(slices.Values(all.gaps))), skip: all.skip, tokens: all.tokens, took: all.took}
	if all.verdict == gate.VerdictUnknown {
		return out
	}
	if len(out.gaps) > 0 {
		all.verdict = all.verdict.Worst(gate.Incomplete)
	}
	out.judgement = &gate.Judgement{
		Model: s.model, Digest: s.digest, PromptVersion: PromptVersion, Verdict: all.verdict, Reason: all.reason,
		DangerousLines: append([]int{}, all.lines...), DurationMS: time.Since(begin).Milliseconds(),
		Cached: !all.asked && len(out.gaps) == 0,
	}
	return out
}

// readTwice judges a file, and again without its comments and what else may have
// talked the model round, where there is such a thing. The error means that the rest of
// the file was not judged and no more of it can be on this session.
func (s *session) readTwice(ctx context.Context, work job) (reading, error) {
	original := s.off.render(work.src)
	all, err := s.read(ctx, work, original, original)
	if err != nil || s.off[SecondReading] || !needsSecondReading(work.src, work.scanner) {
		return all, err
	}
	for _, text := range rereadings(s.comments, work.target.Language, work.src) {
		lines := s.off.render(text)
		if all.verdict == gate.Dangerous || len(lines) == 0 {
			break
		}
		again, err := s.read(ctx, work, lines, original)
		if again.verdict > all.verdict && all.verdict != gate.VerdictUnknown {
			again.findings = append(again.findings, finding(RuleDisagreement, gate.SeveritySuspicious, 0,
				fmt.Sprintf("judged %s as a whole and %s without its comments: they may be written for the judge", all.verdict, again.verdict), ""))
		}
		all.merge(again)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// read judges the lines shown, chunk by chunk, and checks quotes against the
// lines of the file.
func (s *session) read(ctx context.Context, work job, shown, original []line) (reading, error) {
	all := reading{skip: partly(len(s.shownOf(work, original)), len(original))}
	changed := all.skip != ""
	shown = s.shownOf(work, shown)
	chunks := s.parts(shown, len(work.facts))
	if len(chunks) > maxChunks {
		all.gaps = append(all.gaps, fmt.Sprintf("too long: the lines from %d on were not judged", chunks[maxChunks][0].number))
		chunks = chunks[:maxChunks]
	}
	for _, lines := range chunks {
		q := question{kind: kindOf(work.target), total: lineCount(work.src), lines: lines, changed: changed}
		first, last := q.span()
		for _, f := range s.off.facts(work) {
			if slices.ContainsFunc(lines, func(l line) bool { return l.number == f.line }) {
				q.facts = append(q.facts, f)
			} else {
				q.elsewhere = append(q.elsewhere, f)
			}
		}
		a, r, err := s.ask(ctx, q)
		all.tokens, all.took = all.tokens+r.tokens, all.took+r.took
		all.asked = all.asked || r.promptTokens > 0
		var f *failure
		switch {
		case err == nil:
			all.merge(s.off.check(a, original))
		case errors.As(err, &f) && !f.lost:
			all.gaps = append(all.gaps, fmt.Sprintf("lines %d to %d: %s", first, last, f.reason))
		default:
			return all, err
		}
	}
	return all, nil
}

func lineCount(src []byte) int {
	return bytes.Count(bytes.TrimSuffix(src, []byte("\n")), []byte("\n")) + 1
}

// progress reports how far a run is, and how fast the model writes.
type progress struct {
	found *gate.Findings
	total int

	mu     sync.Mutex
	n      int
	tokens int
	took   time.Duration
}

func (p *progress) done(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.tokens, p.took = p.n+1, p.tokens+r.tokens, p.took+r.took
	report := gate.Progress{Layer: gate.LayerJudge, Done: p.n, Total: p.total}
	if p.took > 0 {
		report.Detail = fmt.Sprintf("%.0f tokens/s", float64(p.tokens)/p.took.Seconds())
	}
	p.found.Report(report)
}
