package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/client"
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// state is the outcome of one check of the doctor.
type state string

// The outcomes, from good to bad. What is optional can be absent, but not
// missing.
const (
	stateOK      state = "ok"
	stateNote    state = "note"
	stateAbsent  state = "absent"  // optional, and not there
	stateMissing state = "MISSING" // required by the policy, and not there
)

// diagnosis is one line of the doctor's answer.
type diagnosis struct {
	what   string
	state  state
	detail string
	mend   string // the command that mends it
}

func (a *app) doctorCommand() *cobra.Command {
	var f layerFlags
	var build []string
	var sweep, pull, apparmor, falco bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "See what is there, what is missing, and how to get it",
		Long: `doctor looks for everything that the layers need: git, a container engine, its
runtimes and the sandbox images, an Ollama server and its models; for free disk
space and for what killed runs have left; and in a job of GitHub Actions, whether
the runner outlives the job. Below what is not well stands what mends it.

It changes nothing, except that --build builds sandbox images, which needs a
network, --sweep removes what killed runs have left, and --pull lets the Ollama
server fetch the model that judges, several gigabytes. The exit code is 3 when
something is missing that the policy requires.`,
		Example: `  gate doctor
  gate doctor --build python,node
  gate doctor --sweep
  gate doctor --pull --model qwen2.5-coder:7b
  gate doctor --layers static,sandbox
  gate doctor --ollama http://gpu.example.com:11434`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if apparmor {
				fmt.Fprint(a.stdout, sandbox.AppArmorProfile())
				return nil
			}
			if falco {
				fmt.Fprint(a.stdout, sandbox.FalcoRules())
				return nil
			}
			if err := a.buildImages(cmd.Context(), build); err != nil {
				return err
			}
			if sweep {
				if err := a.sweep(cmd.Context()); err != nil {
					return err
				}
			}
			if pull {
				if err := a.pull(cmd.Context(), f); err != nil {
					return err
				}
			}
			return a.doctor(cmd.Context(), f)
		},
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&build, "build", nil, "first build or renew the sandbox `IMAGES`: "+strings.Join(images.Languages(), ", "))
	cmd.Flags().BoolVar(&sweep, "sweep", false, "first remove containers and volumes of runs that have ended")
	cmd.Flags().BoolVar(&pull, "pull", false, "first let the Ollama server fetch the model that judges")
	cmd.Flags().BoolVar(&apparmor, "print-apparmor", false, "write the AppArmor profile for the containers to standard output, and nothing else")
	cmd.Flags().BoolVar(&falco, "print-falco", false, "write rules for Falco about the containers to standard output, and nothing else")
	complete(cmd, "build", images.Languages()...)
	return cmd
}

func (a *app) doctor(ctx context.Context, f layerFlags) error {
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	set, err := a.policyOf(ctx, repo, "", "", &f)
	if err != nil {
		return err
	}
	p := set.policy
	all := []diagnosis{{what: "gate", state: stateOK, detail: buildVersion()}, checkGit(ctx)}
	for _, own := range a.ownPlaces() {
		all = append(all, own.check(diskFree))
	}
	all = append(all, checkRunner(a.getenv)...)
	all = append(all, checkEngine(ctx, p)...)
	all = append(all, checkJudge(ctx, p)...)
	writeDiagnoses(a.stdout, all)
	if slices.ContainsFunc(all, func(d diagnosis) bool { return d.state == stateMissing }) {
		return &exit.Error{Code: exitIncomplete}
	}
	return nil
}

// writeDiagnoses lists the checks, and below each that is not well what mends it.
func writeDiagnoses(w io.Writer, all []diagnosis) {
	for _, d := range all {
		fmt.Fprintf(w, "%-8s %-18s %s\n", d.state, d.what, printable.ASCII(d.detail))
		if d.mend != "" {
			fmt.Fprintf(w, "%-8s %-18s -> %s\n", "", "", printable.ASCII(d.mend))
		}
	}
}

// unless returns the state of something absent: bad where the policy requires
// the layer.
func unless(p gate.Policy, l gate.Layer) state {
	if slices.Contains(p.Require, l) {
		return stateMissing
	}
	return stateAbsent
}

func checkGit(ctx context.Context) diagnosis {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return diagnosis{what: "git", state: stateAbsent, detail: "not found: changes and staged content cannot be scanned", mend: "install git 2.32 or newer"}
	}
	return diagnosis{what: "git", state: stateOK, detail: strings.TrimSpace(string(out))}
}

func checkEngine(ctx context.Context, p gate.Policy) []diagnosis {
	absent := unless(p, gate.LayerSandbox)
	docker, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return []diagnosis{{what: "container engine", state: absent, detail: err.Error(), mend: engineHint}}
	}
	defer docker.Close()
	info, err := docker.Info(ctx)
	if err != nil {
		return []diagnosis{{what: "container engine", state: absent, detail: err.Error(), mend: engineHint}}
	}
	all := []diagnosis{{what: "container engine", state: stateOK, detail: fmt.Sprintf("%s at %s, kernel %s, cgroup v%s, %d cores",
		info.Engine, info.Host, info.Kernel, info.CgroupVersion, info.Cores)}}
	if !info.Seccomp {
		all = append(all, diagnosis{what: "seccomp", state: absent, detail: "the engine cannot filter system calls", mend: "use an engine with seccomp"})
	}
	all = append(all, checkAppArmor(info.AppArmor, docker.AppArmor()))
	for _, w := range info.Warnings {
		all = append(all, diagnosis{what: "engine warning", state: stateNote, detail: w})
	}
	all = append(all, checkRuntime(ctx, docker, info, p.Sandbox.Runtime, absent), checkEngineDisk(info, diskFree), checkLeftovers(ctx, docker))
	return append(all, checkImages(info, p, absent)...)
}

