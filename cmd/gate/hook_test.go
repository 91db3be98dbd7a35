package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git/gittest"
	"github.com/aigate/gate/gate/hook"
)

// hangs is a static layer that never comes to an end, whatever it is told.
type hangs struct{}

func (hangs) Name() gate.Layer { return gate.LayerStatic }

func (hangs) Run(context.Context, *gate.Change, *gate.Findings) (gate.Outcome, error) {
	select {}
}

//go:generate go test -run TestThePageAboutHooksIsCurrent . -update

// What docs/hook.md says of each tool is what the program knows of it.
func TestThePageAboutHooksIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "hook.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for name, text := range map[string]string{"contracts": hook.ContractTable(), "settings": hook.SettingsPage("/usr/local/bin/gate"), "refused": hook.RefusalTable()} {
		begin, end := "<!-- "+name+": generated -->\n", "<!-- /"+name+" -->\n"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s", file, name)
		}
		want = before + begin + "\n" + text + "\n" + end + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("%s is not current; run `make docs` (-want +got):\n%s", file, diff)
	}
}

// BenchmarkHook measures each hook as a process: the median and the 95th percentile by the clock
// and of the time on the processor, in milliseconds.
func BenchmarkHook(b *testing.B) {
	program := filepath.Join(b.TempDir(), "gate") // as it is released: a test binary starts in twice the time
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	g := gittest.New(b)
	for _, name := range []string{"a.py", "b.py", "c.sh"} {
		g.Write(name, strings.Repeat("a = 1\n", 200))
	}
	g.Git("add", "-A")
	g.CommitStaged("first")
	first := strings.TrimSpace(g.Git("rev-parse", "HEAD"))
	g.Write("a.py", strings.Repeat("a = 2\n", 200))
	g.Git("add", "-A")
	g.CommitStaged("second")
	push := "refs/heads/x " + strings.TrimSpace(g.Git("rev-parse", "HEAD")) + " refs/heads/x " + first + "\n"
	g.Write("b.py", strings.Repeat("b = 2\n", 200))
	g.Git("add", "-A")
	code := strings.Repeat("def total(rows):\n    return sum(r.value for r in rows)\n\n", 100)
	call := func(event, tool string, args map[string]any) string {
		text, err := json.Marshal(map[string]any{"cwd": g.Dir, "hook_event_name": event, "tool_name": tool, "tool_input": args, "tool_response": "# A page\n"})
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name    string
		args    []string
		message string
	}{
		{"claude/command", []string{"claude", "PreToolUse"}, call("PreToolUse", "Bash", map[string]any{"command": "go test ./... -run Total && git status"})},
		{"claude/refused", []string{"claude", "PreToolUse"}, call("PreToolUse", "Bash", map[string]any{"command": "git commit --no-verify"})},
		{"claude/edit", []string{"claude", "PreToolUse"}, call("PreToolUse", "Write", map[string]any{"file_path": "n.py", "content": code})},
		{"claude/after-edit", []string{"claude", "PostToolUse"}, call("PostToolUse", "Edit", map[string]any{"file_path": "a.py", "old_string": "a = 1", "new_string": "a = 2"})},
		{"claude/fetched", []string{"claude", "PostToolUse"}, call("PostToolUse", "WebFetch", map[string]any{"url": "https://docs.example.com"})},
		{"claude/read", []string{"claude", "PreToolUse"}, call("PreToolUse", "Read", map[string]any{"file_path": "a.py"})},
		{"codex/command", []string{"codex", "PreToolUse"}, call("PreToolUse", "Bash", map[string]any{"command": "go test ./..."})},
		{"cursor/command", []string{"cursor", "preToolUse"}, call("preToolUse", "Shell", map[string]any{"command": "go test ./..."})},
		{"gemini/command", []string{"gemini", "BeforeTool"}, call("BeforeTool", "run_shell_command", map[string]any{"command": "go test ./..."})},
		{"copilot/command", []string{"copilot", "preToolUse"}, call("preToolUse", "bash", map[string]any{"command": "go test ./..."})},
		{"git/pre-commit", []string{"git", "pre-commit"}, ""},
		{"git/pre-push", []string{"git", "pre-push"}, push},
	} {
		b.Run(c.name, func(b *testing.B) {
			home := b.TempDir()
			var took, busy []time.Duration
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), program)
				cmd.Args, cmd.Dir, cmd.Stdin = append([]string{program, "hook"}, c.args...), g.Dir, strings.NewReader(c.message)
				cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
				start := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				took = append(took, time.Since(start))
				busy = append(busy, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			}
			slices.Sort(took)
			slices.Sort(busy)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(took[len(took)/2]), "median-ms")
			b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
			b.ReportMetric(ms(busy[len(busy)/2]), "cpu-ms")
			b.ReportMetric(ms(busy[len(busy)*95/100]), "cpu-p95-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
