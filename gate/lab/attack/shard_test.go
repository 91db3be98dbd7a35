package attack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/shard"
)

// attacksOf is a suite of n attacks, some of them for another runtime.
func attacksOf(n int) Suite {
	var s Suite
	for i := range n {
		a := oneAttack()
		a.ID, a.Group = fmt.Sprintf("attack-%02d", i), fmt.Sprintf("g%d", i*4/n)
		if i%5 == 0 {
			a.Runtimes = []string{"runsc"}
		}
		s = append(s, a)
	}
	return s
}

// ranAll puts attacks through layers that miss some of them; on a weak machine a
// probe succeeds.
func ranAll(t *testing.T, s Suite, info *Shard, weak bool) Result {
	t.Helper()
	res := Run(t.Context(), s, Options{
		Tool: gate.Tool{Name: "gate", Version: "v1"}, Layers: []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, Runtimes: []string{"runc"}, Parallel: 2,
		Environment: &Environment{Engine: "docker 1", Kernel: "6", Cores: 2}, Host: quiet{},
		Pipeline: func(_ context.Context, trial Trial) Observation {
			severity := gate.SeverityDangerous
			if trial.Twin || shard.Of(trial.Attack.ID, 7) == 1 {
				severity = gate.SeverityUnknown
			}
			if trial.Layer == gate.LayerStatic {
				return Observation{Result: said(trial.Layer, "a.py", severity, "")}
			}
			return Observation{Result: said(trial.Layer, "a.py", gate.SeverityUnknown, gate.ExecutionExited), Containers: []engine.Container{held("c-" + trial.Attack.ID)}}
		},
		Probes: func(context.Context) ([]Probed, error) {
			return []Probed{{Name: "mount", Image: "shell", Runtime: "runc", Held: true}, {Name: "write", Image: "shell", Runtime: "runc", Held: !weak}}, nil
		},
	})
	res.Shard = info
	data, err := res.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseResult("result.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func attackShards(t *testing.T, s Suite, n int) []Named {
	t.Helper()
	var out []Named
	for i := 1; i <= n; i++ {
		mine, info := s.Shard(shard.Part{Index: i, Of: n}, []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, []string{"runc"})
		out = append(out, Named{fmt.Sprintf("%d.json", i), ranAll(t, mine, info, false)})
	}
	return out
}

func TestMergedAttacksAreThoseOfARunThatWasNotSplit(t *testing.T) {
	for n := 1; n <= 6; n++ {
		s := attacksOf(7 * n)
		parts := attackShards(t, s, n)
		slices.Reverse(parts)
		got, err := Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		times := cmp.Options{cmpopts.IgnoreUnexported(Row{}, Comparison{}), cmpopts.IgnoreFields(Row{}, "DurationMS", "Phases"), cmpopts.IgnoreFields(Latency{}, "MedianMS", "P95MS"), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(ranAll(t, s, nil, false), got, times); diff != "" {
			t.Errorf("%d shards (-whole +merged):\n%s", n, diff)
		}
		if n > 1 && got.Decision != gate.DecisionBlock {
			t.Errorf("%d shards: %s, although attacks were missed", n, got.Decision)
		}
	}
}

func TestAProbeHasToHoldOnEveryMachine(t *testing.T) {
	parts := attackShards(t, attacksOf(10), 2)
	mine, info := attacksOf(10).Shard(shard.Part{Index: 2, Of: 2}, parts[1].Layers, parts[1].Runtimes)
	parts[1].Result = ranAll(t, mine, info, true)
	got, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Probes) != 1 || got.Probes[0].Held || !slices.ContainsFunc(got.Failures, func(f Failure) bool { return f.Kind == ProbeSucceeded }) {
		t.Errorf("probes %+v", got.Probes)
	}
}

func TestAttackShardsThatDoNotBelongTogetherAreRefusedByName(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(p []Named) []Named
		want  string
	}{
		"none":              {func([]Named) []Named { return nil }, "no results"},
		"one twice":         {func(p []Named) []Named { return append(p, p[0]) }, "1.json is shard 1 of 3, and so is 1.json"},
		"a whole result":    {func(p []Named) []Named { p[1].Shard = nil; return p }, "2.json is not the result of a shard"},
		"an index beyond":   {func(p []Named) []Named { p[0].Shard.Index = 9; return p }, "1.json: \"9/3\" is not a shard"},
		"another number":    {func(p []Named) []Named { p[1].Shard.Of = 4; return p }, "2.json is of another number"},
		"another version":   {func(p []Named) []Named { p[1].Tool.Version = "v2"; return p }, "2.json is written by another version"},
		"other layers":      {func(p []Named) []Named { p[1].Layers = p[1].Layers[:1]; return p }, "2.json is of other layers"},
		"other runtimes":    {func(p []Named) []Named { p[1].Runtimes = []string{"runsc"}; return p }, "2.json is of other runtimes"},
		"other attacks":     {func(p []Named) []Named { p[1].Shard.Plan = "0"; return p }, "2.json is of other attacks"},
		"an attack of some": {func(p []Named) []Named { p[1].Attacks = append(p[1].Attacks, p[0].Attacks[0]); return p }, "2.json is shard 2/3 and has attack-"},
		"one attack twice":  {func(p []Named) []Named { p[1].Attacks = append(p[1].Attacks, p[1].Attacks[0]); return p }, "2.json has attack-"},
		"one that was lost": {func(p []Named) []Named { p[1].Attacks = p[1].Attacks[2:]; return p }, "lacks some"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Merge(tt.spoil(attackShards(t, attacksOf(30), 3))); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAMissingAttackShardIsNoPass(t *testing.T) {
	all := attackShards(t, slices.DeleteFunc(attacksOf(30), func(a *Attack) bool { return shard.Of(a.ID, 7) == 1 }), 3)
	whole, err := Merge(all)
	if err != nil || whole.Decision != gate.DecisionPass {
		t.Fatalf("the sample does not pass: %s, %v, %v", whole.Decision, whole.Failures, err)
	}
	got, err := Merge(all[1:])
	if err != nil || got.Decision != gate.DecisionIncomplete || !slices.Contains(got.Incomplete, "the result of shard 1 of 3 is missing") {
		t.Errorf("%s, %v, %v", got.Decision, got.Incomplete, err)
	}
}
