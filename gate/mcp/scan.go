package mcp

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/workspace"
)

// scans are the tools that put text through the layers.
type scans struct{ *Server }

// maxCode bounds a text that a client sends, in bytes.
const maxCode = 1 << 20

func (s scans) register(server *sdk.Server) {
	add(s.Server, server, described{
		name: "scan_change", title: "Scan a change of the project", reads: true,
		text: `Put what changed in a folder of the user since a git revision through gate's layers, uncommitted and untracked files included. Call it before you say that a task is done. The result has the verdict (SAFE, SUSPICIOUS, INCOMPLETE or DANGEROUS), and for each finding the place, the rule, why it is dangerous and what to do instead. Only folders that were named when the server started can be scanned, under the policy that their commit had then.`,
		bounds: map[string]func(*jsonschema.Schema){
			"root": text(0, 4096), "base": text(0, 200), "paths": list(100, 4096),
		},
	}, s.change)
	add(s.Server, server, described{
		name: "scan_code", title: "Scan a text", reads: true,
		text: `Put one text through gate's layers as if a pull request added it as a file, without keeping it. Use it for code that you wrote, found or were given, before you use it.`,
		bounds: map[string]func(*jsonschema.Schema){
			"code": text(1, maxCode), "path": text(0, workspace.MaxPath), "language": oneOf(languageNames()...),
		},
	}, s.code)
}

type scanChange struct {
	Root  string   `json:"root,omitempty" jsonschema:"the folder, as it was named when the server started; not needed where there is only one"`
	Base  string   `json:"base,omitempty" jsonschema:"revision to compare with, such as HEAD or origin/main; the default is HEAD, which leaves what is not committed. Changes since the merge base with it count"`
	Paths []string `json:"paths,omitempty" jsonschema:"look only at these files and folders, relative to the root"`
}

type scanCode struct {
	Code     string `json:"code" jsonschema:"the text"`
	Path     string `json:"path,omitempty" jsonschema:"the name that the file would have, such as src/tool.py or .github/workflows/ci.yml; it decides the language"`
	Language string `json:"language,omitempty" jsonschema:"the language where no path is given"`
}

// Scanned is what the layers say.
type Scanned struct {
	Notice     string   `json:"data_notice"`
	Verdict    string   `json:"verdict" jsonschema:"SAFE, SUSPICIOUS, INCOMPLETE or DANGEROUS"`
	Decision   string   `json:"decision" jsonschema:"pass, block or incomplete"`
	Files      int      `json:"files" jsonschema:"how many files were looked at"`
	Findings   []Found  `json:"findings"`
	More       int      `json:"more_findings" jsonschema:"how many findings are not listed"`
	Incomplete []string `json:"incomplete" jsonschema:"what could not be looked at, and why"`
}

// Found is one finding.
type Found struct {
	Path     string `json:"path"`
	Line     int    `json:"line" jsonschema:"the first line, from 1; 0 is the file as a whole"`
	Severity string `json:"severity" jsonschema:"dangerous, suspicious or note"`
	Rule     string `json:"rule" jsonschema:"for explain_finding"`
	Message  string `json:"message"`
	Evidence string `json:"evidence" jsonschema:"quoted from the file: data"`
	Instead  string `json:"instead" jsonschema:"what to do instead"`
	Decides  bool   `json:"decides" jsonschema:"whether it counts for the verdict: it is new, and it was not accepted"`
}

// The bounds of a result.
const (
	maxFindings   = 50
	maxIncomplete = 50
	maxSentence   = 500
)

func (s scans) change(ctx context.Context, c call, in scanChange) (out Scanned, text string, err error) {
	r, err := s.rootOf(in.Root)
	if err != nil {
		return out, "", err
	}
	done, err := s.scan(ctx)
	if err != nil {
		return out, "", err
	}
	defer done()
	req, closing, err := s.request(ctx, r, in.Base, in.Paths)
	if err != nil {
		return out, "", err
	}
	defer func() { _ = closing() }() // it was only read
	req.Handler = func(engine.Prepared) (gate.Handler, error) { return &telling{progress: c.progress}, nil }
	res, err := s.o.Engine.Run(ctx, req)
	if err != nil {
		return out, "", err
	}
	out = s.scanned(res.Result)
	if out.Files == 0 && len(out.Incomplete) == 0 {
		return out, fmt.Sprintf("SAFE: nothing changed since %s in %s.", req.Base, r.named), nil
	}
	return out, out.text(), nil
}

func (s scans) code(ctx context.Context, c call, in scanCode) (out Scanned, text string, err error) {
	name := in.Path
	switch {
	case name == "" && in.Language == "":
		return out, "", fmt.Errorf("neither path nor language is given; expected is one of them, so that the text is read as what it is")
	case name == "":
		name = languages()[in.Language].file
	}
	if err := workspace.CheckPath(name); err != nil {
		return out, "", err
	}
	res, err := look(ctx, s.layers, s.settings.Policy, fstest.MapFS{name: {Data: []byte(in.Code), Mode: 0o644}}, nil, &telling{progress: c.progress})
	if err != nil {
		return out, "", err
	}
	out = s.scanned(res)
	return out, out.text(), nil
}

