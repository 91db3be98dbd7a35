package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxRequest is how much of a request is read, in bytes.
const maxRequest = 32 << 20

// model plays a model at the interfaces of four vendors. It asks for one call of a
// tool, and when the result is there it says that it is done.
type model struct {
	ask  call
	mu   sync.Mutex
	told string // the requests with the result of the call
}

// call is what the model asks for: a tool and its arguments, JSON or, for a free form, text.
type call struct {
	tool, arguments string
	free            bool
}

type object = map[string]any

// result reports what the agent told the model about the call, "" before it did.
func (m *model) result() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text := string(body)
	done := false
	for _, mark := range []string{`"tool_result"`, `_call_output"`, `"role":"tool"`, `"functionResponse"`} {
		done = done || strings.Contains(text, mark)
	}
	if done {
		m.mu.Lock()
		m.told += text
		m.mu.Unlock()
	}
	asks := !done && strings.Contains(text, `"tools"`)
	stream := strings.Contains(text, `"stream":true`) || strings.Contains(r.URL.Path, ":stream")
	switch p := r.URL.Path; {
	case r.Method == http.MethodConnect:
		http.Error(w, "no other machine is asked", http.StatusForbidden)
	case strings.HasSuffix(p, "/count_tokens"):
		answer(w, object{"input_tokens": 1})
	case strings.HasSuffix(p, "/messages"):
		m.messages(w, asks, stream)
	case strings.HasSuffix(p, "/responses"):
		m.responses(w, asks)
	case strings.HasSuffix(p, "/chat/completions"):
		m.completions(w, asks, stream)
	case strings.HasSuffix(strings.ToLower(p), "generatecontent"):
		m.contents(w, asks, stream)
	default:
		http.NotFound(w, r)
	}
}

const finished = "It is done."

// messages is the interface of Anthropic.
func (m *model) messages(w http.ResponseWriter, asks, stream bool) {
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !stream {
		message["content"], message["stop_reason"] = []any{object{"type": "text", "text": finished}}, "end_turn"
		answer(w, message)
		return
	}
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": finished}, "end_turn"
	if asks {
		block = object{"type": "tool_use", "id": "toolu_1", "name": m.ask.tool, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": m.ask.arguments}, "tool_use"
	}
	events(w,
		object{"type": "message_start", "message": message},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 1}},
		object{"type": "message_stop"})
}

// responses is the interface of OpenAI that Codex uses.
func (m *model) responses(w http.ResponseWriter, asks bool) {
	item := object{"type": "message", "role": "assistant", "id": "m1", "content": []any{object{"type": "output_text", "text": finished}}}
	switch {
	case asks && m.ask.free:
		item = object{"type": "custom_tool_call", "id": "c1", "call_id": "call_1", "name": m.ask.tool, "input": m.ask.arguments}
	case asks:
		item = object{"type": "function_call", "id": "c1", "call_id": "call_1", "name": m.ask.tool, "arguments": m.ask.arguments}
	}
	events(w,
		object{"type": "response.created", "response": object{"id": "r1"}},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": object{"id": "r1", "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// completions is the interface of OpenAI that other servers have as well.
func (m *model) completions(w http.ResponseWriter, asks, stream bool) {
	message, stop := object{"role": "assistant", "content": finished}, "stop"
	if asks {
		message, stop = object{"role": "assistant", "content": nil, "tool_calls": []any{
			object{"index": 0, "id": "call_1", "type": "function", "function": object{"name": m.ask.tool, "arguments": m.ask.arguments}},
		}}, "tool_calls"
	}
	whole := object{"id": "c", "created": 1, "model": "m"}
	if !stream {
		whole["object"], whole["choices"] = "chat.completion", []any{object{"index": 0, "message": message, "finish_reason": stop}}
		answer(w, whole)
		return
	}
	piece := func(delta object, stop any) object {
		return object{"id": "c", "created": 1, "model": "m", "object": "chat.completion.chunk", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": stop}}}
	}
	events(w, piece(message, nil), piece(object{}, stop))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// contents is the interface of Google.
func (m *model) contents(w http.ResponseWriter, asks, stream bool) {
	part := object{"text": finished}
	if asks {
		part = object{"functionCall": object{"name": m.ask.tool, "args": json.RawMessage(m.ask.arguments)}}
	}
	whole := object{"candidates": []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}}}}
	if stream {
		events(w, whole)
		return
	}
	answer(w, whole)
}

func answer(w http.ResponseWriter, body object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // an agent that has gone away fails its try
}

// events writes server-sent events, each with its type where it has one.
func events(w http.ResponseWriter, all ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		if kind, ok := e["type"].(string); ok {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprint(w, "data: ")
		_ = json.NewEncoder(w).Encode(e)
		fmt.Fprint(w, "\n")
	}
}
