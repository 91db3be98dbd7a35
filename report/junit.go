package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// renderJUnit writes JUnit XML: a suite for each layer, in it a case for each
// file. What blocks is a failure, what could not be looked at an error, so a CI
// system that knows nothing of gate fails where gate does.
func renderJUnit(w io.Writer, r gate.Result, o Options) error {
	doc := junitSuites{Name: "gate"}
	gaps := indexGaps(r)
	for _, l := range gate.Layers() {
		s := junitSuiteOf(r, l, gaps, o)
		doc.Suites = append(doc.Suites, s)
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
		doc.Skipped += s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"` // seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Skipped *junitProblem `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func junitSuiteOf(r gate.Result, l gate.Layer, gaps gapIndex, o Options) junitSuite {
	s := junitSuite{Name: string(l), Time: "0.000"}
	state := gate.LayerResult{Name: l, Status: gate.LayerSkipped, Reason: notSelected}
	for _, known := range r.Layers {
		if known.Name == l {
			state = known
		}
	}
	s.Time = fmt.Sprintf("%.3f", float64(state.DurationMS)/1000)
	s.add(layerCase(r, state))
	if state.Status == gate.LayerSkipped && !mentions(r, l) {
		return s
	}
	for i := range r.Files {
		s.add(fileCase(&r.Files[i], l, gaps, o))
	}
	return s
}

// mentions reports whether anything is known from a layer although it is said
// to have been skipped; nothing of that may get lost.
func mentions(r gate.Result, l gate.Layer) bool {
	for i := range r.Files {
		for _, f := range r.Files[i].Findings {
			if f.Layer == l {
				return true
			}
		}
	}
	for _, g := range r.Incomplete {
		if g.Layer == l && g.Path != "" {
			return true
		}
	}
	return false
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// layerCase reports the layer as a whole, and the gaps that belong to no file of
// the result.
func layerCase(r gate.Result, l gate.LayerResult) junitCase {
	c := junitCase{Class: string(l.Name), Name: "the " + string(l.Name) + " layer"}
	listed := map[string]bool{}
	for _, f := range r.Files {
		listed[f.Path] = true
	}
	var gaps []string
	for _, g := range r.Incomplete {
		if g.Layer == l.Name && !listed[g.Path] {
			gaps = append(gaps, strings.TrimPrefix(visible(g.Path)+": "+visible(g.Reason), ": "))
		}
	}
	switch {
	case len(gaps) > 0:
		c.Error = &junitProblem{gaps[0], strings.Join(gaps, "\n")}
	case l.Status == gate.LayerSkipped, l.Status == gate.LayerIdle:
		c.Skipped = &junitProblem{Message: visible(l.Reason)}
	case l.Status == gate.LayerFailed:
		c.Error = &junitProblem{Message: visible(l.Reason)}
	}
	return c
}

func fileCase(f *gate.FileResult, l gate.Layer, index gapIndex, o Options) junitCase {
	c := junitCase{Class: string(l), Name: visible(f.Path)}
	var bad, other, gaps []string
	// Every finding is there, because a harm can have findings of several layers and each
	// layer is a suite; the first line is what the CI system shows.
	for _, h := range story.Harms(f.Findings) {
		for _, i := range h.All() {
			finding := f.Findings[i]
			switch {
			case finding.Layer != l:
			case finding.Decides() && fails(story.Weight(finding), o.FailOn):
				bad = append(bad, junitLine(f.Path, finding))
			default:
				other = append(other, junitLine(f.Path, finding))
			}
		}
	}
	for _, reason := range index[gapKey{l, f.Path}] {
		gaps = append(gaps, visible(reason))
	}
	c.Output = strings.Join(other, "\n")
	switch {
	case len(bad) > 0:
		c.Failure = &junitProblem{bad[0], strings.Join(append(bad, gaps...), "\n")}
	case len(gaps) > 0:
		c.Error = &junitProblem{gaps[0], strings.Join(gaps, "\n")}
	}
	return c
}

// fails mirrors gate.Policy.Decision: unless it says dangerous, suspicion
// blocks too.
func fails(s, failOn gate.Severity) bool {
	return s == gate.SeverityDangerous || s == gate.SeveritySuspicious && failOn != gate.SeverityDangerous
}

// junitLine is one finding in one line of visible characters. All of those are
// characters of XML; the encoder sees to the markup.
func junitLine(path string, f gate.Finding) string {
	at := visible(path)
	if l := lines(f); l != "" {
		at += ":" + l
	}
	s := fmt.Sprintf("%s %s %s: %s", at, f.Severity, visible(f.Rule), visible(f.Message))
	if f.Evidence != "" {
		s += " | " + visible(f.Evidence)
	}
	for _, r := range remarks(f) {
		s += "; " + r.shown(visible)
	}
	return s
}
