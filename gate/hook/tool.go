package hook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tool is one coding agent: its events, and its contract about hooks. The contract is for
// pages: what the tool was seen to do, or what its documentation says, and when.
type Tool struct {
	Name   string // on the command line
	Title  string
	Events []EventType
	Contract
	// refuse is what the tool reads as a refusal; nil where it reads none at this event.
	refuse func(event EventType, reason string) any
	// pass is what it reads as "no objection".
	pass string
	// settings is what a user writes into its settings, with the path of gate as JSON text.
	settings string
}

// EventType is one event of a tool.
type EventType struct {
	Name  string
	Phase Phase
}

// Contract is what a tool does with a hook that doesn't answer.
type Contract struct {
	Missing string // the program isn't there
	Killed  string // it ends by a signal, or with an exit code that isn't known
	Hung    string // it is still running at the tool's own time limit
	Closed  string // the setting that refuses in these cases, "" for none
	File    string // where the settings are
	Source  string // of what is said here
}

// Verified is when the contracts were last compared, and how.
const Verified = "26 November 2026. \"Seen\": the agent of npm was run with a stand-in for its model (`make test-agents`). Cursor has no package on npm: stored copies of its pages"

// Deadline and ToolLimit are the times after which gate refuses by itself, and after which
// tools are told to give up on it, in seconds. The first has to be shorter.
const (
	Deadline  = 5
	ToolLimit = 10
)

// Tools returns all tools, in the order in which pages show them.
func Tools() []Tool { return []Tool{claude(), codex(), cursor(), gemini(), copilot()} }

// Find returns a tool by its name.
func Find(name string) (Tool, bool) {
	all := Tools()
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return all[i], true
}

// Names returns the names of all tools.
func Names() []string {
	var out []string
	for _, t := range Tools() {
		out = append(out, t.Name)
	}
	return out
}

// Settings returns what the user writes into the settings of the tool, for a gate at an
// absolute path.
func (t Tool) Settings(program string) string {
	return strings.NewReplacer("GATE", quoteInJSON(program), "ELSE", orRefuse, "LIMITMS", fmt.Sprint(ToolLimit*1000), "LIMIT", fmt.Sprint(ToolLimit)).Replace(t.settings)
}

// orRefuse is what a tool's shell does where the hook can't be started or is killed: it
// refuses, in tools that have no setting for that. POSIX shells and cmd.exe read it alike.
const orRefuse = "(echo gate gave no answer, so this is refused. Stop, and tell the user. >&2 && exit 2)"

// quoteInJSON writes a path so that a shell reads it as one word, inside of a JSON text.
func quoteInJSON(program string) string {
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	if strings.Trim(program, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		quoted = program
	}
	return strings.ReplaceAll(strings.ReplaceAll(quoted, `\`, `\\`), `"`, `\"`)
}

// event returns the event of a name.
func (t Tool) event(name string) (EventType, bool) {
	i := slices.IndexFunc(t.Events, func(e EventType) bool { return e.Name == name })
	if i < 0 {
		return EventType{Name: name}, false
	}
	return t.Events[i], true
}

// Parse reads what a tool sends to its hook. name is the event that the hook was set up
// for, "" where the message says it. With an error, the event is as far known as an answer
// needs it.
func (t Tool) Parse(name string, data []byte) (Event, error) {
	ev := Event{Tool: t.Name, Name: name}
	known, ok := t.event(name)
	if name != "" && !ok {
		return ev, fmt.Errorf("%s has no event %q that gate knows", t.Title, clip(name, 40))
	}
	ev.Phase = known.Phase
	m, err := decode(data)
	if err != nil {
		return ev, fmt.Errorf("what %s sent can't be read: %w", t.Title, err)
	}
	said, _ := m.text("hook_event_name", "hookEventName")
	if version, _ := m.text("cursor_version"); version != "" && t.Name == "claude" {
		// Cursor runs the hooks in Claude's settings too, with messages of its own.
		return cursor().Parse(lowerFirst(name), data)
	}
	switch {
	case name == "" && said == "":
		return ev, errors.New("which event is it? Neither the message nor the command line says so")
	case name == "":
		if known, ok = t.event(said); !ok {
			return ev, fmt.Errorf("%s has no event %q that gate knows", t.Title, clip(said, 40))
		}
		ev.Name, ev.Phase = known.Name, known.Phase
	case said != "" && said != name:
		return ev, fmt.Errorf("the hook is set up for %s, and the message is of %q", name, clip(said, 40))
	}
	if ev.Phase == Other {
		return ev, nil
	}
	ev.Cwd, _ = m.text("cwd")
	if ev.Cwd == "" {
		if roots := texts(m["workspace_roots"]); len(roots) > 0 {
			ev.Cwd = roots[0]
		}
	}
	err = t.read(&ev, m)
	if err != nil {
		err = fmt.Errorf("what %s sent can't be read: %w", t.Title, err)
	}
	return ev, err
}

// lowerFirst writes the name of an event as Cursor does.
func lowerFirst(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// read fills in what the call does.
func (t Tool) read(ev *Event, m object) error {
	args, err := m.inner("tool_input", "toolArgs", "toolInput")
	if err != nil {
		return err
	}
	ev.Call, _ = m.text("tool_name", "toolName")
	switch ev.Name {
	case "beforeShellExecution":
		ev.Call, args = "Shell", m.only("command")
		if _, ok := m.text("command"); !ok {
			return errors.New("it has no command")
		}
	case "afterFileEdit", "afterTabFileEdit":
		ev.Call, args = "Edit", m.only("file_path", "path", "edits", "content")
	case "beforeReadFile", "beforeTabFileRead":
		content, ok := m.text("content")
		if !ok {
			return errors.New("it has no content")
		}
		ev.Call = "Read"
		ev.Actions = []Action{{Kind: KindText, Text: content}}
		return nil
	case "beforeMCPExecution":
		ev.Call = "mcp__" + ev.Call
	}
	if ev.Call == "" {
		return errors.New("it names no tool")
	}
	if args == nil && !reads(ev.Call) && ev.Phase == Before {
		return errors.New("it has no arguments of the tool")
	}
	found, err := actions(ev.Call, args)
	if err != nil {
		return err
	}
	if ev.Phase == Before {
		ev.Actions = found
		return nil
	}
	for _, a := range found {
		if a.Kind == KindEdit {
			ev.Actions = append(ev.Actions, a)
		}
	}
	if len(ev.Actions) == 0 && !runs(found) {
		var got, parts []string
		for _, k := range []string{"tool_response", "toolResult", "tool_output", "result_json", "output"} {
			got = append(got, texts(m[k])...)
			parts = append(parts, blocks(m[k])...)
		}
		if text := strings.Join(got, "\n"); text != "" {
			ev.Actions = []Action{{Kind: KindText, Text: text}}
		}
		if len(parts) > 1 { // a model reads them without what is between them
			ev.Actions = append(ev.Actions, Action{Kind: KindText, Text: strings.Join(parts, "")})
		}
	}
	return nil
}

// runs reports whether a call runs a command: what that prints is the user's own.
func runs(all []Action) bool {
	return slices.ContainsFunc(all, func(a Action) bool { return a.Kind == KindCommand || a.Kind == KindCode })
}
