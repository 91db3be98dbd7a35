package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

func TestAForgedReportIsNeverBelieved(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		r := mustRun(t, d, attack(runtime, "forge"))
		switch r.Status {
		case Exited:
			// Nothing of process 1 could be opened: the report is the true one.
			if r.ExitCode != 3 || !strings.Contains(string(r.Stdout.Data), "streams of process 1 that took it: 0\n") {
				t.Errorf("exit code %d, output %q", r.ExitCode, clip(r.Stdout.Data))
			}
		case Failed:
			// gVisor lets a process reopen what another one of its user has open.
			// Then the stream breaks; it must not say what the program wants.
			if runtime == "runc" || !strings.Contains(r.Reason, "not a frame") && !strings.Contains(r.Reason, "wrong tag") &&
				!strings.Contains(r.Reason, "engine's stream") {
				t.Errorf("failed with %q", r.Reason)
			}
		default:
			t.Errorf("got %s (%s)", r.Status, r.Reason)
		}
	})
}

func TestProcessesEndWithTheRun(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "daemon")
		s.Limits.Timeout = 5 * time.Second
		r := mustRun(t, d, s)
		if r.Status != Exited || !strings.Contains(string(r.Stdout.Data), "it lives") {
			t.Fatalf("got %s (%s), output %q", r.Status, r.Reason, clip(r.Stdout.Data))
		}
		// openDocker checks that the container is gone, and every process of a
		// container goes with it. It had the whole time, and it is named.
		if r.Duration < s.Limits.Timeout {
			t.Errorf("it was ended after %s", r.Duration)
		}
		if want := []string{"/attacker daemon third"}; !slices.Equal(r.Left.Commands, want) || r.Left.More != 0 {
			t.Errorf("left %q and %d more, want %q", r.Left.Commands, r.Left.More, want)
		}
	})
}

func TestProcessesThatAProgramLeavesBehindAreWatchedToTheirEnd(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		r := mustRun(t, d, attack(runtime, "later", "1s"))
		if r.Status != Exited || r.Left.Any() {
			t.Errorf("got %s (%s), left %q", r.Status, r.Reason, r.Left.Commands)
		}
		if !slices.ContainsFunc(r.Behaviour.Events, func(e Event) bool { return e.Action == ActionRead && e.Object == "/etc/shadow" }) {
			t.Errorf("what the child did after the program had ended is not in %+v", r.Behaviour.Events)
		}
		if r.Duration > time.Minute {
			t.Errorf("it took %s", r.Duration)
		}
	})
}

func TestAProgramThatWaitsIsToldFromOneThatWorks(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		for name, want := range map[string]Status{"stayfor": Waiting, "serve": Serving, "loop": Timeout} {
			s := attack(runtime, name)
			s.Limits.Timeout = 3 * time.Second
			if r := mustRun(t, d, s); r.Status != want {
				t.Errorf("%s: got %s (%s) after %s of waiting, want %s", name, r.Status, r.Reason, r.Waited, want)
			}
		}
	})
}

func TestListenersOnTheHostAreNotReached(t *testing.T) {
	var reached atomic.Int64
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	name := fmt.Sprint("@gate-sandbox-test-", os.Getpid())
	abstract, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	packets, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	for _, listener := range []net.Listener{l, abstract} {
		go func() {
			for c, err := listener.Accept(); err == nil; c, err = listener.Accept() {
				reached.Add(1)
				c.Close()
			}
		}()
	}
	go func() {
		buf := make([]byte, 64)
		for _, _, err := packets.ReadFrom(buf); err == nil; _, _, err = packets.ReadFrom(buf) {
			reached.Add(1)
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"connect", "unix", name, "unix", "/var/run/docker.sock"}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok {
			hostPort := net.JoinHostPort(ip.IP.String(), port)
			args = append(args, "tcp", hostPort, "udp", hostPort)
		}
	}
	// The listener does work.
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	eventually(t, "the listener counts", func() bool { return reached.CompareAndSwap(1, 0) })
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		r := mustRun(t, d, attack(runtime, args...))
		if r.Status != Exited || !strings.Contains(string(r.Stdout.Data), "tcp 127.0.0.1:") {
			t.Errorf("got %s (%s)", r.Status, r.Reason)
		}
		if n := reached.Load(); n != 0 {
			t.Errorf("%d packets or connections came out:\n%s", n, clip(r.Stdout.Data))
		}
	})
}

