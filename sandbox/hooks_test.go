package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever environment a program gives another one, and however it becomes that, the variable is there.
func TestAProgramFindsItsHookWhateverItsEnvironment(t *testing.T) {
	const ours = "--load=this and that"
	env := func(more ...string) string { return strings.Join(append([]string{"HOOK=" + ours}, more...), "|") }
	for name, tt := range map[string]struct {
		argv []string
		want string // what it finds
		had  []Unhooked
	}{
		"on another thread":       {[]string{"thread", "X=1"}, env("PUT=", "X=1"), nil},
		"in a child":              {[]string{"child", "X=1"}, env("PUT=", "X=1"), nil},
		"without any environment": {[]string{"thread"}, env("PUT="), nil},
		"with a value of its own": {[]string{"thread", "A=1", "HOOK=--mine", "B=2"}, "HOOK=" + ours + " --mine|PUT==--mine|A=1|B=2", nil},
		"which it has already":    {[]string{"thread", "A=1", "HOOK=" + ours}, "A=1|HOOK=" + ours, nil},
		"behind something":        {[]string{"thread", "HOOK=\"" + ours + "\""}, "HOOK=" + ours + " \"" + ours + "\"|PUT==\"" + ours + "\"", nil},
		"from memory":             {[]string{"copy", "X=1"}, env("PUT=", "X=1"), nil},
		"after failing":           {[]string{"failing", "X=1"}, env("PUT=", "X=1"), nil},
		"with no room for it":     {[]string{"crowded"}, "A0=", []Unhooked{{"attacker", "its arguments and its environment are too long", true}}},
		"that loads code before":  {[]string{"child", "HOOK=--early=x"}, "HOOK=" + ours + " --early=x|PUT==--early=x", []Unhooked{{"attacker", "with --early it loads code before its hooks", false}}},
	} {
		t.Run(name, func(t *testing.T) {
			eachRuntime(t, func(t *testing.T, runtime string) {
				d := openDocker(t)
				s := attack(runtime, append([]string{"become"}, tt.argv...)...)
				s.Env = []string{"HOOK=" + ours} // the caller's own start has it
				s.Observe.Hooks = []Hook{{Programs: []string{"attacker"}, Variable: "HOOK", Value: ours, Mark: "PUT", Earlier: []string{"--early"}}}
				r := mustRun(t, d, s)
				var shown string
				for line := range strings.Lines(string(r.Stdout.Data)) {
					if strings.Contains(line, "=") {
						shown = strings.TrimSpace(line)
					}
				}
				if r.Status != Exited || r.ExitCode != 0 || shown != tt.want && !(tt.want == "A0=" && strings.HasPrefix(shown, tt.want)) {
					t.Errorf("%s %q exit %d, it found %.300q, want %q\n%s", r.Status, r.Reason, r.ExitCode, shown, tt.want, clip(r.Stderr.Data))
				}
				if diff := cmp.Diff(tt.had, r.Behaviour.Unhooked); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
