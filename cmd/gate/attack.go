package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
)

// attackFolder is where the samples are in a checkout of gate.
const attackFolder = "fixtures/attacks"

// attackFormats are the formats of the result of an attack run.
func attackFormats() []string { return []string{"text", "json", "markdown"} }

// attackFlags are the flags of `gate attack`.
type attackFlags struct {
	layerFlags
	nightlyFlags
	runtimes []string
	filter   attack.Filter
	parallel int
	format   string
	output   string
	save     string
	from     string
	baseline string
	accept   string
	config   string
	quiet    bool
	probes   bool // nothing else
	generate int  // attacks that the model writes
	keep     string
	shard    string
}

func (a *app) attackCommand() *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:   "attack [DIR]",
		Short: "Attack this gate: does every layer still stop what it has to, does containment hold",
		Long: `attack puts samples of attacks, and for each of them a benign twin, through the
layers of this machine and configuration. Every layer is asked by itself, and also
what the static rules call dangerous is executed in the sandbox. DIR holds the
samples (default: ` + attackFolder + ` of a checkout of gate).

An attack is contained when it was executed and nothing was seen of it from outside
of its containers: in what the engine says of them, at listeners and decoys on this
machine, and in what is left of them. An attack that should have run and did not is
a failure. docs/attacks.md says what each column means.

Exit codes: 0 when nothing is wrong, 1 when an attack was missed, not executed or
not contained or a twin was called dangerous; with --baseline, when something is
worse than there. 3 when something could not be looked at.`,
		Example: `  gate attack --layers static
  gate attack --runtime runc,runsc --baseline attacks.json
  gate attack --only 'exfiltration-*' --technique T1048
  gate attack --save result.json --format markdown
  gate attack --from result.json --format text
  gate attack --generate 10 --language python --keep generated/`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.attack(cmd.Context(), f, args) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.layers, "layers", []string{"static", "sandbox"}, "ask these `LAYERS`: static, judge, sandbox")
	fl.StringSliceVar(&f.runtimes, "runtime", nil, "`NAMES` of the container runtimes, side by side: runc,runsc (default: the policy's, or $GATE_RUNTIME)")
	fl.StringSliceVar(&f.filter.Only, "only", nil, "only the attacks whose id, group or GROUP/ID matches a `GLOB`")
	fl.StringSliceVar(&f.filter.Techniques, "technique", nil, "only these ATT&CK `IDS`; T1048 stands for T1048.003 too")
	fl.StringSliceVar(&f.filter.Languages, "language", nil, "only these `LANGUAGES`")
	fl.BoolVar(&f.filter.Blind, "blind", false, "only those written without having seen the rules")
	fl.BoolVar(&f.probes, "probes", false, "only the probes of the containment, which a run of all attacks begins with")
	fl.IntVar(&f.generate, "generate", 0, "instead of the samples, `N` attacks that the judge's model writes")
	fl.StringVar(&f.keep, "keep", "", "write what the model wrote to `DIR`, as samples to look at")
	fl.StringVar(&f.shard, "shard", "", shardUsage)
	fl.IntVar(&f.parallel, "parallel", 0, "how many attacks are under way at a time (default: the processors of this machine)")
	fl.StringVarP(&f.format, "format", "f", "text", "format of the result: "+strings.Join(attackFormats(), ", "))
	fl.StringVarP(&f.output, "output", "o", "", "write the result to `FILE` instead of standard output")
	fl.StringVar(&f.save, "save", "", "also save the result as JSON to `FILE`")
	fl.StringVar(&f.from, "from", "", "attack nothing, show the saved result in `FILE`")
	fl.StringVar(&f.baseline, "baseline", "", "compare with `FILE`: only what is worse fails")
	fl.StringVar(&f.accept, "accept", "", "write to the file of --baseline what is `BETTER` (default) or all that is different")
	fl.Lookup("accept").NoOptDefVal = acceptBetter
	fl.StringVar(&f.memory, "memory", "", "memory of one container, such as 512m")
	fl.StringVar(&f.timeout, "timeout", "", "wall clock of one run, such as 10s")
	fl.StringVar(&f.ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&f.model, "model", "", "`NAME` of the model that judges")
	fl.StringVar(&f.config, "config", "", "take the policy from `FILE` instead of .gate.yml")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	f.nightlyFlags.register(cmd)
	cmd.AddCommand(a.trendCommand())
	complete(cmd, "format", attackFormats()...)
	complete(cmd, "runtime", "runc", "runsc", "runc,runsc")
	complete(cmd, "layers", "static", "static,sandbox", "static,judge,sandbox")
	complete(cmd, "accept", acceptBetter, acceptAll)
	return cmd
}

