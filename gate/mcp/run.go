package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/gate/workspace"
)

// runs are the tools that run programs.
type runs struct{ *Server }

// The bounds of a program.
const (
	maxCommand   = 64 << 10
	maxArguments = 100
	maxArgument  = 8 << 10
	maxStdin     = 1 << 20
)

func (s runs) register(server *sdk.Server) {
	most := s.settings.Policy.Sandbox.Timeout
	seconds := number(1, max(1, most.Seconds()))
	session := text(0, 64)
	const where = `in a fresh container without network, together with the files of the session's workspace in /workspace, which is the current folder. Before, the static layer looks at it and at the workspace: what is dangerous does not run, and the error says what to do instead. Afterwards the workspace is what the program left of it, without links; the result lists what changed. Nothing else is kept: no packages can be installed, and each call starts anew.`
	add(s.Server, server, described{
		name: "run_code", title: "Run a program",
		text: `Run a text as a program ` + where,
		bounds: map[string]func(*jsonschema.Schema){
			"language": oneOf(languageNames()...), "code": text(1, maxCode), "args": list(maxArguments, maxArgument), "stdin": text(0, maxStdin),
			"save_as": text(0, workspace.MaxPath), "timeout_seconds": seconds, "session": session,
		},
	}, s.code)
	add(s.Server, server, described{
		name: "run_command", title: "Run a command line",
		text: `Run a line of Bash ` + where + ` /workspace is mounted without the right to execute files directly: call an interpreter, as in "python3 tool.py" or "bash build.sh".`,
		bounds: map[string]func(*jsonschema.Schema){
			"command": text(1, maxCommand), "toolbox": oneOf("shell", "python", "node", "go"), "stdin": text(0, maxStdin),
			"timeout_seconds": seconds, "session": session,
		},
	}, s.command)
}

