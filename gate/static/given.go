package static

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/given"
	"github.com/aigate/gate/gate/static/precedent"
)

// Bounds of the look at what scripts are given.
const (
	maxGivenCalls = 200       // of one change
	maxGivenBytes = 8 << 20   // of the scripts of these calls, as they are scanned
	maxGivenFile  = 256 << 10 // bytes of a file that calls or is called
)

// given reports what a script of the tree does with what a changed line gives it: its arguments,
// its input, the inputs of an action. The rules look at the script with these in place; what they
// find in it without them is no news. What is behind a bound is a gap.
func (s *Scanner) given(ctx context.Context, c *gate.Change, newHost func(string) bool, known precedent.Known, found *gate.Findings) (gaps []gate.Gap, err error) {
	if c.Head == nil || c.Remote {
		return nil, nil
	}
	tree := given.NewTree(c.Files, func(name string) ([]byte, bool) {
		content, err := bounded.ReadFile(c.Head, name, maxGivenFile)
		return content, err == nil
	}, func(name string, content []byte) gate.Language {
		lang, _ := s.classify(name, 0, content)
		return lang
	})
	calls, size := 0, 0
	for _, t := range c.Targets {
		if !t.Exists() || !t.Mode.IsRegular() || t.Size > maxGivenFile || t.Language == gate.LanguageMarkdown || t.Role == gate.RoleDocs {
			continue
		}
		content, err := c.Read(t, maxGivenFile)
		if err != nil {
			continue // the layer says so where it reads the file
		}
		of, all := given.Calls(t.Path, t.Language, content, func(n int) bool { return t.Lines.Touches(n, n) }, tree)
		for _, call := range of {
			if err := ctx.Err(); err != nil {
				return gaps, err
			}
			calls, size = calls+1, size+len(call.Plain)+len(call.Given)
			if calls > maxGivenCalls || size > maxGivenBytes {
				all = false
				break
			}
			s.withGiven(t, call, newHost, known, found)
		}
		if !all {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: "not all scripts were looked at with what it gives them: it calls more than are read"})
		}
	}
	return gaps, nil
}

// withGiven compares a script with what it is given and without.
func (s *Scanner) withGiven(t *gate.Target, call given.Call, newHost func(string) bool, known precedent.Known, found *gate.Findings) {
	name := call.Script
	if name == "" {
		name = t.Path
	}
	findings := func(content []byte) []gate.Finding {
		return s.texts.scan(text{
			language: call.Language, role: gate.RoleSource, path: name, content: content, costs: newCosts(int64(len(content))), newHost: newHost, known: known,
		})
	}
	var before []gate.Finding
	for _, x := range findings(call.Given) {
		if x.Severity < gate.SeveritySuspicious {
			continue
		}
		if before == nil {
			before = append(findings(call.Plain), gate.Finding{})
		}
		// A script that runs what lies at any address is one more of the kind for each new host.
		newlyFetched := strings.HasPrefix(x.Rule, downloadExecute+"/") && slices.ContainsFunc(call.Words, func(w string) bool {
			u, err := url.Parse(w)
			return err == nil && u.Host != "" && newHost != nil && newHost(u.Hostname())
		})
		if !newlyFetched && slices.ContainsFunc(before, func(o gate.Finding) bool { return o.Rule == x.Rule && o.Severity >= x.Severity && o.Line == x.Line }) ||
			slices.ContainsFunc(found.Of(t.Path), func(o gate.Finding) bool {
				return o.Rule == x.Rule && o.Line == call.Line && o.Severity >= x.Severity
			}) {
			continue
		}
		if t.Role == gate.RoleTest {
			x.Severity = min(x.Severity, gate.SeveritySuspicious) // tests may replace what it calls
		}
		where := ""
		if call.Script != "" {
			where = fmt.Sprintf(", in %s on line %d", gate.Clip(call.Script, maxShownName), x.Line)
		}
		x.Message = fmt.Sprintf("%s%s, with what this line gives it", x.Message, where)
		x.Line, x.EndLine, x.Flow = call.Line, call.Line, nil
		x.Origin = "with what line " + fmt.Sprint(call.Line) + " gives it"
		found.AddNew(t.Path, x)
	}
}
