// Package supervisor is the first process of every sandbox container. It takes
// one job over standard input, unpacks the input, starts the program with its
// limits, reports what became of it in frames on standard output, and takes
// everything down with it when it ends. It is gate itself in a hidden mode, so
// that any Linux image will do: nothing in the image is needed or trusted.
//
// Package supervisor/probe is another hidden mode: it tries from inside what an
// attacker tries.
//
// What it promises: the program cannot kill, stop, trace or impersonate it; what
// outlives the program's first process is watched until the time is over, and then
// ended and named; reports are complete or visibly
// broken; it ends, and with it the container, as soon as the host is gone.
//
// What it does not do: confine. Namespaces, cgroups, mounts and the system call
// profile come from the engine and hold without it. It does not judge either.
//
// Where it is asked, it says which files of the input the program looked at. That record
// errs to one side: what cannot be followed counts as looked at, and a record that may
// have holes is none. It also says whether random numbers were asked for after the start
// of an interpreter. Clocks, times of files and numbers of inodes are
// outside of it. io_uring is refused by the profile; a process that reads another one's
// memory finds there what was opened, which is recorded for the file and not for the
// process; what the launch stage and the supervisor open for a run is of the image.
//
// There are two stages in it. Process 1 supervises. It has started the launch
// stage beforehand, which waits for its order, limits itself, and becomes the
// program; so starting needs no new process when time counts.
package supervisor

// Mode is the one argument that makes gate be the supervisor.
const Mode = "__supervise"

// Workspace is where the input is unpacked and where the program starts.
const Workspace = "/workspace"

// InputFolder has what a user gives to a program, and OutputFolder takes what it hands
// out. Both are there in every container.
const (
	InputFolder  = "/input"
	OutputFolder = "/output"
	// ToolFolder has stand-ins for commands that an image lacks.
	ToolFolder = "/.gate/tools"
)

// ReadOnly is the mode of an input that the program can read and not write to.
const ReadOnly = 0o444
