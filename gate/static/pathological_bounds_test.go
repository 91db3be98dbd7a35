package static_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// TestInputsCostNoMoreThanTheirBound asks pathological inputs, small ones so
// that it is quick, for what the bounds promise: an end, and not more findings
// than a person can read. BenchmarkPathological measures large ones.
func TestInputsCostNoMoreThanTheirBound(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	s := newScanner(t, nil)
	for _, p := range testenv.Sample(t, pathologicals(), 4) {
		if strings.HasPrefix(p.shape, "a bomb of gzip") && p.lang != gate.LanguagePython {
			continue // packing them takes longer than all the rest
		}
		tree := fstest.MapFS{p.name: {Data: []byte(p.text(8 << 10))}}
		target := &gate.Target{Path: p.name, Language: p.lang, Role: gate.RoleSource, Kind: gate.ChangeAdded}
		listed := map[string]int{}
		for _, f := range run(t, s, tree, target).found[p.name] {
			if listed[f.Rule]++; listed[f.Rule] > 1000 && !strings.HasPrefix(f.Rule, "secret") {
				t.Fatalf("%s in %s: %s is listed again and again", p.shape, p.lang, f.Rule)
			}
		}
	}
}

// What a bound keeps from being looked at must not pass as looked at.
func TestABoundThatIsReachedIsAGap(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, c := range []struct{ shape, text, want string }{
		{"more matches than are listed", strings.Repeat("os.system(x)\n", 110_000), "not all of it was looked at by "},
		{"more conditions than are checked", strings.Repeat("os.system('rm -rf /etc');", 160_000), "not all of it was looked at by "},
		{"a bomb", bomb(t), "more is encoded in it than is decoded"},
		{"encoded more often than is decoded", "x = '" + inBase64(strings.Repeat("import os; os.system('ls')\n", 4), 7) + "'\n", "more is encoded in it than is decoded"},
		{"constants that grow without end", "x = 'x'\n" + strings.Repeat("x += x\n", 40) + "run(x)\n", "what is spelled otherwise in it was not put together to the end: at most constants of 64 MiB"},
		{"more pieces than are decoded", strings.Repeat("x = '"+inBase64("import os; os.system('id')\n", 1)+"'\n", 700), "more is encoded in it than is decoded"},
	} {
		t.Run(c.shape, func(t *testing.T) {
			out := run(t, newScanner(t, nil), fstest.MapFS{"a.py": {Data: []byte(c.text), Mode: 0o644}},
				&gate.Target{Path: "a.py", Language: gate.LanguagePython, Role: gate.RoleSource, Kind: gate.ChangeAdded})
			if !strings.Contains(strings.Join(out.gaps, "\n"), c.want) {
				t.Errorf("gaps %q have no %q", out.gaps, c.want)
			}
		})
	}
}

func TestOrdinaryFilesReachNoBound(t *testing.T) {
	for _, lang := range languages {
		out := run(t, newScanner(t, nil), fstest.MapFS{"a": {Data: corpus(lang, 99), Mode: 0o644}},
			&gate.Target{Path: "a", Language: lang, Role: gate.RoleSource, Kind: gate.ChangeAdded})
		if len(out.gaps) > 0 {
			t.Errorf("%s: %q", lang, out.gaps)
		}
	}
}
