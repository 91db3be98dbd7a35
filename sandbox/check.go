package sandbox

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// growth is how much longer texts may be than the recorder sends them: anyone who
// keeps a Result has put placeholders for canaries into it.
const growth = 8

// Check reports what in a Result that was kept somewhere is not as [Docker.Run] gives
// it for this Spec. It says nothing about whether it is true.
func (r Result) Check(spec Spec) error {
	spec, err := spec.normal()
	if err != nil {
		return err
	}
	l := spec.Limits
	text := len(r.Reason) + len(r.Engine) + len(r.Runtime) + len(r.Image) + len(r.ImageID) + len(r.Behaviour.Recorder)
	for _, c := range slices.Concat(r.Left.Commands, r.Full) {
		text += len(c)
	}
	switch {
	case !slices.Contains([]Status{Exited, Timeout, Waiting, Serving, OOM, Killed, Failed}, r.Status):
		return fmt.Errorf("sandbox: unknown status %q", r.Status)
	case r.ExitCode < -1 || r.ExitCode > 255:
		return fmt.Errorf("sandbox: exit code %d", r.ExitCode)
	case r.Runtime != spec.Runtime || r.Image != spec.Image:
		return fmt.Errorf("sandbox: a run of %q under %q, not of %q under %q", r.Image, r.Runtime, spec.Image, spec.Runtime)
	case r.Duration < 0 || r.Duration > wire.Stretch*l.Timeout+time.Minute:
		return fmt.Errorf("sandbox: a run of %s", r.Duration)
	case r.Resources.CPU < 0 || r.Resources.Memory < 0 || r.Resources.Pids < 0:
		return fmt.Errorf("sandbox: resources %+v", r.Resources)
	case r.Skipped < 0 || len(r.Clock) > wire.MaxText || r.Waited < 0 || r.Waited > r.Duration || r.Held < 0 || r.Held > r.Duration || r.Left.More < 0 || len(r.Left.Commands) > wire.MaxLeft || len(r.Full) > wire.MaxFull:
		return fmt.Errorf("sandbox: waited for %s and left %d processes", r.Waited, len(r.Left.Commands)+r.Left.More)
	case text > growth*(wire.MaxText+wire.MaxLeft*wire.MaxCommand):
		return fmt.Errorf("sandbox: %d bytes of names", text)
	}
	for _, s := range []Stream{r.Stdout, r.Stderr} {
		// Placeholders make a stream longer or shorter than what was counted.
		if s.Bytes < 0 || int64(len(s.Data)) > growth*l.Stdout {
			return fmt.Errorf("sandbox: a stream of %d bytes, %d of them kept", s.Bytes, len(s.Data))
		}
	}
	if err := r.checkFiles(spec); err != nil {
		return err
	}
	if err := (*wire.Asked)(r.Asked).Check(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return r.Behaviour.check()
}

func (r Result) checkFiles(spec Spec) error {
	var size int64
	wanted := func(path string) bool {
		return filepath.IsLocal(filepath.FromSlash(path)) && slices.ContainsFunc(spec.Output, func(o string) bool {
			return path == o || strings.HasPrefix(path, strings.TrimSuffix(o, "/")+"/") || o == "."
		})
	}
	for _, f := range r.Files {
		if size += int64(len(f.Data)); size > spec.Limits.Output || !wanted(f.Path) {
			return fmt.Errorf("sandbox: file %q of %d bytes was not asked for", f.Path, len(f.Data))
		}
	}
	if len(r.Files)+len(r.Refused) > 2*MaxFiles+1 {
		return fmt.Errorf("sandbox: %d files", len(r.Files)+len(r.Refused))
	}
	return nil
}

func (b Behaviour) check() error {
	if len(b.Events) > wire.MaxEvents || len(b.Captures) > wire.MaxCaptures {
		return fmt.Errorf("sandbox: %d events and %d captures", len(b.Events), len(b.Captures))
	}
	if b.Lost < 0 || b.Uncaptured < 0 || b.Unsearched < 0 || b.Unopened < 0 {
		return fmt.Errorf("sandbox: %d events lost, %d pieces of code, %d bytes", b.Lost, b.Uncaptured, b.Unsearched)
	}
	if len(b.Unhooked) > wire.MaxUnhooked || slices.ContainsFunc(b.Unhooked, func(u Unhooked) bool { return len(u.Program)+len(u.Why) > growth*2*wire.MaxWhy }) {
		return fmt.Errorf("sandbox: %d programs without hooks", len(b.Unhooked))
	}
	if err := b.Inputs.Check(); err != nil {
		return err
	}
	for _, e := range b.Events {
		size := len(e.Object) + len(e.Data)
		for _, a := range slices.Concat(e.Args, e.Canaries) {
			size += len(a)
		}
		if size > growth*3*wire.MaxText || e.Count < 1 || e.First < 0 || e.Action == "" {
			return fmt.Errorf("sandbox: event %q of %d bytes, %d times", e.Action, size, e.Count)
		}
	}
	captured := 0
	for _, c := range b.Captures {
		if captured += len(c.Data); captured > growth*wire.MaxCaptured {
			return fmt.Errorf("sandbox: captures of more than %d bytes", growth*wire.MaxCaptured)
		}
		if len(c.Path) > growth*wire.MaxText || len(c.Data) > growth*wire.MaxCapture || len(c.Sum) != 0 && len(c.Sum) != sha256.Size {
			return fmt.Errorf("sandbox: a capture of %d bytes", len(c.Data))
		}
	}
	return nil
}

// Check reports what in a record that was kept somewhere is not as [Docker.Run] gives it.
func (in *Inputs) Check() error {
	if in == nil {
		return nil
	}
	text := 0
	for _, p := range slices.Concat(in.Read, in.Sized) {
		if text += len(p); !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p {
			return fmt.Errorf("sandbox: input %q is no file of the workspace", p)
		}
	}
	if len(in.Read)+len(in.Sized) > wire.MaxInputs || text > wire.MaxInputText || len(in.Why) > 200 {
		return fmt.Errorf("sandbox: %d inputs of %d bytes", len(in.Read)+len(in.Sized), text)
	}
	return nil
}
