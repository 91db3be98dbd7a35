package attribution

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

func TestParseRanges(t *testing.T) {
	for in, want := range map[string][]gate.LineRange{
		"1":        {{1, 1}},
		"1-4":      {{1, 4}},
		"1,3-5,9":  {{1, 1}, {3, 5}, {9, 9}},
		"10000000": {{maxLine, maxLine}},
	} {
		got, err := parseRanges(in)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", in, err, diff)
		}
	}
	for _, in := range []string{"", "0", "-1", "1-", "4-1", "1,", "a", "+1", "1 2", "10000001", "1--2", "99999999999999999999", strings.Repeat("1,", maxRanges) + "1"} {
		if got, err := parseRanges(in); err == nil {
			t.Errorf("%.20q: %d ranges", in, len(got))
		}
	}
}

func TestMergeAndHolds(t *testing.T) {
	got := merge([]gate.LineRange{{7, 9}, {1, 2}, {3, 3}, {8, 12}, {20, 20}})
	if diff := cmp.Diff([]gate.LineRange{{1, 3}, {7, 12}, {20, 20}}, got); diff != "" {
		t.Error(diff)
	}
	for l := range 25 {
		want := l >= 1 && l <= 3 || l >= 7 && l <= 12 || l == 20
		if holds(got, l) != want {
			t.Errorf("line %d", l)
		}
	}
}

func FuzzParseGitAI(f *testing.F) {
	f.Add([]byte(gitAINote("n.py\n  abcd1234abcd1234 2-3,5\n  h_0123456789abcd 7\n\"with space.py\"\n  s_0123456789abcd::t_0 1\n")))
	f.Add([]byte("---\n{}"))
	f.Fuzz(func(t *testing.T, note []byte) {
		found, err := parseGitAI(note)
		if err != nil {
			return
		}
		for _, l := range found {
			if l.path == "" || len(l.ranges) == 0 || len(l.text) > 300 {
				t.Errorf("%+v", l)
			}
			for _, r := range l.ranges {
				if r[0] < 1 || r[1] < r[0] || r[1] > maxLine {
					t.Errorf("range %v", r)
				}
			}
		}
	})
}

func FuzzParseTraces(f *testing.F) {
	f.Add([]byte(`{"vcs":{"type":"git","revision":"a"},"files":[{"path":"a","conversations":[{"contributor":{"type":"ai"},"ranges":[{"start_line":1,"end_line":2}]}]}]}`))
	f.Add([]byte("{}\n{}\n["))
	f.Fuzz(func(t *testing.T, data []byte) {
		traces, _ := parseTraces(data)
		for _, tr := range traces {
			for _, l := range tr.lines {
				for _, r := range l.ranges {
					if r[0] < 1 || r[1] < r[0] || r[1] > maxLine {
						t.Errorf("range %v", r)
					}
				}
			}
		}
	})
}
