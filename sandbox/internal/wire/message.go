package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Version is the version of this language. Host and supervisor are the same
// binary, so anything else is a mistake and refused.
const Version = 7

// Hello is the first thing that the supervisor says: it is there and waits.
type Hello struct {
	Version int
}

// Job is one program to run. All fields are set by the host; none has a default.
type Job struct {
	Version int
	Key     []byte   // seals everything that the supervisor says from now on
	Argv    []string // the program and its arguments
	Env     []string // KEY=value, added to the environment of the image
	Dir     string   // slash-separated, relative to the workspace
	Output  []string // paths relative to the workspace to bring back, and the folder for output

	// Timeout is the time that the program has, from its start. That in which others keep it
	// from a processor does not count, up to Stretch times in all.
	Timeout time.Duration
	// Budget is when tests end by a clock of their own, which HeldFile puts right; 0 is never.
	Budget time.Duration
	Cores  float64 // that the container may use

	// What each process of the program may use at most; 0 is unlimited.
	CPUSeconds   uint64
	AddressSpace uint64 // bytes
	FileSize     uint64 // bytes
	OpenFiles    uint64

	// What the container may use. The kernel holds this where it can; elsewhere
	// the supervisor watches it.
	Memory int64 // bytes
	Pids   int64

	// What is kept and brought back.
	StreamBytes int64 // of standard output, and of standard error
	OutputBytes int64 // of all files together
	OutputFiles int

	// What is taken in.
	InputBytes   int64
	InputEntries int

	Observe *Observe // nil is not observed

	Forward bool // skip what the program waits for; it has to be observed
	Settle  bool // end the program when it does nothing but wait
	Ask     *Ask // what it is asked when it waits for others; nil is nothing
}

// Observe asks for the behaviour of the program.
type Observe struct {
	Internet bool
	Bait     bool // stand-ins for commands, and answers for reserved names
	// Egress are the hosts, as "host:port", to which connections are tunnelled.
	Egress   []string
	Metadata string
	Canaries []Canary
	Plants   []Plant
	Inputs   bool // record which files of the input the program looks at
	Reports  string
	Hooks    []Hook
}

// Hook is what some programs load before anything else, with whichever environment another program
// starts them. Either a variable says what, and is put there, or each of them does so by itself,
// which a file shows that it opens.
type Hook struct {
	Programs []string // base names, without the number of a version

	Variable string
	Value    string // with which the variable begins; a space and what the program had follow
	// Mark is a variable that tells that it was put there. It is empty where the program had
	// none, else a = and what it had.
	Mark string
	// Copied is how large a copy of such a program is at least, in bytes: one from another folder is
	// known by that and by the name of the variable in it.
	Copied int64
	// Earlier are options that make a program load code before what the variable says.
	Earlier []string

	// Folder and File are the beginnings of the folder and of the name of that file.
	Folder, File string
}

func (h Hook) check() error {
	switch {
	case len(h.Programs) == 0 || len(h.Value) > MaxHook || strings.ContainsRune(h.Variable+h.Value+h.Mark, 0):
	case h.Variable == "" && h.Folder != "" && h.File != "" && h.Mark == "":
		return nil
	case h.Variable != "" && h.Mark != "" && h.File == "" && !strings.Contains(h.Variable+h.Mark, "="):
		return nil
	}
	return fmt.Errorf("job: a hook of %q with the variable %q of %d bytes and the file %q", h.Programs, h.Variable, len(h.Value), h.File)
}

// Unhooked is a program that began without a hook.
type Unhooked struct {
	Program string // its base name
	Why     string
	// Failed says that the variable could not be put there; else it is the program that does
	// without.
	Failed bool
}

// Inputs are the files of the input at which a program looked, as paths relative to the
// workspace. A file is in one list at most.
type Inputs struct {
	Read     []string // whose content it may have seen
	Sized    []string // whose size alone
	AllSizes bool     // the sizes of all files
	Room     bool     // how many pages of memory all files take together
	Why      string   // AllSizes is set: the first reason
}

// Canary is a value that is to be recognised wherever it goes.
type Canary struct {
	ID    string
	Value string
}

// Plant is a file that the program finds.
type Plant struct {
	Path string // absolute
	Data []byte
}

