package static_test

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// hanging is a tree in which reading one file does not come to an end before the test does.
type hanging struct {
	fs.FS
	path string
	end  <-chan struct{}
	read chan<- struct{} // takes a value once it is read
}

func (h hanging) Open(name string) (fs.File, error) {
	f, err := h.FS.Open(name)
	if name == h.path && err == nil {
		f = hangingFile{f, h}
	}
	return f, err
}

type hangingFile struct {
	fs.File
	tree hanging
}

func (f hangingFile) Read([]byte) (int, error) {
	select {
	case f.tree.read <- struct{}{}:
	default:
	}
	<-f.tree.end
	return 0, fs.ErrClosed
}

// hangs is a change of two files of which reading the first hangs; read gets a value once it does.
func hangs(t *testing.T, name string) (c *gate.Change, read <-chan struct{}) {
	t.Helper()
	begun := make(chan struct{}, 1)
	head := fstest.MapFS{name: {Data: []byte("x"), Mode: 0o644}, "run.sh": {Data: []byte("#!/bin/sh\n" + runsDownload + "\n"), Mode: 0o755}}
	c = &gate.Change{Base: fstest.MapFS{}, Head: hanging{head, name, t.Context().Done(), begun}, Files: []string{name, "run.sh"}}
	for _, p := range c.Files {
		target := &gate.Target{Path: p, Language: gate.LanguageUnknown, Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644, Size: int64(len(head[p].Data))}
		if path.Ext(p) == ".sh" {
			target.Language = gate.LanguageShell
		}
		c.Targets = append(c.Targets, target)
	}
	return c, begun
}

func TestAReaderThatHangsDoesNotKeepTheLayerFromEnding(t *testing.T) {
	for name, file := range map[string]string{"where files are read one by one": "logo.png", "where the change is read as a whole": "hangs.sh"} {
		t.Run(name, func(t *testing.T) {
			s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Workers: 1, StopTime: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			c, read := hangs(t, file)
			stopped := errors.New("stopped")
			ctx, stop := context.WithCancelCause(t.Context())
			go func() {
				<-read
				stop(stopped)
			}()
			out, err := s.Run(ctx, c, gate.NewFindings(c.Targets, nil))
			if !errors.Is(err, stopped) {
				t.Errorf("the error is %v", err)
			}
			if g := reasonOf(out, file); g != "not looked at: stopped" {
				t.Errorf("the gap of the file that hangs: %q", g)
			}
		})
	}
}

func reasonOf(out gate.Outcome, path string) string {
	for _, g := range out.Incomplete {
		if g.Path == path {
			return g.Reason
		}
	}
	return ""
}
