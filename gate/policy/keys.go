package policy

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
)

// key is one setting: its dotted name, what the reference says about it, and how
// its value gets into a policy.
type key struct {
	name    string
	values  string // what is allowed, for people
	doc     string
	machine bool // about the machine that runs gate, not about the repository
	set     func(r *reader, p *gate.Policy, n *yaml.Node)
}

// keys is the whole vocabulary of .gate.yml, in the order of the reference.
func keys() []key {
	return []key{
		{name: "profile", values: "default or strict", doc: "the values of `fail-on`, `require` and `on` at once; a key that the file sets itself overrides its profile",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				choose(r, n, &p.Profile, map[string]gate.Profile{"default": gate.ProfileDefault, "strict": gate.ProfileStrict})
				p.Profile.Apply(p)
			}},
		{name: "fail-on", values: "dangerous or suspicious", doc: "the lowest verdict that blocks a change",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				choose(r, n, &p.FailOn, map[string]gate.Severity{"dangerous": gate.SeverityDangerous, "suspicious": gate.SeveritySuspicious})
			}},
		{name: "deps", machine: true, values: "auto, locked or never", doc: "which dependencies of the base commit the sandbox installs in an image of their own before it runs anything: what lock files name and without them what manifests ask for, only the former, or none; unset it is auto in CI and asked once on a terminal",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.word(n, (*string)(&p.Deps), string(gate.DepsAuto), string(gate.DepsLocked), string(gate.DepsNever))
			}},
		{name: "deps-added", machine: true, values: "registry or never", doc: "whether `deps` also installs packages and versions that only the change names, from known registries and without credentials; unset it is registry",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.word(n, (*string)(&p.DepsAdded), string(gate.DepsAddedRegistry), string(gate.DepsAddedNever))
			}},
		{name: "require", values: "a list of static, judge, sandbox", doc: "the layers that must complete; what they did not complete is INCOMPLETE",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.layers(n, &p.Require) }},
		{name: "changes", values: "ai or all", doc: "which changes of a pull request get all layers: those that an AI wrote or may have written, or all; the static layer always sees all",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.word(n, &p.Changes, "ai", "all") }},
		{name: "paths.include", values: "a list of globs", doc: "the files that are looked at",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.globs(n, &p.Paths.Include) }},
		{name: "paths.exclude", values: "a list of globs", doc: "the files that are not; every one of them is listed as skipped, with what runs or imports it, and that is INCOMPLETE under `profile: strict`",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.globs(n, &p.Paths.Exclude) }},
		{name: "paths.overrides", values: "a list of {match: glob, changes: ai|all}", doc: "`changes` for some paths; the last match wins",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.overrides(n, &p.Paths.Overrides) }},
		{name: "protect", values: "a list of globs", doc: "files whose change or deletion is a finding; .gate.yml, .gate-baseline.json and the folders of rules.dirs always are",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.globs(n, &p.Protect) }},
		{name: "limits.file-size", values: "a size from 1KiB to 10MiB", doc: "a larger file is streamed through the static rules, and INCOMPLETE unless it is data",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.size(n, &p.Limits.FileSize, 1<<10, 10<<20) }},
		{name: "limits.files", values: "1 to 100000", doc: "the most files that one run looks at",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.integer(n, &p.Limits.Files, 1, 100000) }},
		{name: "limits.budget", values: "a duration from 10s to 6h", doc: "the time of one run; what it does not reach is INCOMPLETE",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.duration(n, &p.Limits.Budget, 10*time.Second, 6*time.Hour)
			}},
		{name: "rules.disable", values: "a list of rule ids", doc: "rules that are switched off",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Rules.Disable, checkRuleID) }},
		{name: "rules.severity", values: "rule id: dangerous, suspicious or note", doc: "the severity of single rules",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.severities(n, &p.Rules.Severity) }},
		{name: "rules.dirs", values: "a list of folders", doc: "folders with rules of your own",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Rules.Dirs, checkPath) }},
		{name: "rules.usage", values: "a list of {rule: id, line: RE2, reason: text}", doc: "lines that are safe in this repository: a note or suspicion of the rule about lines that the expression matches from end to end is listed and decides nothing",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.usages(n, &p.Rules.Usage) }},
		{name: "imports.allow", values: "a list of module names", doc: "when set, every other import is a finding",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Imports.Allow, checkImportName) }},
		{name: "judge.model", machine: true, values: "a model name", doc: "the model that judges",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.text(n, &p.Judge.Model, checkModel) }},
		{name: "judge.fallback", machine: true, values: "a model name, or empty for none", doc: "the model where the first one is missing",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.text(n, &p.Judge.Fallback, checkModel) }},
		{name: "judge.hosts", machine: true, values: "a list of URLs", doc: "model servers, tried in order: of Ollama, or with a path that ends in /v1 of llama.cpp, vLLM and the like",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Judge.Hosts, checkURL) }},
		{name: "sandbox.runtime", machine: true, values: "runc, runsc or a runtime that the engine knows", doc: "what isolates the containers",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.text(n, &p.Sandbox.Runtime, checkName) }},
		{name: "sandbox.memory", values: "a size from 64MiB to 16GiB", doc: "memory and swap of one container; where it is not set 1GiB for Go and 512MiB for all others",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.size(n, &p.Sandbox.Memory, 64<<20, 16<<30) }},
		{name: "sandbox.memory-of", values: "python, node, go, shell, wasm: a size from 64MiB to 16GiB", doc: "the same for single languages",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.sizes(n, &p.Sandbox.MemoryOf, 64<<20, 16<<30) }},
		{name: "sandbox.cpus", values: "0.1 to 64", doc: "cores of one container; where it is not set 1, and up to 4 for tests and for what Go compiles first",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.number(n, &p.Sandbox.CPUs, 0.1, 64) }},
		{name: "sandbox.pids", values: "8 to 4096", doc: "processes and threads of one container",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.integer64(n, &p.Sandbox.Pids, 8, 4096) }},
		{name: "sandbox.timeout", values: "a duration from 1s to 30m", doc: "time of one unit; up to four times as long where others have the processor",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.duration(n, &p.Sandbox.Timeout, time.Second, 30*time.Minute)
			}},
		{name: "sandbox.test-timeout", values: "a duration from 1s to 30m", doc: "time of one run of tests, twice sandbox.timeout where it is not set; the tests nearest to the change run first",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.duration(n, &p.Sandbox.TestTimeout, time.Second, 30*time.Minute)
			}},
		{name: "sandbox.memory-alert", values: "a size from 1MiB to 16GiB, a share of sandbox.memory such as 80%, or off", doc: "the lowest peak of memory that is a finding: a note at the default of 80%, suspicious at a value of your own; files that are read and the workspace count as memory",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.alert(n, &p.Sandbox.MemoryAlert, func(s string) (int64, error) { return ParseSize(s, 1<<20, 16<<30) })
			}},
		{name: "sandbox.cpu-alert", values: "a duration from 100ms to 30m, a share of sandbox.timeout such as 80%, or off", doc: "the least processor time that is a finding: suspicious, at the default of 80% a note for tests and for what compiles first",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.alert(n, &p.Sandbox.CPUAlert, func(s string) (int64, error) {
					d, err := ParseDuration(s, 100*time.Millisecond, 30*time.Minute)
					return int64(d), err
				})
			}},
		{name: "sandbox.conditions", values: "0 to 8", doc: "extra runs under other clocks and environments",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.integer(n, &p.Sandbox.Conditions, 0, 8) }},
		{name: "sandbox.dangerous", values: "skip or run", doc: "whether files that a layer already calls dangerous are executed",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				choose(r, n, &p.Sandbox.RunDangerous, map[string]bool{"skip": false, "run": true})
			}},
		{name: "sandbox.images", machine: true, values: "python, node, go, shell: an image reference", doc: "the images that code runs in",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.images(n, &p.Sandbox.Images) }},
		{name: "sandbox.run", values: "glob: command", doc: "how the files that match are run",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.stringMap(n, &p.Sandbox.Run, checkGlob) }},
		{name: "sandbox.egress", machine: true, values: "a list of host or host:port", doc: "hosts that programs reach for real, through a proxy of gate; without a port those of HTTPS and HTTP; empty is no way out at all",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Sandbox.Egress, checkEgress) }},
		{name: "sandbox.python", values: "standard or restricted", doc: "restricted lets Python import only what imports.allow names (without it, modules that only compute) and refuses built-ins that run text, and calls that reach outside; one more layer inside of the container",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.word(n, &p.Sandbox.Python, "standard", "restricted")
			}},
		{name: "sandbox.go", values: "native or wasip1", doc: "wasip1 compiles Go programs to WebAssembly inside of the container and interprets them: no sockets, no other programs, two folders; slow to compile, so raise sandbox.timeout",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.word(n, &p.Sandbox.Go, "native", "wasip1")
			}},
		{name: "override.label", values: "a label", doc: "the label that lets a blocked pull request pass",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.text(n, &p.Override.Label, nil) }},
		{name: "override.permission", values: "write, maintain or admin", doc: "what anyone who set the label must be allowed",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.word(n, &p.Override.Permission, "write", "maintain", "admin")
			}},
		{name: "on.not-executable", values: "warn or incomplete", doc: "a file that could not be run",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.leniency(n, &p.On.NotExecutable) }},
		{name: "on.unknown-type", values: "warn or incomplete", doc: "a file of a type that no rule knows",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.leniency(n, &p.On.UnknownType) }},
		{name: "on.large-source", values: "warn or incomplete", doc: "a new source file of more than 100 KiB, generated code aside",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.leniency(n, &p.On.LargeSource) }},
		{name: "report.comment", values: "true or false", doc: "the pull request comment",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.boolean(n, &p.Report.Comment) }},
		{name: "report.check", values: "true or false", doc: "the check run",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.boolean(n, &p.Report.Check) }},
		{name: "report.sarif", values: "true or false", doc: "the upload to code scanning",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.boolean(n, &p.Report.SARIF) }},
		{name: "retention.logs", machine: true, values: "a duration such as 7d", doc: "how long logs of runs are kept",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) {
				r.duration(n, &p.Retention.Logs, time.Hour, 365*24*time.Hour)
			}},
		{name: "rate.runs-per-hour", machine: true, values: "0 to 100000; 0 is unlimited", doc: "how many sandbox runs of one user, and of the same code, this account of the machine starts in an hour of the clock, over all processes; in GitHub Actions the user is who started the workflow. What it refuses is INCOMPLETE. Results from the cache and `gate attack` do not count",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.integer(n, &p.Rate.RunsPerHour, 0, 100000) }},
		{name: "agent.data", machine: true, values: "a list of host, host:port, address or address:port, with http:// in front where it is not HTTPS", doc: "where `gate agent --data` fetches from; empty is nowhere; an address that is not public is reached only where it is listed itself",
			set: func(r *reader, p *gate.Policy, n *yaml.Node) { r.strings(n, &p.Agent.Data, checkOrigin) }},
	}
}

// Reference returns the table of all keys as Markdown, for docs/policy.md.
func Reference() string {
	out := "| Key | Allowed | What it does | Scanned tree may set it |\n|---|---|---|---|\n"
	for _, k := range keys() {
		may := "yes"
		if k.machine {
			may = "no"
		}
		out += fmt.Sprintf("| `%s` | %s | %s | %s |\n", k.name, k.values, k.doc, may)
	}
	return out
}
