package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// history makes a folder with one bare repository that has a commit for each of some trees,
// on top of each other.
func history(t *testing.T, name string, trees ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	do := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", tree, "-c", "user.name=Eve", "-c", "user.email=eve@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	if err := os.MkdirAll(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	do("init", "--quiet")
	for _, files := range trees {
		for path, text := range files {
			full := filepath.Join(tree, path)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		do("add", "--all")
		do("commit", "--quiet", "--message", "change "+strings.Join(sortedKeys(files), " "))
	}
	repos := filepath.Join(dir, "repos")
	do("clone", "--quiet", "--bare", tree, filepath.Join(repos, name+".git"))
	return repos
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

const (
	taxes = "def tax(n):\n    if n > 100:\n        return n // 5\n    return 0\n\n\ndef net(n):\n    return n - tax(n)\n"
	test  = "from shop import taxes\n\n\ndef test_net():\n    assert taxes.net(200) == 160\n"
)

func TestCommitsOfAllKindsAreTakenInTurn(t *testing.T) {
	repos := history(t, "shop",
		map[string]string{"README.md": "Shop\n"},
		map[string]string{"shop/__init__.py": "", "shop/taxes.py": taxes},
		map[string]string{"tests/test_taxes.py": test},
		map[string]string{"docs/page.md": "Taxes\nare\nhere\n"},
		map[string]string{"shop/taxes.py": taxes + "\n\ndef gross(n):\n    return n\n", "tests/test_taxes.py": test + "\n\ndef test_gross():\n    assert taxes.gross(1) == 1\n"},
		map[string]string{"shop/more.py": "A = 1\nB = 2\nC = 3\n"},
	)
	chosen, err := choose(t.Context(), filepath.Join(repos, "shop.git"), 9)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range chosen {
		got = append(got, c.kind+": "+c.files[0].path)
	}
	want := []string{"code and tests: shop/taxes.py", "code: shop/more.py", "tests: tests/test_taxes.py", "code: shop/taxes.py"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestARealProjectIsMeasuredWithGateAndPlainly(t *testing.T) {
	testenv.Docker(t)
	testenv.Image(t, "python")
	repos := history(t, "shop",
		map[string]string{"shop/__init__.py": "", "tests/test_taxes.py": test},
		map[string]string{"shop/taxes.py": taxes},
	)
	out := t.TempDir()
	measured := func() string {
		t.Helper()
		var stderr bytes.Buffer
		if code := run(t.Context(), []string{"-gate", testenv.Gate(t), "-commits", "1", "-out", out, repos}, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		text, err := os.ReadFile(filepath.Join(out, "table.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	lines := measured()
	var r row
	if err := json.Unmarshal([]byte(lines), &r); err != nil {
		t.Fatal(err)
	}
	// The tests run all but the last line of tax, which runs when the function is called.
	if r.Executable != 6 || r.Executed != 6 || r.Plain != 5 || r.Here != 6 || r.PlainOf != 6 || len(r.Missed) > 0 || r.Verdict != "SAFE" || r.Cold == 0 || r.Push == 0 || r.PlainTime == 0 || r.Pushed != "shop/taxes.py" || r.Error+r.PlainWhy != "" {
		t.Errorf("%+v", r)
	}
	table, err := os.ReadFile(filepath.Join(out, "table.md"))
	if err != nil || !strings.Contains(string(table), "| code | 6 | 6 | 6 of 6 | 5 | ") {
		t.Errorf("%s, %v", table, err)
	}
	if again := measured(); again != lines {
		t.Errorf("what is in the table was measured again:\n%s", again)
	}
}

func TestWrongUsageIsNamed(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}, {"-commits", "0", "a"}, {"-tests", "none.json", "a"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %s", args, code, stderr.String())
		}
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-out", t.TempDir(), t.TempDir()}, &stderr); code != 1 || !strings.Contains(stderr.String(), "no bare repository") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

func TestTextsOfAProjectAreNoMarkup(t *testing.T) {
	got := markdown([]row{{Project: "a|b", Commit: "0123456789", Kind: "code", Missed: []string{"a\n| x | [l](https://example.com) <b>.py: 1"}}})
	if strings.Contains(got, "[l]") || strings.Contains(got, "<b>") || strings.Contains(got, "a|b") || strings.Contains(got, "| x |") {
		t.Error(got)
	}
}

func TestCommitsOfAProjectAreSummedUp(t *testing.T) {
	got := markdown([]row{
		{Project: "b", Commit: "00000001", Verdict: "SAFE", Executable: 10, Executed: 9, Plain: 5, PlainOf: 8, PlainTime: 1, Cold: 4, Push: 2, Missed: []string{"a:b.py:1,2"}},
		{Project: "a", Commit: "00000002", Error: "gate scan: killed"},
		{Project: "b", Commit: "00000003", Verdict: "INCOMPLETE", Executable: 2, Executed: 2, Cold: 8},
		{Project: "b", Commit: "00000004", Verdict: "SAFE", Cold: 30, Push: 3},
	})
	for _, want := range []string{"| a | 1 | 0 | 0 | 0 | 0 | – | – |  | 1 |\n", "| b | 3 | 12 | 11 | 5 | 3 | 8 | 2 | 1 INCOMPLETE, 2 SAFE | 0 |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
