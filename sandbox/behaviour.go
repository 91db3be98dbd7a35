package sandbox

import (
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// Observe says what of a program's behaviour is recorded, and what it finds in
// its world so that its intent shows. All of it is harmless to a benign
// program.
type Observe struct {
	// Internet answers the program's network traffic inside its container, where
	// there is no other. Without it every connection fails as it does without a
	// network; it is recorded all the same.
	Internet bool
	// Bait gives the program what it may ask for before it does harm: the commands of package
	// tools on its search path, behind those of the image, and addresses of names that are
	// reserved for examples. Tests expect such names to be unknown.
	Bait bool
	// Egress are hosts, as "host:port" or as "host" for the ports of HTTPS and HTTP, that
	// the program reaches for real, through a
	// proxy of gate that looks after where they lead (package egress). Internet has to
	// be set; the rest of it stays simulated. No one but the owner of the machine may
	// name them.
	Egress []string
	// Canaries are secrets that mean nothing. Where one of them goes is evidence.
	Canaries []Canary
	// Metadata is the secret in what a cloud's metadata service answers: the value
	// of one of the canaries.
	Metadata string
	// Inputs asks which files of its input the program looks at; see [Inputs].
	Inputs bool
	// Reports is a folder, as an absolute path, in which the program or its interpreter
	// writes what only the caller reads. Files there are searched for canaries last, and
	// not below a second encoding. "" is none.
	Reports string
	// Hooks are put back where a program starts another one without them.
	Hooks []Hook
	// Plants are the files that the program finds beside its input: credentials
	// with canaries in them. Paths are absolute and in a folder that the profile
	// makes writable; a file that is there already stays as it is.
	Plants []File
}

// Hook is what some programs load before anything else, with whichever environment another program
// starts them. Either a variable says what, and is put there before they begin, or each of them does
// so by itself, and a file shows that: one that it opens. What began without it all the same is in
// [Behaviour.Unhooked].
type Hook struct {
	Programs []string // base names, without the number of a version

	Variable string
	Value    string // with which the variable begins; a space and what the program had follow. At most 64 KiB
	// Mark is a variable that tells that it was put there. It is empty where the program had no
	// such variable, else a = and what it had.
	Mark string
	// Copied is how large a copy of such a program is at least, in bytes: one that is in no folder of
	// the image is known by that and by the name of the variable in it, whatever its own name.
	Copied int64
	// Earlier are options that make a program load code before what the variable says.
	Earlier []string

	// Folder and File are the beginnings of the folder and of the name of that file.
	Folder, File string
}

// Unhooked is a program that began without a [Hook].
type Unhooked struct {
	Program string // its base name
	Why     string
	// Failed says that the variable could not be put there; else it is the program that does
	// without.
	Failed bool
}

// Canary is a random value that has no use but to be recognised.
type Canary struct {
	ID    string // what it stands for: "aws key"
	Value string // at least 20 letters and digits
}

// Action is a kind of behaviour.
type Action string

// What a program can be seen doing. The object follows the dash.
const (
	ActionRead      Action = "read"      // open a file for reading — its path
	ActionList      Action = "list"      // open a folder — its path
	ActionWrite     Action = "write"     // open a file for writing, or make one — its path
	ActionDelete    Action = "delete"    // — the path
	ActionRename    Action = "rename"    // — the old path; Args is the new one
	ActionLink      Action = "link"      // make a hard or symbolic link — its path; Args is where it leads
	ActionMode      Action = "mode"      // change permissions — the path; Args is the mode in octal
	ActionOwner     Action = "owner"     // change the owner — the path; Args is uid:gid
	ActionDevice    Action = "device"    // make a device or a pipe — its path
	ActionExec      Action = "exec"      // start a program — its path; Args are its arguments
	ActionConnect   Action = "connect"   // — the address, "unix:" and a path for local sockets
	ActionBind      Action = "bind"      // wait for others — the address
	ActionSend      Action = "send"      // send without a connection — the address
	ActionResolve   Action = "resolve"   // look up a name — "A example.com"
	ActionRequest   Action = "request"   // ask a server over HTTP — "POST https://example.com/in"
	ActionMail      Action = "mail"      // hand over mail — sender and recipients
	ActionTraffic   Action = "traffic"   // anything else that went to a peer — the peer
	ActionMetadata  Action = "metadata"  // ask the metadata service of a cloud — the path
	ActionMemory    Action = "memory"    // make a file that has no name — the name it was given
	ActionSignal    Action = "signal"    // send a signal to a process that is not its own — process and signal
	ActionTrace     Action = "trace"     // reach into another process — the call
	ActionNamespace Action = "namespace" // make or enter namespaces — the call
	ActionMount     Action = "mount"     // change what is mounted — the call and the target
	ActionModule    Action = "module"    // load code into the kernel — the call
	ActionPrivilege Action = "privilege" // become another user, or gain rights — the call
	ActionKernel    Action = "kernel"    // any other call that no ordinary program makes — the call
	ActionHide      Action = "hide"      // escape observation — the call
	ActionEgress    Action = "egress"    // reach a host that the policy opens — host and port; Args is the address, what was said, what became of it
	ActionLeak      Action = "leak"      // a canary was in what the program left behind — where
	ActionOverwrite Action = "overwrite" // a file of the input, or a planted one, has lost what it held when the run ends — its path; Args is a [Loss]
)

// Loss is what became of a file that still has its name and has lost what it held.
type Loss string

// The losses.
const (
	LossEmptied   Loss = "emptied"
	LossFilled    Loss = "filled"           // with one byte again and again
	LossCut       Loss = "cut"              // to a small part of its size
	LossAlike     Loss = "alike"            // several files with other content hold the same now
	LossScrambled Loss = "scrambled"        // it was text, or of a known kind, and is neither
	LossEncrypted Loss = "encrypted"        // it has the head of a format of encrypted data
	LossPacked    Loss = "packed"           // it was text, and is an archive, an image or the like
	LossRows      Loss = "without its rows" // a planted database of SQLite, most of whose rows are gone or changed
	// Of a planted branch or tag of Git; the path is that of its file.
	LossRewritten Loss = "rewritten" // it no longer has the commits that it had, but older ones
	LossReplaced  Loss = "replaced"  // its history has no commit of the one before
	LossRemoved   Loss = "removed"   // it is gone, and the repository is not
)

// Event is something that the program did or tried, however often it did so. All
// text in it is hostile.
type Event struct {
	Action Action
	Object string
	Args   []string
	Count  int64
	First  time.Duration // since the start of the program
	// Refused says that the sandbox refuses this call to everybody. Where it is
	// false, the call may still have failed: a file that is not there.
	Refused bool
	// Data is the head of what was sent, for traffic.
	Data []byte
	// Canaries are those that were recognised in it: "aws key (base64)".
	Canaries []string
}

// Capture is code that appeared while the program ran.
type Capture struct {
	Path      string // where it was: a path, "memfd:NAME", or "argument.sh" for none
	How       string // "executed", "written", [PassedAsArgument], [ReadFromPipe]
	Data      []byte
	Truncated bool
	// Sum is the SHA-256 of the whole file where Data is truncated; nil where that is not known.
	Sum []byte
}

// The beginnings of how code came that no file holds: to which program it was
// given (sh -c, python3 -c, node -e), or by which it was read.
const (
	PassedAsArgument = wire.PassedAsArgument
	ReadFromPipe     = wire.ReadFromPipe
)

// NoForward is the Clock of a run that was to be fast-forwarded where nothing can do that.
const NoForward = wire.NoForward

// Inputs are the files of its input at which a program looked, as paths relative to the
// workspace. Names, kinds, permissions and link targets count as looked at always. What
// times and numbers of files a program saw is not said.
type Inputs struct {
	Read     []string // whose content it may have seen
	Sized    []string // whose size alone
	AllSizes bool     // the sizes of all files
	Room     bool     // how many pages of memory all files take together
	Why      string   // AllSizes is set: the first reason
}

// Behaviour is what was seen of a program. The zero value means that nothing was
// watched.
type Behaviour struct {
	// Recorder is how it was watched: "seccomp-notify" or "ptrace"; "" is not at all.
	Recorder string
	Events   []Event // in order of the first time
	Captures []Capture
	// Lost is how many events were not kept. Anyone who asks whether a program did
	// something must not take its absence for an answer when this is not zero.
	Lost int64
	// Unhooked are the programs that began without one of [Observe.Hooks]; at most 16.
	Unhooked []Unhooked
	// Uncaptured is how many pieces of code appeared beyond those in Captures.
	Uncaptured int64
	// Unsearched is how many bytes of output and of written files are beyond what
	// is searched for canaries.
	Unsearched int64
	// Unopened is how many written files had compressed data in them that would have
	// cost too much to look at to its end.
	Unopened int64
	// Inputs is nil where it was not asked for, or is not known without holes.
	Inputs *Inputs
	// Random says that the program asked the kernel for random numbers after it had
	// opened or run a file of its input; what an interpreter asks for before does not
	// count. It is seen only where inputs are asked for, whether or not they could be recorded.
	Random bool
}
