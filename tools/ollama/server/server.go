//go:build unix

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/sandbox/filelock"
)

// How long the server may take to answer its first request, and to end.
const (
	startTimeout = 30 * time.Second
	stopTimeout  = 10 * time.Second
	pollInterval = 20 * time.Millisecond
)

// Server is a running server. Its JSON form is what [Start] leaves on disk, for
// a later process to find it by.
type Server struct {
	URL string `json:"url"`
	PID int    `json:"pid"`

	dir string
}

// Start starts the program bin in the background with its state below dir,
// creates the tiny models, and returns when both are ready. Where a server that
// was started from dir still runs, it is taken. addr is a loopback address; port
// 0 picks a free one. The server outlives the calling process: call
// [Server.Stop].
func Start(ctx context.Context, bin, dir, addr string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	unlock, err := filelock.Wait(filepath.Join(dir, "lock"), nil)
	if err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	defer unlock()

	s, err := Running(ctx, dir)
	if err != nil {
		if s, err = launch(ctx, bin, dir, addr); err != nil {
			return nil, err
		}
	}
	if err := createModels(ctx, s.URL); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Running returns the server that was started from dir, or an error when there
// is none that answers.
func Running(ctx context.Context, dir string) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(stateFile(dir))
	if err != nil {
		return nil, fmt.Errorf("no ollama server was started from %s: %w", dir, err)
	}
	s := &Server{dir: dir}
	if err := json.Unmarshal(data, s); err != nil || s.PID <= 1 {
		return nil, fmt.Errorf("read %s: not a state file: %w", stateFile(dir), err)
	}
	if err := syscall.Kill(s.PID, 0); err != nil {
		return nil, fmt.Errorf("ollama server %d of %s is gone: %w", s.PID, dir, err)
	}
	if err := s.answers(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// errEnded is why a server is not there although it ended without an error.
var errEnded = errors.New("exit status 0")

// launch starts the program and waits until it answers.
func launch(ctx context.Context, bin, dir, addr string) (*Server, error) {
	addr, err := freeAddr(addr)
	if err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	logPath := filepath.Join(dir, "server.log")
	log, err := os.Create(logPath)
	if err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	defer log.Close()

	cmd := exec.Command(bin, "serve")
	cmd.Env = append(os.Environ(),
		"HOME="+dir, // keys and history
		"OLLAMA_HOST="+addr,
		"OLLAMA_MODELS="+filepath.Join(dir, "models"),
		// With more, what one request leaves in the cache slows down the next.
		"OLLAMA_NUM_PARALLEL=1",
		"OLLAMA_KEEP_ALIVE=10m",
	)
	cmd.Stdout, cmd.Stderr = log, log
	// A session of its own: it survives a Ctrl-C in the terminal that started it,
	// and Stop reaches its model runners through the process group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }() // ends with the server or with this process

	s := &Server{URL: "http://" + addr, PID: cmd.Process.Pid, dir: dir}
	state, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(stateFile(dir), state, 0o644)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start ollama: %w", err), s.Stop())
	}

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := s.answers(ctx)
		if err == nil {
			return s, nil
		}
		select {
		case exit := <-died:
			return nil, fmt.Errorf("ollama ended while starting, see %s: %w", logPath, cmp.Or(exit, errEnded))
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("ollama does not answer, see %s: %w", logPath, err), s.Stop())
		case <-time.After(pollInterval):
		}
	}
}

// Stop ends the server and its model runners, and waits until they are gone.
func (s *Server) Stop() error {
	if err := os.Remove(stateFile(s.dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("stop ollama: %w", err)
	}
	deadline := time.Now().Add(stopTimeout)
	for sig := syscall.SIGTERM; ; {
		if err := syscall.Kill(-s.PID, sig); errors.Is(err, syscall.ESRCH) {
			return nil
		} else if err != nil && !errors.Is(err, syscall.EPERM) { // macOS says EPERM for zombies
			return fmt.Errorf("stop ollama: %w", err)
		}
		if time.Now().After(deadline) {
			if sig == syscall.SIGKILL {
				return fmt.Errorf("stop ollama: process group %d does not end", s.PID)
			}
			sig, deadline = syscall.SIGKILL, time.Now().Add(stopTimeout)
		}
		time.Sleep(pollInterval)
	}
}

// answers reports why the server cannot be talked to.
func (s *Server) answers(ctx context.Context) error {
	base, err := url.Parse(s.URL)
	if err != nil {
		return fmt.Errorf("ollama: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := api.NewClient(base, http.DefaultClient).Version(ctx); err != nil {
		return fmt.Errorf("ollama at %s: %w", s.URL, err)
	}
	return nil
}

// freeAddr turns port 0 into a free port. Another program may take that port
// before the server does; then the server ends and Start says so.
func freeAddr(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("address %s is not a loopback address, such as 127.0.0.1:0", addr)
	}
	if port != "0" {
		return addr, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func stateFile(dir string) string { return filepath.Join(dir, "server.json") }
