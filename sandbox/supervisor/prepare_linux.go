package supervisor

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// child is the launch stage, waiting for its order, and after it the program:
// one process, so one process id.
type child struct {
	pid    int
	socket *os.File
	stdin  *os.File
	stdout *os.File
	stderr *os.File
}

// prepare starts the launch stage in a session of its own. It sees the
// program's three streams and the socket, and nothing else.
func prepare() (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the supervisor's own program: %w", err)
	}
	c := &child{}
	var theirs []int
	for i, mine := range []**os.File{&c.stdin, &c.stdout, &c.stderr} {
		var other int
		if *mine, other, err = pipe(i == 0); err != nil {
			return nil, fmt.Errorf("make the program's streams: %w", err)
		}
		theirs = append(theirs, other)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket to the launch stage: %w", err)
	}
	if c.socket, err = polled(pair[0]); err != nil {
		return nil, fmt.Errorf("make a socket to the launch stage: %w", err)
	}
	theirs = append(theirs, pair[1])

	files := make([]uintptr, len(theirs))
	for i, fd := range theirs {
		files[i] = uintptr(fd)
	}
	c.pid, err = syscall.ForkExec(self, []string{"gate", Mode}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=1", "GOGC=off"}, // it lives for an instant
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	// While the supervisor held these, the program's streams would never end.
	for _, fd := range theirs {
		err = errors.Join(err, unix.Close(fd))
	}
	if err != nil {
		return nil, fmt.Errorf("start the launch stage: %w", err)
	}
	return c, nil
}

// discard lets go of a launch stage that got no order; it then ends by itself.
func (c *child) discard() {
	for _, f := range []*os.File{c.socket, c.stdin, c.stdout, c.stderr} {
		f.Close()
	}
}

// start gives the order. It returns when the program runs, or with the reason
// why it does not. watch is called with the listener, or with -1 to trace the
// process; it returns when a server listens.
func (c *child) start(o order, within time.Duration, watch func(listener int) error) error {
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("write the order: %w", err)
	}
	if err := c.socket.SetDeadline(time.Now().Add(within)); err != nil {
		return fmt.Errorf("bound the start of the program: %w", err)
	}
	if _, err := c.socket.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)); err != nil {
		return fmt.Errorf("send the order: %w", err)
	}
	defer c.socket.Close()
	for {
		said, listener, err := c.hear()
		if err != nil {
			return fmt.Errorf("wait for the start of the program: %w", err)
		}
		switch {
		case said == "": // it has become the program
			return nil
		case said[0] == sayError:
			rest, err := io.ReadAll(io.LimitReader(c.socket, 4<<10))
			return errors.Join(errors.New(said[1:]+string(rest)), err)
		case said[0] == sayListener && listener >= 0:
			if err := watch(listener); err != nil {
				return err
			}
		case said[0] == sayTrace:
			if err := watch(-1); err != nil {
				return err
			}
			if _, err := c.socket.Write([]byte{0}); err != nil {
				return fmt.Errorf("answer the launch stage: %w", err)
			}
		default:
			return fmt.Errorf("wait for the start of the program: the launch stage said %q", said)
		}
	}
}

// hear returns what the launch stage says, and the descriptor that came with it
// or -1. Nothing is the end of the stream.
func (c *child) hear() (said string, listener int, err error) {
	raw, err := c.socket.SyscallConn()
	if err != nil {
		return "", -1, err
	}
	text, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(4))
	var n, rn int
	var rerr error
	err = raw.Read(func(fd uintptr) bool {
		n, rn, _, _, rerr = unix.Recvmsg(int(fd), text, rights, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(rerr, unix.EAGAIN)
	})
	if err = errors.Join(err, rerr); err != nil {
		return "", -1, err
	}
	if rn == 0 {
		return string(text[:n]), -1, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights[:rn])
	if err != nil {
		return "", -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return "", -1, errors.Join(err, fmt.Errorf("%d descriptors came", len(fds)))
	}
	return string(text[:n]), fds[0], nil
}

// orderFor translates a job.
func orderFor(j wire.Job, environ []string) order {
	o := order{
		Argv:   j.Argv,
		Env:    environment(environ, j.Env),
		Dir:    path.Join(Workspace, path.Join("/", j.Dir)), // joined to / first, so it cannot climb
		Limits: []limit{{unix.RLIMIT_CORE, 0, 0}},
		Watch:  j.Observe != nil, Forward: j.Forward && canForward,
	}
	if j.Observe != nil && j.Observe.Bait {
		o.Env = withTools(o.Env)
	}
	for _, l := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_FSIZE, j.FileSize},
		{unix.RLIMIT_NOFILE, j.OpenFiles},
		{unix.RLIMIT_CPU, j.CPUSeconds},
		{unix.RLIMIT_AS, j.AddressSpace}, // the last: the launch stage is itself above it
	} {
		if l.value > 0 {
			o.Limits = append(o.Limits, limit{l.resource, l.value, l.value})
		}
	}
	return o
}

// withTools adds the stand-ins for commands behind everything else on the search path.
func withTools(env []string) []string {
	for i, e := range env {
		if strings.HasPrefix(e, "PATH=") {
			env[i] = e + ":" + ToolFolder // the last, so that a command of the image comes first
		}
	}
	return env
}

// environment is the image's environment with the job's entries over it, and the
// few that programs expect under it.
func environment(image, job []string) []string {
	values := map[string]string{}
	var keys []string
	defaults := []string{"HOME=/tmp", "TMPDIR=/tmp", "PATH=/usr/local/bin:/usr/bin:/bin"}
	for _, list := range [][]string{defaults, image, job} {
		for _, e := range list {
			k, v, ok := strings.Cut(e, "=")
			if !ok || k == "" {
				continue
			}
			if _, seen := values[k]; !seen {
				keys = append(keys, k)
			}
			values[k] = v
		}
	}
	env := make([]string, len(keys))
	for i, k := range keys {
		env[i] = k + "=" + values[k]
	}
	return env
}
