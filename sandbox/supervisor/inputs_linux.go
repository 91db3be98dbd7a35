package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// inputs is which files of its input a program looked at. It has two sources:
//
// The content of a file is reached by opening it, and the kernel itself says which
// files were opened, moved, linked or changed: there is an inotify watch on each of
// them. A watch belongs to the file and not to a path, so it sees what comes through a
// hard link, /proc/self/fd, a file mapping, the line "#!" of a script or a path that
// another thread exchanged during the call.
//
// The size of a file is reached without opening it. The calls that say it are watched
// calls, whose paths are resolved here. Such a path is only believed while nothing runs
// beside the thread that asks. Beside a second thread or process the supervisor makes
// these calls for the program (stat_linux.go); what it cannot follow makes the sizes of
// all files count as looked at.
// Who asks how much memory or room there is learns how many pages they take together, and
// a program of several threads may have asked without being seen: it counts as if it had.
//
// Names, kinds, permissions and link targets are not recorded: a user of this counts
// them as looked at always. Times, numbers of files and processes, and what a clock
// shows are not recorded either; nothing here makes two runs agree about them.
type inputs struct {
	notify int // the inotify descriptor, or [chanceOnly]
	files  map[int32]string
	dirs   map[int32]bool
	inodes map[inode]string // of the same files
	read   map[string]bool  // files that count as opened from the start

	mu    sync.Mutex
	sized map[string]bool
	all   bool   // the sizes of all files
	room  bool   // the memory that all files take together
	why   string // the first reason for that

	beside bool // a second thread or process was made
	began  bool // a file of the input was opened or run
	random bool // and random numbers asked for after that

	seeds map[int]int // requests with which threads of Node seeded their engine
}

// chanceOnly stands for the descriptor of inputs that are not recorded. All that is known of such
// a run is whether it asked for random numbers.
const chanceOnly = -1

// watchChance records nothing but that random numbers are asked for.
func watchChance() *inputs {
	return &inputs{notify: chanceOnly, all: true, seeds: map[int]int{}}
}

// inode is a file wherever its name is.
type inode struct{ dev, ino uint64 }

// watchInputs watches files and folders below the workspace. It returns nil where not
// all of them can be: their record would have holes.
func watchInputs(files, folders, output []string) *inputs {
	text := 0
	for _, f := range files {
		if text += len(f); !utf8.ValidString(f) {
			return nil
		}
	}
	if len(files)+len(folders) > wire.MaxInputs || text > wire.MaxInputText {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	in := &inputs{notify: fd, files: map[int32]string{}, dirs: map[int32]bool{}, inodes: map[inode]string{}, read: map[string]bool{}, sized: map[string]bool{}, seeds: map[int]int{}}
	if err := in.watch(files, folders); err != nil {
		in.close()
		return nil
	}
	for _, f := range files { // what is brought back is read by the supervisor, at the end
		for _, o := range output {
			if o = path.Clean(o); o == "." || f == o || strings.HasPrefix(f, o+"/") {
				in.read[f] = true
			}
		}
	}
	return in
}

func (in *inputs) watch(files, folders []string) error {
	for _, f := range files {
		full := path.Join(Workspace, f)
		var s unix.Stat_t
		if err := unix.Lstat(full, &s); err != nil {
			return fmt.Errorf("look at %s: %w", full, err)
		}
		// Once is enough, so a queue that holds two events for each cannot overflow.
		wd, err := unix.InotifyAddWatch(in.notify, full, unix.IN_OPEN|unix.IN_ACCESS|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_MOVE_SELF|unix.IN_ONESHOT|unix.IN_DONT_FOLLOW)
		if err != nil {
			return fmt.Errorf("watch %s: %w", full, err)
		}
		in.files[int32(wd)], in.inodes[inode{s.Dev, s.Ino}] = f, f
	}
	for _, f := range folders {
		full := path.Join(Workspace, f)
		wd, err := unix.InotifyAddWatch(in.notify, full, unix.IN_MOVE_SELF|unix.IN_ONESHOT|unix.IN_DONT_FOLLOW|unix.IN_ONLYDIR)
		if err != nil {
			return fmt.Errorf("watch %s: %w", full, err)
		}
		in.dirs[int32(wd)] = true
	}
	if len(in.files) != len(files) {
		return errors.New("two names of one file")
	}
	return nil
}

func (in *inputs) close() {
	if in.notify != chanceOnly {
		_ = unix.Close(in.notify)
	}
}

// watches are the calls that tell what is recorded.
func (in *inputs) watches() []watch {
	if in.notify == chanceOnly {
		return chanceWatches()
	}
	return inputWatches()
}

// everything makes the sizes of all files count as looked at.
func (in *inputs) everything(why string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.all {
		in.all, in.why = true, why
	}
}

// memory makes the number of pages that all files take count as looked at.
func (in *inputs) memory() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.room = true
}

