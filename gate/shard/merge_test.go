package shard_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
)

// chance is a number that depends on nothing but the words.
func chance(n int, words ...string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.Join(words, "\x00")))
	return h.Sum32()%uint32(n) == 0
}

// reader finds things in files one by one, as the static layer and the judge do.
type reader struct{ layer gate.Layer }

func (r reader) Name() gate.Layer { return r.layer }

func (r reader) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out := gate.Outcome{Digests: map[string]string{}, Judgements: map[string]*gate.Judgement{}}
	for _, t := range c.Targets {
		out.Digests[t.Path] = strings.Repeat("0", 64)
		if r.layer == gate.LayerJudge {
			out.Judgements[t.Path] = &gate.Judgement{Verdict: gate.Safe}
		}
		for line := range 3 {
			if n := fmt.Sprint(line); chance(5, string(r.layer), t.Path, n) {
				severity := gate.SeveritySuspicious
				if chance(4, "dangerous", t.Path, n) {
					severity = gate.SeverityDangerous
				}
				found.Add(t.Path, gate.Finding{Rule: "some/rule", Layer: r.layer, Severity: severity, Line: 1 + line, Message: "m"})
			}
		}
		if chance(9, "gap", string(r.layer), t.Path) {
			out.Incomplete = append(out.Incomplete, gate.Gap{Path: t.Path, Reason: "it was not looked at"})
		}
		if chance(4, "child", string(r.layer), t.Path) {
			out.Derived = append(out.Derived, child(t, string(r.layer)+"-1"), child(t, string(r.layer)+"-2"))
		}
	}
	return out, nil
}

func child(t *gate.Target, name string) gate.Derived {
	return gate.Derived{Target: &gate.Target{Path: t.Path + "!" + name, Parent: t.Path, Language: gate.LanguagePython}, Content: []byte(t.Path + name)}
}

// runner runs all files of a folder together, but those that the static layer calls
// dangerous, and charges all of them with it.
type runner struct{ reader }

func (r runner) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out, err := r.reader.Run(ctx, c, found)
	out.Executions = map[string]*gate.Execution{}
	var withheld []string
	for _, t := range slices.Concat(c.Targets, c.OtherShards) {
		if slices.ContainsFunc(found.Of(t.Path), func(f gate.Finding) bool {
			return f.Layer == gate.LayerStatic && f.Severity == gate.SeverityDangerous
		}) {
			withheld = append(withheld, t.Path)
		}
	}
	slices.Sort(withheld)
	units := map[string][]string{}
	for _, t := range c.Targets {
		out.Executions[t.Path] = &gate.Execution{Status: gate.ExecutionExited}
		if t.Parent != "" {
			continue
		}
		units[path.Dir(t.Path)] = append(units[path.Dir(t.Path)], t.Path)
	}
	for _, targets := range units {
		for _, p := range targets {
			found.Add(p, gate.Finding{Rule: "ran/beside", Layer: gate.LayerSandbox, Severity: gate.SeverityNote, Line: 1,
				Message: gate.Clip(fmt.Sprint(targets), 200), Evidence: gate.Clip(fmt.Sprint(withheld), 200)})
		}
	}
	return out, err
}

func stages() []gate.Stage {
	return []gate.Stage{reader{gate.LayerStatic}, reader{gate.LayerJudge}, runner{reader{gate.LayerSandbox}}}
}

// tree is a change with files in a few folders.
func tree(r *rand.Rand, files int) *gate.Change {
	fsys := fstest.MapFS{}
	c := &gate.Change{Head: fsys, Skipped: []gate.Skip{{Path: "vendor", Reason: "excluded"}, {Path: "logo.png", Reason: "excluded"}}}
	for range files {
		p := fmt.Sprintf("d%d/f%d.py", r.IntN(6), r.IntN(1000))
		if fsys[p] != nil {
			continue
		}
		fsys[p] = &fstest.MapFile{Data: []byte(p)}
		c.Files = append(c.Files, p)
		c.Targets = append(c.Targets, &gate.Target{Path: p, Language: gate.LanguagePython, Kind: gate.ChangeAdded, Mode: 0o644, Size: int64(len(p)), StaticOnly: r.IntN(8) == 0})
	}
	slices.Sort(c.Files)
	slices.SortFunc(c.Targets, func(a, b *gate.Target) int { return strings.Compare(a.Path, b.Path) })
	return c
}

