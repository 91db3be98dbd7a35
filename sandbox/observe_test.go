package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// said is what an event says, in one line.
func said(e Event) string {
	s := string(e.Action) + " " + e.Object
	if len(e.Args) > 0 {
		s += " " + strings.Join(e.Args, " ")
	}
	if e.Refused {
		s += " (refused)"
	}
	return s
}

func behaviourOf(r Result) []string {
	var out []string
	for _, e := range r.Behaviour.Events {
		out = append(out, said(e))
	}
	return out
}

func TestKindsOfBehaviourAreAllRecorded(t *testing.T) {
	want := []string{
		"read /etc/shadow",
		"list /workspace",
		"write /tmp/new",
		"rename /tmp/new /tmp/newer",
		"link /tmp/harmless /etc/passwd",
		"read /etc/passwd",
		"rename /tmp/harmless /tmp/pointer",
		"delete /tmp/pointer",
		"mode /tmp/newer 4755",
		"owner /tmp/newer 0:0",
		"delete /tmp/newer",
		"write /workspace/relative",
		"device /tmp/disk",
		"exec /attacker /attacker hello one two",
		"connect 192.0.2.7:443",
		"connect [2001:db8::1]:80",
		"connect unix:/var/run/docker.sock",
		"send 198.51.100.9:53",
		"bind 127.0.0.1:4444",
		"memory payload",
		"trace ptrace (refused)",
		"namespace unshare (refused)",
		"mount mount (refused)",
		"module finit_module (refused)",
		"privilege setuid 0",
		"hide prctl(PR_SET_DUMPABLE, 0)",
		"signal kill of the supervisor (refused)",
		"read /tmp/after-hiding",
	}
	recorders := map[string]string{"runc": "seccomp-notify", "runsc": "ptrace"}
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "behave")
		r := mustRun(t, d, s)
		if r.Status != Exited || r.ExitCode != 0 || r.Behaviour.Lost != 0 {
			t.Fatalf("%s %q exit %d, %d events lost\n%s\n%s", r.Status, r.Reason, r.ExitCode, r.Behaviour.Lost, clip(r.Stderr.Data), strings.Join(behaviourOf(r), "\n"))
		}
		if r.Behaviour.Recorder != recorders[runtime] {
			t.Errorf("recorded by %q, want %q", r.Behaviour.Recorder, recorders[runtime])
		}
		got, wanted := behaviourOf(r), want
		if runtime == "runsc" { // which knows no profile of the engine
			wanted = append(slices.Clip(want), "hide io_uring_setup (refused)")
		}
		for _, w := range wanted {
			if !slices.Contains(got, w) {
				t.Errorf("not recorded: %s", w)
			}
		}
		if t.Failed() {
			t.Logf("recorded:\n%s", strings.Join(got, "\n"))
		}
	})
}

func TestFilesThatLoseWhatTheyHeldAreRecorded(t *testing.T) {
	want := []string{
		"overwrite /tmp/.planted emptied",
		"overwrite /workspace/encrypted scrambled",
		"overwrite /workspace/opened emptied",
		"overwrite /workspace/replaced emptied",
		"overwrite /workspace/truncated emptied",
	}
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "spoil")
		text := "what a user wrote\n"
		s.Input = files(map[string]string{"truncated": text, "opened": text, "replaced": text, "encrypted": text, "kept": text})
		s.Observe.Plants = []File{{Path: "/tmp/.planted", Data: []byte(text)}}
		r := mustRun(t, d, s)
		var got []string
		for _, e := range r.Behaviour.Events {
			if e.Action == ActionOverwrite {
				got = append(got, said(e))
			}
		}
		slices.Sort(got)
		if r.ExitCode != 0 || !slices.Equal(got, want) {
			t.Errorf("exit %d: %q, want %q\n%s", r.ExitCode, got, want, clip(r.Stdout.Data))
		}
	})
}