// What --accept takes.
const (
	acceptBetter = "better"
	acceptAll    = "all"
)

func (a *app) attack(ctx context.Context, f attackFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.from != "" {
		return a.showAttacks(ctx, f, args)
	}
	var suite attack.Suite
	var err error
	if f.generate == 0 {
		if suite, err = f.suite(args); err != nil {
			return usage("%w", err)
		}
	}
	old, err := f.readBaseline()
	if err != nil {
		return usage("--baseline: %w", err)
	}
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, "", f.config, &f.layerFlags)
	if err != nil {
		return err
	}
	if len(f.runtimes) == 0 {
		f.runtimes = []string{set.policy.Sandbox.Runtime}
	}
	suite, part, err := f.part(suite)
	if err != nil {
		return err
	}
	var rejected []string
	if f.generate > 0 {
		if suite, rejected, err = a.generate(ctx, f, set); err != nil {
			return err
		}
	}
	res, err := a.attackWith(ctx, suite, f, set)
	if err != nil {
		return err
	}
	res.Rejected, res.Shard = rejected, part
	if old != nil {
		if err := res.Compare(f.baseline, old, f.filter.All()); err != nil {
			return usage("--baseline: %w", err)
		}
	}
	if ctx.Err() != nil {
		f.accept = "" // half a run is no baseline
	}
	if err := errors.Join(f.write(res, old), a.reportAttacks(f, res), a.alarm(context.WithoutCancel(ctx), f, res)); ctx.Err() == nil {
		return err
	}
	return &exit.Error{Code: exitIncomplete, Err: context.Cause(ctx)}
}

// check is what can be said before anything is read.
func (f *attackFlags) check() error {
	switch {
	case !slices.Contains(attackFormats(), f.format):
		return usage("there is no format %q (one of %s)", f.format, strings.Join(attackFormats(), ", "))
	case f.accept != "" && f.baseline == "":
		return usage("--accept needs --baseline FILE, which it writes")
	case f.accept != "" && f.accept != acceptBetter && f.accept != acceptAll:
		return usage("--accept is %s or %s, not %q", acceptBetter, acceptAll, f.accept)
	case f.probes && (f.baseline != "" || !f.filter.All()):
		return usage("--probes runs no attacks: it takes no filter and no baseline")
	case f.generate > 0 && (f.baseline != "" || f.probes):
		return usage("--generate makes other attacks each time: it takes no baseline and no --probes")
	case f.shard != "" && (f.probes || f.generate > 0 || f.baseline != "" || f.from != ""):
		return usage("--shard attacks with a part of the samples: it takes no --probes, --generate and --from, and --baseline is for the merged result (gate attack --from)")
	case f.keep != "" && f.generate == 0:
		return usage("--keep needs --generate")
	case f.generate < 0 || f.generate > 100:
		return usage("--generate is 1 to 100, not %d", f.generate)
	case f.parallel < 0 || f.parallel > 256:
		return usage("--parallel is 1 to 256, not %d", f.parallel)
	case len(f.layers) == 0:
		return usage("--layers names none")
	}
	if err := f.nightlyFlags.check(f.shard != "" || f.probes || f.generate > 0); err != nil {
		return err
	}
	if f.parallel == 0 {
		f.parallel = runtime.NumCPU()
	}
	return nil
}

