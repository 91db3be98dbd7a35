package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/memory"
)

var tools = []Tool{
	{"write_file", "Write a file.", json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
	{"run_command", "Run a line.", json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"toolbox":{"type":"string","enum":["shell","python"]}},"required":["command"],"additionalProperties":false}`)},
}

// script is a model that says one thing after the other, and tools that answer what replies
// has for a call.
type script struct {
	says      []Answer
	errs      map[int]error
	room      int
	questions []Question
	calls     []Call
	replies   func(Call) Reply
}

func text(s string) Answer { return Answer{Text: s} }

func (s *script) options(task string, native bool) Options {
	return Options{
		Task: task, Steps: 8, Tools: tools, Native: native,
		Room: func(context.Context) (int, error) {
			if s.room == 0 {
				return 12 << 10, nil
			}
			return s.room, nil
		},
		Ask: func(_ context.Context, q Question) (Answer, error) {
			n := len(s.questions)
			s.questions = append(s.questions, q)
			return s.says[min(n, len(s.says)-1)], s.errs[n]
		},
		Call: func(_ context.Context, c Call) (Reply, error) {
			s.calls = append(s.calls, c)
			if s.replies == nil {
				return Reply{Text: "done " + c.Tool, Spent: Phases{Static: 2, Run: 3}}, nil
			}
			return s.replies(c), nil
		},
	}
}

func TestATaskIsDoneByCallsAndThenAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		native bool
		says   []Answer
	}{
		"in the strict form": {false, []Answer{text(`{"tool":"write_file","arguments":{"path":"a.py","text":"print(1)"}}`), text(`{"tool":"run_command","arguments":{"command":"python3 a.py"}}`), text(`{"answer":"It prints 1."}`)}},
		"by tool calls":      {true, []Answer{{Calls: []Call{{"write_file", json.RawMessage(`{"path":"a.py"}`)}, {"run_command", json.RawMessage(`{"command":"python3 a.py"}`)}}}, text("It prints 1.")}},
		"by calls as text":   {true, []Answer{text("<tool_call>\n" + `{"name":"write_file","arguments":{"path":"a.py"}}` + "\n</tool_call>"), text(`{"name":"run_command","arguments":{"command":"python3 a.py"}}`), text("It prints 1.")}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{says: tt.says}
			o := s.options("print 1", tt.native)
			o.Memory = &memory.Memory{}
			out, err := Run(t.Context(), o)
			if err != nil || out.Decision != gate.DecisionPass || out.Answer != "It prints 1." || len(s.calls) != 2 || len(out.Steps) != 2 {
				t.Fatalf("%v, %+v", err, out)
			}
			if out.Spent.Static != 4 || out.Spent.Run != 6 {
				t.Errorf("%+v", out.Spent)
			}
			last := s.questions[len(s.questions)-1]
			if told := fmt.Sprintf("%+v", last.Said); !strings.Contains(told, "done write_file") || !strings.Contains(told, "done run_command") {
				t.Errorf("the model is not told what came of its calls: %s", told)
			}
			if tt.native == (last.Form != nil) || tt.native == (last.Tools == nil) {
				t.Errorf("form %s, %d tools", last.Form, len(last.Tools))
			}
			if turns := o.Memory.Turns(); len(turns) != 1 || turns[0].Answered != "It prints 1." || len(turns[0].Done) != 2 || turns[0].Done[1] != "run_command python3 a.py" {
				t.Errorf("%+v", turns)
			}
		})
	}
}

func TestAnAnswerOfAnyOtherFormIsNoCall(t *testing.T) {
	for name, says := range map[string]string{
		"prose":              "I will now write the file.",
		"two objects":        `{"answer":"a"}{"answer":"b"}`,
		"an unknown field":   `{"tool":"run_command","arguments":{"command":"ls"},"sudo":true}`,
		"an unknown tool":    `{"tool":"open_browser","arguments":{}}`,
		"both":               `{"tool":"run_command","arguments":{},"answer":"x"}`,
		"neither":            `{}`,
		"arguments of words": `{"tool":"run_command","arguments":"ls"}`,
		"no arguments":       `{"tool":"run_command"}`,
		"an empty answer":    `{"answer":"  "}`,
		"far too much":       `{"answer":"` + strings.Repeat("x", maxAnswer) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{says: []Answer{text(says)}}
			out, err := Run(t.Context(), s.options("x", false))
			if err != nil || out.Decision != gate.DecisionIncomplete || len(s.calls) != 0 || len(s.questions) != maxWrong {
				t.Fatalf("%v, %+v, %d calls, %d questions", err, out, len(s.calls), len(s.questions))
			}
			if told := fmt.Sprint(s.questions[1].Said); !strings.Contains(told, "could not be used") {
				t.Errorf("the model is not told: %s", told)
			}
		})
	}
}

