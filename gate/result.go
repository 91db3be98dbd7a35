package gate

// SchemaVersion is the version of the result document. Fields are added, never
// renamed, within a version.
const SchemaVersion = 1

// Result is the document that a run produces; the JSON form of it is the
// contract in report/schema. Every list is non-nil, so that it is written as [].
type Result struct {
	SchemaVersion int           `json:"schema_version"`
	Tool          Tool          `json:"tool"`
	Decision      Decision      `json:"decision"`
	Verdict       Verdict       `json:"verdict"`
	RiskScore     int           `json:"risk_score"` // the highest of the files
	Layers        []LayerResult `json:"layers"`
	Files         []FileResult  `json:"files"`
	Incomplete    []Gap         `json:"incomplete"`
	Skipped       []Skip        `json:"skipped"`
	// Executed is how much of the change ran; nil where the sandbox did not complete.
	Executed *Executed `json:"executed,omitempty"`
	// Override says who let a run pass that was not a pass by itself.
	Override *Overridden `json:"override,omitempty"`
	// Shard says that this is a part of a result.
	Shard *Shard `json:"shard,omitempty"`
}

// Shard says which part of a run a result is, and of which run. Parts belong
// together when they agree in everything but Index.
type Shard struct {
	Index   int      `json:"index"` // 1..Of
	Of      int      `json:"of"`
	Targets int      `json:"targets"` // of all shards together
	Plan    string   `json:"plan"`    // SHA-256 of which target is in which shard
	Change  string   `json:"change"`  // SHA-256 of what the shards together look at
	Policy  string   `json:"policy"`  // SHA-256 of the policy, without what differs from machine to machine
	FailOn  Severity `json:"fail_on"` // the policy's, which decides about the whole
	Base    string   `json:"base,omitempty"`
	Head    string   `json:"head,omitempty"`
}

// Overridden is a decision that an authorised user overrode. The
// verdict stays what it is.
type Overridden struct {
	By       string   `json:"by"`
	Label    string   `json:"label"`
	Reason   string   `json:"reason,omitempty"` // in their own words: hostile text
	Decision Decision `json:"decision"`         // what it would have been
}

// Tool names the program that produced a result.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// LayerStatus says what became of a layer. The zero value is not valid.
type LayerStatus string

// The states of a layer in the result document.
const (
	LayerRan     LayerStatus = "ran"
	LayerIdle    LayerStatus = "idle" // the sandbox completed and executed none of the change
	LayerSkipped LayerStatus = "skipped"
	LayerFailed  LayerStatus = "failed"
)

// Completed reports whether a layer did all that it had to do, if only nothing.
func (s LayerStatus) Completed() bool { return s == LayerRan || s == LayerIdle }

// LayerResult is the state of one layer. Reason is empty for a layer that ran.
type LayerResult struct {
	Name       Layer       `json:"name"`
	Status     LayerStatus `json:"status"`
	Reason     string      `json:"reason"`
	DurationMS int64       `json:"duration_ms"`
}

// FileResult is what a run found out about one target.
type FileResult struct {
	Path      string     `json:"path"`
	Language  Language   `json:"language"`
	SHA256    string     `json:"sha256"` // of the head content; empty where it could not be read
	Verdict   Verdict    `json:"verdict"`
	RiskScore int        `json:"risk_score"`
	Change    ChangeKind `json:"change"`
	OldPath   string     `json:"old_path,omitempty"`
	Role      Role       `json:"role"`
	Parent    string     `json:"parent,omitempty"` // set for decoded or run-time text, and for members of archives
	Origin    string     `json:"origin,omitempty"` // how it came out of the parent: "base64 on line 12"
	// Masked says that the file holds a secret, whether a finding says so or not:
	// its source must not be shown.
	Masked bool `json:"masked,omitempty"`
	// Summary says in one sentence the worst that the file does. It is set in written
	// results and read by no one.
	Summary string `json:"summary,omitempty"`
	// Size, Read and Unread say of every byte of the head content as what the static
	// layer read it, or why it did not.
	Size        int64       `json:"size,omitempty"`
	Read        []Reading   `json:"read,omitempty"`
	Unread      []Unread    `json:"unread,omitempty"`
	Attribution Attribution `json:"attribution"`
	Findings    []Finding   `json:"findings"`
	Judge       *Judgement  `json:"judge,omitempty"`
	Execution   *Execution  `json:"execution,omitempty"`
}

// Judgement is what the model said about one file, after the checks in program
// code. Reason is the model's text, and hostile.
type Judgement struct {
	Model          string  `json:"model"`
	Digest         string  `json:"digest"`
	PromptVersion  string  `json:"prompt_version,omitempty"` // absent in results of older versions
	Verdict        Verdict `json:"verdict"`
	Reason         string  `json:"reason"`
	DangerousLines []int   `json:"dangerous_lines"`
	Cached         bool    `json:"cached"`
	DurationMS     int64   `json:"duration_ms"`
}