// Event is something that the program did. The fields are those of sandbox.Event.
type Event struct {
	Action   string
	Object   string
	Args     []string
	Count    int64
	First    time.Duration
	Refused  bool
	Data     []byte
	Canaries []string
}

// Capture announces code that appeared; the data follows in frames of its own.
type Capture struct {
	Path      string
	How       string
	Data      []byte
	Truncated bool
	Sum       []byte // SHA-256 of all of a file of which Data is the head; nil where that is not known
}

// The beginnings of how code came that an interpreter was given, and was in no file.
const (
	PassedAsArgument = "passed as an argument"
	ReadFromPipe     = "read from a pipe"
)

// Open announces a tunnel: a connection of the program to a host outside.
type Open struct {
	ID   uint32
	Host string
	Port uint16
}

// Bounds of tunnels.
const (
	MaxTunnels   = 64
	MaxEgress    = 128 // hosts, once for each port
	TunnelHeader = 4   // bytes in front of the data of a tunnel: its number
)

// NoForward says that the supervisor cannot skip time where it runs.
const NoForward = "time cannot be skipped on this kind of machine"

// Bounds of what is observed. A frame carries one event or capture, so that each
// stays far below MaxMessage.
const (
	MaxEvents    = 1 << 16
	MaxCaptures  = 1024
	MaxCapture   = 1 << 20 // bytes of one capture
	MaxCaptured  = 4 << 20 // bytes of all captures
	MaxFull      = 4       // folders that are looked at for room
	MaxText      = 4 << 10 // bytes of an object, of the arguments together, and of data
	MaxPlants    = 128
	MaxHooks     = 8
	MaxHook      = 64 << 10 // bytes of the value of a hook
	MaxUnhooked  = 16
	MaxWhy       = 200 // bytes of why a program began without
	MaxCanaries  = 64
	MaxInputs    = 4096      // files and folders of an input that is recorded
	MaxInputText = 256 << 10 // bytes of all their paths together
	MaxLeft      = 16        // processes that are named
	MaxCommand   = 512       // bytes of the command of each
)

// Stretch is how many times its limit a program may take when others keep it from a
// processor.
const Stretch = 4

// HeldFile says to tests for how many milliseconds others have kept them from a processor. It
// is there when there is something to say.
const HeldFile = "/dev/shm/.gate-held"

// Cause says what ended the program.
type Cause string

// What can end a program. The zero value is no cause.
const (
	CauseExit    Cause = "exit"    // it ended by itself or by a signal
	CauseTimeout Cause = "timeout" // the supervisor, when the time was over
	CauseMemory  Cause = "memory"  // the supervisor, for want of a kernel that does
	CausePids    Cause = "pids"    // likewise
)

// Exit is what became of the program.
type Exit struct {
	Cause    Cause
	Code     int // of the first process, when it exited
	Signal   int // that ended the first process, or 0
	Duration time.Duration
	CPU      time.Duration
	Memory   int64    // peak in bytes; 0 is not measured
	Pids     int64    // peak; 0 is not measured
	OOMKills int64    // how often the kernel killed for want of memory
	Full     []string `json:",omitempty"` // folders in which no space was left at the end
	Stdout   int64    // bytes written in all
	Stderr   int64
	Inputs   *Inputs // nil is not known
	Random   bool    // its program asked for random numbers; told only where inputs are asked for
	Recorder string  // how behaviour was recorded; "" is not at all
	Lost     int64   // events that were not kept

	// Left are the commands of processes that still ran when the first one had ended
	// and the time was over; there may have been More.
	Left []string
	More int

	Skipped time.Duration // of the waits in a run that was fast-forwarded
	Skips   int           // how many they were
	Clock   string        // why the program may have seen another clock, "" for nothing

	Waited    time.Duration // in which nothing of the program ran
	Held      time.Duration // in which others kept it from a processor
	Idle      bool          // when the time was over, everything of it waited
	Listening bool          // it waited for others on a socket
	Asked     *Asked        // nil where it was not asked

	Unhooked   []Unhooked
	Uncaptured int64 // pieces of code that appeared and were not kept
	Unopened   int64 // files with compressed data that was not looked at to its end
	Unsearched int64 // bytes of output and files in which no canary was looked for
}