// folders groups targets as the runner above needs it.
func folders(c *gate.Change) map[string]string {
	out := map[string]string{}
	for _, t := range c.Targets {
		out[t.Path] = path.Dir(t.Path)
	}
	return out
}

func run(t *testing.T, c *gate.Change, info *gate.Shard, s []gate.Stage) gate.Result {
	t.Helper()
	res, err := gate.Run(t.Context(), gate.Request{Change: c, Policy: gate.DefaultPolicy(), Stages: s, Handler: gate.Discard{}, Shard: info, Tool: gate.Tool{Name: "gate", Version: "v1"}})
	if err != nil {
		t.Fatal(err)
	}
	return saved(t, res)
}

// saved is a result after it was written and read.
func saved(t *testing.T, res gate.Result) gate.Result {
	t.Helper()
	var buf bytes.Buffer
	h, err := report.New("json", &buf, report.Options{})
	if err == nil {
		err = gate.Replay(res, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	back, err := report.Decode(&buf)
	if err != nil {
		t.Fatal(err)
	}
	for i := range back.Layers {
		back.Layers[i].DurationMS = 0
	}
	return back
}

func sharded(t *testing.T, c *gate.Change, n int) []shard.Result {
	t.Helper()
	var out []shard.Result
	for i := 1; i <= n; i++ {
		mine, info, err := shard.Split(c, shard.Part{Index: i, Of: n}, gate.DefaultPolicy(), folders(c), true)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, shard.Result{Name: fmt.Sprintf("shard-%d.json", i), Result: run(t, mine, info, stages())})
	}
	return out
}

func TestMergedShardsAreTheResultOfARunThatWasNotSplit(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := tree(r, r.IntN(40))
		n := 1 + r.IntN(9)
		parts := sharded(t, c, n)
		r.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		got, err := shard.Merge(parts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(run(t, c, nil, stages()), saved(t, got)); diff != "" {
			t.Fatalf("seed %d, %d targets in %d shards (-whole +merged):\n%s", seed, len(c.Targets), n, diff)
		}
	}
}

func TestAShardThatIsMissingIsIncomplete(t *testing.T) {
	c := tree(rand.New(rand.NewPCG(3, 3)), 30)
	parts := sharded(t, c, 3)
	for i := range parts {
		got, err := shard.Merge(slices.Delete(slices.Clone(parts), i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("the result of shard %d of 3 is missing", i+1)
		if got.Decision == gate.DecisionPass || !slices.ContainsFunc(got.Incomplete, func(g gate.Gap) bool { return strings.HasPrefix(g.Reason, want) }) {
			t.Errorf("without shard %d: %s, %v", i+1, got.Decision, got.Incomplete)
		}
	}
}

func TestPartsThatDoNotBelongTogetherAreRefusedByName(t *testing.T) {
	c := tree(rand.New(rand.NewPCG(4, 4)), 30)
	for name, tt := range map[string]struct {
		spoil func(p []shard.Result) []shard.Result
		want  string
	}{
		"none":                  {func([]shard.Result) []shard.Result { return nil }, "no results"},
		"one twice":             {func(p []shard.Result) []shard.Result { return append(p, p[1]) }, "shard-2.json is shard 2 of 3, and so is shard-2.json"},
		"a whole result":        {func(p []shard.Result) []shard.Result { p[2].Shard = nil; return p }, "shard-3.json is not the result of a shard"},
		"one that was let pass": {func(p []shard.Result) []shard.Result { p[2].Override = &gate.Overridden{}; return p }, "shard-3.json: an override let"},
		"an index beyond":       {func(p []shard.Result) []shard.Result { p[1].Shard.Index = 4; return p }, "shard-2.json: \"4/3\" is not a shard"},
		"too many":              {func(p []shard.Result) []shard.Result { p[0].Shard.Of = 1e6; return p[:1] }, "shard-1.json: \"1/1000000\" is not a shard"},
		"another number":        {func(p []shard.Result) []shard.Result { p[1].Shard.Of = 4; return p }, "shard-2.json is of another number"},
		"another version":       {func(p []shard.Result) []shard.Result { p[1].Tool.Version = "v2"; return p }, "shard-2.json is written by another version"},
		"another base":          {func(p []shard.Result) []shard.Result { p[1].Shard.Base = "b"; return p }, "shard-2.json is of another base"},
		"another head":          {func(p []shard.Result) []shard.Result { p[1].Shard.Head = "h"; return p }, "shard-2.json is of another head"},
		"another policy":        {func(p []shard.Result) []shard.Result { p[1].Shard.Policy = "p"; return p }, "shard-2.json is of another policy"},
		"a milder policy":       {func(p []shard.Result) []shard.Result { p[1].Shard.FailOn = gate.SeveritySuspicious; return p }, "shard-2.json is of another policy"},
		"other contents":        {func(p []shard.Result) []shard.Result { p[1].Shard.Change = "c"; return p }, "shard-2.json is of other files"},
		"another plan":          {func(p []shard.Result) []shard.Result { p[1].Shard.Plan = "x"; return p }, "shard-2.json is of another plan"},
		"a file twice":          {func(p []shard.Result) []shard.Result { p[1].Files = append(p[1].Files, p[0].Files[0]); return p }, "shard-2.json has the file"},
		"a file that was lost":  {func(p []shard.Result) []shard.Result { p[1].Files = p[1].Files[1:]; return p }, "not those that the plan"},
		"a file of no shard":    {func(p []shard.Result) []shard.Result { p[1].Files[0].Path = "other.py"; return p }, "not those that the plan"},
		"a file that changed by": {func(p []shard.Result) []shard.Result {
			p[0].Files, p[1].Files = append(p[0].Files, p[1].Files[0]), p[1].Files[1:]
			return p
		}, "not those that the plan"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := shard.Merge(tt.spoil(sharded(t, c, 3)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAPartCannotMakeItsFilesBetterThanItsFindings(t *testing.T) {
	c := tree(rand.New(rand.NewPCG(5, 5)), 60)
	want, err := shard.Merge(sharded(t, c, 2))
	if err != nil {
		t.Fatal(err)
	}
	forged := sharded(t, c, 2)
	for i := range forged {
		p := &forged[i]
		p.Verdict, p.Decision, p.RiskScore = gate.Safe, gate.DecisionPass, 0
		for j := range p.Files {
			p.Files[j].Verdict, p.Files[j].RiskScore = gate.Safe, 0
			for k := range p.Files[j].Findings {
				p.Files[j].Findings[k].CorroboratedBy = ""
			}
		}
	}
	got, err := shard.Merge(forged)
	if err != nil {
		t.Fatal(err)
	}
	if want.Verdict != gate.Dangerous {
		t.Fatal("the sample has nothing dangerous")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-true +forged):\n%s", diff)
	}
}

func TestALayerThatWasThereForSomeFilesOnlyIsIncomplete(t *testing.T) {
	c := tree(rand.New(rand.NewPCG(6, 6)), 30)
	skipped := func(p *shard.Result) {
		p.Layers[1] = gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerSkipped, Reason: "no server"}
		for i := range p.Files {
			p.Files[i].Judge = nil
		}
	}
	for name, tt := range map[string]struct {
		spoil func(p []shard.Result)
		want  gate.LayerStatus
		gap   bool
	}{
		"there for all":  {func([]shard.Result) {}, gate.LayerRan, false},
		"there for none": {func(p []shard.Result) { skipped(&p[0]); skipped(&p[1]) }, gate.LayerSkipped, false},
		"there for some": {func(p []shard.Result) { skipped(&p[1]) }, gate.LayerFailed, true},
		"nothing to do in some": {func(p []shard.Result) {
			skipped(&p[0])
			skipped(&p[1])
			p[1].Layers[1] = gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerRan}
		}, gate.LayerSkipped, false},
		"failed and says no more": {func(p []shard.Result) {
			p[1].Layers[1] = gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerFailed, Reason: "gone"}
			p[1].Incomplete = nil
		}, gate.LayerFailed, true},
		"not mentioned": {func(p []shard.Result) { p[1].Layers, p[1].Incomplete = p[1].Layers[:1], nil }, gate.LayerFailed, true},
	} {
		t.Run(name, func(t *testing.T) {
			parts := sharded(t, c, 2)
			tt.spoil(parts)
			got, err := shard.Merge(parts)
			if err != nil {
				t.Fatal(err)
			}
			gap := slices.ContainsFunc(got.Incomplete, func(g gate.Gap) bool { return g.Layer == gate.LayerJudge && g.Path == "" })
			if got.Layers[1].Status != tt.want || gap != tt.gap {
				t.Errorf("status %q, gap %t", got.Layers[1].Status, gap)
			}
		})
	}
}
