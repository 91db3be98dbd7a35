package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// Role says who said a [Message].
type Role string

// The roles of a conversation. What a tool answered has the role of its own.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one part of a [Conversation].
type Message struct {
	Role  Role
	Text  string
	Calls []ToolCall // of the assistant
	Tool  string     // whose answer Text is
}

// ToolCall is a call that a model asked for. It is hostile: whether there is such a tool and
// whether the arguments fit is for the caller to check.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
}

// Tool is what a model is told of a tool. Schema is the JSON Schema of its arguments.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// Conversation is what is said to a model that answers next. Tools need a model that makes
// tool calls ([Writer]), and exclude a Format, which is the JSON Schema that the
// server holds an answer to. The same seed gives the same answer from the same model.
type Conversation struct {
	Messages []Message
	Tools    []Tool
	Format   json.RawMessage
	Seed     int
}

// Said is an answer. All of it is hostile text.
type Said struct {
	Text   string
	Calls  []ToolCall
	Read   int           // tokens of the conversation, by the server's count
	Tokens int           // of the answer
	Took   time.Duration // for generating it
}

// maxCalls bounds the tool calls of one answer.
const maxCalls = 8

// Talk lets the model that judges go on with a conversation that is not about a change.
// Control tokens and invisible characters in what is said are shown as escapes, and blank
// lines are left out. Errors are an [*gate.Unavailable], a [*TooLong], say why there is no
// usable answer, or are the cause of ctx.
func (j *Judge) Talk(ctx context.Context, c Conversation) (Said, error) {
	s, err := j.session(ctx)
	if err != nil {
		return Said{}, err
	}
	req, size, err := talkRequest(s, c)
	if err != nil {
		return Said{}, err
	}
	if size > s.room() {
		return Said{}, &TooLong{Bytes: size, Room: s.room()}
	}
	r, err := chat(ctx, s.client, req, j.deadlines.Request, j.deadlines.Idle)
	if f, ok := errors.AsType[*failure](err); ok && f.lost {
		j.drop(s, f.reason)
	}
	if err != nil {
		return Said{}, err
	}
	if err := wholeTalk(s, r, size); err != nil {
		return Said{}, err
	}
	said := Said{Text: r.text, Read: r.promptTokens, Tokens: r.tokens, Took: r.took}
	for _, call := range r.calls {
		arguments, err := json.Marshal(call.Function.Arguments)
		if err != nil {
			return Said{}, fmt.Errorf("the arguments of a tool call cannot be read: %w", err)
		}
		said.Calls = append(said.Calls, ToolCall{call.Function.Name, arguments})
	}
	return said, nil
}

// TooLong is a conversation that the model would not read to its end.
type TooLong struct{ Bytes, Room int }

// Error implements error.
func (e *TooLong) Error() string {
	return fmt.Sprintf("the question has %d bytes, and the model reads %d tokens at a time", e.Bytes, e.Room)
}

// talkRequest is a conversation as the server takes it, and how many bytes it has.
func talkRequest(s *session, c Conversation) (*api.ChatRequest, int, error) {
	var messages []api.Message
	size := 0
	for _, m := range c.Messages {
		text := m.Text
		if m.Role != RoleSystem {
			text = disarmed(text)
		}
		out := api.Message{Role: string(m.Role), Content: text, ToolName: m.Tool}
		size += len(text) + len(m.Tool)
		for _, call := range m.Calls {
			var arguments api.ToolCallFunctionArguments
			if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
				return nil, 0, fmt.Errorf("a tool call of before cannot be read: %w", err)
			}
			size += len(call.Name) + len(call.Arguments)
			out.ToolCalls = append(out.ToolCalls, api.ToolCall{Function: api.ToolCallFunction{Name: call.Name, Arguments: arguments}})
		}
		messages = append(messages, out)
	}
	req := s.request(messages)
	req.Format = c.Format
	req.Options["num_predict"], req.Options["seed"] = s.window-s.room(), c.Seed
	req.Options["temperature"], req.Options["top_k"] = 0.8, 40
	if s.thinks {
		off := api.ThinkValue{Value: false}
		req.Think = &off
	}
	for _, t := range c.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := json.Unmarshal(t.Schema, &tool.Function.Parameters); err != nil {
			return nil, 0, fmt.Errorf("the schema of %s: %w", t.Name, err)
		}
		size += len(tool.String())
		req.Tools = append(req.Tools, tool)
	}
	return req, size, nil
}

// wholeTalk says why a server cannot have read all of a conversation of so many bytes.
func wholeTalk(s *session, r reply, size int) error {
	switch {
	case s.off[LengthChecks]:
		return nil
	case r.promptTokens == 0:
		return &failure{reason: "the server does not say how much of the conversation it read (prompt_eval_count)", lost: true}
	case r.promptTokens < size/maxTokenBytes:
		return &failure{reason: fmt.Sprintf("the server read %d tokens of a conversation of %d bytes: it was cut", r.promptTokens, size)}
	}
	return nil
}

// Writer is the model that answers in [Judge.Talk].
type Writer struct {
	Model, Host string // the host is for people, without a password
	CallsTools  bool   // it makes tool calls by itself, as its server says
	Room        int    // bytes that one conversation may have, with the tools
}

// Writer says who would answer. Errors are as those of [Judge.Talk].
func (j *Judge) Writer(ctx context.Context) (Writer, error) {
	s, err := j.session(ctx)
	if err != nil {
		return Writer{}, err
	}
	return Writer{s.model, s.host, s.callsTools, s.room()}, nil
}

// abilities takes from what a server says of a model whether it makes tool calls, and
// whether it thinks before it answers, which is turned off.
func abilities(show *api.ShowResponse) (callsTools, thinks bool) {
	return slices.Contains(show.Capabilities, model.CapabilityTools), slices.Contains(show.Capabilities, model.CapabilityThinking)
}

// disarmed is a text without what would act on the model's input instead of
// standing in it.
func disarmed(text string) string {
	var b strings.Builder
	for _, l := range render([]byte(text)) {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}
