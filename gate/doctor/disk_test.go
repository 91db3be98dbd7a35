package doctor

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

func TestDiskWarnsBeforeItIsFull(t *testing.T) {
	dir := t.TempDir()
	local := sandbox.Info{Host: "unix:///var/run/docker.sock", Root: filepath.Join(dir, "docker")}
	remote := sandbox.Info{Host: "tcp://192.0.2.1:2376", Root: filepath.Join(dir, "docker")}
	hidden := sandbox.Info{Host: local.Host, Root: filepath.Join(dir, "in", "a", "machine")}
	work := place{what: "disk: temporary", dir: filepath.Join(dir, "not", "yet", "there"), min: minWorkSpace, fix: "empty it"}
	has := func(n int64) measure {
		return func(at string) (int64, error) {
			if at != dir {
				t.Errorf("asked for the disk of %s, want that of %s, the nearest folder that exists", at, dir)
			}
			return n, nil
		}
	}
	broken := func(string) (int64, error) { return 0, errors.New("not supported") }
	never := func(at string) (int64, error) {
		t.Errorf("asked for the disk of %s, which says nothing about the engine's", at)
		return 0, nil
	}
	tests := map[string]struct {
		got    Diagnosis
		state  State
		detail string
		fix    string
	}{
		"room enough for work":           {work.check(has(minWorkSpace)), OK, "1.0 GiB free", ""},
		"a byte too little for work":     {work.check(has(minWorkSpace - 1)), Note, "at least 1.0 GiB", "empty it"},
		"a disk that does not answer":    {work.check(broken), Note, "not supported", "df -h '" + dir + "'"},
		"room enough for images":         {checkEngineDisk(local, has(minEngineSpace)), OK, "5.0 GiB free", ""},
		"a byte too little for images":   {checkEngineDisk(local, has(minEngineSpace-1)), Note, "at least 5.0 GiB", "docker image prune"},
		"an engine on another machine":   {checkEngineDisk(remote, never), Note, "another machine", "on that machine"},
		"an engine in a virtual machine": {checkEngineDisk(hidden, never), Note, "another machine", "on that machine"},
		"an engine that does not say":    {checkEngineDisk(sandbox.Info{Host: local.Host}, never), Note, "not known", "on that machine"},
	}
	for name, tt := range tests {
		if tt.got.State != tt.state || !strings.Contains(tt.got.Detail, tt.detail) || !strings.Contains(tt.got.Fix, tt.fix) || (tt.fix == "") != (tt.got.Fix == "") {
			t.Errorf("%s: %+v", name, tt.got)
		}
	}
}

func TestFreeSpaceOfThisMachine(t *testing.T) {
	if n, err := freeSpace(t.TempDir()); err != nil || n <= 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := freeSpace(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
