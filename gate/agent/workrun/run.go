package workrun

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/mcp"
	"github.com/aigate/gate/gate/printable"
)

// Run has a model do a task in a workspace, and reports; or one task after the other, line by
// line. A task that is not done is an error with its exit code.
func Run(ctx context.Context, p Process, o Options) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.Web != "" {
		return serve(ctx, p, o)
	}
	// Nothing is opened for an input without a task.
	var lines *bufio.Scanner
	if o.Task == "" {
		p.Engine.Noticef("a task a line; /clear begins anew, an empty line or the end of the input ends")
		if lines = bufio.NewScanner(p.Stdin); !next(lines) {
			return exit.Usagef(whichTask)
		}
	}
	s, err := open(ctx, p, o)
	if err != nil {
		return exit.Failed(err)
	}
	defer func() {
		if cerr := s.close(); cerr != nil && err == nil {
			err = exit.Failed(cerr)
		}
	}()
	s.sayData()
	if o.Task != "" {
		return s.one(ctx, p, o.Task)
	}
	var last error
	for more := true; more; more = next(lines) {
		if strings.TrimSpace(lines.Text()) == "/clear" {
			if err := s.clear(ctx); err != nil {
				return exit.Failed(err)
			}
			continue
		}
		if last = s.one(ctx, p, lines.Text()); ctx.Err() != nil {
			return last
		}
	}
	return last
}

// whichTask is said to who names none.
const whichTask = `which task? gate agent "TASK" (in quotes)`

// next reports whether another task was read.
func next(lines *bufio.Scanner) bool {
	return lines.Scan() && strings.TrimSpace(lines.Text()) != ""
}

// clear begins the workspace anew.
func (s *session) clear(ctx context.Context) error {
	if err := end(ctx, s.engine, s.memory.Session); err != nil {
		return err
	}
	s.memory.Forget()
	var err error
	if s.memory.Session, err = s.client.Begin(ctx, ""); err != nil {
		return err
	}
	return s.remember()
}

// sayData says what was found in the data, before anybody reads it.
func (s *session) sayData() {
	for _, f := range s.client.Given() {
		s.engine.Noticef("data: %s:%d  %s  %s  %s", printable.Line(f.Path), f.Line, f.Severity, f.Rule, printable.Line(f.Message))
	}
}

// one does one task and writes the report.
func (s *session) one(ctx context.Context, p Process, task string) error {
	r, err := s.do(ctx, task)
	out, rerr := s.render(r)
	switch {
	case rerr != nil:
	case s.o.Output != "":
		rerr = atomicfile.Write(s.o.Output, out)
	default:
		_, rerr = p.Stdout.Write(out)
	}
	return exit.For(r.Decision, errors.Join(err, rerr))
}

// do does one task and hands out its results.
func (s *session) do(ctx context.Context, task string) (Report, error) {
	r := Report{SchemaVersion: work.SchemaVersion, Tool: s.engine.Tool(), Fetched: s.fetched, Data: s.client.Given(), Workspace: []File{}, Results: []File{}, Session: s.memory.Session}
	if r.Data == nil {
		r.Data = []mcp.Found{}
	}
	r.Outcome = work.Outcome{Task: task, Decision: gate.DecisionIncomplete, Steps: []work.Step{}}
	writer, err := s.model.Writer(ctx)
	if err != nil {
		r.Reason = "no model can be asked: " + err.Error()
		return r, nil //nolint:nilerr // it is in the report
	}
	native := s.native(writer)
	r.Model, r.Calls = writer.Model, CallsJSON
	if native {
		r.Calls = CallsNative
	}
	files, err := s.client.Files(ctx)
	if err != nil {
		return r, err
	}
	clear(s.results)
	r.Outcome, err = work.Run(ctx, work.Options{
		Task: task, Steps: s.o.Steps, Tools: s.tools, Native: native, About: s.describe(files), Memory: s.memory,
		Room: s.room, Ask: s.ask, Call: s.call, Progress: s.tell,
	})
	if err != nil {
		return r, errors.Join(err, s.remember())
	}
	return r, errors.Join(s.remember(), s.handOut(ctx, &r))
}

// tell shows a step on standard error.
func (s *session) tell(step work.Step) {
	if s.watch != nil {
		s.watch(step)
	}
	if s.o.Quiet {
		return
	}
	s.engine.Noticef("step %d: %s (%s)", step.Number, printable.Line(step.Line()), step.Spent)
}

