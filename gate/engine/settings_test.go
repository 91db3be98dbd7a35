package engine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
)

func TestOptionsGoAboveTheEnvironmentAndThatAboveThePolicy(t *testing.T) {
	env := map[string]string{
		"GATE_RUNTIME": "runsc", "GATE_MODEL": "from-env", "OLLAMA_HOST": "gpu.example.com", "GATE_IMAGE_NODE": "node:mine",
	}
	p := gate.DefaultPolicy()
	if err := (Options{Model: "from-flag", Timeout: "7s", FailOn: "suspicious", Require: []string{"judge"}}).apply(&p, func(k string) string { return env[k] }); err != nil {
		t.Fatal(err)
	}
	if p.Sandbox.Runtime != "runsc" || p.Judge.Model != "from-flag" || p.Sandbox.Timeout != 7*time.Second || p.FailOn != gate.SeveritySuspicious {
		t.Errorf("%+v %+v", p.Sandbox, p.Judge)
	}
	if !slices.Equal(p.Judge.Hosts, []string{"http://gpu.example.com:11434"}) || p.Sandbox.Images[gate.LanguageTypeScript] != "node:mine" {
		t.Errorf("%q, %v", p.Judge.Hosts, p.Sandbox.Images)
	}
	if !slices.Equal(p.Require, []gate.Layer{gate.LayerStatic, gate.LayerJudge}) {
		t.Errorf("require %v", p.Require)
	}
}

func TestOptionsThatMakeNoSenseAreTheUsers(t *testing.T) {
	for want, o := range map[string]Options{
		`--layers: "jury" is not a layer`: {Layers: []string{"jury"}},
		`--require: "" is not a layer`:    {Require: []string{""}},
		"--timeout":                       {Timeout: "soon"},
		"--fail-on":                       {FailOn: "anything"},
		"--python":                        {Python: "lenient"},
	} {
		p := gate.DefaultPolicy()
		err := o.apply(&p, func(string) string { return "" })
		if e, ok := errors.AsType[*exit.Error](err); !ok || e.Code != exit.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestOptionsSelectLayersInTheirOrder(t *testing.T) {
	if got := (Options{Layers: []string{"sandbox", "static"}}).Selected(); !slices.Equal(got, []gate.Layer{gate.LayerStatic, gate.LayerSandbox}) {
		t.Error(got)
	}
	if got := (Options{}).Selected(); !slices.Equal(got, gate.Layers()) {
		t.Error(got)
	}
}

func TestSettingsOfCommitAreNotThoseOfThisMachine(t *testing.T) {
	t.Setenv("GATE_RUNTIME", "runsc")
	set, err := SettingsOfCommit(fstest.MapFS{PolicyFile: {Data: []byte("fail-on: suspicious\nrules: {dirs: [\"team[1]\"]}\n")}})
	if err != nil || set.Policy.FailOn != gate.SeveritySuspicious || set.Policy.Sandbox.Runtime != gate.DefaultPolicy().Sandbox.Runtime {
		t.Errorf("%+v, %v", set.Policy, err)
	}
	// What gate is told by is protected, whatever the name of the folder.
	for _, g := range []string{PolicyFile, ".gate-baseline.json", `team\[1\]/**`} {
		if !slices.Contains(set.Policy.Protect, g) {
			t.Errorf("%q is not among the protected %q", g, set.Policy.Protect)
		}
	}
	if _, err := SettingsOfCommit(fstest.MapFS{PolicyFile: {Data: []byte("fail-on: whatever\n")}}); err == nil {
		t.Error("a broken policy is none")
	}
	if _, err := SettingsOfCommit(fstest.MapFS{}); err != nil {
		t.Error(err)
	}
}

func TestSettingsWithoutTreeHaveTheRulesBesideTheirFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.yml"), []byte("rules: {dirs: [rules]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEngine(nil)
	set, err := e.SettingsWithoutTree(Options{Config: filepath.Join(dir, "p.yml")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.UserRules(); err == nil || !strings.Contains(err.Error(), `rules.dirs names "rules"`) {
		t.Errorf("%v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "rules"), 0o700); err != nil {
		t.Fatal(err)
	}
	if own, err := set.UserRules(); err != nil || len(own) != 1 || own[0].Name != "rules" {
		t.Errorf("%v, %v", own, err)
	}
}

func TestRequireMoreDropsNothing(t *testing.T) {
	with := func(l ...gate.Layer) Settings { return Settings{Policy: gate.Policy{Require: l}} }
	got := with(gate.LayerJudge).RequireMore(with(gate.LayerStatic, gate.LayerSandbox)).Policy.Require
	if !slices.Equal(got, []gate.Layer{gate.LayerJudge, gate.LayerStatic, gate.LayerSandbox}) {
		t.Error(got)
	}
}
