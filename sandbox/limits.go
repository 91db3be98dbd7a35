package sandbox

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// DefaultLimits are the limits of a Spec that names none.
func DefaultLimits() Limits {
	return Limits{
		Memory:    512 << 20,
		CPUs:      1,
		Pids:      64,
		Timeout:   30 * time.Second,
		Workspace: 64 << 20,
		Inodes:    32 << 10,
		Stdout:    1 << 20,
		Output:    16 << 20,
	}
}

// MaxFiles is how many files one run brings back at most.
const MaxFiles = 1000

// What no Spec can ask for. They keep a mistake from taking a machine, and what
// comes back from filling gate's own memory.
const (
	minMemory    = 32 << 20 // the supervisor needs some of it
	maxMemory    = 64 << 30
	maxCPUs      = 256
	maxPids      = 1 << 15
	maxTimeout   = time.Hour
	maxWorkspace = 16 << 30
	maxInodes    = 4 << 20
	maxStdout    = 64 << 20
	maxOutput    = 1 << 30
	maxText      = 1 << 20 // arguments, environment and paths together, in bytes
	maxEntries   = 100_000 // of the input
	openFiles    = 1024    // file descriptors of one process
	uid          = "1000"  // of everything in a container
	hostname     = "sandbox"
	defaultEntry = "/.gate" // where the supervisor is mounted; hidden, so that no image has it by accident

	// addressSpaceFactor times the memory is how much a process may reserve. It is
	// meant for reservations that run away; memory that is really used meets the
	// limit of memory first, and that end says what it was.
	addressSpaceFactor = 8
)

// normal returns the Spec with defaults in place, or says what is wrong with it.
// It is the only place that looks at limits, so nothing behind it does.
func (s Spec) normal() (Spec, error) {
	def := DefaultLimits()
	l := &s.Limits
	for _, c := range []error{
		bound("memory", &l.Memory, def.Memory, minMemory, maxMemory),
		bound("pids", &l.Pids, def.Pids, 1, maxPids),
		bound("timeout", &l.Timeout, def.Timeout, time.Millisecond, maxTimeout),
		bound("workspace", &l.Workspace, def.Workspace, 4<<10, maxWorkspace),
		bound("inodes", &l.Inodes, def.Inodes, 16, maxInodes),
		bound("stdout", &l.Stdout, def.Stdout, 1, maxStdout),
		bound("output", &l.Output, def.Output, 1, maxOutput),
		bound("cpus", &l.CPUs, def.CPUs, 0.01, maxCPUs),
	} {
		if c != nil {
			return Spec{}, c
		}
	}
	if s.Runtime == "" {
		s.Runtime = "runc"
	}
	if s.Dir == "" {
		s.Dir = "."
	}
	s.Dir = path.Clean(s.Dir)
	return s, s.check()
}

// bound puts the default in place of zero and refuses what is out of range. A
// value that is not a number is out of every range.
func bound[T ~int64 | ~float64](name string, v *T, def, least, most T) error {
	if *v == 0 {
		*v = def
	}
	if !(*v >= least && *v <= most) {
		return fmt.Errorf("sandbox: limit %s is %v, want %v to %v", name, *v, least, most)
	}
	return nil
}

func (s *Spec) check() error {
	text := len(s.Dir)
	for _, list := range [][]string{s.Argv, s.Env, s.Output} {
		for _, v := range list {
			text += len(v)
			if strings.ContainsRune(v, 0) {
				return fmt.Errorf("sandbox: %q contains a zero byte", v)
			}
		}
	}
	for _, e := range s.Env {
		if strings.IndexByte(e, '=') < 1 {
			return fmt.Errorf("sandbox: environment entry %q is not KEY=value", e)
		}
	}
	for _, p := range s.Output {
		if p == OutputFolder {
			continue
		}
		if len(p) > 4096 || !filepath.IsLocal(filepath.FromSlash(p)) {
			return fmt.Errorf("sandbox: output %q is not a path inside the workspace", p[:min(len(p), 200)])
		}
	}
	if err := s.Observe.check(); err != nil {
		return err
	}
	if err := s.Ask.job().Check(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	switch {
	case s.Ask != nil && s.Observe == nil:
		return fmt.Errorf("sandbox: a program can be asked only where it is observed")
	case s.FastForward && s.Observe == nil:
		return fmt.Errorf("sandbox: a run can be fast-forwarded only where it is observed")
	case s.Image == "":
		return fmt.Errorf("sandbox: no image is named")
	case s.Budget < 0:
		return fmt.Errorf("sandbox: tests end after %s", s.Budget)
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return fmt.Errorf("sandbox: no program is named")
	case !filepath.IsLocal(filepath.FromSlash(s.Dir)):
		return fmt.Errorf("sandbox: folder %q is not inside the workspace", s.Dir)
	case text > maxText:
		return fmt.Errorf("sandbox: arguments, environment and paths have %d bytes, at most %d are taken", text, maxText)
	case len(s.Stdin) > wire.MaxStdin:
		return fmt.Errorf("sandbox: standard input has %d bytes, at most %d are taken", len(s.Stdin), wire.MaxStdin)
	}
	return nil
}

// job is what the supervisor is told about a normal Spec.
func (s *Spec) job(key []byte) wire.Job {
	j := wire.Job{
		Version: wire.Version, Key: key,
		Argv: s.Argv, Env: s.Env, Dir: s.Dir, Output: s.Output,
		Timeout: s.Limits.Timeout, Budget: s.Budget, Cores: s.Limits.CPUs,
		// The wall clock ends an ordinary loop; this ends one that uses more
		// cores than it was given where no control group holds that.
		CPUSeconds:   uint64(math.Ceil(s.Limits.Timeout.Seconds()*s.Limits.CPUs)) + 1,
		AddressSpace: uint64(s.Limits.Memory) * addressSpaceFactor,
		FileSize:     uint64(s.Limits.Workspace),
		OpenFiles:    openFiles,
		Memory:       s.Limits.Memory,
		Pids:         s.Limits.Pids,
		StreamBytes:  s.Limits.Stdout,
		OutputBytes:  s.Limits.Output,
		OutputFiles:  MaxFiles,
		InputBytes:   s.Limits.Workspace,
		InputEntries: maxEntries,
	}
	if s.Exceptions.NoAddressSpace {
		j.AddressSpace = 0
	}
	if s.Exceptions.NoProcessLimits {
		j.AddressSpace, j.FileSize, j.CPUSeconds = 0, 0, 0
	}
	j.Forward, j.Settle, j.Ask = s.FastForward, s.EndIdle, s.Ask.job()
	if s.Observe != nil {
		j.Observe = s.Observe.job()
	}
	return j
}
