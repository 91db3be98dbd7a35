package supervisor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// While a program has one thread, the path of a call that asks for the size of a file is
// still there when the kernel reads it, and the call is only noted. Beside a second thread
// or process it may be another path by then, also that of a descriptor. So the supervisor
// makes these calls itself, with the path that it has read, and hands over what came out:
// what is noted is what the program learns, whatever happens to its memory meanwhile. The
// supervisor has the user, the file systems and the namespaces of the program.

// sizing is a call that asks for the size of a file that is not open.
type sizing struct {
	dir      int32  // the descriptor to which the path is relative
	path     uint64 // its address in the memory of the process
	flags    int
	out      uint64 // where the answer goes
	extended bool   // it is statx, with the fields of mask
	mask     int
}

// statFlags are those that the supervisor knows; others are of a newer kernel.
const statFlags = unix.AT_EMPTY_PATH | unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT | unix.AT_STATX_FORCE_SYNC | unix.AT_STATX_DONT_SYNC

// sizings are the watches of such calls.
func sizings() []watch {
	return []watch{
		asksSize(callStatAt, func(a [6]uint64) sizing {
			return sizing{dir: int32(a[0]), path: a[1], out: a[2], flags: int(uint32(a[3]))}
		}),
		asksSize(unix.SYS_STATX, func(a [6]uint64) sizing {
			return sizing{dir: int32(a[0]), path: a[1], flags: int(uint32(a[2])), mask: int(uint32(a[3])), out: a[4], extended: true}
		}),
	}
}

func asksSize(nr uint32, of func(args [6]uint64) sizing) watch {
	return watch{nr, nil, func(r *reading) wire.Event {
		r.inputs.asked(r, of(r.args))
		return wire.Event{}
	}}
}

// asked notes the file that a call asks for, and beside a second thread makes the call.
// Where the file cannot be told the program makes it, and the sizes of all files count.
func (in *inputs) asked(r *reading, s sizing) {
	if in.settled() {
		return
	}
	if s.path == 0 {
		return // of the descriptor, or an error: the arguments themselves cannot change
	}
	name := r.text(s.path)
	if r.unreadable || s.flags&^statFlags != 0 {
		in.everything(unresolved)
		return
	}
	var errno unix.Errno
	var stat unix.Stat_t
	fd, err := hold(r.pid, s, name)
	if err == nil {
		defer unix.Close(fd)
		err = unix.Fstat(fd, &stat)
	}
	switch {
	case err == nil:
		in.note(stat)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.EBADF):
		// There is none, which the names say.
		errors.As(err, &errno)
	default: // a way that the supervisor does not go, or an error of its own
		in.everything(unresolved)
		return
	}
	if !in.isBeside() {
		return
	}
	r.pretend, r.errno = true, errno
	if errno == 0 {
		r.errno = deliver(r, s, fd, stat)
	}
}

// hold returns a descriptor of the file that a call asks for, without opening it.
func hold(pid int, s sizing, name string) (int, error) {
	if name == "" {
		if s.flags&unix.AT_EMPTY_PATH == 0 {
			return -1, unix.ENOENT
		}
		return grasp(pid, s.dir)
	}
	own, follows := unix.O_PATH|unix.O_CLOEXEC, s.flags&unix.AT_SYMLINK_NOFOLLOW == 0
	if !follows {
		own |= unix.O_NOFOLLOW
	}
	base := unix.AT_FDCWD
	switch {
	case strings.HasPrefix(name, "/proc/self/"), strings.HasPrefix(name, "/dev/fd/"):
		// To the supervisor that is another process.
		name = strings.Replace(name, "/dev/fd/", "/proc/self/fd/", 1)
		rest := strings.TrimPrefix(name, "/proc/self/")
		name = fmt.Sprintf("/proc/%d/%s", pid, rest)
		if number, ok := strings.CutPrefix(rest, "fd/"); ok && follows {
			if _, err := strconv.ParseUint(number, 10, 31); err == nil {
				return unix.Open(name, own, 0)
			}
		}
	case strings.HasPrefix(name, "/"):
	default:
		dir, err := grasp(pid, s.dir)
		if err != nil {
			return -1, err
		}
		defer unix.Close(dir)
		base = dir
	}
	// Links of /proc to what processes have open are those of the supervisor.
	return unix.Openat2(base, name, &unix.OpenHow{Flags: uint64(own), Resolve: unix.RESOLVE_NO_MAGICLINKS})
}

// grasp returns a descriptor of what a descriptor of a process leads to.
func grasp(pid int, dir int32) (int, error) {
	name := fmt.Sprintf("/proc/%d/fd/%d", pid, dir)
	if dir == unix.AT_FDCWD {
		name = fmt.Sprintf("/proc/%d/cwd", pid)
	}
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT) && dir != unix.AT_FDCWD:
		return -1, unix.EBADF // there is none of this number
	case err != nil:
		return -1, errGrasp // which is not what the program would be told
	}
	return fd, nil
}

var errGrasp = errors.New("a descriptor of the program cannot be reached")

// deliver writes what a file is to the memory of the process.
func deliver(r *reading, s sizing, fd int, stat unix.Stat_t) unix.Errno {
	answer := unsafe.Slice((*byte)(unsafe.Pointer(&stat)), unsafe.Sizeof(stat))
	var extended unix.Statx_t
	if s.extended {
		flags := s.flags&^unix.AT_SYMLINK_NOFOLLOW | unix.AT_EMPTY_PATH
		if err := unix.Statx(fd, "", flags, s.mask, &extended); err != nil {
			var errno unix.Errno
			errors.As(err, &errno)
			return errno
		}
		answer = unsafe.Slice((*byte)(unsafe.Pointer(&extended)), unsafe.Sizeof(extended))
	}
	if r.memory.write(r.pid, s.out, answer) != nil {
		return unix.EFAULT
	}
	return 0
}