// TestARunThatAsksForRandomNumbersSaysSo: also where it is not known what it looked at.
func TestARunThatAsksForRandomNumbersSaysSo(t *testing.T) {
	many := map[string]string{"input.txt": "x"}
	for i := range wire.MaxInputs {
		many[fmt.Sprint("more/", i)] = ""
	}
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		for name, change := range map[string]func(*Spec){
			"as ever":               func(*Spec) {},
			"without waits":         func(s *Spec) { s.FastForward = true },
			"with very many inputs": func(s *Spec) { s.Input = files(many) },
		} {
			for how, args := range map[string][]string{"not at all": nil, "by a call": {"call"}, "from a device": {"/dev/urandom"}} {
				s := attack(runtime, append([]string{"toss"}, args...)...)
				s.Input = files(map[string]string{"input.txt": "x"})
				s.Observe.Inputs = true
				change(&s)
				r := mustRun(t, d, s)
				if string(r.Stdout.Data) != "toss\tok\n" {
					t.Fatalf("%s, %s: %s", name, how, clip(r.Stdout.Data))
				}
				if r.Behaviour.Random != (args != nil) || (r.Behaviour.Inputs != nil) != (runtime == "runc" && name != "with very many inputs") {
					t.Errorf("%s, %s: random %v, inputs %v", name, how, r.Behaviour.Random, r.Behaviour.Inputs)
				}
			}
		}
	})
}

func TestARunThatIsNotObservedSaysSo(t *testing.T) {
	d := openDocker(t)
	s := attack("runc", "hello")
	s.Observe = nil
	r := mustRun(t, d, s)
	if r.Behaviour.Recorder != "" || r.Behaviour.Events != nil {
		t.Errorf("recorded by %q: %v", r.Behaviour.Recorder, behaviourOf(r))
	}
}

func TestAFloodOfEqualEventsIsCountedToTheLast(t *testing.T) {
	// On gVisor each takes more than half a millisecond; this is what fits a minute.
	floods := map[string]int64{"runc": 1_000_000, "runsc": 50_000}
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		n := floods[runtime]
		s := attack(runtime, "opens", fmt.Sprint(n))
		s.Limits.Timeout = 5 * time.Minute // this is no test of speed
		r := mustRun(t, d, s)
		i := slices.IndexFunc(r.Behaviour.Events, func(e Event) bool { return said(e) == "list /tmp" })
		if r.Status != Exited || r.Behaviour.Lost != 0 || i < 0 || r.Behaviour.Events[i].Count != n {
			t.Errorf("%s %q, %d lost: %v", r.Status, r.Reason, r.Behaviour.Lost, behaviourOf(r))
		}
	})
}

func TestAFloodOfDifferentEventsIsLostVisibly(t *testing.T) {
	const n = wire.MaxEvents + 1000
	d := openDocker(t)
	s := attack("runc", "opens", fmt.Sprint(n), "different")
	r := mustRun(t, d, s)
	// A quarter of the room is kept for what matters more than opening files.
	if r.Status != Exited || len(r.Behaviour.Events) != wire.MaxEvents*3/4 || r.Behaviour.Lost < 1000 {
		t.Errorf("%s %q, %d events and %d lost", r.Status, r.Reason, len(r.Behaviour.Events), r.Behaviour.Lost)
	}
}

func TestAPlantedFileIsFoundAndDoesNotReplaceAnInput(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "hello")
		s.Observe = &Observe{Plants: []File{
			{Path: "/workspace/.aws/credentials", Data: []byte("planted")},
			{Path: "/workspace/input", Data: []byte("planted")},
		}}
		s.Input = files(map[string]string{"input": "given"})
		s.Output = []string{"."}
		r := mustRun(t, d, s)
		got := map[string]string{}
		for _, f := range r.Files {
			got[f.Path] = string(f.Data)
		}
		if got[".aws/credentials"] != "planted" || got["input"] != "given" {
			t.Errorf("%s %q: %v", r.Status, r.Reason, got)
		}
	})
}