// together notes that the program makes a second thread or process, which may change what
// a call points to until the kernel reads it.
func (in *inputs) together() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.beside, in.room = true, true
}

func (in *inputs) isBeside() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.beside
}

// begins notes that the program has reached its input: what asks for random numbers from
// now on may be code of the input, and no longer the start of an interpreter.
func (in *inputs) begins() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.began = true
}

// The engine of Node seeds itself with some requests for each thread that runs code, before it
// does, and no JavaScript can make such a request: what a program asks for is larger.
const (
	nodeProgram = "/usr/local/bin/node" // on the read-only root folder of the image
	nodeSeed    = 8                     // bytes
	nodeSeeds   = 8                     // requests at most
)

// isStart reports whether a request for random numbers is one of the start of a thread of Node.
func (in *inputs) isStart(r *reading) bool {
	if r.args[1] != nodeSeed || r.args[2] != 0 {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.seeds[r.pid]++
	return in.seeds[r.pid] <= nodeSeeds && r.link("exe") == nodeProgram
}

// chance notes that random numbers are asked for.
func (in *inputs) chance() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.random = in.random || in.began
}

func (in *inputs) asksRandom() bool {
	if in == nil {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.random
}

// ownRandom is how many bytes the C library asks for in each process that it starts, to
// protect its memory.
const ownRandom = 8

func (in *inputs) settled() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.all
}

// inputWatches are the calls that say the size of a file that is not open, and those
// after which that can no longer be told.
func inputWatches() []watch {
	everything := func(why string) func(*reading) wire.Event {
		return func(r *reading) wire.Event { r.inputs.everything(why); return wire.Event{} }
	}
	memory := func(r *reading) wire.Event { r.inputs.memory(); return wire.Event{} }
	return slices.Concat(legacyInputWatches(), sizings(), chanceWatches(), []watch{
		{unix.SYS_STATFS, nil, memory},
		{unix.SYS_FSTATFS, nil, memory},
		{unix.SYS_SYSINFO, nil, memory},
		{unix.SYS_CLONE, nil, begets},
		{unix.SYS_NAME_TO_HANDLE_AT, nil, everything("it asked for the handle of a file")},
		{unix.SYS_IO_SETUP, nil, everything("it reads and writes beside its calls")},
		{unix.SYS_INOTIFY_ADD_WATCH, nil, everything("it watches files")},
		{unix.SYS_FANOTIFY_MARK, nil, everything("it watches files")},
	})
}

// chanceWatches are the calls that ask for random numbers.
func chanceWatches() []watch {
	return []watch{{unix.SYS_GETRANDOM, nil, func(r *reading) wire.Event {
		own := r.args[1] <= ownRandom && r.args[2] == unix.GRND_NONBLOCK
		if !own && !r.inputs.isStart(r) {
			r.inputs.chance()
		}
		return wire.Event{}
	}}}
}

// begets is the watch of calls that make a thread or a process.
func begets(r *reading) wire.Event {
	r.inputs.together()
	return wire.Event{}
}

// unresolved is why all sizes count after a path that leads where the supervisor does
// not follow.
const unresolved = "it asked for a path that cannot be followed"

// sees notes what a call that is recorded anyway says about the input.
func (in *inputs) sees(r *reading, e wire.Event) {
	if in == nil {
		return
	}
	switch {
	case strings.HasPrefix(e.Object, Workspace+"/") && !isSettings(r, e):
		in.begins()
	case e.Object == "/dev/urandom", e.Object == "/dev/random":
		in.chance()
	}
	if in.settled() {
		return
	}
	dir, at, sized := int32(unix.AT_FDCWD), r.args[0], false
	switch r.nr {
	case callOpen:
		sized = asksOnly(r.args[1])
	case unix.SYS_OPENAT:
		dir, at, sized = int32(r.args[0]), r.args[1], asksOnly(r.args[2])
	case unix.SYS_OPENAT2: // its flags are in memory
		dir, at, sized = int32(r.args[0]), r.args[1], true
	}
	switch {
	case sized && in.isBeside():
		in.everything(clipped("beside a second thread or process it asked for a path without opening it: ", e.Object))
	case sized:
		in.asked(r, sizing{dir: dir, path: at})
	}
	if isMemoryUsed(e.Object) {
		in.memory()
		return
	}
	// What the kernel tells about memory tells how much all files take.
	for _, dir := range []string{"/proc", "/sys"} {
		if (e.Object == dir || strings.HasPrefix(e.Object, dir+"/")) && !aboutProcessors(e.Object) {
			in.everything(clipped("it opened a file in "+dir+": ", e.Object))
		}
	}
	if r.unreadable || strings.Contains(e.Object, unread) {
		in.everything(unresolved)
	}
}

