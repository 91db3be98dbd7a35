package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/sandbox/egress"
)

// agentFlags are the flags of `gate agent`.
type agentFlags struct {
	layerFlags
	out      outputFlags
	config   string
	failOn   string
	dir      string
	force    bool
	keep     bool
	language string
	data     []string
	turns    int
	session  string
}

func (a *app) agentCommand() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "agent TASK",
		Short: "Let the model write a program for a task, and hand out its files",
		Long: `agent asks the judge's model for a program that does the task, puts it through all
three layers like any change that an AI wrote, and runs it in a container without
network. Only when all layers completed, the policy lets it pass and it ran without
an error are the files that it wrote below out/ written to --out, none of them
executable. What the layers object to and errors go back to the model, up to six
times; --session remembers the last six turns for the next task.

Data (--data) is fetched by gate, never by the program, from the hosts that the
setting agent.data of your own configuration or of --config lists; the program reads
it in data/. docs/agent.md has it all.`,
		Example: `  gate agent "write the first 100 prime numbers to primes.txt"
  gate agent "a table of the mean of each column" --data https://data.example.com/values.csv --out results
  gate agent "the same as JSON" --session work.json --language python
  gate agent "count words" --format json --keep`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("which task? gate agent \"TASK\" (in quotes)")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.agent(cmd.Context(), f, args[0]) },
	}
	f.registerSandbox(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&f.model, "model", "", "`NAME` of the model that writes and judges")
	fl.StringVar(&f.config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.StringVar(&f.failOn, "fail-on", "", "block from this verdict on: dangerous or suspicious (default: the policy's)")
	fl.StringVar(&f.dir, "out", "gate-out", "write the files to `DIR`")
	fl.BoolVar(&f.force, "force", false, "replace files that are in --out already")
	fl.BoolVar(&f.keep, "keep", false, "write the program to --out as well")
	fl.StringVar(&f.language, "language", "", "`NAME` of the language: python, node, typescript, shell or go (default: the model chooses)")
	fl.StringArrayVar(&f.data, "data", nil, "fetch `URL` for the program; several times for several")
	fl.IntVar(&f.turns, "turns", agent.MaxTurns, "how often the model may try, 1 to 6")
	fl.StringVar(&f.session, "session", "", "remember the last six turns in `FILE`, and begin with what it remembers")
	fl.StringVarP(&f.out.format, "format", "f", "text", "format of the report: text, json")
	fl.StringVarP(&f.out.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.StringVar(&f.out.color, "color", "auto", "colour in the text report: auto, always or never")
	fl.BoolVarP(&f.out.verbose, "verbose", "v", false, "show notes and everything that is folded otherwise")
	f.out.registerRun(cmd)
	complete(cmd, "format", "text", "json")
	complete(cmd, "color", "auto", "always", "never")
	complete(cmd, "language", agent.Languages()...)
	complete(cmd, "fail-on", "dangerous", "suspicious")
	complete(cmd, "turns", "1", "2", "3", "4", "5", "6")
	_ = cmd.MarkFlagDirname("out") // the error means that the flag does not exist
	return cmd
}

func (a *app) agent(ctx context.Context, f agentFlags, task string) error {
	o := agent.Options{Tool: tool(), Task: task, Language: f.language, Turns: f.turns}
	if err := o.Check(); err != nil {
		return usage("%w", err)
	}
	if !slices.Contains([]string{"text", "json"}, f.out.format) {
		return usage("there is no format %q (one of text, json)", f.out.format)
	}
	memory, err := f.memory()
	if err != nil {
		return usage("--session: %w", err)
	}
	set, err := a.agentPolicy(ctx, f)
	if err != nil {
		return err
	}
	allow, err := data.ParseList(set.policy.Agent.Data)
	if err != nil {
		return usage("agent.data: %w", err)
	}
	fetcher := &data.Fetcher{Allow: allow, Public: egress.Public}
	if err := fetcher.Check(f.data); err != nil {
		return usage("--data: %w", err)
	}
	writer, err := judge.New(judge.Options{Policy: set.policy.Judge, Comments: comments})
	if err != nil {
		return usage("%w", err)
	}
	if o.Data, err = fetcher.Fetch(ctx, f.data); err != nil {
		return incomplete(err)
	}
	b := &bench{app: a, set: set, data: o.Data, quiet: f.out.quiet}
	if err := b.open(ctx); err != nil {
		return err
	}
	o.Memory, o.Room, o.Ask, o.Try = memory, writer.Room, writer.Converse, b.try
	o.Deliver = func(p agent.Program, files []agent.File) ([]agent.File, error) {
		if f.keep {
			files = append(slices.Clone(files), agent.File{Path: p.Path, Data: []byte(p.Code)})
		}
		if len(files) == 0 {
			return nil, nil
		}
		return files, agent.Write(f.dir, files, f.force)
	}
	if !f.out.quiet {
		o.Progress = func(turn int, what string) {
			fmt.Fprintf(a.stderr, "gate: turn %d of %d: %s\n", turn, f.turns, what)
		}
	}
	res, err := agent.Run(ctx, o)
	if len(res.Files) > 0 {
		res.Out = f.dir
	}
	err = errors.Join(err, b.layers.shut(), f.remember(memory), a.reportAgent(f, set.policy, b, res))
	return exitFor(gate.Result{Decision: res.Decision}, err)
}

// agentPolicy is the policy of the current folder, with what an agent's program never
// gets: a way out, or a layer less.
func (a *app) agentPolicy(ctx context.Context, f agentFlags) (settings, error) {
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return settings{}, usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, "", f.config, &f.layerFlags)
	if err != nil {
		return settings{}, err
	}
	if f.failOn != "" {
		if err := policy.Set(&set.policy, "fail-on", f.failOn, "--fail-on"); err != nil {
			return settings{}, usage("%w", err)
		}
	}
	p := &set.policy
	p.Require = gate.Layers()
	p.Paths = gate.DefaultPolicy().Paths // they are about the folder, and the program is no part of it
	p.Sandbox.Run, p.Sandbox.Egress, p.Sandbox.RunDangerous = nil, nil, false
	return set, nil
}