func TestUnobservableRunsAreRefusedBeforeTheStart(t *testing.T) {
	for name, o := range map[string]*Observe{
		"a file outside the writable folders": {Plants: []File{{Path: "/etc/passwd"}}},
		"a file that climbs out":              {Plants: []File{{Path: "/tmp/../etc/passwd"}}},
		"a relative path":                     {Plants: []File{{Path: "tmp/x"}}},
		"a canary that is found by chance":    {Canaries: []Canary{{ID: "x", Value: "short"}}},
		"more files than are taken":           {Plants: make([]File, wire.MaxPlants+1)},
		"more bytes than are taken":           {Plants: []File{{Path: "/tmp/x", Data: make([]byte, maxPlanted+1)}}},
	} {
		s := Spec{Image: "x", Argv: []string{"x"}, Observe: o}
		if _, err := s.normal(); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestCodeThatAppearsIsCaptured(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "unpack")
		r := mustRun(t, d, s)
		want := map[string]string{
			"/tmp/stage2.py":     "read after it was written",
			"/workspace/late.sh": "written",
			"memfd:stage3":       "executed",
		}
		for _, c := range r.Behaviour.Captures {
			if want[c.Path] != c.How {
				t.Errorf("captured %s, %s", c.Path, c.How)
			}
			delete(want, c.Path)
			if strings.HasSuffix(c.Path, ".py") && string(c.Data) != "print('stage 2')\n" {
				t.Errorf("%s holds %q", c.Path, c.Data)
			}
			if c.Path == "memfd:stage3" && (!c.Truncated || len(c.Data) != wire.MaxCapture) {
				t.Errorf("%d bytes of the program in memory, truncated %t", len(c.Data), c.Truncated)
			}
		}
		if len(want) > 0 || r.Status != Exited {
			t.Errorf("%s %q: not captured: %v\n%s", r.Status, r.Reason, want, strings.Join(behaviourOf(r), "\n"))
		}
	})
}

func TestACanaryIsFoundWhereverItIsLeft(t *testing.T) {
	const value = "Zq7Xk29vLmP0aWs4TtYb81Re"
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "leak", "/tmp/.aws/credentials")
		s.Observe = &Observe{
			Canaries: []Canary{{ID: "aws key", Value: value}},
			Plants:   []File{{Path: "/tmp/.aws/credentials", Data: []byte(value)}},
		}
		r := mustRun(t, d, s)
		want := map[string]string{
			"leak /workspace/out.txt":                 "aws key (hex)",
			"leak standard output":                    "aws key (base64)",
			"exec /attacker /attacker hello " + value: "aws key (plain)",
		}
		for _, e := range r.Behaviour.Events {
			if len(e.Canaries) == 0 {
				continue
			}
			if want[said(e)] != strings.Join(e.Canaries, ",") {
				t.Errorf("%s: %q", said(e), e.Canaries)
			}
			delete(want, said(e))
		}
		if len(want) > 0 || r.Behaviour.Lost != 0 {
			t.Errorf("%s %q, %d lost; not seen: %v\n%s", r.Status, r.Reason, r.Behaviour.Lost, want, strings.Join(behaviourOf(r), "\n"))
		}
	})
}

func TestTheSimulatedInternetAnswersAndRemembers(t *testing.T) {
	const value = "Zq7Xk29vLmP0aWs4TtYb81Re"
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		s := attack(runtime, "phone", "/tmp/secret")
		s.Limits.Timeout = time.Minute
		s.Observe = &Observe{
			Internet: true,
			Canaries: []Canary{{ID: "key", Value: value}},
			Plants:   []File{{Path: "/tmp/secret", Data: []byte(value)}},
		}
		r := mustRun(t, d, s)
		for _, line := range []string{"post 200", "get 200", "metadata 200", "raw <nil> <nil>", "datagram <nil> <nil>"} {
			if !strings.Contains(string(r.Stdout.Data), line+"\n") {
				t.Errorf("the program did not get %q", line)
			}
		}
		events := behaviourOf(r)
		for _, want := range []string{
			"resolve A collect.example.com",
			"request POST https://collect.example.com/in?id=7",
			"connect 203.0.113.77:8081",
			"request GET http://203.0.113.77:8081/by-address",
			"metadata GET ",
			"connect 198.51.100.7:4444",
			"traffic 198.51.100.7:4444",
			"traffic 192.0.2.1:9999",
		} {
			if !slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, want) }) {
				t.Errorf("not recorded: %s", want)
			}
		}
		i := slices.IndexFunc(r.Behaviour.Events, func(e Event) bool { return e.Action == ActionRequest && len(e.Canaries) > 0 })
		if i < 0 || r.Behaviour.Events[i].Canaries[0] != "key (hex)" {
			t.Error("the canary in the request was not recognised")
		}
		if r.Status != Exited || r.Behaviour.Lost != 0 {
			t.Errorf("%s %q, %d events lost", r.Status, r.Reason, r.Behaviour.Lost)
		}
		if t.Failed() {
			t.Logf("output:\n%s\nrecorded:\n%s", clip(r.Stdout.Data), strings.Join(events, "\n"))
		}
	})
}
