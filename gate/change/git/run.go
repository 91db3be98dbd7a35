package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Bounds of one git process.
const (
	commandTimeout = 5 * time.Minute
	// killDelay is how long a killed process may hold its pipes open.
	killDelay = 2 * time.Second
	// maxOutput bounds the bytes that are read of a listing: a million entries
	// of two hundred bytes.
	maxOutput = 200 << 20
	maxStderr = 4 << 10
)

// ErrNoGit says that there is no git program.
var ErrNoGit = errors.New("git was not found in PATH; install git 2.32 or newer")

// Error says that a git command failed.
type Error struct {
	Command string // the git command without its pinned options
	Code    int    // exit code, -1 for a signal
	Message string // what git wrote to standard error, made printable
	Err     error
}

// Error returns the command and what git said.
func (e *Error) Error() string {
	msg := e.Message
	if msg == "" {
		msg = e.Err.Error()
	}
	return fmt.Sprintf("git %s: %s", e.Command, msg)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// command is one run of git.
type command struct {
	args  []string
	stdin io.Reader
	env   []string // replaces values of the pinned environment
	conf  []string // key=value, over the pinned configuration
	read  func(io.Reader) error
}

// process prepares a git process in the pinned environment. It is killed when
// ctx ends.
func (r *Repo) process(ctx context.Context, c command) *exec.Cmd {
	args := pinned()
	for _, kv := range c.conf {
		args = append(args, "-c", kv)
	}
	cmd := exec.CommandContext(ctx, r.program, append(args, c.args...)...)
	cmd.Dir = r.workTree
	cmd.Env = slices.Concat(r.env, c.env)
	cmd.Stdin = c.stdin
	cmd.WaitDelay = killDelay
	return cmd
}

// run runs git to its end and gives its output to c.read, which must read all
// of it or return an error.
func (r *Repo) run(ctx context.Context, c command) error {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTimeout, fmt.Errorf("took longer than %s", commandTimeout))
	defer cancel()
	cmd := r.process(ctx, c)
	stderr := &tail{limit: maxStderr}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", c.args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start git %s: %w", c.args[0], err)
	}
	// A child of a killed git may hold the pipe open.
	defer context.AfterFunc(ctx, func() { _ = stdout.Close() })()
	bounded := &boundedReader{r: stdout, left: maxOutput}
	var readErr error
	if c.read != nil {
		readErr = c.read(bounded)
	}
	if readErr == nil {
		_, readErr = io.Copy(io.Discard, bounded)
	}
	ended := context.Cause(ctx)
	if readErr != nil {
		cancel() // git may still be writing
	}
	waitErr := cmd.Wait()
	return failure(c, cmd.ProcessState.ExitCode(), stderr.String(), ended, readErr, waitErr)
}

// failure says why a git process failed, the deepest reason first: it was
// stopped; it gave up, and then what it wrote may well be cut; what it wrote
// does not parse; something else ended it.
func failure(c command, code int, stderr string, ended, readErr, waitErr error) error {
	e := &Error{Command: printable(strings.Join(c.args, " ")), Code: code}
	switch {
	case ended != nil:
		e.Err = ended
	case waitErr != nil && code > 0:
		e.Err, e.Message = waitErr, printable(stderr)
	case readErr != nil:
		e.Err = readErr
	case waitErr != nil:
		e.Err = waitErr
	default:
		return nil
	}
	return e
}

// line runs git and returns its output, which must be one short line.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	var out []byte
	err := r.run(ctx, command{args: args, read: func(rd io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(rd, 64<<10))
		return err
	}})
	if err != nil {
		return "", err
	}
	s, rest, _ := bytes.Cut(out, []byte{'\n'})
	if len(rest) > 0 {
		return "", fmt.Errorf("git %s: one line was expected", args[0])
	}
	return string(s), nil
}

// text runs git and returns everything that it writes, within the bound of every command.
func (r *Repo) text(ctx context.Context, args ...string) (string, error) {
	var out []byte
	err := r.run(ctx, command{args: args, read: func(rd io.Reader) (err error) {
		out, err = io.ReadAll(rd)
		return err
	}})
	return string(out), err
}

// boundedReader fails, other than io.LimitReader, when there is more.
type boundedReader struct {
	r    io.Reader
	left int64
}

// errOutput says that git wrote more than is read.
var errOutput = fmt.Errorf("more than %d MiB of output", maxOutput>>20)

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errOutput
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// tail keeps the last bytes written to it.
type tail struct {
	buf   []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf) }
