package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodedTextGoesThroughAllLayersTwiceAndNoDeeper(t *testing.T) {
	var judged []string
	judge := fakeStage{LayerJudge, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) {
		for _, t := range c.Targets {
			data, err := c.Read(t, 100)
			judged = append(judged, fmt.Sprintf("%s depth %d: %s %v", t.Path, t.Depth, data, err))
		}
		return seen(c), nil
	}}
	res := mustRun(t, request(decoding(func(t *Target) []Derived {
		if strings.HasPrefix(t.Path, "b.py") {
			return nil
		}
		return []Derived{child(t, t.Path+"!64", "x"+t.Path)}
	}), judge))
	want := []string{"a.py depth 0: a <nil>", "b.py depth 0: b <nil>", "a.py!64 depth 1: xa.py <nil>", "a.py!64!64 depth 2: xa.py!64 <nil>"}
	if diff := cmp.Diff(want, judged); diff != "" {
		t.Error(diff)
	}
	wantGaps := []Gap{{LayerStatic, "a.py!64!64", "text decoded more than 2 times was not looked at"}}
	if diff := cmp.Diff(wantGaps, res.Incomplete); diff != "" {
		t.Error(diff)
	}
	// The gap is the innermost text's, and everything that it came out of.
	if got := verdicts(res); !slices.Equal(got, []Verdict{Incomplete, Safe, Incomplete, Incomplete}) {
		t.Errorf("verdicts %v of %v", got, paths(res))
	}
}

func TestAFileIsAtLeastAsBadAsWhatCameOutOfIt(t *testing.T) {
	stage := fakeStage{LayerStatic, func(_ context.Context, c *Change, found *Findings) (Outcome, error) {
		out := seen(c)
		for _, t := range c.Targets {
			switch {
			case t.Depth == 2:
				found.Add(t.Path, finding("exec/eval", SeverityDangerous, 1))
			case strings.HasPrefix(t.Path, "a.py"):
				out.Derived = append(out.Derived, child(t, t.Path+"!64", "x"))
			}
		}
		return out, nil
	}}
	res := mustRun(t, request(stage))
	if got := verdicts(res); !slices.Equal(got, []Verdict{Dangerous, Safe, Dangerous, Dangerous}) || res.Files[0].RiskScore < 70 || len(res.Files[0].Findings) != 0 {
		t.Errorf("verdicts %v of %v", got, paths(res))
	}
}

func TestChildrenThatCannotBeLookedAtAreGaps(t *testing.T) {
	for _, c := range []struct {
		name    string
		derived func(*Target) []Derived
		files   int
		want    string
	}{
		{"no parent", func(t *Target) []Derived { return []Derived{{Target: &Target{Path: "x"}}} }, 2, "no valid path"},
		{"a path that is not its parent's", func(t *Target) []Derived { return []Derived{child(t, "other.py!64", "x")} }, 2, "no valid path"},
		{"a path that leaves its parent when cleaned", func(t *Target) []Derived { return []Derived{child(t, "a.py!x/../c.py", "x")} }, 2, "no valid path"},
		{"a path that leaves the tree", func(t *Target) []Derived { return []Derived{child(t, "a.py!x/../../../../etc/passwd", "x")} }, 2, "no valid path"},
		{"the path of another file of the change", func(t *Target) []Derived {
			return []Derived{child(&Target{Path: "a.py"}, "a.py!taken", "x")}
		}, 3, "path of another file"},
		{"one path, two contents", func(t *Target) []Derived { return []Derived{child(t, "a.py!64", "x"), child(t, "a.py!64", "y")} }, 3, "path of another file"},
		{"more than a run follows", func(t *Target) []Derived {
			var out []Derived
			for i := range MaxDerived + 10 {
				out = append(out, child(t, fmt.Sprintf("a.py!%d", i), "x"))
			}
			return out
		}, 2 + MaxDerived, "more than 3000 decoded texts"},
	} {
		req := request(decoding(func(t *Target) []Derived {
			if t.Path != "a.py" {
				return nil
			}
			return c.derived(t)
		}))
		if strings.Contains(c.want, "another file") && c.files == 3 && c.name != "one path, two contents" {
			req.Change.Targets = append(req.Change.Targets, &Target{Path: "a.py!taken", Kind: ChangeAdded})
		}
		res := mustRun(t, req)
		if len(res.Files) != c.files || res.Decision != DecisionIncomplete || !strings.Contains(fmt.Sprint(res.Incomplete), c.want) {
			t.Errorf("%s: %d files, %s, %+v", c.name, len(res.Files), res.Decision, res.Incomplete)
		}
		if c.name != "no parent" && res.Files[0].Verdict != Incomplete {
			t.Errorf("%s: the parent is %s", c.name, res.Files[0].Verdict)
		}
	}
}

func TestTheSameTextUnderTheSamePathIsLookedAtOnce(t *testing.T) {
	res := mustRun(t, request(decoding(func(t *Target) []Derived {
		if t.Path != "a.py" {
			return nil
		}
		return []Derived{child(t, "a.py!64", "x"), child(t, "a.py!64", "x"), child(t, "a.py!6\x004", "x")}
	})))
	if diff := cmp.Diff([]string{"a.py", "b.py", "a.py!64"}, paths(res)); diff != "" || res.Decision != DecisionPass {
		t.Errorf("%s: %s %+v", diff, res.Decision, res.Incomplete)
	}
}

func TestALayerThatIsMissingIsNotAskedAboutChildren(t *testing.T) {
	calls := 0
	missing := fakeStage{LayerJudge, func(context.Context, *Change, *Findings) (Outcome, error) {
		calls++
		return Outcome{}, &Unavailable{Reason: "no server"}
	}}
	res := mustRun(t, request(decoding(func(t *Target) []Derived {
		if t.Depth > 0 {
			return nil
		}
		return []Derived{child(t, t.Path+"!64", "x")}
	}), missing))
	if calls != 1 || res.Decision != DecisionPass || len(res.Files) != 4 {
		t.Errorf("%d calls, %s, %v", calls, res.Decision, paths(res))
	}
}

func TestAChildKeepsItsModeAndWhetherAnythingIsKnownToHaveChanged(t *testing.T) {
	var got []string
	stage := fakeStage{LayerStatic, func(_ context.Context, c *Change, _ *Findings) (Outcome, error) {
		out := seen(c)
		for _, t := range c.Targets {
			if t.Depth == 1 {
				got = append(got, fmt.Sprintf("%s %s %s %t", t.Path, t.Kind, t.Mode, c.Base != nil))
				continue
			}
			made := child(t, t.Path+"!/run", "x")
			made.Target.Kind, made.Target.Mode = t.Kind, 0o755
			out.Derived = append(out.Derived, made)
		}
		return out, nil
	}}
	req := request(stage)
	req.Change.Targets[0].Kind, req.Change.Targets[1].Kind = ChangeNone, ChangeModified
	req.Change.Base = req.Change.Head
	mustRun(t, req)
	want := []string{"a.py!/run none -rwxr-xr-x true", "b.py!/run added -rwxr-xr-x true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
