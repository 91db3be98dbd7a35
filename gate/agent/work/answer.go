package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// maxAnswer bounds what a model may say at a time, in bytes.
const maxAnswer = 64 << 10

// Tool is what a model may call.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // of the arguments, an object
}

// Call is one call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Answer is what a model said: calls, or words for the user.
type Answer struct {
	Text  string
	Calls []Call
}

// form is the JSON Schema of an answer of a model that makes no tool calls by itself.
func form(tools []Tool) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"anyOf":[`)
	for _, t := range tools {
		name, _ := json.Marshal(t.Name) // a string: cannot fail
		fmt.Fprintf(&b, `{"type":"object","properties":{"tool":{"type":"string","enum":[%s]},"arguments":%s},"required":["tool","arguments"],"additionalProperties":false},`, name, t.Schema)
	}
	b.WriteString(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}]}`)
	return json.RawMessage(b.String())
}

// decode reads an answer in that form strictly.
func decode(text string, tools []Tool) (Answer, error) {
	if len(text) > maxAnswer {
		return Answer{}, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	if !utf8.ValidString(text) {
		return Answer{}, errors.New("the answer is not text")
	}
	var a struct {
		Tool      *string
		Arguments json.RawMessage
		Answer    *string
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Answer{}, fmt.Errorf("the answer is not the JSON object that was asked for: %s", gate.Clip(err.Error(), 200))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Answer{}, errors.New("more follows behind the JSON object")
	}
	switch {
	case a.Tool != nil && a.Answer != nil, a.Tool == nil && a.Answer == nil:
		return Answer{}, errors.New(`the JSON object has to have either "tool" with "arguments", or "answer"`)
	case a.Answer != nil && a.Arguments != nil:
		return Answer{}, errors.New(`"arguments" belong to "tool"`)
	case a.Answer != nil:
		return spoken(*a.Answer)
	}
	return called([]Call{{*a.Tool, a.Arguments}}, tools)
}

// native checks an answer of a model that makes tool calls by itself. Some write a call as
// text: one that is nothing but a call, in the same strict form, is one.
func native(a Answer, tools []Tool) (Answer, error) {
	if len(a.Calls) > 0 {
		return called(a.Calls, tools)
	}
	text := strings.TrimSpace(a.Text)
	if inner, ok := strings.CutPrefix(text, "<tool_call>"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(inner, "</tool_call>"))
	}
	var c struct {
		Name      string
		Arguments json.RawMessage
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err == nil && c.Name != "" {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return called([]Call{{c.Name, c.Arguments}}, tools)
		}
	}
	return spoken(a.Text)
}

// called checks calls. Arguments are checked by the tool, against its schema.
func called(calls []Call, tools []Tool) (Answer, error) {
	for _, c := range calls {
		if !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Tool }) {
			return Answer{}, fmt.Errorf("there is no tool %q", gate.Clip(c.Tool, 60))
		}
		var arguments map[string]any
		if err := json.Unmarshal(c.Arguments, &arguments); err != nil || arguments == nil {
			return Answer{}, fmt.Errorf("the arguments of %s are no JSON object", c.Tool)
		}
	}
	return Answer{Calls: calls}, nil
}

func spoken(text string) (Answer, error) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "?"))
	switch {
	case text == "":
		return Answer{}, errors.New("there is no answer in the answer")
	case len(text) > maxAnswer:
		return Answer{}, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	return Answer{Text: text}, nil
}