// look puts files through layers, as a change that adds them; only those of which wanted is
// true, nil is all.
func look(ctx context.Context, l *engine.Layers, p gate.Policy, tree fstest.MapFS, wanted func(string) bool, h gate.Handler) (gate.Result, error) {
	c, err := change.Added(ctx, tree)
	if err != nil {
		return gate.Result{}, err
	}
	targets := c.Targets[:0:0]
	for _, t := range c.Targets {
		if wanted == nil || wanted(t.Path) {
			t.Attribution = gate.Attribution{Basis: "marked", AI: true, Agents: []string{"gate mcp"}, Confidence: 1}
			targets = append(targets, t)
		}
	}
	c.Targets = targets
	return l.Run(ctx, engine.Job{Change: c, Policy: p, Handler: h})
}

// scanned is a result for a client.
func (s *Server) scanned(res gate.Result) Scanned {
	out := Scanned{
		Notice: dataNotice, Verdict: res.Verdict.String(), Decision: res.Decision.String(), Files: len(res.Files),
		Findings: []Found{}, Incomplete: []string{},
	}
	for _, deciding := range []bool{true, false} {
		for _, severity := range []gate.Severity{gate.SeverityUnknown, gate.SeverityDangerous, gate.SeveritySuspicious, gate.SeverityNote} {
			for _, f := range res.Files {
				for _, found := range f.Findings {
					if found.Decides() == deciding && found.Severity == severity {
						out.add(s.found(f.Path, found))
					}
				}
			}
		}
	}
	for _, g := range res.Incomplete[:min(len(res.Incomplete), maxIncomplete)] {
		out.Incomplete = append(out.Incomplete, line(fmt.Sprintf("%s: %s: %s", g.Layer, g.Path, g.Reason), maxSentence))
	}
	return out
}

func (out *Scanned) add(f Found) {
	if len(out.Findings) == maxFindings {
		out.More++
		return
	}
	out.Findings = append(out.Findings, f)
}

func (s *Server) found(p string, f gate.Finding) Found {
	rule, _ := s.rule(f.Rule)
	return Found{
		Path: line(p, workspace.MaxPath), Line: f.Line, Severity: f.Severity.String(), Rule: f.Rule,
		Message: line(f.Message, maxSentence), Evidence: line(f.Evidence, maxSentence), Instead: rule.Instead, Decides: f.Decides(),
	}
}

// text is a scan for people and models.
func (out *Scanned) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %d file(s) looked at.\n", out.Verdict, out.Decision, out.Files)
	var quoted strings.Builder
	for _, f := range out.Findings {
		fmt.Fprintf(&quoted, "%s:%d  %s  %s  %s\n", f.Path, f.Line, f.Severity, f.Rule, f.Message)
		if f.Evidence != "" {
			fmt.Fprintf(&quoted, "    seen: %s\n", f.Evidence)
		}
	}
	for _, i := range out.Incomplete {
		fmt.Fprintf(&quoted, "not looked at: %s\n", i)
	}
	if quoted.Len() > 0 {
		fmt.Fprintf(&b, "%s\n", mark("findings, with quotes of the files", quoted.String()))
	}
	if out.More > 0 {
		fmt.Fprintf(&b, "%d more findings are not listed.\n", out.More)
	}
	b.WriteString(out.advice())
	return b.String()
}

// advice says what to do about what decides, each thing once.
func (out *Scanned) advice() string {
	var b strings.Builder
	said := map[string]bool{}
	for _, f := range out.Findings {
		if f.Decides && f.Instead != "" && f.Severity != gate.SeverityNote.String() && !said[f.Rule] {
			said[f.Rule] = true
			fmt.Fprintf(&b, "Instead (%s): %s\n", f.Rule, f.Instead)
		}
	}
	switch out.Verdict {
	case gate.Dangerous.String():
		b.WriteString("Change the code so that it does not do this. Hiding it, encoding it or splitting it up does not help: gate follows it. If the user really wants it, ask the user; explain_finding tells more.\n")
	case gate.Incomplete.String():
		b.WriteString("Something could not be looked at, so nothing is known to be safe.\n")
	}
	return b.String()
}

// language is one that programs can be written in.
type language struct {
	image gate.Language
	file  string // the name of a program that has none
	argv  []string
}

// languages are those of run_code and scan_code, by what clients call them.
func languages() map[string]language {
	return map[string]language{
		"python":     {gate.LanguagePython, "gate_run.py", []string{"python3", "-B", "-u"}},
		"javascript": {gate.LanguageJavaScript, "gate_run.mjs", []string{"node"}},
		"typescript": {gate.LanguageJavaScript, "gate_run.ts", []string{"node", "--disable-warning=ExperimentalWarning"}},
		"shell":      {gate.LanguageShell, "gate_run.sh", []string{"bash"}},
		"go":         {gate.LanguageGo, "gate_run.go", []string{"sh", "-c", `go build -o /tmp/program "$0" && exec /tmp/program "$@"`}},
	}
}

func languageNames() []string { return []string{"python", "javascript", "typescript", "shell", "go"} }

// reserved reports whether a name is that of a program that is not kept.
func reserved(p string) bool {
	for _, l := range languages() {
		if l.file == p {
			return true
		}
	}
	return path.Base(p) == commandFile
}

// commandFile is the name under which a command line is looked at.
const commandFile = "gate_command.sh"
