package engine

import (
	"archive/tar"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/sandbox"
)

func TestLimitedRefusesARunAboveTheLimit(t *testing.T) {
	limit := rate.New(t.TempDir(), "ada", 1)
	if err := limit.Take("code"); err != nil {
		t.Fatal(err)
	}
	var runner execute.Runner = limited{limit: limit} // no engine: nothing may be started
	res, err := runner.Run(t.Context(), sandbox.Spec{})
	if !errors.Is(err, execute.ErrRefused) || !strings.Contains(err.Error(), "rate.runs-per-hour") || res.Status != sandbox.Failed {
		t.Errorf("status %s, error %v", res.Status, err)
	}
}

func TestTheCodeOfARunIsItsFilesAndItsCommand(t *testing.T) {
	l := limited{limit: rate.New(t.TempDir(), "ada", 1)}
	digest := func(text, arg string) string {
		t.Helper()
		d, err := l.digest(sandbox.Spec{Argv: []string{"python3", arg}, Env: []string{"SECRET=" + rand.Text()}, Input: func(w *tar.Writer) error {
			if err := w.WriteHeader(&tar.Header{Name: "a.py", Size: int64(len(text)), Mode: 0o644}); err != nil {
				return err
			}
			_, err := w.Write([]byte(text))
			return err
		}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if one := digest("x = 1", "a.py"); one != digest("x = 1", "a.py") || one == digest("x = 2", "a.py") || one == digest("x = 1", "b.py") {
		t.Error("the digest is not that of the files and the command")
	}
}
