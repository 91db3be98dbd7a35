package supervisor

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// orderFD is where the launch stage finds the socket to the supervisor.
const orderFD = 3

// maxOrder bounds an order in bytes; it holds what a job holds.
const maxOrder = 4 << 20

// order tells the launch stage what to become.
type order struct {
	Argv   []string
	Env    []string
	Dir    string // absolute
	Limits []limit
	Watch  bool // record what it does

	Inputs  bool // ask about what it looks at of its input
	Chance  bool // ask about its random numbers
	Forward bool // ask about its waits and its clocks as well
}

// What the launch stage says about itself. The end of the stream means that the
// program runs.
const (
	sayListener = 'N' // a listener comes with this byte
	sayTrace    = 'T' // there is none: trace me, and answer with a byte
	sayError    = 'E' // the rest is why it did not become the program
)

// limit is one resource limit of the program and all its children.
type limit struct {
	Resource   int
	Soft, Hard uint64
}

// launch is the stage between the supervisor and the program: it waits for its
// order on a socket, limits itself and becomes the program. What goes wrong is
// written to the socket; silence and its end mean that the program runs.
func launch() error {
	// The filter belongs to a thread, and the thread that calls execve is the
	// one that stays. A tracer knows it by the id of the process, so it has to be
	// the first one; it nearly always is.
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		return fmt.Errorf("start again on the first thread: %w", syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
	}
	unix.CloseOnExec(orderFD)
	socket := os.NewFile(orderFD, "order")
	var size [4]byte
	if _, err := io.ReadFull(socket, size[:]); errors.Is(err, io.EOF) {
		return nil // the supervisor wanted another one
	} else if err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	data := make([]byte, min(binary.BigEndian.Uint32(size[:]), maxOrder))
	_, err := io.ReadFull(socket, data)
	var o order
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err == nil {
		err = become(o, socket)
	}
	_, werr := socket.Write(append([]byte{sayError}, err.Error()...))
	return errors.Join(err, werr)
}

// become turns this process into the program. It returns only when it fails.
func become(o order, socket *os.File) error {
	if err := unix.Chdir(o.Dir); err != nil {
		return fmt.Errorf("enter the folder %s: %w", o.Dir, err)
	}
	path, err := lookPath(o.Argv[0], o.Env)
	if err != nil {
		return err
	}
	// When memory runs out the kernel is to take the program, not the supervisor.
	// Not every runtime has this, and nothing depends on it.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(1000)), 0)
	unix.Umask(0o022)
	if err := guardFor(o, socket); err != nil {
		return err
	}
	// Last, because this process is itself above some of the limits.
	for _, l := range o.Limits {
		if err := syscall.Setrlimit(l.Resource, &syscall.Rlimit{Cur: l.Soft, Max: l.Hard}); err != nil {
			return fmt.Errorf("limit resource %d of the program: %w", l.Resource, err)
		}
	}
	return fmt.Errorf("start %q: %w", o.Argv[0], syscall.Exec(path, o.Argv, o.Env))
}

// guardFor puts the filter on this thread, with the recorder that this kernel
// has.
func guardFor(o order, socket *os.File) error {
	if !o.Watch {
		_, err := guard(modeEnforce)
		return err
	}
	var chance []rule
	if o.Chance {
		chance = rulesOf(chanceWatches())
	}
	inputs := chance
	if o.Inputs {
		inputs = rulesOf(inputWatches())
	}
	if !o.Forward { // only a tracer can end a call that waits
		listener, err := guard(modeNotify, inputs...)
		if err == nil {
			return handOver(listener)
		}
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	if _, err := socket.Write([]byte{sayTrace}); err != nil {
		return fmt.Errorf("ask for a tracer: %w", err)
	}
	var answer [1]byte
	if _, err := io.ReadFull(socket, answer[:]); err != nil {
		return fmt.Errorf("wait for the tracer: %w", err)
	}
	more := chance // a tracer in the place of a listener records no inputs
	if o.Forward {
		more = slices.Concat(forwardRules(), inputs)
	}
	_, err := guard(modeTrace, more...)
	return err
}

// notifies reports whether this kernel has listeners. One that has none is another kernel,
// and what it says of files is not believed.
func notifies() bool {
	const getNotifSizes = 3 // of linux/seccomp.h
	var sizes [3]uint16
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, getNotifSizes, 0, uintptr(unsafe.Pointer(&sizes)))
	return errno == 0
}

// rulesOf are the rules that make the filter ask about calls.
func rulesOf(all []watch) []rule {
	var out []rule
	for _, w := range all {
		out = append(out, rule{w.call, unix.EPERM, w.tests})
	}
	return out
}

// handOver sends the listener to the supervisor. Sending is itself a watched
// call, which no one would answer yet, so a thread without the filter does it.
func handOver(listener int) error {
	sent := make(chan error)
	go func() {
		sent <- unix.Sendmsg(orderFD, []byte{sayListener}, unix.UnixRights(listener), nil, 0)
	}()
	if err := <-sent; err != nil {
		return fmt.Errorf("hand over the listener: %w", err)
	}
	return nil
}

// lookPath finds the program as a shell would, in the PATH of its own
// environment. Relative entries of PATH are ignored: the workspace is hostile.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var path string
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && unix.Access(full, unix.X_OK) == nil {
			return full, nil
		}
	}
	return "", fmt.Errorf("start %q: no such program in the image (PATH=%s)", name, path)
}
