package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhichFilesAreLeftoversOfADeadDaemon(t *testing.T) {
	const docker, containerd = "docker.pid", "docker/containerd/containerd.pid"
	tests := map[string]struct {
		files map[string]string
		names map[int]string // the processes that are alive
		want  []string
	}{
		"nothing was left": {nil, nil, nil},
		"the daemon is alive": {
			map[string]string{docker: "7", containerd: "8\n"}, map[int]string{7: "dockerd", 8: "containerd"}, nil},
		"the processes are gone": {
			map[string]string{docker: "7", containerd: "8"}, nil, []string{docker, containerd}},
		"after a reboot the numbers belong to others": {
			map[string]string{docker: "7", containerd: "8"}, map[int]string{7: "sshd", 8: "dockerd"}, []string{docker, containerd}},
		"a file without a number": {
			map[string]string{docker: ""}, map[int]string{0: "dockerd"}, []string{docker}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := t.TempDir()
			for file, text := range tc.files {
				write(t, filepath.Join(run, file), text)
			}
			got := leftovers(run, func(pid int) string { return tc.names[pid] }, listens)
			var want []string
			for _, file := range tc.want {
				want = append(want, filepath.Join(run, file))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("leftovers %q, want %q", got, want)
			}
		})
	}
}

func TestASocketIsALeftoverWhenNoProcessListens(t *testing.T) {
	run := t.TempDir()
	socket := filepath.Join(run, "containerd", "containerd.sock")
	if err := os.Mkdir(filepath.Dir(socket), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	noOwner := func(int) string { return "" }
	if got := leftovers(run, noOwner, listens); len(got) != 0 {
		t.Errorf("with a listener: leftovers %q", got)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as kill -9 leaves it
	l.Close()
	if got := leftovers(run, noOwner, listens); !slices.Equal(got, []string{socket}) {
		t.Errorf("without a listener: leftovers %q", got)
	}
}

func TestTheNameOfAProcess(t *testing.T) {
	for stat, want := range map[string]string{
		"7 (dockerd) S 1 7 7 0":       "dockerd",
		"7 (a) b (c) R 1 7":           "a) b (c",
		"7 (dockerd) Z 1 7 7 0":       "", // ended; no one has waited for it
		"7 dockerd S":                 "",
		"":                            "",
		"7 )dockerd( S the other way": "",
	} {
		if got := nameOf(stat); got != want {
			t.Errorf("%q: %q, want %q", stat, got, want)
		}
	}
	if processName(os.Getpid()) == "" {
		t.Error("this process has no name")
	}
	if got := processName(-1); got != "" {
		t.Errorf("process -1 is called %q", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