// handOut writes the results, and with --keep the workspace. None are written where one of
// them does not pass.
func (s *session) handOut(ctx context.Context, r *Report) error {
	tree, err := s.client.Files(ctx)
	if err != nil {
		return err
	}
	var own []exchange.File
	for _, p := range tree.Paths() {
		data, _ := tree.Get(p)
		own = append(own, exchange.File{Path: p, Data: data})
	}
	r.Workspace = listed(own)
	files := sortedFiles(s.results)
	r.Results = listed(files)
	if s.o.Keep {
		for _, f := range own {
			files = append(files, exchange.File{Path: path.Join("workspace", f.Path), Data: f.Data})
		}
	}
	if len(files) == 0 || r.Decision != gate.DecisionPass {
		return nil
	}
	var write []agent.File
	for _, f := range files {
		write = append(write, agent.File(f))
	}
	if problems := agent.Problems(write); len(problems) > 0 {
		r.Decision, r.Withheld = gate.DecisionIncomplete, strings.Join(problems, "; ")
	} else if err := s.client.Review(ctx, files); err != nil {
		r.Decision, r.Withheld = gate.DecisionBlock, err.Error()
	} else if err := agent.Write(s.o.Out, write, s.o.Force); err != nil {
		r.Decision, r.Withheld = gate.DecisionIncomplete, err.Error()
	} else {
		r.Out = s.o.Out
	}
	if r.Withheld != "" {
		r.Reason = "the files were not handed out"
	}
	return nil
}

// render writes the report.
func (s *session) render(r Report) ([]byte, error) {
	var b bytes.Buffer
	if s.o.Format == "json" {
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		err := enc.Encode(r)
		return b.Bytes(), err
	}
	shown := printable.Line
	for l := range strings.Lines(r.Answer) {
		fmt.Fprintf(&b, "%s\n", shown(strings.TrimRight(l, "\r\n")))
	}
	if r.Decision != gate.DecisionPass {
		fmt.Fprintf(&b, "NOT DONE: %s\n", shown(gate.Clip(strings.Join(strings.Fields(r.Reason), " "), 600)))
	}
	for l := range strings.Lines(r.Withheld) {
		fmt.Fprintf(&b, "  %s\n", shown(strings.TrimRight(l, "\r\n")))
	}
	for _, step := range r.Refused() {
		fmt.Fprintf(&b, "refused   step %d: %s\n", step.Number, shown(step.Line()))
		for _, why := range reasons(step.Text) {
			fmt.Fprintf(&b, "          %s\n", shown(why))
		}
	}
	for _, step := range r.Steps {
		renderDid(&b, step)
	}
	for _, d := range r.Fetched {
		fmt.Fprintf(&b, "fetched   %s  %d bytes  sha256 %s  %s\n", shown(d.Name), d.Bytes, d.SHA256, shown(d.URL))
	}
	for _, f := range r.Data {
		fmt.Fprintf(&b, "data      %s:%d %s %s: %s\n", shown(f.Path), f.Line, f.Severity, f.Rule, shown(f.Message))
	}
	for _, f := range r.Results {
		where := "/output/" + f.Path + " (not handed out)"
		if r.Out != "" {
			where = path.Join(r.Out, f.Path)
		}
		fmt.Fprintf(&b, "result    %s  %d bytes\n", shown(where), f.Bytes)
	}
	for _, f := range r.Workspace {
		fmt.Fprintf(&b, "workspace %s  %d bytes\n", shown(f.Path), f.Bytes)
	}
	fmt.Fprintf(&b, "time      %s\n", cmp.Or(r.Spent.String(), "under 1 ms"))
	return b.Bytes(), nil
}

// renderDid writes what a program did in its container.
func renderDid(b *bytes.Buffer, step work.Step) {
	const most = 6
	if step.Did == nil {
		return
	}
	shown := printable.Line
	fmt.Fprintf(b, "ran       step %d: %s\n", step.Number, shown(step.Line()))
	said := 0
	for _, f := range step.Did.Findings {
		if said++; said <= most {
			fmt.Fprintf(b, "          %s %s: %s (%s)\n", f.Severity, f.Rule, shown(f.Message), shown(gate.Clip(f.Evidence, 200)))
		}
	}
	if said > most {
		fmt.Fprintf(b, "          and %d more findings\n", said-most)
	}
	for _, why := range step.Did.Unknown {
		fmt.Fprintf(b, "          not known: %s\n", shown(gate.Clip(why, 200)))
	}
}

// reasons are the first lines of what a refusal says, without the sentence before them.
func reasons(text string) []string {
	const most = 4
	_, rest, _ := strings.Cut(text, "\n")
	var out []string
	for l := range strings.Lines(rest) {
		if l = strings.TrimRight(l, "\r\n"); l != "" && len(out) < most {
			out = append(out, gate.Clip(l, 200))
		}
	}
	return out
}