// File announces a file of the requested output, or says why it does not come.
type File struct {
	Path    string
	Size    int64
	Refused string // why it was not brought back; no data follows
}

// Fail says that the supervisor could not do its work.
type Fail struct {
	Reason string
}

// Encode returns v as the payload of a frame.
func Encode(v any) ([]byte, error) { return json.Marshal(v) }

// Decode reads the payload of a frame into v: one JSON value, no unknown keys,
// nothing behind it.
func Decode(payload []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("decode %T: something follows the value", v)
	}
	return nil
}

// DecodeJob reads and checks a job.
func DecodeJob(payload []byte) (Job, error) {
	var j Job
	if err := Decode(payload, &j); err != nil {
		return Job{}, err
	}
	return j, j.check()
}

func (j *Job) check() error {
	texts := append(append([]string{j.Dir}, j.Argv...), j.Env...)
	for _, s := range append(texts, j.Output...) {
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("job: %q contains a zero byte", s)
		}
	}
	for _, e := range j.Env {
		if i := strings.IndexByte(e, '='); i < 1 {
			return fmt.Errorf("job: environment entry %q is not KEY=value", e)
		}
	}
	switch {
	case j.Version != Version:
		return fmt.Errorf("job: version %d, this supervisor speaks %d", j.Version, Version)
	case len(j.Key) != KeySize:
		return fmt.Errorf("job: the key has %d bytes, want %d", len(j.Key), KeySize)
	case len(j.Argv) == 0 || j.Argv[0] == "":
		return errors.New("job: no program to run")
	case j.Timeout <= 0:
		return errors.New("job: no time limit")
	case j.Budget < 0 || !(j.Cores > 0):
		return fmt.Errorf("job: %s for tests on %v cores", j.Budget, j.Cores)
	case j.Memory <= 0 || j.Pids <= 0:
		return errors.New("job: no limit of memory or processes")
	case j.StreamBytes < 0 || j.OutputBytes < 0 || j.OutputFiles < 0 || j.InputBytes < 0 || j.InputEntries < 0:
		return errors.New("job: negative limit")
	}
	if j.Forward && j.Observe == nil {
		return errors.New("job: fast-forwarded and not observed")
	}
	if j.Ask != nil && j.Observe == nil {
		return errors.New("job: asked and not observed")
	}
	if err := j.Ask.Check(); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	return j.Observe.check()
}

func (o *Observe) check() error {
	if o == nil {
		return nil
	}
	if len(o.Egress) > MaxEgress {
		return fmt.Errorf("job: %d hosts and ports outside, at most %d are taken", len(o.Egress), MaxEgress)
	}
	if len(o.Canaries) > MaxCanaries || len(o.Plants) > MaxPlants {
		return fmt.Errorf("job: %d canaries and %d planted files, at most %d and %d are taken", len(o.Canaries), len(o.Plants), MaxCanaries, MaxPlants)
	}
	for _, c := range o.Canaries {
		if len(c.Value) < 20 {
			return fmt.Errorf("job: canary %q is shorter than 20 bytes and would be found by chance", c.ID)
		}
	}
	if len(o.Hooks) > MaxHooks {
		return fmt.Errorf("job: %d hooks, at most %d are taken", len(o.Hooks), MaxHooks)
	}
	for _, h := range o.Hooks {
		if err := h.check(); err != nil {
			return err
		}
	}
	for _, p := range o.Plants {
		if !strings.HasPrefix(p.Path, "/") || strings.ContainsRune(p.Path, 0) {
			return fmt.Errorf("job: planted file %q is not an absolute path", p.Path)
		}
	}
	return nil
}

// What a container needs beside what the program may use.
const (
	// SupervisorPids are the processes and threads of the supervisor.
	SupervisorPids = 16
	// KernelMemory is for the kernel of a runtime that brings its own (gVisor, a
	// virtual machine), in bytes. The supervisor holds such a program to its limit;
	// the engine holds the whole.
	KernelMemory = 128 << 20
)

// MaxStdin is the most standard input that a program gets, in bytes.
const MaxStdin = 4 << 20
