package supervisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func TestTheJobsEnvironmentGoesOverTheImages(t *testing.T) {
	got := environment([]string{"PATH=/image", "LANG=C", "odd", "=x", "A=image"}, []string{"A=job", "B=", "C=a=b", "A=last"})
	want := []string{"HOME=/tmp", "TMPDIR=/tmp", "PATH=/image", "LANG=C", "A=last", "B=", "C=a=b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnOrderCarriesTheLimitsAndNoFolderOutside(t *testing.T) {
	for dir, want := range map[string]string{"": Workspace, ".": Workspace, "a/b": Workspace + "/a/b", "../..": Workspace, "/etc": Workspace + "/etc"} {
		if o := orderFor(wire.Job{Dir: dir}, nil); o.Dir != want {
			t.Errorf("folder %q became %q", dir, o.Dir)
		}
	}
	o := orderFor(wire.Job{FileSize: 1, OpenFiles: 2, CPUSeconds: 3, AddressSpace: 4}, nil)
	want := []limit{{unix.RLIMIT_CORE, 0, 0}, {unix.RLIMIT_FSIZE, 1, 1}, {unix.RLIMIT_NOFILE, 2, 2}, {unix.RLIMIT_CPU, 3, 3}, {unix.RLIMIT_AS, 4, 4}}
	if !slices.Equal(o.Limits, want) {
		t.Errorf("limits %v", o.Limits)
	}
	if o := orderFor(wire.Job{FileSize: 1}, nil); len(o.Limits) != 2 {
		t.Errorf("what has no limit got one: %v", o.Limits)
	}
}

func TestProgramsAreFoundInAbsoluteFoldersOfThePathOnly(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, p := range []string{"bin/tool", "plain", "sub/tool/x"} {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if p == "plain" {
			mode = 0o644
		}
		if err := os.WriteFile(p, []byte("#!"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, path, want string
	}{
		{"tool", "PATH=" + dir + "/bin", dir + "/bin/tool"},
		{"tool", "PATH=" + dir + "/nothing:" + dir + "/sub:" + dir + "/bin", dir + "/bin/tool"}, // sub/tool is a folder
		{"tool", "PATH=bin::.", ""},
		{"plain", "PATH=" + dir, ""},
		{"tool", "HOME=/", ""},
		{"./bin/tool", "", "./bin/tool"},
	}
	for _, tt := range tests {
		got, err := lookPath(tt.name, []string{"PATH=/first/is/overridden", tt.path})
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s with %s: %q, %v", tt.name, tt.path, got, err)
		}
	}
}

func TestTheRestOfTheOutputIsCountedAndDropped(t *testing.T) {
	mine, theirs, err := pipe(false)
	if err != nil {
		t.Fatal(err)
	}
	hostReads, hostWrites, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hostReads.Close()
	const total = 3 << 20
	go func() {
		w := os.NewFile(uintptr(theirs), "program")
		defer w.Close()
		_, _ = w.Write([]byte(strings.Repeat("abcdefgh", total/8)))
	}()
	out := newSender(hostWrites)
	d := drain{kind: wire.KindStdout, from: mine, keep: 100_000}
	go func() { d.run(out); hostWrites.Close() }()
	var got []byte
	for r := wire.NewReader(hostReads); ; {
		kind, p, err := r.Next()
		if err != nil {
			break
		}
		if kind != wire.KindStdout {
			t.Errorf("kind %d", kind)
		}
		got = append(got, p...)
	}
	if d.total.Load() != total || len(got) != 100_000 || !strings.HasPrefix(string(got), "abcdefghabcdefgh") {
		t.Errorf("%d bytes counted, %d kept", d.total.Load(), len(got))
	}
}