func TestCodeInAnonymousMemoryRunsButIsContained(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		r := mustRun(t, d, attack(runtime, "memfd"))
		out := string(r.Stdout.Data)
		if r.Status != Exited || !strings.Contains(out, "ran <nil>") || strings.Count(out, "\n") != 5 || strings.Contains(out, "\tok") {
			t.Errorf("got %s (%s), output %q", r.Status, r.Reason, out)
		}
	})
}

func TestCallsOfOtherArchitecturesEndTheProgram(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		if goarch != "amd64" {
			t.Log("this machine has only one way to make a call")
			return
		}
		d := openDocker(t)
		for _, way := range []string{"int80", "x32"} {
			s := attack(runtime, way)
			if runtime == "runsc" {
				s.Limits.Timeout = 3 * time.Second
			}
			r := mustRun(t, d, s)
			out := string(r.Stdout.Data)
			// 31 is SIGSYS, from the filters. gVisor knows one kind of call and takes
			// the number for one of those, or ends the thread, which a Go program
			// waits for.
			refused := r.Status == Exited && r.ExitCode == 128+31
			if runtime == "runsc" {
				refused = refused || r.Status == Waiting || r.Status == Timeout || strings.Contains(out, "returned -")
			}
			if !refused {
				t.Errorf("%s: got %s %d (%s), output %q", way, r.Status, r.ExitCode, r.Reason, out)
			}
		}
	})
}

func TestAProgramInheritsItsThreeStreamsAndNothingElse(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		r := mustRun(t, d, attack(runtime, "descriptor"))
		for line := range strings.Lines(string(r.Stdout.Data)) {
			var fd int
			var what string
			if n, _ := fmt.Sscanf(line, "fd %d %s", &fd, &what); n < 1 || fd <= 2 {
				continue
			}
			// What Go opens for itself: its poller, its share of the processor, and the
			// folder that is listed.
			if !strings.HasPrefix(what, "anon_inode:") && !strings.Contains(what, "/fd") && !strings.HasPrefix(what, "/sys/fs/cgroup/") {
				t.Errorf("it inherited %d, %s", fd, what)
			}
		}
		if !strings.Contains(string(r.Stdout.Data), "fd 2 ") {
			t.Errorf("nothing listed: %s", clip(r.Stdout.Data))
		}
	})
}

func TestSpecialFilesAreNotBroughtBack(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "specials")
		s.Output = []string{"link", "zero", "dirlink/1/status", "dirlink", "fifo", "socket", "device", "sparse", "dir", "deep", "missing", "gone/missing", "dir/sub/good"}
		s.Limits.Output = 1 << 20
		r := mustRun(t, d, s)
		if r.Status != Exited {
			t.Fatalf("got %s (%s)", r.Status, r.Reason)
		}
		good := 0
		for _, f := range r.Files {
			switch {
			case f.Path == "dir/sub/good" && string(f.Data) == "good":
				good++
			default:
				t.Errorf("brought back %q with %d bytes", f.Path, len(f.Data))
			}
		}
		if good != 1 {
			t.Errorf("the good file came %d times", good)
		}
		refused := map[string]string{}
		for _, f := range r.Refused {
			refused[f.Path] = f.Reason
		}
		for path, reason := range map[string]string{
			"link": "not a regular file", "zero": "not a regular file", "dirlink": "not a regular file", "dirlink/1/status": "is a link",
			"fifo": "not a regular file", "socket": "not a regular file", "dir/sub/fifo": "not a regular file",
			"sparse": "are more than", "missing": "no such file", "gone/missing": "not there",
		} {
			if !strings.Contains(refused[path], reason) {
				t.Errorf("%s: refused because %q, want %q", path, refused[path], reason)
			}
		}
		s.Output = []string{"many", "zero"}
		r = mustRun(t, d, s)
		if len(r.Files) != MaxFiles || len(r.Refused) != 1 || !strings.Contains(r.Refused[0].Reason, "too many files") {
			t.Errorf("%d files came and %d were refused: %v", len(r.Files), len(r.Refused), r.Refused)
		}
	})
}

