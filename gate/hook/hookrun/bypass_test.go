package hookrun

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/tools/testenv"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/hook.md")

// bench is a process in a folder of its own.
func bench(t testing.TB) Process {
	t.Helper()
	dir := t.TempDir()
	env := map[string]string{"HOME": filepath.Join(dir, "home"), "PATH": os.Getenv("PATH")}
	for _, d := range []string{"home", "project"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "project", "old.py"), []byte("print(1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	return Process{
		Engine: engine.New(engine.Host{Stderr: &log, Getenv: func(k string) string { return env[k] }}),
		Stdout: &bytes.Buffer{}, Stderr: &log, Program: "/usr/local/bin/gate", Cwd: filepath.Join(dir, "project"),
	}
}

// ask lets a tool ask about a message, and says whether it reads a refusal.
func ask(t testing.TB, p Process, tool hook.Tool, event, message string) (no bool, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(message), &out, &errs
	err := Run(t.Context(), p, tool, event, Options{Deadline: time.Minute})
	denied := strings.Contains(out.String(), `"deny"`)
	if denied == (err != nil) && denied {
		t.Errorf("%s: %v, and %s", tool.Name, err, out.String())
	}
	return denied || err != nil, errs.String()
}

func TestTriesToGetPastTheHooksOfAgentsEndAsThePageSays(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of questions, one after the other")
	p := bench(t)
	all := tries()
	if len(all) < 200 {
		t.Fatalf("only %d tries", len(all))
	}
	seen := map[string]bool{}
	for _, tool := range hook.Tools() {
		known := map[string]bool{} // what was decided about the same actions
		for _, c := range all {
			event, message := c.message(tool.Name, p.Cwd)
			ev, err := tool.Parse(event, []byte(message))
			if err != nil {
				t.Errorf("%s, %s, %s: %v", tool.Name, c.class, c.spelling, err)
				continue
			}
			key := fmt.Sprint(ev.Actions)
			no, ok := known[key]
			if !ok && tool.Name != "claude" && seen[key+"no"] { // decided for another tool; the answer is a golden file
				no, ok = true, true
			} else if !ok && seen[key+"yes"] {
				no, ok = false, true
			}
			said := ""
			if !ok {
				no, said = ask(t, p, tool, event, message)
				known[key] = no
				seen[key+map[bool]string{true: "no", false: "yes"}[no]] = true
			}
			if no != (c.want == refused) {
				t.Errorf("%s, %s, %s: refused %v: %.300q %s", tool.Name, c.class, c.spelling, no, c.text, said)
			}
			if (c.why == "") != (c.want == refused) {
				t.Errorf("%s, %s: no reason is given", c.class, c.spelling)
			}
		}
	}
	page(t, "tries", table(all))
}

// table shows the tries by class.
func table(all []try) string {
	var b strings.Builder
	b.WriteString("| Tries to | How many | Refused | Reported later | Not preventable here | Written as, among others | Why not |\n|---|---|---|---|---|---|---|\n")
	var classes []string
	for _, c := range all {
		if !slices.Contains(classes, c.class) {
			classes = append(classes, c.class)
		}
	}
	total := map[outcome]int{}
	for _, class := range classes {
		n := map[outcome]int{}
		var names []string
		why := ""
		for _, c := range all {
			if c.class != class {
				continue
			}
			n[c.want]++
			total[c.want]++
			if len(names) < 5 {
				names = append(names, c.spelling)
			}
			if c.why != "" {
				why = c.why
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %s |\n", class, n[refused]+n[later]+n[open], n[refused], n[later], n[open], strings.Join(names, ", "), why)
	}
	fmt.Fprintf(&b, "| **all** | **%d** | **%d** | **%d** | **%d** | | |\n", len(all), total[refused], total[later], total[open])
	return b.String()
}

// page compares a generated part of docs/hook.md, or rewrites it.
func page(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("..", "..", "..", "docs", "hook.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": generated -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for %s", file, name)
	}
	want := before + begin + "\n" + text + "\n" + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("%s is not current; run go test ./gate/hook/hookrun -update (-want +got):\n%s", file, diff)
	}
}