// isSettings reports whether what is opened below the workspace holds no code: a folder, or the
// settings of pytest, which it reads before it is done with its own start.
func isSettings(r *reading, e wire.Event) bool {
	flags, ok := uint64(0), true
	switch r.nr {
	case callOpen:
		flags = r.args[1]
	case unix.SYS_OPENAT:
		flags = r.args[2]
	default:
		ok = false
	}
	switch {
	case !ok:
		return false
	case flags&unix.O_DIRECTORY != 0:
		return true
	}
	switch path.Base(e.Object) {
	case "pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg":
		return strings.HasPrefix(path.Base(r.link("exe")), "python3")
	}
	return false
}

// asksOnly reports whether flags of an open get a descriptor of a file that is not opened.
func asksOnly(flags uint64) bool {
	return flags&unix.O_PATH != 0 && flags&unix.O_DIRECTORY == 0 // that of a folder, or none
}

// clipped is a reason with the name that belongs to it, where there is room for it.
func clipped(reason, name string) string {
	if full := reason + strconv.Quote(name); len(full) <= wire.MaxWhy {
		return full
	}
	return strings.TrimSuffix(reason, ": ")
}

// aboutProcessors reports whether a file of the kernel is one of those that runtimes look at
// when they start, and that say nothing about memory.
func aboutProcessors(name string) bool {
	switch name {
	case "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/self/maps", "/proc/cpuinfo", "/proc/sys/net/core/somaxconn", "/proc/version", "/proc/version_signature", "/proc/filesystems",
		"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/kernel/mm/hugepages": // the sizes that there are, as names; what is in it says more
		return true
	}
	if strings.HasPrefix(name, "/sys/fs/cgroup/") {
		// Limits are those of the run.
		return slices.Contains([]string{"cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.max", "memory.high", "memory.limit_in_bytes", "memory.soft_limit_in_bytes"}, path.Base(name))
	}
	return strings.HasPrefix(name, "/sys/devices/system/cpu/")
}

// isMemoryUsed reports whether a file of the kernel says how many pages are in use: Node asks for
// that when it starts.
func isMemoryUsed(name string) bool {
	return name == "/proc/meminfo" || strings.HasPrefix(name, "/sys/fs/cgroup/") && slices.Contains([]string{"memory.current", "memory.usage_in_bytes"}, path.Base(name))
}

// note notes that a file was asked for.
func (in *inputs) note(s unix.Stat_t) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if f, ok := in.inodes[inode{s.Dev, s.Ino}]; ok {
		in.sized[f] = true
	}
}

// report says what was looked at, nil where that is not known. The program has ended;
// it can be asked for once.
func (in *inputs) report() *wire.Inputs {
	if in == nil || in.notify == chanceOnly {
		return nil
	}
	defer in.close()
	if in.full() {
		in.memory()
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(in.notify, buf)
		switch {
		case errors.Is(err, unix.EAGAIN):
			in.mu.Lock()
			defer in.mu.Unlock()
			out := &wire.Inputs{Read: slices.Sorted(maps.Keys(in.read)), AllSizes: in.all, Room: in.room, Why: in.why}
			for f := range in.sized {
				if !in.read[f] {
					out.Sized = append(out.Sized, f)
				}
			}
			slices.Sort(out.Sized)
			return out
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n < unix.SizeofInotifyEvent:
			return nil
		}
		if !in.take(buf[:n]) {
			return nil
		}
	}
}

// take reads events and reports whether they leave a record without holes.
func (in *inputs) take(events []byte) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(events[unsafe.Offsetof(unix.InotifyEvent{}.Wd):]))
		mask := binary.NativeEndian.Uint32(events[unsafe.Offsetof(unix.InotifyEvent{}.Mask):])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[unsafe.Offsetof(unix.InotifyEvent{}.Len):]))
		if size > len(events) {
			return false
		}
		events = events[size:]
		switch {
		case mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0:
			return false
		case mask&unix.IN_IGNORED != 0: // the end of a watch, whose reason came before it
			continue
		case in.dirs[wd]: // what was in it has other names now
			return false
		}
		f, ok := in.files[wd]
		if !ok {
			return false
		}
		in.read[f] = true
	}
	return len(events) == 0
}

// full reports whether the workspace may have been full: when that is, the memory that
// all files take decides. Everything in it is memory of the control group.
func (in *inputs) full() bool {
	var s unix.Statfs_t
	if err := unix.Statfs(Workspace, &s); err != nil {
		return true
	}
	e := evidence{fsys: os.DirFS("/")}
	peak, ok := e.number("sys/fs/cgroup/memory.peak", "sys/fs/cgroup/memory/memory.max_usage_in_bytes")
	return !ok || peak <= 0 || uint64(peak) >= s.Blocks*uint64(s.Bsize)
}
