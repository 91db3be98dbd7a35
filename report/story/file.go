package story

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// File is the story of one file.
type File struct {
	// Harms are what the file does, the worst first.
	Harms []Harm
	// Summary says the worst of them, and how many more there are; nil for a file in which
	// nothing is suspicious.
	Summary Sentence
	// Told says that the summary of the file that this one came out of says the same.
	Told bool
}

// Of returns the stories of the files of a result, in their order.
func Of(r gate.Result) []File {
	out := make([]File, len(r.Files))
	index := make(map[string]int, len(r.Files))
	hidden := make([]int, len(r.Files)) // the worst of the files that came out of it, by index + 1
	for i := range r.Files {
		out[i].Harms = Harms(r.Files[i].Findings)
		index[r.Files[i].Path] = i
	}
	worst := func(i int) gate.Severity {
		own := gravity(r.Files[i], out[i].Harms)
		if hidden[i] > 0 {
			child := hidden[i] - 1
			return max(own, gravity(r.Files[child], out[child].Harms))
		}
		return own
	}
	// What came out of a file follows it.
	for i, f := range slices.Backward(r.Files) {
		if at, ok := index[f.Parent]; ok && f.Parent != "" && at < i && worst(i) > worst(at) {
			hidden[at] = i + 1
			if hidden[i] > 0 && gravity(f, out[i].Harms) < worst(i) {
				hidden[at] = hidden[i]
			}
		}
	}
	for i := range out {
		out[i].Summary = summary(r.Files[i], out[i].Harms)
		if hidden[i] > 0 {
			child := hidden[i] - 1
			out[child].Told = true
			s := Sentence{{Text: "Holds text that "}}
			if origin := gate.Clip(r.Files[child].Origin, maxMessage); origin != "" {
				s = Sentence{{Text: "Holds text ("}, {origin, Message}, {Text: ") that "}}
			}
			out[i].Summary = append(s, located(r.Files[child].Findings, out[child].Harms[0])...)
		}
	}
	return out
}

// gravity is how bad the worst harm of a file is, or unknown where nothing decides.
func gravity(f gate.FileResult, harms []Harm) gate.Severity {
	if len(harms) == 0 || !f.Findings[harms[0].Lead].Decides() {
		return gate.SeverityUnknown
	}
	return Weight(f.Findings[harms[0].Lead])
}

func summary(f gate.FileResult, harms []Harm) Sentence {
	if gravity(f, harms) < gate.SeveritySuspicious {
		return nil
	}
	s := Tell(f.Findings, harms[0])
	more := 0
	for _, h := range harms[1:] {
		if lead := f.Findings[h.Lead]; lead.Decides() && Weight(lead) >= gate.SeveritySuspicious {
			more++
		}
	}
	if more > 0 {
		s = append(s, Piece{Text: fmt.Sprintf(", and %d more", more)})
	}
	return s
}

// Mark returns a result whose files and findings say their stories; what they said before
// is replaced. The lists of files and findings are copied.
func Mark(r gate.Result) gate.Result {
	r.Files = slices.Clone(r.Files)
	for i, told := range Of(r) {
		f := &r.Files[i]
		f.Findings = slices.Clone(f.Findings)
		f.Summary = told.Summary.String()
		for n, h := range told.Harms {
			for k, at := range h.All() {
				f.Findings[at].Group, f.Findings[at].Lead = n+1, k == 0
			}
		}
	}
	return r
}
