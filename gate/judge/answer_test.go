package judge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// answers are the seeds of the fuzz test too.
var answers = map[string]struct {
	text string
	err  string // part of it; "" for an answer that is taken
}{
	"the form of the schema":     {`{"evidence":[{"line":2,"quote":"rm -rf /"}],"reason":"deletes","dangerous_lines":[2,3],"verdict":"malicious"}`, ""},
	"keys in another order":      {`{"verdict":"safe","dangerous_lines":[],"reason":"","evidence":[]}`, ""},
	"space anywhere":             {" \n{ \"evidence\" : [ ] , \"reason\" : \"x\" ,\n\"dangerous_lines\":[ ],\"verdict\":\"safe\" } \n", ""},
	"nothing":                    {``, "too early"},
	"half an object":             {`{"evidence":[],"reason":"x`, "too early"},
	"an array":                   {`[]`, `"{" belongs`},
	"a string":                   {`"safe"`, `"{" belongs`},
	"null":                       {`null`, `"{" belongs`},
	"prose in front":             {`Sure: {}`, "not JSON"},
	"a fence around it":          {"```json\n{}\n```", "not JSON"},
	"no verdict":                 {`{"evidence":[],"reason":"","dangerous_lines":[]}`, `no key "verdict"`},
	"an unknown key":             {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"safe","confidence":1}`, `unknown key "confidence"`},
	"a key in another case":      {`{"evidence":[],"reason":"","dangerous_lines":[],"Verdict":"safe"}`, `unknown key "Verdict"`},
	"a key twice":                {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"malicious","verdict":"safe"}`, `key "verdict" twice`},
	"a key twice in evidence":    {`{"evidence":[{"line":1,"line":2,"quote":"x"}],"reason":"","dangerous_lines":[],"verdict":"safe"}`, `key "line" twice`},
	"evidence without a quote":   {`{"evidence":[{"line":1}],"reason":"","dangerous_lines":[],"verdict":"safe"}`, `no key "quote"`},
	"evidence that is text":      {`{"evidence":["x"],"reason":"","dangerous_lines":[],"verdict":"safe"}`, `"{" belongs`},
	"another verdict":            {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"SAFE"}`, `unknown verdict "SAFE"`},
	"a verdict that is null":     {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":null}`, "no text"},
	"a line that is text":        {`{"evidence":[],"reason":"","dangerous_lines":["2"],"verdict":"safe"}`, "no number"},
	"a line that is a fraction":  {`{"evidence":[],"reason":"","dangerous_lines":[2.5],"verdict":"safe"}`, "no whole number"},
	"a line beyond all numbers":  {`{"evidence":[],"reason":"","dangerous_lines":[99999999999999999999],"verdict":"safe"}`, "no whole number"},
	"a line that is no number":   {`{"evidence":[],"reason":"","dangerous_lines":[NaN],"verdict":"safe"}`, "not JSON"},
	"a line with an exponent":    {`{"evidence":[],"reason":"","dangerous_lines":[1e400],"verdict":"safe"}`, "no whole number"},
	"a comment":                  {`{"evidence":[],/*x*/"reason":"","dangerous_lines":[],"verdict":"safe"}`, "not JSON"},
	"a comma too many":           {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"safe",}`, "not JSON"},
	"lists in a list":            {`{"evidence":[],"reason":"","dangerous_lines":` + strings.Repeat("[", 8000) + `,"verdict":"safe"}`, "no number"},
	"objects for a text":         {`{"evidence":[],"reason":` + strings.Repeat(`{"a":`, 3000) + `,"verdict":"safe"}`, "no text"},
	"a key in disguise":          {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"malicious","\u0076erdict":"safe"}`, `key "verdict" twice`},
	"a line before what is seen": {`{"evidence":[],"reason":"","dangerous_lines":[1],"verdict":"safe"}`, "line 1 outside of 2 to 9"},
	"a line after what is seen":  {`{"evidence":[{"line":10,"quote":"x"}],"reason":"","dangerous_lines":[],"verdict":"safe"}`, "line 10 outside"},
	"a negative line":            {`{"evidence":[],"reason":"","dangerous_lines":[-2],"verdict":"safe"}`, "line -2 outside"},
	"two objects":                {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"safe"}{}`, "something follows"},
	"text behind":                {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"safe"} ok`, "something follows"},
	"a bracket behind":           {`{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"safe"}]`, "something follows"},
	"too many lines":             {`{"evidence":[],"reason":"","dangerous_lines":[` + strings.Repeat("2,", maxLines) + `2],"verdict":"safe"}`, "more than 1024"},
	"too long":                   {`{"reason":"` + strings.Repeat("x", maxAnswer) + `"}`, "longer than"},
	"bytes that are no text":     {"{\"reason\":\"\xff\"}", "not UTF-8"},
	"an array without an end":    {strings.Repeat("[", maxAnswer), `"{" belongs`},
}

func TestAnAnswerIsDecodedStrictly(t *testing.T) {
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			a, err := decode(test.text, 2, 9)
			switch {
			case test.err == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %+v with error %v, want one with %q", a, err, test.err)
			}
		})
	}
}

func TestADecodedAnswerHoldsWhatWasSaid(t *testing.T) {
	got, err := decode(`{"evidence":[{"line":2,"quote":"a \"b\""}],"reason":"why","dangerous_lines":[3,2],"verdict":"suspicious"}`, 1, 9)
	if err != nil {
		t.Fatal(err)
	}
	want := answer{evidence: []evidence{{2, `a "b"`}}, reason: "why", lines: []int{3, 2}, verdict: gate.Suspicious}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{}, evidence{})); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecode(f *testing.F) {
	for _, test := range answers {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := decode(text, 2, 9)
		if err != nil {
			return
		}
		if a.verdict != gate.Safe && a.verdict != gate.Suspicious && a.verdict != gate.Dangerous {
			t.Errorf("taken with verdict %s", a.verdict)
		}
		if len(a.reason) > maxReason {
			t.Errorf("a reason of %d bytes", len(a.reason))
		}
		for _, n := range a.lines {
			if n < 2 || n > 9 {
				t.Errorf("line %d", n)
			}
		}
	})
}