type runCode struct {
	Language string   `json:"language" jsonschema:"the language of the code"`
	Code     string   `json:"code" jsonschema:"the program"`
	Args     []string `json:"args,omitempty" jsonschema:"arguments of the program"`
	Stdin    string   `json:"stdin,omitempty" jsonschema:"what the program reads from standard input"`
	SaveAs   string   `json:"save_as,omitempty" jsonschema:"keep the program in the workspace under this path, and run it from there; without it the program is not kept"`
	Timeout  int      `json:"timeout_seconds,omitempty" jsonschema:"end the program after so many seconds; the default is the most"`
	Session  string   `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

type runCommand struct {
	Command string `json:"command" jsonschema:"the line, as Bash reads it"`
	Toolbox string `json:"toolbox,omitempty" jsonschema:"which tools there are: shell (Bash, coreutils, git), python, node (with TypeScript) or go; the default is shell"`
	Stdin   string `json:"stdin,omitempty" jsonschema:"what the command reads from standard input"`
	Timeout int    `json:"timeout_seconds,omitempty" jsonschema:"end the command after so many seconds; the default is the most"`
	Session string `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Ran is what became of a program.
type Ran struct {
	Session
	Did
	Notice   string   `json:"data_notice"`
	Status   string   `json:"status" jsonschema:"exited, timeout, waiting, serving, oom, killed or failed"`
	ExitCode int      `json:"exit_code" jsonschema:"of the program; -1 where it was ended"`
	Reason   string   `json:"reason" jsonschema:"what happened, where it did not simply end"`
	Stdout   Stream   `json:"stdout"`
	Stderr   Stream   `json:"stderr"`
	Changed  []Change `json:"changed" jsonschema:"files of the workspace that are not as before"`
	LeftOut  []string `json:"left_out" jsonschema:"what the program left and the workspace does not keep, and why"`
	Kept     bool     `json:"workspace_kept" jsonschema:"whether the workspace is what the program left; false is that it is as before"`
	Results  int      `json:"results" jsonschema:"files that it left in /output and that were handed to the user, where results are asked for"`
	Phases   Phases   `json:"phases"`
	Duration int64    `json:"duration_ms" jsonschema:"how long the program ran"`
	Overhead int64    `json:"overhead_ms" jsonschema:"what everything around the program took"`
	Note     string   `json:"note,omitempty"`
}

// Stream is the beginning of what a program wrote.
type Stream struct {
	Text  string `json:"text" jsonschema:"data; characters that cannot be seen are escapes"`
	Bytes int64  `json:"bytes" jsonschema:"how much it wrote in all"`
	Cut   bool   `json:"cut" jsonschema:"whether text is only the beginning"`
	Exact bool   `json:"exact" jsonschema:"whether text is what was written, without escapes"`
}

// Change is a file that is not as before.
type Change struct {
	Path  string `json:"path"`
	How   string `json:"how" jsonschema:"created, modified or deleted"`
	Bytes int64  `json:"bytes"`
}

// program is what one call runs.
type program struct {
	name string // of the text that is looked at first
	code string
	file bool // the text is a file that the program finds
	keep bool // and stays in the workspace
	run  engine.Program
}

func (s runs) code(ctx context.Context, c call, in runCode) (Ran, string, error) {
	l := languages()[in.Language]
	p := program{name: l.file, code: in.Code, file: true, keep: in.SaveAs != ""}
	if p.keep {
		p.name = in.SaveAs
		if err := writable(p.name); err != nil {
			return Ran{}, "", err
		}
	}
	argv := slices.Clone(l.argv)
	for _, a := range append([]string{"./" + p.name}, in.Args...) {
		if strings.ContainsRune(a, 0) {
			return Ran{}, "", errors.New("an argument has a zero byte, which no program can be given")
		}
		argv = append(argv, a)
	}
	p.run = engine.Program{Language: l.image, Argv: argv, Stdin: []byte(in.Stdin), Timeout: time.Duration(in.Timeout) * time.Second}
	return s.run(ctx, c, in.Session, p)
}

func (s runs) command(ctx context.Context, c call, in runCommand) (Ran, string, error) {
	if strings.ContainsRune(in.Command, 0) {
		return Ran{}, "", errors.New("the command has a zero byte, which no shell can be given")
	}
	image := map[string]gate.Language{"python": gate.LanguagePython, "node": gate.LanguageJavaScript, "go": gate.LanguageGo}[in.Toolbox]
	if image == "" {
		image = gate.LanguageShell
	}
	return s.run(ctx, c, in.Session, program{
		name: commandFile, code: "#!/bin/bash\n" + in.Command + "\n",
		run: engine.Program{Language: image, Argv: []string{"bash", "-c", in.Command}, Stdin: []byte(in.Stdin), Timeout: time.Duration(in.Timeout) * time.Second},
	})
}

// run looks at a program, runs it, and keeps what it left.
func (s runs) run(ctx context.Context, c call, session string, p program) (out Ran, text string, err error) {
	begin := s.o.Now()
	w, err := s.session(ctx, c, session)
	if err != nil {
		return out, "", err
	}
	defer w.Close()
	files := w.Tree.Clone()
	if p.file {
		if err := files.Put(p.name, []byte(p.code)); err != nil {
			return out, "", err
		}
	}
	beside := w.Tree
	if p.keep {
		beside = w.Tree.Clone()
		beside.Delete(p.name) // it is looked at as the program
	}
	var spent Phases
	note, before, err := s.mayRun(ctx, beside, p.name, p.code, &spent)
	if err != nil {
		return out, "", inSession(w, err)
	}
	if err := s.take(w.ID); err != nil {
		return out, "", inSession(w, err)
	}
	c.progress(1, 2, "it was let pass; it runs in a container")
	p.run.Files, p.run.Results = files.Tar, s.o.Results != nil
	if s.given.tree.Len() > 0 {
		p.run.Given, p.run.GivenBytes = s.given.data.Tar, s.given.data.Bytes
	}
	s.watch(&p, files)
	started := s.o.Now()
	res, err := s.programs.Run(ctx, p.run)
	if err != nil {
		return out, "", inSession(w, fmt.Errorf("it did not run: %w", err))
	}
	spent.Run = res.Duration.Milliseconds()
	spent.Start = max(0, s.o.Now().Sub(started)-res.Duration).Milliseconds()
	did, err := s.did(ctx, p, before, res)
	if err != nil {
		return out, "", inSession(w, err)
	}
	results := len(res.Files)
	if did.passes() {
		res.Files = takeResults(s.Server, res.Files)
	}
	out = Ran{
		Did:    did,
		Notice: dataNotice, Status: string(res.Status), ExitCode: res.ExitCode, Reason: line(res.Reason, maxSentence), Note: note,
		Stdout: stream(res.Stdout.Data, res.Stdout.Bytes), Stderr: stream(res.Stderr.Data, res.Stderr.Bytes),
		Changed: []Change{}, LeftOut: []string{}, Results: results - len(res.Files), Phases: spent, Duration: res.Duration.Milliseconds(),
	}
	if err := s.keep(w, p, res, &out); err != nil {
		return out, "", inSession(w, fmt.Errorf("the program ran (%s, exit code %d), and what it left is not kept: %w", res.Status, res.ExitCode, err))
	}
	out.Session = about(w)
	out.Overhead = max(0, s.o.Now().Sub(begin)-res.Duration).Milliseconds()
	return out, out.text(), nil
}

// inSession adds to an error to which session it belongs, so that the client can go on.
func inSession(w *workspace.Session, err error) error {
	return fmt.Errorf("%w\n(session %s)", err, w.ID)
}

// take counts a run. Nothing runs that cannot be counted.
func (s runs) take(id string) error {
	dir := filepath.Join(s.o.State, "runs")
	for _, l := range []struct {
		who  string
		most int
	}{{"session " + id, s.o.RunsPerHour}, {"all of " + s.owner, sessionsWorth * s.o.RunsPerHour}} {
		err := rate.New(dir, l.who, l.most).Take(rand.Text())
		if used, ok := errors.AsType[*rate.UsedUp](err); ok {
			return fmt.Errorf("the %d runs that an hour has are used up until %s UTC; go on without running code, or wait", used.Runs, used.Until.UTC().Format("15:04"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream is what a client sees of an output.
func stream(data []byte, all int64) Stream {
	part, cut := head(data, maxShown)
	out := Stream{Bytes: all, Cut: cut || int64(len(data)) < all}
	out.Text, out.Exact = visible(part)
	return out
}

// notRegular begins the reason for what is no file, such as a link: it is left out, and
// everything else that could not be brought back leaves the workspace as it was.
const notRegular = "not a regular file"

// keep makes the workspace what a program left of it.
func (s runs) keep(w *workspace.Session, p program, res engine.Ended, out *Ran) error {
	if !out.passes() {
		out.LeftOut = append(out.LeftOut, "everything: what the program did does not pass, and the workspace is as before")
		return nil
	}
	switch res.Status {
	case engine.EndedExited, engine.EndedTimeout, engine.EndedWaiting, engine.EndedServing:
	default:
		out.LeftOut = append(out.LeftOut, "everything: how it ended leaves its files unknown, and the workspace is as before")
		return nil
	}
	for _, r := range res.Refused {
		if !strings.HasPrefix(r.Reason, notRegular) {
			out.LeftOut = append(out.LeftOut, line(fmt.Sprintf("everything: %q could not be brought back (%s), and the workspace is as before", r.Path, r.Reason), maxSentence))
			return nil
		}
		out.leave(r.Path, r.Reason)
	}
	after := workspace.NewTree()
	for _, f := range res.Files {
		switch {
		case p.file && !p.keep && f.Path == p.name:
		case workspace.Leftover(f.Path) && !had(w.Tree, f.Path):
		case reserved(f.Path):
			out.leave(f.Path, "it is the name that gate gives to a program that is not kept")
		default:
			if err := after.Put(f.Path, f.Data); err != nil {
				out.leave(f.Path, err.Error())
			}
		}
	}
	for _, d := range after.Since(w.Tree) {
		out.Changed = append(out.Changed, Change(d))
	}
	if out.Kept = true; len(out.Changed) == 0 {
		return nil
	}
	w.Tree = after
	return w.Save()
}

func had(t *workspace.Tree, p string) bool {
	_, ok := t.Get(p)
	return ok
}

// leave notes what the workspace does not keep. The list is bounded.
func (out *Ran) leave(p, why string) {
	const most = 50
	if len(out.LeftOut) < most {
		out.LeftOut = append(out.LeftOut, line(fmt.Sprintf("%q: %s", p, why), maxSentence))
	}
}

// text is a run for people and models.
func (out *Ran) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, exit code %d, after %d ms", out.Status, out.ExitCode, out.Duration)
	if out.Reason != "" {
		fmt.Fprintf(&b, " (%s)", out.Reason)
	}
	b.WriteString(".\n")
	b.WriteString(out.Did.text)
	for _, st := range []struct {
		name string
		Stream
	}{{"standard output", out.Stdout}, {"standard error", out.Stderr}} {
		if st.Bytes == 0 {
			continue
		}
		what := fmt.Sprintf("%s of the program, %d bytes", st.name, st.Bytes)
		if st.Cut {
			what += ", only the beginning"
		}
		if !st.Exact {
			what += ", with escapes for what cannot be seen"
		}
		fmt.Fprintf(&b, "%s\n", mark(what, st.Text))
	}
	for _, d := range out.Changed {
		fmt.Fprintf(&b, "%s %q, %d bytes\n", d.How, d.Path, d.Bytes)
	}
	if out.Results > 0 {
		fmt.Fprintf(&b, "Files in /output that were taken for the user: %d\n", out.Results)
	}
	for _, l := range out.LeftOut {
		fmt.Fprintf(&b, "not kept: %s\n", l)
	}
	if out.Note != "" {
		fmt.Fprintf(&b, "%s\n", strings.TrimSuffix(out.Note, "\n"))
	}
	fmt.Fprintf(&b, "Session %s: %d file(s), %d bytes.\n", out.ID, out.Files, out.Bytes)
	return b.String()
}
