package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

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
}

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
	// one that stays.
	runtime.LockOSThread()
	unix.CloseOnExec(orderFD)
	socket := os.NewFile(orderFD, "order")
	data, err := io.ReadAll(io.LimitReader(socket, maxOrder))
	if err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if len(data) == 0 {
		return nil // the supervisor wanted another one
	}
	var o order
	if err = json.Unmarshal(data, &o); err == nil {
		err = become(o)
	}
	_, werr := socket.Write([]byte(err.Error()))
	return errors.Join(err, werr)
}

// become turns this process into the program. It returns only when it fails.
func become(o order) error {
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
	if err := guard(); err != nil {
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
