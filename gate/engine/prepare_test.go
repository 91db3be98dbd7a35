package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/locks"
)

// TestARunInstallsOnlyWhereAllowed goes through who decides, in their order.
func TestARunInstallsOnlyWhereAllowed(t *testing.T) {
	all, static := gate.Layers(), []gate.Layer{gate.LayerStatic}
	for name, tt := range map[string]struct {
		policy   gate.Deps
		ci       string
		answer   string
		selected []gate.Layer
		want     gate.Deps
		why      string
	}{
		"without any setting":        {selected: all, want: gate.DepsNever, why: "runs install them themselves in CI"},
		"in CI":                      {ci: "true", selected: all, want: gate.DepsAuto, why: "the default in CI"},
		"the policy says never":      {policy: gate.DepsNever, ci: "true", selected: all, want: gate.DepsNever, why: "deps: never"},
		"the policy says locked":     {policy: gate.DepsLocked, selected: all, want: gate.DepsLocked, why: "deps: locked"},
		"the user said yes once":     {answer: "auto\n", selected: all, want: gate.DepsAuto, why: "your answer in "},
		"the user said no once":      {answer: "never\n", selected: all, want: gate.DepsNever, why: "your answer in "},
		"the answer is none":         {answer: "rm -rf\n", selected: all, want: gate.DepsNever, why: "runs install them themselves in CI"},
		"nothing is going to be run": {policy: gate.DepsAuto, ci: "true", selected: static},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			if tt.answer != "" {
				file := filepath.Join(state, "gate", "deps", "answer")
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(tt.answer), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := New(Host{Stderr: os.Stderr, Getenv: func(name string) string {
				return map[string]string{"CI": tt.ci, "XDG_STATE_HOME": state}[name]
			}})
			got := e.preparation(&gate.Change{}, Request{Selected: tt.selected}, gate.Policy{Deps: tt.policy})
			if got.Mode != tt.want || !strings.HasPrefix(got.Why, tt.why) {
				t.Errorf("%+v, want %s (%s)", got, tt.want, tt.why)
			}
			if tells := uninstalled(e, Setup{Prepare: got}) != nil; tells != strings.HasPrefix(got.Why, "runs install them") {
				t.Errorf("with %q the user is told: %v", got.Why, tells)
			}
			if install := e.installer(Setup{Prepare: got}); (install != nil) != (tt.want == gate.DepsAuto || tt.want == gate.DepsLocked) {
				t.Errorf("with %q something is installed: %v", tt.want, install != nil)
			}
		})
	}
}

func TestAnAnswerIsAskedForOnce(t *testing.T) {
	for said, want := range map[string]gate.Deps{"\n": gate.DepsAuto, "Y\n": gate.DepsAuto, "yes\n": gate.DepsAuto, "n\n": gate.DepsNever, "what?\n": gate.DepsNever, "": gate.DepsNever} {
		state := t.TempDir()
		e := New(Host{Stderr: os.Stderr, Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }})
		var out bytes.Buffer
		file := filepath.Join(e.StateDir("deps"), "answer")
		if got := ask(e, strings.NewReader(said), &out, file, "python, node"); got.Mode != want || !strings.Contains(out.String(), "(python, node)") {
			t.Errorf("%q: %+v after %q", said, got, out.String())
		}
		again := e.preparation(&gate.Change{}, Request{Selected: gate.Layers()}, gate.Policy{})
		if kept := strings.HasPrefix(again.Why, "your answer in "); kept != (said != "") || kept && again.Mode != want {
			t.Errorf("%q is remembered as %+v", said, again)
		}
	}
}

func TestAScriptIsToldOnceHowToInstall(t *testing.T) {
	var stderr bytes.Buffer
	e := New(Host{Stderr: &stderr, Getenv: func(string) string { return "" }})
	tell := uninstalled(e, Setup{Base: "0123abcd", Prepare: Preparation{Mode: gate.DepsNever, Unasked: true}})
	for _, language := range []string{locks.Go, locks.Go, locks.Node} {
		tell(locks.Lock{Language: language})
	}
	said := stderr.String()
	if strings.Count(said, "\n") != 2 || strings.Count(said, "packages for go ") != 1 || strings.Count(said, "gate deps build --base 0123abcd") != 2 {
		t.Error(said)
	}
}

func TestTheLanguagesOfTheBaseAreNamed(t *testing.T) {
	base := fstest.MapFS{"requirements.txt": {Data: []byte("a==1\n")}, "web/package.json": {Data: []byte(`{"dependencies": {"a": "1"}}`)}, "web/package-lock.json": {Data: []byte("{}")}}
	if got := named(&gate.Change{Base: base, Head: fstest.MapFS{}}); got != "python, node" {
		t.Errorf("%q", got)
	}
	if got := named(&gate.Change{Base: fstest.MapFS{}, Head: base}); got != "" {
		t.Errorf("the change decides: %q", got)
	}
}