// checkAppArmor says which profile confines containers besides everything else.
func checkAppArmor(there bool, profile string) diagnosis {
	d := diagnosis{what: "apparmor", state: stateOK, detail: profile + " confines the containers"}
	switch {
	case !there:
		d.state, d.detail = stateAbsent, "the engine's machine has none; what confines containers holds without it"
	case profile != sandbox.AppArmorName:
		d.state, d.detail = stateNote, "the engine's own profile confines the containers; gate's is not loaded, or only root can see it"
		d.mend = "gate doctor --print-apparmor | sudo tee /etc/apparmor.d/" + sandbox.AppArmorName + " && sudo apparmor_parser -r -W /etc/apparmor.d/" + sandbox.AppArmorName
	}
	return d
}

// trier tries what a runtime can do; [*sandbox.Docker] does.
type trier interface {
	Try(ctx context.Context, runtime, image string) (sandbox.Trial, error)
}

// checkRuntime starts a container under the runtime of the policy and says what
// works there.
func checkRuntime(ctx context.Context, engine trier, info sandbox.Info, name string, absent state) diagnosis {
	d := diagnosis{what: "runtime " + name, state: stateOK}
	var image string
	for _, have := range info.Images {
		if len(have.Refs) > 0 {
			image = have.Refs[0]
			break
		}
	}
	t, err := engine.Try(ctx, name, image)
	switch {
	case err != nil && image == "":
		d.detail = "known to the engine; not tried, because there is no sandbox image"
	case err != nil:
		d.state, d.detail = absent, err.Error()
	case t.Problem != "":
		d.state, d.detail, d.mend = absent, t.Problem, t.Next+"; or use another one with --runtime"
	default:
		d.detail = t.Describe()
	}
	return d
}

// checkImages looks for the images that the policy names, or gate's own, and at
// their age.
func checkImages(info sandbox.Info, p gate.Policy, absent state) []diagnosis {
	var all []diagnosis
	for _, name := range images.Languages() {
		ref := imageRef(p, name)
		d := diagnosis{what: "image " + name, state: absent, detail: ref + " is not in the engine", mend: images.Command(name)}
		for _, have := range info.Images {
			if !slices.Contains(have.Refs, ref) {
				continue
			}
			age := time.Since(have.Created)
			d.state, d.mend = stateOK, ""
			d.detail = fmt.Sprintf("%s, %d MB, %d days old, %s", ref, have.Size>>20, int(age.Hours()/24), have.Labels[images.LabelVersions])
			if age > images.MaxAge {
				d.state, d.mend = stateNote, images.Command(name)+"   # fixes of more than a month are missing"
			}
		}
		all = append(all, d)
	}
	return all
}

// imageRef is the image that serves a runtime: the policy's, or gate's own.
func imageRef(p gate.Policy, name string) string {
	for _, l := range policy.ImageNames()[name] {
		if ref := p.Sandbox.Images[l]; ref != "" {
			return ref
		}
	}
	return images.Ref(name)
}

// buildImages builds sandbox images and says what it does on standard error.
func (a *app) buildImages(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	engine, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return usage("%w", err)
	}
	defer engine.Close()
	for _, name := range names {
		if !slices.Contains(images.Languages(), name) {
			return usage("--build: %q is not one of %s", name, strings.Join(images.Languages(), ", "))
		}
		fmt.Fprintf(a.stderr, "gate: building the sandbox image for %s (minutes, the first time)\n", name)
		info, built, err := images.Build(ctx, engine, name, images.Options{Base: a.getenv("GATE_IMAGE_BASE"), Network: a.getenv("GATE_BUILD_NETWORK")})
		if err != nil {
			return &exit.Error{Code: exitIncomplete, Err: err}
		}
		if !built {
			fmt.Fprintf(a.stderr, "gate: %s is current\n", info.Ref)
		}
	}
	return nil
}

// engineHint is what to do where no engine answers.
const engineHint = "install Docker (https://docs.docker.com/engine/install/) and start it, or set DOCKER_HOST"

// checkJudge asks every configured Ollama server what it has.
func checkJudge(ctx context.Context, p gate.Policy) []diagnosis {
	absent := unless(p, gate.LayerJudge)
	j, err := judge.New(judge.Options{Policy: p.Judge, Comments: comments})
	if err != nil {
		return []diagnosis{{what: "judge", state: absent, detail: err.Error()}}
	}
	var all []diagnosis
	usable := false
	for _, h := range j.Check(ctx) {
		problem, command := h.Advice()
		if h.Err != nil {
			all = append(all, diagnosis{what: "judge", state: stateAbsent, detail: problem, mend: command})
			continue
		}
		var models []string
		for _, m := range h.Models {
			switch {
			case m.Digest == "":
				models = append(models, m.Name+" missing")
			case m.Loaded && m.Offload > 0:
				models = append(models, fmt.Sprintf("%s loaded, %d %% of it on the CPU", m.Name, m.Offload))
			default:
				usable = true
				models = append(models, fmt.Sprintf("%s (%d MB)", m.Name, m.Bytes>>20))
			}
			usable = usable || m.Digest != ""
		}
		d := diagnosis{what: "judge", state: stateOK, detail: fmt.Sprintf("Ollama %s at %s: %s", h.Version, h.Host, strings.Join(models, ", "))}
		if problem != "" {
			d.state, d.mend = stateNote, command
			all = append(all, d, diagnosis{what: "judge", state: stateNote, detail: problem})
			continue
		}
		all = append(all, d)
	}
	if !usable && absent == stateMissing {
		all = append(all, diagnosis{what: "judge", state: stateMissing, detail: "the policy requires the judge, and no server has a model for it"})
	}
	return all
}
