package supervisor

import (
	"context"
	"net/netip"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// tables are those of a container in which a program waits in many ways.
func tables() fstest.MapFS {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	return fstest.MapFS{
		"net/tcp": {Data: []byte(head +
			"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 100 1 0000000000000000 100 0 0 10 0\n" +
			"   1: 00000000:1388 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1\n" +
			"   2: 0100007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 999 1\n" + // the supervisor's
			"   3: 0100007F:1F91 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 102 1\n")}, // connected
		"net/tcp6": {Data: []byte(head +
			"   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 103 1\n")},
		"net/udp": {Data: []byte(head +
			"   0: 0100007F:2328 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 104 2\n" +
			"   1: 00000000:C001 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 105 2\n")}, // of a client
		"net/unix": {Data: []byte("Num       RefCount Protocol Flags    Type St Inode Path\n" +
			"0000000000000000: 00000002 00000000 00010000 0001 01 106 /tmp/a b.sock\n" +
			"0000000000000000: 00000002 00000000 00010000 0001 01 107 app.sock\n" +
			"0000000000000000: 00000002 00000000 00010000 0001 01 108 @hidden\n" +
			"0000000000000000: 00000003 00000000 00000000 0001 03 109 /tmp/a b.sock\n")},
	}
}

func TestTheDoorsOfAProgramAreThoseThatTheKernelLists(t *testing.T) {
	var got []string
	for _, d := range doors(tables(), map[uint64]bool{999: true}, map[uint16]bool{9000: true}, "/workspace/sub") {
		for _, at := range d.dialled() {
			got = append(got, d.network+" "+at)
		}
	}
	want := []string{
		"tcp 127.0.0.1:8080", "tcp 127.0.0.1:5000", "tcp 127.0.0.1:3000", "tcp [::1]:3000", "udp 127.0.0.1:9000",
		"unix /tmp/a b.sock", "unix /workspace/sub/app.sock", "unix @hidden",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzTheTablesOfSockets(f *testing.F) {
	for _, table := range tables() {
		f.Add(string(table.Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		proc := fstest.MapFS{}
		for _, name := range []string{"net/tcp", "net/tcp6", "net/udp", "net/udp6", "net/unix"} {
			proc[name] = &fstest.MapFile{Data: []byte(text)}
		}
		for _, d := range doors(proc, nil, nil, "/workspace") {
			if d.network == "udp" || d.network == "tcp" && d.addr.Port() == 0 {
				t.Errorf("%+v", d)
			}
			for _, at := range d.dialled() {
				if _, err := netip.ParseAddrPort(at); d.network == "tcp" && err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestAProgramIsAskedOnceWhenItRests(t *testing.T) {
	const limit = 30 * time.Second
	for _, tt := range []struct {
		name        string
		listens     bool
		streak, ran time.Duration
		want        bool
	}{
		{"it listens and rests", true, time.Second, 2 * time.Second, true},
		{"it has just begun to rest", true, 250 * time.Millisecond, time.Second, false},
		{"it rests now and then", true, 250 * time.Millisecond, 11 * time.Second, true},
		{"it never rests", true, 0, 14 * time.Second, false},
		{"it never rests, and half of its time is over", true, 0, 15 * time.Second, true},
		{"it waits for no one", false, 5 * time.Second, 20 * time.Second, false},
	} {
		begun := make(chan struct{}, 2)
		a := &asking{job: &wire.Ask{}, begin: func(context.Context) wire.Asked { begun <- struct{}{}; return wire.Asked{Places: 1} }}
		i := newIdleness(procOf(), func() int64 { return 0 })
		i.streak = tt.streak
		a.turn(i, tt.listens, tt.ran, limit)
		if a.busy() != tt.want {
			t.Errorf("%s: %t", tt.name, a.busy())
			continue
		}
		if !tt.want {
			continue
		}
		if got := a.stop(); got == nil || got.Places != 1 {
			t.Errorf("%s: %+v", tt.name, got)
		}
		a.turn(i, tt.listens, tt.ran, limit)
		if <-begun; a.busy() || len(begun) > 0 {
			t.Errorf("%s: it is asked again", tt.name)
		}
	}
}

func TestProcessesAreToldOnlyIfTheyHaveAHandler(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tx\nSigCgt:\t0000000020000000\n": true, // SIGPWR, which is 30
		"Name:\tx\nSigCgt:\t0000000000004002\n": false,
		"Name:\tx\nSigCgt:\tno number\n":        false,
		"Name:\tx\n":                            true, // gVisor does not say
	} {
		if got := catches(fstest.MapFS{"7/status": {Data: []byte(status)}}, 7); got != want {
			t.Errorf("%q: %t", status, got)
		}
	}
	if catches(fstest.MapFS{}, 7) || tellSignal != unix.Signal(30) {
		t.Error("a process that is gone has none")
	}
}

func TestProcessesThatOthersKeepTheProcessorFromHaveMoreTimeToTell(t *testing.T) {
	before := map[int]int64{7: 100, 8: 20}
	for _, tt := range []struct {
		name string
		now  []process
		want bool
	}{
		{"one that runs had a tenth of a second in one", []process{{pid: 7, ticks: 110, state: 'R'}}, true},
		{"one that loops had all of it", []process{{pid: 7, ticks: 199, state: 'R'}}, false},
		{"two had it together", []process{{pid: 7, ticks: 130, state: 'R'}, {pid: 8, ticks: 50, state: 'S'}}, false},
		{"one that waits wants none", []process{{pid: 7, ticks: 100, state: 'S'}}, false},
		{"none is left", nil, false},
	} {
		if got := starved(time.Second, before, tt.now); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
