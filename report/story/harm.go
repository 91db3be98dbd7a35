package story

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Harm is what a set of findings describes together.
type Harm struct {
	// Lead is the index of the strongest finding.
	Lead int
	// Also are the indices of the others, the strongest first.
	Also []int
}

// All returns the indices of all findings of the harm, the strongest first.
func (h Harm) All() []int { return slices.Concat([]int{h.Lead}, h.Also) }

// Harms groups the findings of one file, the strongest harm first. Findings that were
// decided, as a result has them, are expected; every index is in exactly one harm.
func Harms(findings []gate.Finding) []Harm {
	g := grouper{findings: findings, seen: map[mark]int{}, alone: map[string]int{}}
	order := make([]int, len(findings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(findings[a], findings[b]) })
	for _, i := range order {
		g.add(i)
	}
	return g.harms
}

// Weight is the severity that a finding has in the verdict: that of a corroborated
// suspicion is dangerous, and so is a severity that no one set.
func Weight(f gate.Finding) gate.Severity {
	if f.Severity == gate.SeverityUnknown || f.Severity == gate.SeveritySuspicious && f.CorroboratedBy != "" {
		return gate.SeverityDangerous
	}
	return f.Severity
}

// general are the categories whose findings say how something is done rather than what
// for; they lead only where there is nothing else.
var general = []string{"process", "shell-out", "dynamic-code", "network", "home-traversal", "file-access", "file-write", "imports", "judge", "gate"}

// compare orders findings by how much they say: what decides, then what weighs most, a
// flow before a line, the longer flow, and a purpose before a means.
func compare(a, b gate.Finding) int {
	last := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(!a.Decides()), last(!b.Decides())),
		cmp.Compare(Weight(b), Weight(a)),
		cmp.Compare(last(!flows(a)), last(!flows(b))),
		cmp.Compare(len(b.Flow), len(a.Flow)),
		cmp.Compare(last(slices.Contains(general, a.Category)), last(slices.Contains(general, b.Category))),
		cmp.Compare(last(a.Line == 0), last(b.Line == 0)),
	)
}

func flows(f gate.Finding) bool { return len(f.Flow) > 1 }

const (
	maxJoined = 64 // lines of a finding that are looked at for what it touches
	maxMarked = 12 // lines of a finding that others join by
	near      = 2  // lines from the finding that leads to others of its rule
)

// place is what a line is to a harm.
type place uint8

const (
	sink place = iota
	source
	step
	ruleNear // the line of a leading finding of the rule
)

// mark is what joins findings: a line, in the part that it plays, among findings that
// decide or among those that do not.
type mark struct {
	decides bool
	place   place
	line    int
	rule    string
}

type grouper struct {
	findings []gate.Finding
	harms    []Harm
	seen     map[mark]int   // the strongest harm with that mark
	alone    map[string]int // harms of findings without a line, by what they share
	decoders []int          // harms that run what they decode
	decoded  []int          // harms in text that was decoded
}

func (g *grouper) add(i int) {
	f := g.findings[i]
	if f.Suppressed != nil || f.Category == "suppression" { // each says something of its own
		g.harms = append(g.harms, Harm{Lead: i})
		return
	}
	at, ok := g.find(f)
	if ok {
		g.harms[at].Also = append(g.harms[at].Also, i)
	} else {
		at = len(g.harms)
		g.harms = append(g.harms, Harm{Lead: i})
	}
	g.register(f, at, !ok)
}

// find returns the harm that a finding belongs to: by its own lines first, then by where
// its flow begins, then by what it was decoded from.
func (g *grouper) find(f gate.Finding) (int, bool) {
	decides := f.Decides()
	if f.Line == 0 {
		return g.whole(f)
	}
	for _, p := range []place{sink, source, step} {
		for line := f.Line; line <= min(f.EndLine, f.Line+maxJoined); line++ {
			if at, ok := g.seen[mark{decides, p, line, ""}]; ok {
				return at, true
			}
		}
	}
	if flows(f) && f.Flow[0].Path == "" {
		for _, p := range []place{source, sink} {
			if at, ok := g.seen[mark{decides, p, f.Flow[0].Line, ""}]; ok {
				return at, true
			}
		}
	}
	for line := f.Line - near; line <= f.EndLine+near && line <= f.Line+maxJoined; line++ {
		if at, ok := g.seen[mark{decides, ruleNear, line, f.Rule}]; ok {
			return at, true
		}
	}
	switch {
	case decides && isDecoded(f) && len(g.decoders) == 1:
		return g.decoders[0], true
	case decides && isDecoder(f) && len(g.decoders) == 0 && len(g.decoded) == 1:
		return g.decoded[0], true
	}
	return 0, false
}

// whole finds the harm of a finding about the file as a whole: one of another layer about
// the same category, or about the same rule. What a model says of a file is about the worst.
func (g *grouper) whole(f gate.Finding) (int, bool) {
	for _, key := range keys(f) {
		if at, ok := g.alone[key]; ok {
			return at, true
		}
	}
	if f.Layer == gate.LayerJudge && len(g.harms) > 0 {
		first := g.findings[g.harms[0].Lead]
		return 0, first.Suppressed == nil && first.Decides() == f.Decides()
	}
	return 0, false
}

// keys are what a finding about a whole file is found by.
func keys(f gate.Finding) []string {
	decides := strconv.FormatBool(f.Decides())
	out := []string{decides + "\x00rule\x00" + f.Rule}
	for _, l := range gate.Layers() {
		if l != f.Layer {
			out = append(out, decides+"\x00"+string(l)+"\x00"+f.Category)
		}
	}
	return out
}

// register makes the harm known by what a finding of it touches. What is known already
// is the stronger harm's.
func (g *grouper) register(f gate.Finding, at int, leads bool) {
	decides := f.Decides()
	known := func(p place, line int, rule string) {
		m := mark{decides, p, line, rule}
		if _, ok := g.seen[m]; !ok {
			g.seen[m] = at
		}
	}
	shared := func(key string) {
		if _, ok := g.alone[key]; !ok {
			g.alone[key] = at
		}
	}
	shared(strconv.FormatBool(decides) + "\x00" + string(f.Layer) + "\x00" + f.Category)
	if f.Line == 0 {
		shared(strconv.FormatBool(decides) + "\x00rule\x00" + f.Rule)
		return
	}
	for line := f.Line; line <= min(f.EndLine, f.Line+maxMarked-1); line++ {
		known(sink, line, "")
		if leads { // not every member: a rule that matches each line would make the file one harm
			known(ruleNear, line, f.Rule)
		}
	}
	if flows(f) {
		for i, s := range f.Flow {
			switch {
			case s.Path != "": // of another file
			case i == 0:
				known(source, s.Line, "")
			default:
				known(step, s.Line, "")
			}
		}
	}
	if decides && isDecoded(f) && !slices.Contains(g.decoded, at) {
		g.decoded = append(g.decoded, at)
	}
	if decides && isDecoder(f) && !slices.Contains(g.decoders, at) {
		g.decoders = append(g.decoders, at)
	}
}

// ofText is how an origin ends that names the text of the file that was decoded.
var ofText = regexp.MustCompile(` on line \d+$`)

// isDecoded reports whether a finding is in text that was decoded.
func isDecoded(f gate.Finding) bool { return ofText.MatchString(f.Origin) }

// isDecoder reports whether a finding is about running what is decoded.
func isDecoder(f gate.Finding) bool {
	return !isDecoded(f) && f.Severity != gate.SeverityNote && (f.Category == "dynamic-code" || f.Category == "obfuscation") &&
		strings.Contains(f.Rule, "decode")
}
