package supervisor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aigate/gate/sandbox/internal/wire"
	"github.com/aigate/gate/tools/testenv"
)

func TestEqualEventsAreCountedAndOthersKeptApart(t *testing.T) {
	j := newJournal()
	for range 3 {
		j.add(wire.Event{Action: "read", Object: "/a"})
	}
	for _, e := range []wire.Event{
		{Action: "write", Object: "/a"}, {Action: "read", Object: "/a", Refused: true},
		{Action: "exec", Object: "/a", Args: []string{"x", "y"}}, {Action: "exec", Object: "/a", Args: []string{"x y"}},
	} {
		j.add(e)
	}
	events, lost := j.all(nil)
	if len(events) != 5 || events[0].Count != 3 || lost != 0 {
		t.Errorf("%d events, the first %d times, %d lost: %+v", len(events), events[0].Count, lost, events)
	}
}

func TestAJournalIsBoundedAndSaysWhatItLost(t *testing.T) {
	testenv.WithoutRace(t, "a hundred thousand events in one goroutine")
	for name, object := range map[string]func(int) string{
		"many events": func(i int) string { return fmt.Sprint("/", i) },
		"long events": func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 4*wire.MaxText)) },
	} {
		j := newJournal()
		for i := range wire.MaxEvents + 10 {
			j.add(wire.Event{Action: "read", Object: object(i)})
		}
		events, lost := j.all(nil)
		size := 0
		for _, e := range events {
			size += len(e.Object)
		}
		if len(events) > wire.MaxEvents || size > maxJournal || int64(len(events))+lost != wire.MaxEvents+10 {
			t.Errorf("%s: %d events of %d bytes kept, %d lost", name, len(events), size, lost)
		}
	}
}

func TestAnEventOfAJournalFitsIntoAFrame(t *testing.T) {
	j := newJournal()
	args := make([]string, maxArguments)
	for i := range args {
		args[i] = strings.Repeat("\xff\x00é", 9000)
	}
	j.add(wire.Event{Action: "exec", Object: strings.Repeat("\xfe", 9000), Args: args, Data: make([]byte, 9000)})
	events, _ := j.all(nil)
	payload, err := wire.Encode(events[0])
	if err != nil || len(payload) > wire.MaxMessage {
		t.Errorf("%d bytes, %v", len(payload), err)
	}
	text := 0
	for _, s := range append(events[0].Args, events[0].Object) {
		text += len(s)
		if !utf8.ValidString(s) {
			t.Errorf("%q would be changed on its way", s[:20])
		}
	}
	if text > 2*wire.MaxText || len(events[0].Data) > wire.MaxText {
		t.Errorf("%d bytes of text and %d of data: the host would refuse them", text, len(events[0].Data))
	}
}

func TestResolvedPathsAreForgottenWhenALinkMayHaveChanged(t *testing.T) {
	for _, action := range []string{"link", "rename", "delete"} {
		k := resolved{paths: map[string]string{}}
		k.keep("/a", "/a")
		k.see("read")
		if k.paths["/a"] != "/a" {
			t.Error("reading made it forget")
		}
		k.see(action)
		if len(k.paths) != 0 {
			t.Errorf("%s did not make it forget", action)
		}
		// The call was announced and may not have been made yet.
		k.keep("/a", "/a")
		if len(k.paths) != 0 {
			t.Errorf("it trusts what it sees right after %s", action)
		}
	}
}

func TestReadingTheImageIsOneEventForAFolder(t *testing.T) {
	j := newJournal()
	for _, p := range []string{"/usr/lib/python3.11/os.py", "/usr/lib/python3.11/json/decoder.py", "/usr/lib/go/src/fmt/print.go", "/usr/bin/env", "/etc/shadow"} {
		j.add(wire.Event{Action: "read", Object: p})
	}
	j.add(wire.Event{Action: "write", Object: "/usr/lib/python3.11/os.py"})
	events, _ := j.all(nil)
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprint(e.Action, " ", e.Object, " ", e.Count))
	}
	want := "read /usr/lib/python3.11/... 2,read /usr/lib/go/... 1,read /usr/bin/env 1,read /etc/shadow 1,write /usr/lib/python3.11/os.py 1"
	if s := strings.Join(got, ","); s != want {
		t.Errorf("got %s", s)
	}
}

func TestAFloodOfOpensHidesNeitherKeysNorCommands(t *testing.T) {
	j := newJournal()
	j.plants = map[string]bool{"/tmp/.ssh/id_rsa": true, "/workspace/token": true}
	for i := range 3 * wire.MaxEvents {
		j.add(wire.Event{Action: "read", Object: "/etc/x" + strconv.Itoa(i)})
	}
	for i := range 3 * wire.MaxEvents { // and one of what is kept beyond it
		j.add(wire.Event{Action: "exec", Object: "/bin/x" + strconv.Itoa(i)})
	}
	for _, e := range []wire.Event{{Action: "read", Object: "/tmp/.ssh/id_rsa"}, {Action: "read", Object: "/workspace/token"}} {
		j.add(e)
	}
	events, lost := j.all(nil)
	if len(events) > wire.MaxEvents || lost == 0 {
		t.Errorf("%d events, %d lost", len(events), lost)
	}
	for _, want := range []string{"/bin/x0", "/tmp/.ssh/id_rsa", "/workspace/token"} {
		if !slices.ContainsFunc(events, func(e wire.Event) bool { return e.Object == want }) {
			t.Errorf("%s is not among %d events", want, len(events))
		}
	}
}
