package gate

import (
	"cmp"
	"time"
)

// Policy is what the owner of a repository wants of gate. Package gate/policy
// reads it from YAML and validates it; code that is handed a Policy may rely on
// its values being in range. The zero Policy is not valid: start from
// [DefaultPolicy].
type Policy struct {
	Profile   Profile   // where the values of several keys come from
	FailOn    Severity  // SeverityDangerous or SeveritySuspicious
	Deps      Deps      // dependencies of the base that the sandbox prepares itself
	DepsAdded DepsAdded // those that only the change names
	Require   []Layer   // layers that must complete
	Changes   string    // "ai" or "all"; gate pr only
	Paths     Paths
	Protect   []string // globs whose change or deletion is a finding
	Limits    Limits
	Rules     Rules
	Imports   Imports
	Judge     JudgePolicy
	Sandbox   SandboxPolicy
	Override  Override
	On        On
	Report    ReportPolicy
	Retention Retention
	Rate      Rate
	Agent     AgentPolicy
}

// Deps says which dependencies of the base commit a run installs in an image of their
// own before code of the change is executed. The zero value leaves it to the engine: it
// installs in CI, and asks where there is a user to ask.
type Deps string

// The values of [Deps].
const (
	DepsAuto   Deps = "auto"   // what lock files name, and without them what manifests ask for
	DepsLocked Deps = "locked" // what lock files name
	DepsNever  Deps = "never"  // nothing; an image that is there is used
)

// DepsAdded says whether a run also installs packages that only the change names. The zero
// value is [DepsAddedRegistry].
type DepsAdded string

// The values of [DepsAdded].
const (
	DepsAddedRegistry DepsAdded = "registry" // from the registries of the base and the machine
	DepsAddedNever    DepsAdded = "never"
)

// Paths selects files by doublestar globs on slash-separated paths.
type Paths struct {
	Include   []string
	Exclude   []string
	Overrides []PathOverride
}

// PathOverride changes `changes` for the paths that match. The last match wins.
type PathOverride struct {
	Match   string
	Changes string
}

// Limits bound the work of one run.
type Limits struct {
	FileSize int64         // bytes; a larger file is read in pieces, and INCOMPLETE unless it is data
	Files    int           // most targets of a run
	Budget   time.Duration // what it does not reach is INCOMPLETE
}

// Rules adjusts the static layer.
type Rules struct {
	Disable  []string            // rule ids
	Severity map[string]Severity // by rule id
	Dirs     []string            // folders with the user's own rules
	Usage    []Usage             // what is safe here, whatever a rule says
}

// Usage is a line that a rule may find without its finding deciding anything.
type Usage struct {
	Rule   string // its id
	Line   string // RE2; has to match all of the lines that the finding names
	Reason string
}

// Imports is the import allow-list. An empty Allow allows everything.
type Imports struct{ Allow []string }

// JudgePolicy says which model judges, and where.
type JudgePolicy struct {
	Model    string
	Fallback string
	Hosts    []string // base URLs, tried in order
}

// SandboxPolicy says how changed code is executed.
type SandboxPolicy struct {
	Runtime      string             // "runc", "runsc" or any runtime that the engine knows
	Memory       int64              // bytes; swap is not added to it; 0 is what fits the language, see [SandboxPolicy.MemoryFor]
	MemoryOf     map[Language]int64 // in place of Memory for single languages
	CPUs         float64            // cores; 0 is what fits the run
	Pids         int64              // processes and threads
	Timeout      time.Duration      // for one unit, without what it waits for a processor that others have
	TestTimeout  time.Duration      // of one run of tests; 0 is twice Timeout
	Conditions   int                // extra runs under other conditions, 0..8
	RunDangerous bool               // execute what a layer already calls dangerous
	Images       map[Language]string
	MemoryAlert  Alert             // the lowest peak of memory that is a finding
	CPUAlert     Alert             // the least processor time that is a finding
	Run          map[string]string // glob → command
	Egress       []string          // allow-list; empty means no network at all
	Go           string            // "native", or "wasip1": Go programs are compiled to WebAssembly and interpreted
	Python       string            // "standard", or "restricted": the interpreter refuses what Imports does not allow
}

// MemoryFor is the memory of a container for a language: its own, that of all, or what
// fits it. The compilers and the linker of Go run side by side in one container; all others
// have programs of the usual size.
func (p SandboxPolicy) MemoryFor(l Language) int64 {
	if l == LanguageGo {
		return cmp.Or(p.MemoryOf[l], p.Memory, 1<<30)
	}
	return cmp.Or(p.MemoryOf[l], p.Memory, 512<<20)
}

// ForTests is how long one run of tests may take.
func (p SandboxPolicy) ForTests() time.Duration { return cmp.Or(p.TestTimeout, 2*p.Timeout) }

// Override says who may pass a blocked pull request.
type Override struct {
	Label      string
	Permission string // "write", "maintain" or "admin"
}

// On says how a file counts for which a layer has no answer.
type On struct {
	NotExecutable Leniency // a program that did not run; ask MustRun
	UnknownType   Leniency
	LargeSource   Leniency // a new program of more than [LargeSource] bytes that a person is said to have written
}

// LargeSource is the size of a source file beyond which no reviewer reads it.
const LargeSource = 100 << 10 // bytes

// Leniency is "warn" or "incomplete".
type Leniency string

// The two ways to treat a file for which a layer has no answer.
const (
	LeniencyWarn       Leniency = "warn"
	LeniencyIncomplete Leniency = "incomplete"
)

// ReportPolicy switches what is published to GitHub.
type ReportPolicy struct{ Comment, Check, SARIF bool }

// Retention bounds how long local records are kept.
type Retention struct{ Logs time.Duration }

// Rate bounds how often the sandbox runs on a shared machine; 0 is unlimited.
type Rate struct{ RunsPerHour int }

// AgentPolicy is about programs that gate lets a model write.
type AgentPolicy struct {
	// Data are the hosts that data for them may be fetched from; empty is none.
	Data []string
}

// DefaultPolicy returns the policy of a repository without a .gate.yml.
func DefaultPolicy() Policy {
	p := Policy{
		Changes: "ai",
		Paths:   Paths{Include: []string{"**"}},
		Protect: []string{".gate.yml", ".gate-baseline.json"},
		Limits:  Limits{FileSize: 10 << 20, Files: 3000, Budget: 15 * time.Minute},
		Judge: JudgePolicy{
			Model:    "qwen2.5-coder:14b",
			Fallback: "qwen2.5-coder:7b",
			Hosts:    []string{"http://127.0.0.1:11434"},
		},
		Sandbox: SandboxPolicy{
			Runtime: "runc", Pids: 64,
			Timeout: 30 * time.Second, Conditions: 2, Python: "standard", Go: "native",
			MemoryAlert: Alert{Share: 0.8}, CPUAlert: Alert{Share: 0.8},
		},
		Override:  Override{Label: "gate:override", Permission: "maintain"},
		Report:    ReportPolicy{Comment: true, Check: true, SARIF: true},
		Retention: Retention{Logs: 7 * 24 * time.Hour},
	}
	ProfileDefault.Apply(&p)
	return p
}
