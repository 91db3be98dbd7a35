package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

func TestProgramsInLinesBecomeACorpus(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	text := `{"index": "7_1", "code": "print('a')\n", "more": 1}` + "\n" + `{"index": "9_2", "code": "x"}` + "\n"
	if err := put(filepath.Join(from, "some.python.jsonl"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := convert(from, to, "About: it."); err != nil {
		t.Fatal(err)
	}
	c, err := eval.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.About != "About: it." || len(c.Samples) != 2 || c.Samples[1].Category != "group-9" || c.Samples[0].Label != eval.Malicious {
		t.Errorf("%q %+v", c.About, c.Samples)
	}
	if data, err := os.ReadFile(filepath.Join(to, "python", "0001.py")); err != nil || string(data) != "print('a')\n" {
		t.Errorf("%q %v", data, err)
	}
	if err := put(filepath.Join(from, "some.cobol.jsonl"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := convert(from, to, ""); err == nil || !strings.Contains(err.Error(), "cobol") {
		t.Errorf("a language that no one knows: %v", err)
	}
}

func TestTheSameFilesAreChosenWhereverTheyLie(t *testing.T) {
	o := origin{}
	files := func(folder string) (out []found) {
		for _, p := range []string{"a/x", "a/y", "b/x", "c/d/x", "e", "f"} {
			out = append(out, found{folder + p, p})
		}
		return out
	}
	paths := func(of []found) (out []string) {
		for _, f := range of {
			out = append(out, f.path)
		}
		return out
	}
	one, other := paths(o.choose(files("/one/"), 3)), paths(o.choose(files("/two/"), 3))
	if diff := cmp.Diff(one, other); diff != "" || len(one) != 3 {
		t.Error(diff)
	}
	whole := paths(origin{whole: true}.choose(files("/"), 6))
	at := map[string]int{}
	for i, p := range whole {
		at[p] = i
	}
	if at["a/y"]-at["a/x"] != 1 {
		t.Errorf("the files of a folder are torn apart: %v", whole)
	}
}

func TestFindingsOfAnotherToolBelongToTheSampleThatHoldsTheFile(t *testing.T) {
	outcomes := map[string]*eval.Outcome{
		"a.py": {Path: "a.py", Layers: map[string]eval.Seen{"bandit": {}}},
		"pkg":  {Path: "pkg", Layers: map[string]eval.Seen{"bandit": {}}},
		"b.js": {Path: "b.js", Layers: map[string]eval.Seen{"gate": {}}},
	}
	place([]issue{
		{"a.py", eval.Suspicious, "B1"}, {"a.py", eval.Note, "B2"}, {"pkg/deep/x.py", eval.Dangerous, "B3"},
		{"b.js", eval.Dangerous, "B4"}, {"elsewhere.py", eval.Dangerous, "B5"},
	}, outcomes, "bandit")
	if got := outcomes["a.py"].Layers["bandit"].Severity; got != eval.Suspicious {
		t.Errorf("a.py is %s, want the worst of its findings", got)
	}
	if got := outcomes["pkg"].Layers["bandit"].Severity; got != eval.Dangerous {
		t.Errorf("the package is %s", got)
	}
	if _, there := outcomes["b.js"].Layers["bandit"]; there {
		t.Error("a tool is measured in a language that it does not know")
	}
}

func TestAToolIsAskedAgainWhenAFileChanges(t *testing.T) {
	root := t.TempDir()
	write := func(text string) {
		if err := put(filepath.Join(root, "a.py"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	u := &used{number: "1", tool: tool{name: "tool", run: func(context.Context, job) ([]issue, error) {
		asked++
		return []issue{{"a.py", eval.Dangerous, "X"}}, nil
	}}}
	tab := table{kept: t.TempDir(), log: io.Discard}
	j := job{root: root, samples: []eval.Sample{{Path: "a.py"}}}
	ask := func(want int) {
		t.Helper()
		k, err := tab.ask(t.Context(), u, j)
		if err != nil || len(k.Issues) != 1 || k.Issues[0].Level != eval.Dangerous {
			t.Fatalf("%+v %v", k, err)
		}
		if asked != want {
			t.Errorf("asked %d times, want %d", asked, want)
		}
	}
	write("1")
	ask(1)
	ask(1)
	write("2")
	ask(2)
	u.number = "2"
	ask(3)
	u.run = func(context.Context, job) ([]issue, error) { return nil, errors.New("broken") }
	write("3")
	if _, err := tab.ask(t.Context(), u, j); err == nil {
		t.Error("a tool that fails has an answer")
	}
}

func TestThePageKeepsWhatStandsAroundTheTable(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := put(page, []byte("before\n"+tableBegin+"old\n"+tableEnd+"\nafter\n")); err != nil {
		t.Fatal(err)
	}
	seen := func(l eval.Level) map[string]eval.Seen {
		return map[string]eval.Seen{"gate": {Severity: l}, "bandit": {}}
	}
	outcomes := []eval.Outcome{
		{Path: "a.py", Language: gate.LanguagePython, Label: eval.Malicious, Category: "c", Layers: seen(eval.Suspicious)},
		{Path: "b.py", Language: gate.LanguagePython, Label: eval.Benign, Category: "c", Layers: seen(eval.Nothing)},
	}
	m := measured{about: eval.About{Name: "small", About: "Ours.", Malicious: 1, Benign: 1}, measures: eval.Measures(outcomes)}
	var b bytes.Buffer
	render(&b, []measured{m}, []*used{{tool: tool{name: "gate"}, number: "v1"}, {tool: tool{name: "bandit"}, number: "1"}}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if err := (table{page: page}).replace(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"before\n", "\nafter\n", "Measured on 2026-01-02.", "### Small", "Ours. 1 malicious and 1 benign samples in all.",
		"| python | gate | 1 | 100.0 % (20.7–100.0) | 0.0 % (0.0–79.3) | 1 | 0.0 % (0.0–79.3) | 0.0 % (0.0–79.3) |\n| python | bandit | 1 | 0.0 %",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page lacks %q:\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "old") {
		t.Error("the old table is still there")
	}
	if err := put(page, []byte("no marks")); err != nil {
		t.Fatal(err)
	}
	if err := (table{page: page}).replace(nil); err == nil {
		t.Error("a page without marks is written")
	}
}
