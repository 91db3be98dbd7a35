package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// kinds is the evidence of one program for each language that does one thing of
// every kind, and how often it does so. A language that cannot do a thing by itself
// is not named.
var kinds = []struct {
	event     string
	count     int64
	languages string
}{
	{"read /etc/shadow", 3, "go python node shell"},
	{"read /etc/passwd", 1, "go"}, // through a link; the others' libraries read it themselves
	{"write /tmp/k/new", 1, "go python node shell"},
	{"list /tmp/k", 1, "go python node shell"},
	{"mode /tmp/k/new 4755", 1, "go python node shell"},
	{"owner /tmp/k/new 0:0", 1, "go python node shell"},
	{"rename /tmp/k/old /tmp/k/moved", 1, "go python node shell"},
	{"delete /tmp/k/gone", 1, "go python node shell"},
	{"link /tmp/k/hard /tmp/k/new", 1, "go python node shell"},
	{"link /tmp/k/soft /etc/passwd", 1, "go python node shell"},
	{"device /tmp/k/pipe", 1, "go python shell"},
	{"exec /bin/echo /bin/echo one two three", 2, "python node shell"},
	{"exec /attacker /attacker exit 0", 2, "go"},
	{"connect 203.0.113.77:8081", 1, "go python node shell"},
	{"connect unix:/var/run/docker.sock", 1, "go python node shell"},
	{"resolve A kinds.example.com", atLeastOnce, "go python node shell"},
	{"send 198.51.100.9:9999", 2, "go python node"},
	{"bind 127.0.0.1:4444", 1, "go python node shell"},
	{"memory payload", 1, "go python"},
	{"signal kill of the supervisor (refused)", 1, "go python node shell"},
	{"privilege setuid 0", 1, "go python"},
	{"privilege setuid 0", atLeastOnce, "node"},
	{"privilege setresuid 0", 1, "shell"},
	{"trace ptrace (refused)", 1, "go python"},
	{"namespace unshare (refused)", 1, "go python shell"},
	{"mount mount (refused)", 1, "go python"},
	{"mount chroot (refused)", 1, "shell"},
	{"module finit_module (refused)", 1, "go python"},
	{"hide prctl(PR_SET_DUMPABLE, 0)", 1, "go python"},
	{"write /tmp/k/after-hiding", 1, "go python"},
}

// atLeastOnce is the count of what a library asks for in every thread of a process,
// or again where an answer takes long.
const atLeastOnce = -1

func TestLanguagesAreSeenDoingOneThingOfEachKind(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		programs := map[string]Spec{"go": attack(runtime, "kinds")}
		for lang, argv := range map[string][]string{"python": {"python3", "kinds.py"}, "node": {"node", "kinds.js"}, "shell": {"bash", "kinds.sh"}} {
			text, err := os.ReadFile(filepath.Join("testdata", "kinds", argv[1]))
			if err != nil {
				t.Fatal(err)
			}
			s := attack(runtime)
			s.Image = "" // asked for where the engine can take it
			s.Argv, s.Input = argv, files(map[string]string{argv[1]: string(text)})
			s.Limits.Memory, s.Limits.Pids = 512<<20, 256
			programs[lang] = s
		}
		for lang, s := range programs {
			t.Run(lang, func(t *testing.T) {
				if s.Image == "" {
					testenv.Needs(t, testenv.WritableFolders)
					s.Image = testenv.Image(t, lang)
				}
				s.Observe, s.Limits.Timeout = &Observe{Internet: true}, time.Minute
				r := mustRun(t, d, s)
				got := map[string]int64{}
				for _, e := range r.Behaviour.Events {
					if e.Action == ActionResolve {
						e.Args = nil // who was asked
					}
					got[said(e)] += e.Count
				}
				for _, k := range kinds {
					if strings.Contains(" "+k.languages+" ", " "+lang+" ") && got[k.event] != k.count && (k.count != atLeastOnce || got[k.event] == 0) {
						t.Errorf("%q was recorded %d times, want %d", k.event, got[k.event], k.count)
					}
				}
				if r.Status != Exited || r.Behaviour.Lost != 0 {
					t.Errorf("%s %q, %d events lost", r.Status, r.Reason, r.Behaviour.Lost)
				}
				if t.Failed() {
					var all []string
					for line, n := range got {
						all = append(all, fmt.Sprint(n, " ", line))
					}
					t.Logf("output:\n%s%s\nrecorded:\n%s", clip(r.Stdout.Data), clip(r.Stderr.Data), strings.Join(all, "\n"))
				}
			})
		}
	})
}
