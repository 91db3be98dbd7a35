package hook_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/hook/guard"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// Each file is a message as the tool's documentation has it, and what it is read as and
// answered with.
func TestMessagesOfEveryToolAreReadAndAnswered(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatal(err, len(files))
	}
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range a.Files {
				part[f.Name] = string(f.Data)
			}
			tool, ok := hook.Find(strings.TrimSpace(part["tool"]))
			if !ok {
				t.Fatalf("no tool %q", part["tool"])
			}
			ev, err := tool.Parse(strings.TrimSpace(part["event"]), []byte(part["message.json"]))
			seen[tool.Name+" "+fmt.Sprint(ev.Phase)] = true
			answer := hook.Decide([]guard.Refusal{{ID: "hook/x", What: "it does x", Instead: "Do y."}}, nil)
			read := described(ev)
			if err != nil {
				read, answer = "refused: "+err.Error()+"\n", hook.Refuse("%v", err)
			}
			got := map[string]string{"read": read, "passes": shown(tool.Render(ev, hook.Pass())), "refused": shown(tool.Render(ev, answer))}
			if err != nil {
				delete(got, "passes")
			}
			if *update {
				a.Files = a.Files[:3]
				for _, name := range []string{"read", "passes", "refused"} {
					if text, ok := got[name]; ok {
						a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for name, text := range got {
				if diff := cmp.Diff(part[name], text); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
	for _, tool := range hook.Tools() {
		for _, p := range []hook.Phase{hook.Before, hook.After} {
			if !seen[tool.Name+" "+fmt.Sprint(p)] {
				t.Errorf("no message of %s in phase %d", tool.Name, p)
			}
		}
	}
}

func described(ev hook.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %s, phase %d, call %q, folder %q\n", ev.Name, ev.Phase, ev.Call, ev.Cwd)
	for _, a := range ev.Actions {
		fmt.Fprintf(&b, "kind %d, path %q, text %q\n", a.Kind, a.Path, a.Text)
		if a.Kind == hook.KindEdit {
			fmt.Fprintf(&b, "  %+v\n", a.Edit)
		}
	}
	return b.String()
}

func shown(o hook.Output) string {
	return fmt.Sprintf("exit code %d\nstdout: %s\nstderr: %s\n", o.Code, strings.TrimSuffix(o.Stdout, "\n"), strings.TrimSuffix(o.Stderr, "\n"))
}

func TestHookPassesOnlyOnAPass(t *testing.T) {
	for d, refused := range map[gate.Decision]bool{
		gate.DecisionUnknown: true, gate.DecisionIncomplete: true, gate.DecisionBlock: true, gate.DecisionPass: false, gate.Decision(99): true,
	} {
		if got := hook.Decide(nil, []hook.Looked{{At: "x", Decision: d}}).Refused(); got != refused {
			t.Errorf("decision %v: refused %v", d, got)
		}
	}
	if !(hook.Answer{}).Refused() {
		t.Error("the zero answer passes")
	}
	if hook.Decide(nil, nil).Refused() {
		t.Error("a call that does nothing is refused")
	}
}

func TestAnswersApproveNothingThatTheUserWouldBeAskedAbout(t *testing.T) {
	for _, tool := range hook.Tools() {
		for _, e := range tool.Events {
			out := tool.Render(hook.Event{Tool: tool.Name, Name: e.Name, Phase: e.Phase}, hook.Pass())
			if out.Code != 0 || strings.Contains(out.Stdout, "allow") || strings.Contains(out.Stdout, "approve") {
				t.Errorf("%s %s: %+v", tool.Name, e.Name, out)
			}
		}
	}
}

func TestRefusalsAreInTheFormThatTheToolReads(t *testing.T) {
	refusal := hook.Refuse("it hides \x1b[31m \u202e and \"quotes\"")
	for _, tool := range hook.Tools() {
		for _, e := range tool.Events {
			out := tool.Render(hook.Event{Tool: tool.Name, Name: e.Name, Phase: e.Phase}, refusal)
			if e.Phase == hook.Before && (out.Code != 0 || !strings.Contains(out.Stdout, "deny") || !json.Valid([]byte(out.Stdout))) {
				t.Errorf("%s %s: %+v", tool.Name, e.Name, out)
			}
			if !strings.Contains(out.Stderr, "Do not") || strings.ContainsAny(out.Stderr, "\x1b\u202e") {
				t.Errorf("%s %s says: %q", tool.Name, e.Name, out.Stderr)
			}
		}
		if out := tool.Render(hook.Event{Name: "unknown"}, refusal); out.Code != 2 || out.Stderr == "" {
			t.Errorf("%s, unknown event: %+v", tool.Name, out)
		}
	}
}

func TestEditsLeaveWhatTheToolLeaves(t *testing.T) {
	for name, c := range map[string]struct {
		edit         hook.Edit
		before, want string
	}{
		"a whole file":      {hook.Edit{Content: "new\n"}, "old\n", "new\n"},
		"one piece":         {hook.Edit{Partial: true, Replacements: []hook.Replacement{{Old: "a", New: "b"}}}, "a a\n", "b a\n"},
		"every piece":       {hook.Edit{Partial: true, Replacements: []hook.Replacement{{Old: "a", New: "b", All: true}}}, "a a\n", "b b\n"},
		"one after another": {hook.Edit{Partial: true, Replacements: []hook.Replacement{{Old: "a", New: "b"}, {Old: "b", New: "c"}}}, "a\n", "c\n"},
		"what isn't found":  {hook.Edit{Partial: true, Replacements: []hook.Replacement{{Old: "x", New: "evil"}}}, "a", "a\nevil"},
		"a deletion":        {hook.Edit{Deleted: true}, "a", ""},
	} {
		if got := string(c.edit.Apply([]byte(c.before))); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	e := hook.Edit{Partial: true, Replacements: []hook.Replacement{{Old: "a", New: "b"}, {Old: "c", New: "d"}}}
	if got, ok := e.Undo([]byte("b d\n")); !ok || string(got) != "a c\n" {
		t.Errorf("undone: %q %v", got, ok)
	}
	if _, ok := e.Undo([]byte("x\n")); ok {
		t.Error("what isn't there was undone")
	}
}

func TestSettingsNameGateAndStayJSON(t *testing.T) {
	for _, tool := range hook.Tools() {
		for _, program := range []string{"/usr/local/bin/gate", `/home/a b/it's "gate"`, `C:\Tools\gate.exe`} {
			text := tool.Settings(program)
			if !json.Valid([]byte(text)) {
				t.Errorf("%s, %s: no JSON:\n%s", tool.Name, program, text)
			}
			if strings.Contains(text, "GATE") || strings.Contains(text, "LIMIT") {
				t.Errorf("%s: not filled in:\n%s", tool.Name, text)
			}
		}
		if hook.Deadline >= hook.ToolLimit {
			t.Error("the tool gives up first")
		}
	}
}

func TestMessagesThatAreNoGoodAreRefused(t *testing.T) {
	tool, _ := hook.Find("claude")
	for name, message := range map[string]string{
		"empty":          "",
		"a list":         "[]",
		"two":            `{"hook_event_name":"PreToolUse"}{}`,
		"deep":           strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
		"many":           `{"a":[` + strings.Repeat("1,", 300_000) + "1]}",
		"not UTF-8":      "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"\xff\"}",
		"large":          `{"a":"` + strings.Repeat("a", hook.MaxMessage) + `"}`,
		"names no tool":  `{"hook_event_name":"PreToolUse","tool_input":{"command":"x"}}`,
		"arguments":      `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":7}`,
		"an edit":        `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"a","edits":[7]}}`,
		"content":        `{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a","content":7}}`,
		"words":          `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["a",7]}}`,
		"cut off":        `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"`,
		"with a comment": `{"hook_event_name":"PreToolUse",/**/"tool_name":"Bash","tool_input":{"command":"x"}}`,
	} {
		if _, err := tool.Parse("PreToolUse", []byte(message)); err == nil {
			t.Errorf("%s: is read", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimSpace(string(a.Files[1].Data)), a.Files[2].Data)
	}
	f.Fuzz(func(t *testing.T, event string, message []byte) {
		for _, tool := range hook.Tools() {
			ev, err := tool.Parse(event, message)
			answer := hook.Pass()
			if err != nil {
				answer = hook.Refuse("%v", err)
			}
			out := tool.Render(ev, answer)
			if err != nil && out.Code == 0 && !strings.Contains(out.Stdout, "deny") && !strings.Contains(out.Stdout, "block") && !strings.Contains(out.Stdout, "additional_context") {
				t.Errorf("%s: an error that passes: %v %+v", tool.Name, err, out)
			}
			for _, a := range ev.Actions {
				_ = a.Edit.Apply([]byte("a\n"))
			}
		}
	})
}