// suite is what is attacked with: nothing where only probes are asked for.
func (f *attackFlags) suite(args []string) (attack.Suite, error) {
	if f.probes {
		f.layers = []string{string(gate.LayerSandbox)}
		return nil, nil
	}
	suite, err := openSuite(args)
	if err != nil {
		return nil, err
	}
	return suite.Select(f.filter)
}

// openSuite reads the samples, from the named folder or those of the checkout that
// the current folder is in.
func openSuite(args []string) (attack.Suite, error) {
	dir := ""
	if len(args) > 0 {
		dir = args[0]
	} else {
		here, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		for dir == "" {
			if info, err := os.Stat(filepath.Join(here, attackFolder)); err == nil && info.IsDir() {
				dir = filepath.Join(here, attackFolder)
			} else if up := filepath.Dir(here); up != here {
				here = up
			} else {
				return nil, fmt.Errorf("there is no %s here or above; clone gate at the version of this program, or name the folder: gate attack DIR", attackFolder)
			}
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return attack.Load(root.FS(), filepath.ToSlash(relativeToHere(dir)))
}

// relativeToHere shortens a path for messages.
func relativeToHere(dir string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, dir); err == nil {
			return rel
		}
	}
	return dir
}

// readBaseline returns nil where there is none: not asked for, or not yet written.
func (f *attackFlags) readBaseline() (*attack.Baseline, error) {
	if f.baseline == "" {
		return nil, nil
	}
	data, err := bounded.ReadPath(f.baseline, attack.MaxBaseline)
	if errors.Is(err, fs.ErrNotExist) && f.accept != "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w (--accept writes the first one)", err)
	}
	return attack.ParseBaseline(f.baseline, data)
}

// write saves the result and the accepted baseline.
func (f *attackFlags) write(res attack.Result, old *attack.Baseline) error {
	errs := []error{f.record(res, time.Now())}
	if f.save != "" {
		data, err := res.Encode()
		if err == nil {
			err = writeFile(f.save, data)
		}
		errs = append(errs, err)
	}
	if f.accept != "" {
		data, err := res.Accept(old, f.accept == acceptAll || old == nil).Encode()
		if err == nil {
			err = writeFile(f.baseline, data)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &exit.Error{Code: exitIncomplete, Err: fmt.Errorf("write: %w", err)}
	}
	return nil
}

// showAttacks renders a saved result.
func (a *app) showAttacks(ctx context.Context, f attackFlags, args []string) error {
	if len(args) > 0 {
		return usage("--from shows a saved result; it takes no folder of samples")
	}
	data, err := bounded.ReadPath(f.from, attack.MaxResult)
	if err != nil {
		return usage("--from: %w", err)
	}
	res, err := attack.ParseResult(f.from, data)
	if err != nil {
		return usage("--from: %w", err)
	}
	if res.Shard != nil && f.baseline != "" {
		return usage("%s is shard %d of %d: put all of them together with `gate merge` first", f.from, res.Shard.Index, res.Shard.Of)
	}
	old, err := f.readBaseline()
	if err != nil {
		return usage("--baseline: %w", err)
	}
	if old != nil {
		if err := res.Compare(f.baseline, old, true); err != nil {
			return usage("--baseline: %w", err)
		}
	}
	return errors.Join(f.write(res, old), a.reportAttacks(f, res), a.alarm(ctx, f, res))
}

// reportAttacks writes the result and turns it into an exit code.
func (a *app) reportAttacks(f attackFlags, res attack.Result) error {
	var out bytes.Buffer
	var err error
	switch f.format {
	case "json":
		var data []byte
		data, err = res.Encode()
		out.Write(data)
	case "markdown":
		err = res.WriteMarkdown(&out)
	default:
		err = res.WriteText(&out)
	}
	if err == nil && f.output != "" {
		err = writeFile(f.output, out.Bytes())
	} else if err == nil {
		_, err = a.stdout.Write(out.Bytes())
	}
	if err != nil {
		return &exit.Error{Code: exitIncomplete, Err: fmt.Errorf("write the result: %w", err)}
	}
	return exitFor(gate.Result{Decision: res.Decision}, nil)
}