func TestRequestedFilesComeBackInOrder(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		large := strings.Repeat("0123456789abcdef", 8<<10)
		s := attack(runtime, "produce", "out/b.txt=second", "out/a.txt=first", "out/large="+large[:100_000], "top=top")
		s.Input = files(map[string]string{"out/in.txt": "input"})
		s.Output = []string{"top", "out"}
		r := mustRun(t, d, s)
		var got []string
		for _, f := range r.Files {
			got = append(got, fmt.Sprintf("%s %d", f.Path, len(f.Data)))
		}
		if want := "out/a.txt 5,out/b.txt 6,out/in.txt 5,out/large 100000,top 3"; strings.Join(got, ",") != want || len(r.Refused) > 0 {
			t.Errorf("got %s, refused %v (%s %s)", got, r.Refused, r.Status, r.Reason)
		}
	})
}

func TestStandardInputReachesTheProgramWhole(t *testing.T) {
	d := openDocker(t)
	testenv.Runtime(t, "runc")
	for size, want := range map[int]string{0: "0 <nil> \n", 3_000_000: "3000000 <nil> " + strings.Repeat("y", 20) + "\n"} {
		s := attack("runc", "echo")
		s.Stdin = []byte(strings.Repeat("y", size))
		if r := mustRun(t, d, s); string(r.Stdout.Data) != want {
			t.Errorf("%d bytes: %q (%s %s)", size, clip(r.Stdout.Data), r.Status, r.Reason)
		}
	}
	// Who never reads is not waited for.
	s := attack("runc", "exit", "0")
	s.Stdin = []byte(strings.Repeat("y", 3_000_000))
	if r := mustRun(t, d, s); r.Status != Exited {
		t.Errorf("unread: %s (%s)", r.Status, r.Reason)
	}
}

func TestARunThatCannotComeAboutSaysWhatToDo(t *testing.T) {
	d := openDocker(t)
	testenv.Runtime(t, "runc")
	var missing *MissingError
	s := attack("runc", "hello")
	s.Image = "gate-no-such-image:never"
	if r, err := d.Run(t.Context(), s); !errors.As(err, &missing) || missing.What != "image" || r.Status != Failed {
		t.Errorf("image: %v", err)
	}
	if r, err := d.Run(t.Context(), attack("no-such-runtime", "hello")); !errors.As(err, &missing) || missing.What != "runtime" || !strings.Contains(err.Error(), "runc") || r.Status != Failed {
		t.Errorf("runtime: %v", err)
	}
	s = attack("runc", "hello")
	s.Argv = []string{"no-such-program"}
	if r, err := d.Run(t.Context(), s); err != nil || r.Status != Failed || !strings.Contains(r.Reason, `no such program in the image`) {
		t.Errorf("program: %s %q %v", r.Status, r.Reason, err)
	}
	s = attack("runc", "hello")
	s.Dir = "not/there"
	if r, err := d.Run(t.Context(), s); err != nil || r.Status != Failed || !strings.Contains(r.Reason, "not/there") {
		t.Errorf("folder: %s %q %v", r.Status, r.Reason, err)
	}
	s = attack("runc", "hello")
	s.Input = files(map[string]string{"big": strings.Repeat("x", 1<<20)})
	s.Limits.Workspace = 512 << 10
	if r, err := d.Run(t.Context(), s); err != nil || r.Status != Failed || !strings.Contains(r.Reason, "larger workspace") {
		t.Errorf("input: %s %q %v", r.Status, r.Reason, err)
	}
}
