package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
)

// Defence is one of the things that keep an attacker from talking the judge round.
// All of them are always on; a measurement turns one off to see what it is worth.
type Defence string

// The defences, each by what is missing without it.
const (
	// SecondReading judges a file again without what speaks to a reviewer.
	SecondReading Defence = "second-reading"
	// AnswerChecks compares quotes with the file, and an answer with itself.
	// Without it the model's word counts.
	AnswerChecks Defence = "answer-checks"
	// ControlTokens breaks the control tokens of chat models.
	ControlTokens Defence = "control-tokens"
	// HiddenCharacters shows characters that no one sees as their numbers.
	HiddenCharacters Defence = "hidden-characters"
	// CodeWord marks lines with a word that is not in the file. Without it the mark
	// is a word that everybody knows.
	CodeWord Defence = "code-word"
	// ScannerFacts tells the model at which lines the static layer points.
	ScannerFacts Defence = "scanner-facts"
	// LengthChecks splits what is too long for the server, and notices when it cuts
	// a prompt. Without it the server gets the whole file in one question.
	LengthChecks Defence = "length-checks"
)

// Defences returns all of them, in the order of reports.
func Defences() []Defence {
	return []Defence{SecondReading, AnswerChecks, ControlTokens, HiddenCharacters, CodeWord, ScannerFacts, LengthChecks}
}

// without is the set of defences that are off; the zero value is none.
type ablation map[Defence]bool

// newAblation refuses what could weaken a gate that decides: a cache would hand the
// answers on to it.
func newAblation(off []Defence, kept cache.Keeper) (ablation, error) {
	set := ablation{}
	for _, d := range off {
		if !slices.Contains(Defences(), d) {
			var names []string
			for _, known := range Defences() {
				names = append(names, string(known))
			}
			return nil, fmt.Errorf("judge: there is no defence %q (one of %s)", gate.Clip(string(d), 40), strings.Join(names, ", "))
		}
		set[d] = true
	}
	if len(set) > 0 && kept != nil {
		return nil, errors.New("judge: answers without a defence are not kept: Options.Without needs Options.Cache to be nil")
	}
	return set, nil
}

// names lists what is off, for a log.
func (w ablation) names() string {
	var names []string
	for _, d := range slices.Sorted(maps.Keys(w)) {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}

// knownWord marks lines where no code word is drawn.
const knownWord = "line"

// word is the mark of a question's lines.
func (w ablation) word(seed int, lines []line) string {
	if w[CodeWord] {
		return knownWord
	}
	return codeWord(seed, lines)
}

// render shows a file as far as defences are left.
func (w ablation) render(src []byte) []line {
	return renderWith(src, display{tokens: w[ControlTokens], hidden: w[HiddenCharacters]})
}

// facts are those that the model is told.
func (w ablation) facts(work job) []fact {
	if w[ScannerFacts] {
		return nil
	}
	return work.facts
}

// parts are the questions that lines become.
func (s *session) parts(lines []line, facts int) [][]line {
	if s.off[LengthChecks] {
		return [][]line{lines}
	}
	return split(lines, s.budget(facts))
}

// check reads an answer into findings and a verdict.
func (w ablation) check(a answer, original []line) reading {
	if w[AnswerChecks] {
		return believe(a)
	}
	return check(a, original)
}

// believe takes an answer at its word.
func believe(a answer) reading {
	r := reading{verdict: a.verdict, reason: redact(a.reason), lines: a.lines}
	rule, severity := RuleSuspicious, gate.SeveritySuspicious
	switch a.verdict {
	case gate.Dangerous:
		rule, severity = RuleMalicious, gate.SeverityDangerous
	case gate.Suspicious:
	default:
		return r
	}
	lines := slices.Clone(a.lines)
	for _, e := range a.evidence {
		lines = append(lines, e.line)
	}
	if len(lines) == 0 {
		lines = []int{0}
	}
	lines = slices.Compact(slices.Sorted(slices.Values(lines)))
	for _, n := range lines[:min(len(lines), maxSuspected)] {
		r.findings = append(r.findings, finding(rule, severity, n, "the judge says so, and no one has checked it", ""))
	}
	return r
}
