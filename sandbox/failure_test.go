package sandbox

import (
	"archive/tar"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// interfere runs a program that never ends and does something to its container
// once it runs.
func interfere(t *testing.T, d *Docker, s Spec, f func(id string) error) Result {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		eventually(t, "the program runs", func() bool { return programRuns(t, d) })
		list := containersOf(t, d.RunID())
		if len(list) == 0 {
			return // eventually has said so
		}
		if err := f(list[0][:12]); err != nil {
			t.Error(err)
		}
	}()
	r, err := d.Run(t.Context(), s)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// programRuns reports whether the container of this run has got as far as its
// program.
func programRuns(t *testing.T, d *Docker) bool {
	list := containersOf(t, d.RunID())
	if len(list) != 1 || !strings.HasSuffix(list[0], " running") {
		return false
	}
	top, err := d.engine.api.ContainerTop(t.Context(), list[0][:12], nil)
	if err != nil {
		return false
	}
	for _, p := range top.Processes {
		if strings.Contains(strings.Join(p, " "), "/attacker quiet") {
			return true
		}
	}
	return false
}

func TestASupervisorThatDiesIsAFailureAndNoExit(t *testing.T) {
	testenv.Needs(t, testenv.ProcessList)
	d := openDocker(t)
	r := interfere(t, d, attack("runc", "quiet"), func(id string) error {
		return d.engine.api.ContainerKill(context.Background(), id, "SIGKILL")
	})
	if r.Status != Failed || !strings.Contains(r.Reason, "cut off") || !strings.Contains(r.Reason, "kill signal 9") || r.ExitCode != -1 {
		t.Errorf("got %s %d (%s)", r.Status, r.ExitCode, r.Reason)
	}
}

func TestASupervisorThatFallsSilentIsAFailure(t *testing.T) {
	testenv.Needs(t, testenv.ProcessList)
	d := openDocker(t)
	d.engine.patience = time.Second
	s := attack("runc", "quiet")
	s.Limits.Timeout = 10 * time.Second // until then it has to be silent
	r := interfere(t, d, s, func(id string) (err error) {
		for range 5 { // on a busy machine runc gives up before the container is frozen
			if err = d.engine.api.ContainerPause(context.Background(), id); err == nil || !strings.Contains(err.Error(), "unable to freeze") {
				break
			}
		}
		return err
	})
	if r.Status != Failed || !strings.Contains(r.Reason, errNoReport.Error()) {
		t.Errorf("got %s (%s)", r.Status, r.Reason)
	}
}

func TestAnInputThatCannotBeWrittenIsTheCallersError(t *testing.T) {
	d := openDocker(t)
	broken := errors.New("the disk is gone")
	s := attack("runc", "hello")
	s.Input = func(*tar.Writer) error { return broken }
	if r, err := d.Run(t.Context(), s); !errors.Is(err, broken) || r.Status != Failed {
		t.Errorf("got %s, %v", r.Status, err)
	}
	// A tar that is not finished is one as well.
	s.Input = func(w *tar.Writer) error {
		return w.WriteHeader(&tar.Header{Name: "f", Size: 10, Typeflag: tar.TypeReg})
	}
	if r, err := d.Run(t.Context(), s); err == nil || r.Status != Failed {
		t.Errorf("got %s, %v", r.Status, err)
	}
}

func TestAnInputThatTheSupervisorRefusesFailsWithTheEntrysName(t *testing.T) {
	testenv.Needs(t, testenv.LastWords)
	d := openDocker(t)
	for name, header := range map[string]*tar.Header{
		"climbs":  {Name: "a/../../x", Typeflag: tar.TypeReg},
		"outside": {Name: "outside", Linkname: "/etc/shadow", Typeflag: tar.TypeSymlink},
		"device":  {Name: "device", Typeflag: tar.TypeChar},
	} {
		s := attack("runc", "hello")
		s.Input = func(w *tar.Writer) error {
			if err := w.WriteHeader(header); err != nil {
				return err
			}
			// More than fits into any buffer: the refusal comes while this is sent.
			big := &tar.Header{Name: "big", Size: 32 << 20, Typeflag: tar.TypeReg}
			if err := w.WriteHeader(big); err != nil {
				return err
			}
			_, err := w.Write(make([]byte, big.Size))
			return err
		}
		r, err := d.Run(t.Context(), s)
		if err != nil || r.Status != Failed || !strings.Contains(r.Reason, header.Name) {
			t.Errorf("%s: got %s (%s), %v", name, r.Status, r.Reason, err)
		}
	}
}
