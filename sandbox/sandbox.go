package sandbox

import (
	"archive/tar"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/sandbox/supervisor"
)

// Workspace is where the input is unpacked and where the program starts.
const Workspace = "/workspace"

// Two more folders of every container. In InputFolder is what Spec.Given writes, and
// nothing of it can be written to; OutputFolder is empty, and what a program leaves there
// is brought back where Spec.Output names it.
const (
	InputFolder  = supervisor.InputFolder
	OutputFolder = supervisor.OutputFolder
)

// HeldFile is where tests read for how many milliseconds others have kept them from a
// processor. It is there when there is something to say, and Spec.Budget is set.
const HeldFile = wire.HeldFile

// Gate is where gate itself lies in every container: the supervisor, and the
// interpreter of WebAssembly modules.
const Gate = defaultEntry + "/gate"

// Spec is one program to run. Zero limits mean the defaults of [Limits].
type Spec struct {
	Image   string   // reference of an image that is already there; never pulled during a run
	Runtime string   // "runc", "runsc" or any runtime that the engine knows; "" is runc
	Argv    []string // the program and its arguments; never a shell line
	Env     []string // KEY=value; added to the image's own
	Dir     string   // slash-separated, relative to Workspace
	Stdin   []byte   // what the program reads from standard input
	// Input writes the files that the program finds in Workspace. Paths are
	// relative; regular files, directories and symbolic links only. A file of mode
	// 0444 can be read only, any other can be written to as well.
	Input func(*tar.Writer) error
	// Given writes the files of InputFolder, in the same way; nil is none.
	Given func(*tar.Writer) error
	// Output lists paths relative to Workspace to bring back after the run; a
	// folder stands for every regular file below it. OutputFolder may be among them: its
	// files come back under their absolute paths, after all others.
	Output     []string
	Limits     Limits
	Exceptions Exceptions
	// Observe asks for the behaviour of the program; nil is not observed.
	Observe *Observe
	// FastForward skips what the program waits for: its waiting calls end early and
	// the clocks that it sees go along. Time goes on as ever while one of its threads
	// works. It has to be observed.
	FastForward bool
	// EndIdle ends the program before its time is up when it does nothing but wait: after
	// a few seconds where it waits for longer than its time or for others, and after a
	// third of its time where it wakes up now and then. Such a run is Waiting or Serving.
	EndIdle bool
	// Ask says what the program is asked when it waits for others to connect; nil is
	// nothing. It has to be observed, and is not asked where it is fast-forwarded. One that
	// is ended because its time is up gets SIGPWR before, where it has a handler for that.
	Ask *Ask
	// Budget is when the program ends by a clock of its own, as tests do; 0 is never. In
	// [HeldFile] it reads by how much later that is, because others kept it from a processor. When
	// it is two seconds late, the first timeout(1) of it gets SIGALRM.
	Budget time.Duration
	// Audit asks the engine how the container is confined and what it was used for.
	Audit bool
}

// Limits bound one run.
type Limits struct {
	Memory int64   // bytes; memory and swap together
	CPUs   float64 // cores
	Pids   int64   // processes and threads
	// Timeout is the time of the program, from its start. That in which others keep it from a
	// processor does not count, up to four times in all.
	Timeout   time.Duration
	Workspace int64 // bytes of Workspace and of /tmp, each; they count as memory
	Inodes    int64 // files, folders and links in Workspace and in /tmp, each
	Stdout    int64 // bytes kept of standard output, and of standard error
	Output    int64 // bytes of files brought back
}

// Exceptions are the few per-language exceptions to the profile, each with its
// reason where it is applied.
type Exceptions struct {
	ExecutableTmp bool // /tmp without noexec: `go test` runs what it has just linked
	// ExecutableWorkspace is the workspace without noexec: tests and scripts start scripts and programs
	// of their project by the kernel.
	ExecutableWorkspace bool
	NoAddressSpace      bool // no RLIMIT_AS: Node and Go reserve far more than they use
	// NoProcessLimits leaves out the limits of the program's own process (memory, CPU
	// time, size of a file), by which it can tell that it is watched. Those of the
	// container, the sizes of its folders and the wall clock hold it all the same.
	NoProcessLimits bool
}

// Status says how a run ended. The zero value means that no one knows.
type Status string

// How a run can end. Killed is the end by another limit than those of time and
// memory, or because the caller wanted no more. Failed means that the engine or
// the supervisor failed, so that nothing can be said about the program.
const (
	Exited  Status = "exited"
	Timeout Status = "timeout" // it still worked when its time was over
	Waiting Status = "waiting" // it still waited when its time was over
	Serving Status = "serving" // likewise, for others to connect
	OOM     Status = "oom"
	Killed  Status = "killed"
	Failed  Status = "failed"
)

// Result is what became of one run. All text in it is hostile.
type Result struct {
	Status    Status
	Full      []string // folders in which no space was left when the program had ended
	Reason    string   // in one sentence what happened; always there for OOM, Killed and Failed
	ExitCode  int      // of the program when it exited; 128+n after signal n; -1 when it was ended
	Stdout    Stream
	Stderr    Stream
	Files     []File    // the requested output, in order of path
	Refused   []Refusal // requested output that was not brought back, in order of path
	Duration  time.Duration
	Left      Left
	Waited    time.Duration // in which nothing of the program ran
	Held      time.Duration // in which others kept it from a processor, as far as that can be told
	Skipped   time.Duration // what was skipped of its waits, where that was asked for
	Asked     *Asked        // what it was asked while it waited for others; nil is nothing
	Clock     string        // why it may have seen another clock meanwhile, "" for nothing
	Resources Resources
	Behaviour Behaviour
	Engine    string // "docker 20.10.24"
	Runtime   string
	Image     string
	ImageID   string
	Started   bool   // the program ran, whatever became of the report about it
	Audit     *Audit // nil where no one asked, or the engine did not say
}

// Left is what still ran when the program had ended and its time was over. A child
// that ends by itself in time is not among it.
type Left struct {
	Commands []string // as they were started; hostile, and bounded
	More     int      // how many others there were
}

// Any reports whether something was left.
func (l Left) Any() bool { return len(l.Commands) > 0 || l.More > 0 }

// Stream is the head of what a program wrote.
type Stream struct {
	Data      []byte
	Bytes     int64 // how much it wrote in all
	Truncated bool
}

// File is a regular file that was brought back.
type File struct {
	Path string
	Data []byte
}

// Refusal is requested output that was not brought back.
type Refusal struct {
	Path   string
	Reason string
}

// Resources is what a run used; zero means not measured.
type Resources struct {
	CPU    time.Duration
	Memory int64 // peak, bytes
	Pids   int64 // peak
}
