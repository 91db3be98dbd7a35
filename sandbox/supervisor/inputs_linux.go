package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
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
// beside the thread that asks: as soon as the program makes a second thread or process,
// or asks what the supervisor cannot follow, the sizes of all files count as looked at.
// Who asks how much memory or room there is learns how many pages they take together.
//
// Names, kinds, permissions and link targets are not recorded: a user of this counts
// them as looked at always. Times, numbers of files and processes, and what a clock
// shows are not recorded either; nothing here makes two runs agree about them.
type inputs struct {
	notify int // the inotify descriptor
	files  map[int32]string
	dirs   map[int32]bool
	inodes map[inode]string // of the same files
	roots  []place
	read   map[string]bool // files that count as opened from the start

	mu    sync.Mutex
	sized map[string]bool
	all   bool   // the sizes of all files
	room  bool   // the memory that all files take together
	why   string // the first reason for that

	began  bool // a file of the input was opened or run
	random bool // and random numbers asked for after that
}

// inode is a file wherever its name is.
type inode struct{ dev, ino uint64 }

// place is a folder at which a file system begins, and a descriptor of it.
type place struct {
	dir string
	fd  int
}

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
	in := &inputs{notify: fd, files: map[int32]string{}, dirs: map[int32]bool{}, inodes: map[inode]string{}, read: map[string]bool{}, sized: map[string]bool{}}
	if err := in.watch(files, folders); err != nil {
		in.close()
		return nil
	}
	for _, dir := range []string{Workspace, InputFolder, OutputFolder, "/tmp", "/dev/shm", "/dev"} {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			in.close()
			return nil
		}
		in.roots = append(in.roots, place{dir, fd})
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
	_ = unix.Close(in.notify)
	for _, p := range in.roots {
		_ = unix.Close(p.fd)
	}
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

// begins notes that the program has reached its input: what asks for random numbers from
// now on may be code of the input, and no longer the start of an interpreter.
func (in *inputs) begins() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.began = true
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
	at := func(r *reading) wire.Event {
		r.inputs.asked(r, int32(r.args[0]), r.args[1])
		return wire.Event{}
	}
	return append(legacyInputWatches(), []watch{
		{callStatAt, nil, at},
		{unix.SYS_STATX, nil, at},
		{unix.SYS_GETRANDOM, nil, func(r *reading) wire.Event {
			if r.args[1] > ownRandom || r.args[2] != unix.GRND_NONBLOCK {
				r.inputs.chance()
			}
			return wire.Event{}
		}},
		{unix.SYS_STATFS, nil, memory},
		{unix.SYS_FSTATFS, nil, memory},
		{unix.SYS_SYSINFO, nil, memory},
		{unix.SYS_CLONE, nil, everything("it started a thread or a process")},
		{unix.SYS_NAME_TO_HANDLE_AT, nil, everything("it asked for the handle of a file")},
		{unix.SYS_IO_SETUP, nil, everything("it reads and writes beside its calls")},
		{unix.SYS_INOTIFY_ADD_WATCH, nil, everything("it watches files")},
		{unix.SYS_FANOTIFY_MARK, nil, everything("it watches files")},
	}...)
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
	case strings.HasPrefix(e.Object, Workspace+"/"):
		in.begins()
	case e.Object == "/dev/urandom", e.Object == "/dev/random":
		in.chance()
	}
	if in.settled() {
		return
	}
	switch r.nr {
	case callOpen:
		if r.args[1]&unix.O_PATH != 0 {
			in.asked(r, unix.AT_FDCWD, r.args[0])
		}
	case unix.SYS_OPENAT:
		if r.args[2]&unix.O_PATH != 0 {
			in.asked(r, int32(r.args[0]), r.args[1])
		}
	case unix.SYS_OPENAT2: // its flags are in memory
		in.asked(r, int32(r.args[0]), r.args[1])
	}
	// What the kernel tells about memory tells how much all files take.
	for _, dir := range []string{"/proc", "/sys"} {
		if e.Object == dir || strings.HasPrefix(e.Object, dir+"/") {
			in.everything("it opened a file in " + dir)
		}
	}
	if r.unreadable || strings.Contains(e.Object, unread) {
		in.everything(unresolved)
	}
}

// asked notes that a call asks for the file at a path.
func (in *inputs) asked(r *reading, dir int32, at uint64) {
	if in.settled() {
		return
	}
	if at == 0 { // the descriptor itself, which says no more than opening it did
		return
	}
	name := r.text(at)
	if r.unreadable {
		in.everything(unresolved)
		return
	}
	if name == "" {
		return
	}
	base, rest := -1, name
	if strings.HasPrefix(name, "/") {
		for _, p := range in.roots {
			if name == p.dir || strings.HasPrefix(name, strings.TrimSuffix(p.dir, "/")+"/") {
				base, rest = p.fd, strings.TrimLeft(strings.TrimPrefix(name, p.dir), "/")
				break
			}
		}
		if rest == "" {
			return // the folder
		}
		if base < 0 { // of the image, where links from the root are followed
			base, rest = unix.AT_FDCWD, name
		}
	} else {
		own := fmt.Sprintf("/proc/%d/cwd", r.pid)
		if dir != unix.AT_FDCWD {
			own = fmt.Sprintf("/proc/%d/fd/%d", r.pid, dir)
		}
		fd, err := unix.Open(own, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			if errors.Is(err, unix.ENOENT) && dir != unix.AT_FDCWD {
				return // no such descriptor
			}
			in.everything(unresolved)
			return
		}
		defer unix.Close(fd)
		base = fd
	}
	in.resolve(base, rest)
}

// resolve notes the file at a path. What leads into another file system, or into
// another process's view, is not followed: the supervisor may be led elsewhere.
func (in *inputs) resolve(base int, name string) {
	fd, err := unix.Openat2(base, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_MAGICLINKS})
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENAMETOOLONG):
		return // there is none, which the names say
	case err != nil:
		in.everything(unresolved)
		return
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		in.everything(unresolved)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if f, ok := in.inodes[inode{s.Dev, s.Ino}]; ok {
		in.sized[f] = true
	}
}

// report says what was looked at, nil where that is not known. The program has ended;
// it can be asked for once.
func (in *inputs) report() *wire.Inputs {
	if in == nil {
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