// ExecutionStatus says how the run of a target ended.
type ExecutionStatus string

// The states of an execution in the result document. ExecutionFailed means that
// gate or the engine failed, not the program. Those of the second group are of files
// for which a program was started, and that did not run: their top level did not come
// to its end, and not all changed lines ran.
const (
	ExecutionExited  ExecutionStatus = "exited"
	ExecutionTimeout ExecutionStatus = "timeout" // it still worked when its time was up
	ExecutionWaiting ExecutionStatus = "waiting" // it still waited when its time was up
	ExecutionServing ExecutionStatus = "serving" // it waited for others to connect
	ExecutionOOM     ExecutionStatus = "oom"
	ExecutionKilled  ExecutionStatus = "killed"
	ExecutionNotRun  ExecutionStatus = "not_run"
	ExecutionFailed  ExecutionStatus = "failed"

	ExecutionSyntaxError   ExecutionStatus = "syntax_error"
	ExecutionMissingModule ExecutionStatus = "missing_module"
	ExecutionImportFailed  ExecutionStatus = "import_failed"
	ExecutionStoppedEarly  ExecutionStatus = "stopped_early" // the program ended before the code of the file
	ExecutionNoTestsRan    ExecutionStatus = "no_tests_ran"
	ExecutionNotBuilt      ExecutionStatus = "not_built"
)

// Interrupted reports whether a program was started for a file and the file did not run.
func (s ExecutionStatus) Interrupted() bool {
	switch s {
	case ExecutionSyntaxError, ExecutionMissingModule, ExecutionImportFailed, ExecutionStoppedEarly, ExecutionNoTestsRan, ExecutionNotBuilt:
		return true
	}
	return false
}

// Execution is what happened when a target was run. All text in it comes from
// the program under test, and is hostile.
type Execution struct {
	Status ExecutionStatus `json:"status"` // of the worst unit
	// Runnable says that the file holds something that could be executed, whether it
	// was or not: it is no document and no data.
	Runnable   bool        `json:"runnable,omitempty"`
	Reason     string      `json:"reason"`
	ExitCode   int         `json:"exit_code"`
	Units      []Unit      `json:"units"`
	StandIns   []string    `json:"stand_ins"`
	DurationMS int64       `json:"duration_ms"`
	Engine     string      `json:"engine"`  // "docker 20.10.24"
	Runtime    string      `json:"runtime"` // "runc"
	Image      string      `json:"image"`
	Resources  Resources   `json:"resources"`
	Behaviour  []Behaviour `json:"behaviour"`
	// Coverage is how many lines of the change there are ("changed"), how many of
	// them have code ("executable") and how many of those ran ("executed"), as far
	// as the program's own interpreter says: the program can forge it. It is empty
	// where nothing was measured, and then CoverageReason says why.
	Coverage       map[string]int `json:"coverage"`
	Uncovered      []LineRange    `json:"uncovered,omitempty"` // executable lines of the change that did not run, the first of them
	CoverageReason string         `json:"coverage_reason,omitempty"`
	// Cached says that all of it is known from earlier runs; see Unit.
	Cached bool `json:"cached,omitempty"`
}

// Unit is one run that a target took part in.
type Unit struct {
	Kind       string          `json:"kind"` // "script", "module", "exercise", "tests", "hook", "policy"; with a condition behind a comma; ", with the clock in 2030" and the like behind it for a run under another condition
	Command    []string        `json:"command"`
	Status     ExecutionStatus `json:"status"`
	Reason     string          `json:"reason"`
	ExitCode   int             `json:"exit_code"`
	DurationMS int64           `json:"duration_ms"`
	CPUMS      int64           `json:"cpu_ms,omitempty"` // processor time, 0 where it was not measured
	Stdout     Output          `json:"stdout"`
	Stderr     Output          `json:"stderr"`
	// Cached says that the program was not started this time: the very same run is
	// cached, with its times.
	Cached bool `json:"cached,omitempty"`
}

// Output is the bounded head of a stream.
type Output struct {
	Text      string `json:"text"`
	Bytes     int64  `json:"bytes"` // how much the program wrote, as far as it was counted
	Truncated bool   `json:"truncated"`
}

// Resources is what a run used. A zero value means that it was not measured.
type Resources struct {
	CPUMS       int64 `json:"cpu_ms"`
	MemoryBytes int64 `json:"memory_bytes"` // peak
	Pids        int64 `json:"pids"`         // peak
}

// Behaviour is something that a run was seen to do.
type Behaviour struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	Count  int    `json:"count"`
}
