package seccomp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	moby "github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/aigate/gate/sandbox/internal/seccomp"
)

var update = flag.Bool("update", false, "write the profile that package sandbox embeds")

const embedded = "../../seccomp.json"

func TestTheEmbeddedProfileIsMobysDefaultTightened(t *testing.T) {
	want, err := json.MarshalIndent(seccomp.Profile(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(embedded, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(embedded)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what Profile returns; read the difference after: go test ./sandbox/internal/seccomp -update", embedded)
	}
}

// allowed returns the calls that a profile lets through at least with some
// arguments, for a container without capabilities.
func allowed(p *moby.Seccomp) map[string]bool {
	calls := map[string]bool{}
	for _, s := range p.Syscalls {
		if s.Action == specs.ActAllow && (s.Includes == nil || len(s.Includes.Caps) == 0) {
			for _, n := range s.Names {
				calls[n] = true
			}
		}
	}
	return calls
}

// recorded are the calls that are left to the supervisor's filter, whose own test
// holds that it refuses them.
func recorded(call string) bool {
	return slices.ContainsFunc(seccomp.Recorded, func(names []string) bool { return slices.Contains(names, call) })
}

func TestTheProfileOnlyTakesAwayButForWhatIsToBeSeen(t *testing.T) {
	before, after := allowed(moby.DefaultProfile()), allowed(seccomp.Profile())
	for call := range after {
		if !before[call] && !recorded(call) && call != "unshare" { // of which only what needs capabilities is allowed
			t.Errorf("%s is allowed here and not by Moby", call)
		}
	}
	if len(after) < 200 || len(after) >= len(before) {
		t.Errorf("%d calls are left of %d", len(after), len(before))
	}
}

func TestCallsThatGoAroundTheSandboxAreDenied(t *testing.T) {
	calls := allowed(seccomp.Profile())
	for _, call := range []string{
		"io_uring_setup", "io_uring_enter", "io_uring_register", "io_submit", "clone3",
		"keyctl", "add_key", "request_key", "bpf", "userfaultfd", "perf_event_open",
		"kcmp", "pidfd_getfd", "rt_sigqueueinfo", "kexec_file_load", "iopl", "ioperm",
		"name_to_handle_at", "quotactl", "syslog", "fsconfig", "fsmount", "mount_setattr",
		"socketcall", "ipc", "modify_ldt", "vmsplice",
	} {
		if calls[call] {
			t.Errorf("%s is allowed", call)
		}
	}
}

func TestRemovalsRemoveOrGuardAgainstAnOlderDefault(t *testing.T) {
	before := allowed(moby.DefaultProfile())
	for _, r := range seccomp.Removed {
		older := slices.Contains(r.Names, "io_uring_setup")
		if r.Why == "" || !older && !slices.ContainsFunc(r.Names, func(n string) bool { return before[n] }) {
			t.Errorf("%v: does nothing, or without a reason", r.Names)
		}
	}
}

func TestCallsAreKnownForTwoSixtyFourBitArchitectures(t *testing.T) {
	p := seccomp.Profile()
	if len(p.ArchMap) != 2 {
		t.Errorf("%d architectures", len(p.ArchMap))
	}
	for _, a := range p.ArchMap {
		if len(a.SubArches) != 0 {
			t.Errorf("%s lets %v through", a.Arch, a.SubArches)
		}
	}
	if p.DefaultAction != specs.ActErrno {
		t.Errorf("what no rule names is %s", p.DefaultAction)
	}
}

func TestSocketsAreAListOfFamilies(t *testing.T) {
	for _, s := range seccomp.Profile().Syscalls {
		if !slices.Contains(s.Names, "socket") && !slices.Contains(s.Names, "socketpair") {
			continue
		}
		if len(s.Names) != 1 || len(s.Args) == 0 || s.Args[0].Index != 0 || s.Args[0].Op != specs.OpEqualTo {
			t.Errorf("rule %+v does not name one family", s.LinuxSyscall)
		}
	}
}