func TestATaskEnds(t *testing.T) {
	call := text(`{"tool":"run_command","arguments":{"command":"ls"}}`)
	s := &script{says: []Answer{call}}
	out, err := Run(t.Context(), s.options("x", false))
	if err != nil || out.Decision != gate.DecisionIncomplete || len(s.calls) != 8 || !strings.Contains(out.Reason, "after 8 steps") {
		t.Errorf("%v, %+v", err, out)
	}
	s = &script{says: []Answer{call}, errs: map[int]error{0: &gate.Unavailable{Reason: "gone"}}}
	if out, err := Run(t.Context(), s.options("x", false)); err != nil || len(s.questions) != 1 || !strings.Contains(out.Reason, "no model can be asked") {
		t.Errorf("%v, %+v", err, out)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s = &script{says: []Answer{call}, replies: func(Call) Reply { cancel(enough); return Reply{} }}
	if out, err := Run(ctx, s.options("x", false)); !errors.Is(err, enough) || out.Decision == gate.DecisionPass {
		t.Errorf("%v, %+v", err, out)
	}
}

func TestMessagesWithoutRoomAreLeftOutFromTheOldestOn(t *testing.T) {
	long := strings.Repeat("x", 3000)
	n := 0
	s := &script{room: 8 << 10, says: []Answer{text(`{"tool":"write_file","arguments":{"path":"a","text":"` + long + `"}}`)}, replies: func(Call) Reply {
		n++
		return Reply{Text: fmt.Sprintf("[data] result %d %s [end of data]", n, long)}
	}}
	o := s.options("the task", false)
	o.Memory = &memory.Memory{}
	for i := range 8 {
		o.Memory.Add(memory.Turn{Asked: fmt.Sprintf("turn %d %s", i, long)})
	}
	if got := len(o.Memory.Turns()); got != memory.MaxTurns {
		t.Errorf("%d turns are remembered", got)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for i, q := range s.questions {
		told := fmt.Sprint(q.Said)
		if size := bytes(q.Said); size > s.room {
			t.Errorf("question %d has %d bytes", i, size)
		}
		if !strings.Contains(told, "the task") || i > 0 && (!strings.Contains(told, fmt.Sprintf("result %d", i)) || !strings.Contains(told, "[end of data]")) {
			t.Errorf("question %d lacks the task or the last result", i)
		}
		if strings.Contains(told, "turn 0") || strings.Contains(told, "turn 1") {
			t.Errorf("question %d remembers more than six turns", i)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"answer":"a"}`, `{"tool":"run_command","arguments":{}}`, `{}`, `{"tool":1}`, "", `{"answer":"a"} x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := decode(s, tools)
		if err == nil && (a.Text == "") == (len(a.Calls) == 0) {
			t.Errorf("%q is %+v", s, a)
		}
		if a, err := native(Answer{Text: s}, tools); err == nil && (a.Text == "") == (len(a.Calls) == 0) {
			t.Errorf("%q is %+v", s, a)
		}
	})
}

func TestOneRunWhoseDeedsDoNotPassDecidesForTheTask(t *testing.T) {
	run := Answer{Calls: []Call{{"run_command", json.RawMessage(`{"command":"true"}`)}}}
	for name, tt := range map[string]struct {
		decisions []gate.Decision
		want      gate.Decision
	}{
		"all pass":                            {[]gate.Decision{gate.DecisionPass, gate.DecisionPass}, gate.DecisionPass},
		"the first is dangerous":              {[]gate.Decision{gate.DecisionBlock, gate.DecisionPass}, gate.DecisionBlock},
		"of the last not all is known":        {[]gate.Decision{gate.DecisionPass, gate.DecisionIncomplete}, gate.DecisionIncomplete},
		"no one has decided":                  {[]gate.Decision{gate.DecisionUnknown}, gate.DecisionIncomplete},
		"dangerous outweighs what is unknown": {[]gate.Decision{gate.DecisionIncomplete, gate.DecisionBlock}, gate.DecisionBlock},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{}
			for range tt.decisions {
				s.says = append(s.says, run)
			}
			s.says = append(s.says, text("done"))
			left := tt.decisions
			s.replies = func(Call) Reply {
				d := left[0]
				left = left[1:]
				return Reply{Text: "ran", Did: &Did{Decision: d}}
			}
			out, err := Run(t.Context(), s.options("run it", true))
			if err != nil || out.Decision != tt.want || (out.Reason == "") != (tt.want == gate.DecisionPass) || out.Answer != "done" {
				t.Errorf("%v, %+v", err, out)
			}
		})
	}
}