// memory is that of the session, or a new one.
func (f *agentFlags) memory() (*agent.Memory, error) {
	if f.session == "" {
		return &agent.Memory{}, nil
	}
	text, err := bounded.ReadPath(f.session, agent.MaxSession)
	if errors.Is(err, fs.ErrNotExist) {
		return &agent.Memory{}, nil
	}
	if err != nil {
		return nil, err
	}
	return agent.ParseMemory(text)
}

func (f *agentFlags) remember(m *agent.Memory) error {
	if f.session == "" {
		return nil
	}
	text, err := m.Encode()
	if err == nil {
		err = writeFile(f.session, text)
	}
	if err != nil {
		return fmt.Errorf("--session: %w", err)
	}
	return nil
}

// reportAgent writes what became of the task.
func (a *app) reportAgent(f agentFlags, p gate.Policy, b *bench, res agent.Result) error {
	var out bytes.Buffer
	o := f.out
	o.format, o.output, o.quiet = "text", "", true
	if o.color == "auto" && f.out.output == "" && width(a.stdout) > 0 && a.getenv("NO_COLOR") == "" {
		o.color = "always"
	}
	to := *a
	if to.stdout = &out; f.out.format == "json" {
		to.stdout = &bytes.Buffer{} // what the layers found is in the document
	}
	own, err := b.set.userRules()
	if err != nil {
		return err
	}
	h, err := to.reporter(o, p, own...)
	if err != nil {
		return err
	}
	if f.out.format == "text" {
		fmt.Fprintf(&out, "%s\n\n", res.Headline())
	}
	if last := res.Last(); last != nil {
		if f.out.format == "text" {
			out.WriteString("What the layers found in the last program:\n")
		}
		h.source.ofChange(b.change)
		if err := errors.Join(gate.Replay(*last, h), h.close()); err != nil {
			return err
		}
	}
	if f.out.format == "json" {
		text, err := res.Encode()
		if err != nil {
			return err
		}
		out.Write(text)
	} else if err := res.WriteText(&out); err != nil {
		return err
	}
	if f.out.output != "" {
		return writeFile(f.out.output, out.Bytes())
	}
	_, err = a.stdout.Write(out.Bytes())
	return err
}
