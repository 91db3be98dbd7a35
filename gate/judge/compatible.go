package judge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// A server with an interface like that of OpenAI, such as llama.cpp's or vLLM, is asked
// through the same questions as Ollama: what it answers is put into Ollama's words here, so
// that every check of an answer is written once.

// compatiblePath ends the base URL of such a server.
const compatiblePath = "/v1"

// compatibleVersion stands for the version of such a server, which it does not say.
const compatibleVersion = "compatible"

// isCompatible reports whether a base URL is that of such a server.
func isCompatible(u *url.URL) bool {
	return strings.HasSuffix(strings.TrimRight(u.Path, "/"), compatiblePath)
}

// compatible implements server.
type compatible struct {
	http http.Client
	base *url.URL
}

var _ server = (*compatible)(nil)

// privateOnly is a transport that reaches this machine and private networks, whatever a name
// leads to: a hosted service would be sent the code. Proxies are not used.
func privateOnly() *http.Transport {
	dialer := &net.Dialer{Timeout: questionDeadline, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if ip := at.Addr().Unmap(); err != nil || !ip.IsLoopback() && !ip.IsPrivate() {
			return fmt.Errorf("%s is neither this machine nor a private network: a hosted service would be sent the code", address)
		}
		return nil
	}}
	return &http.Transport{DialContext: dialer.DialContext, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: maxConcurrency}
}

// Version implements server. It asks nothing: that the server answers shows when it is asked
// for its models.
func (c *compatible) Version(context.Context) (string, error) { return compatibleVersion, nil }

// listed is a model as these servers list it.
type listed struct {
	ID     string `json:"id"`
	Window int    `json:"max_model_len"` // vLLM
	Meta   struct {
		Trained int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
}

// List implements server.
func (c *compatible) List(ctx context.Context) (*api.ListResponse, error) {
	models, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.ListResponse{}
	for _, m := range models {
		out.Models = append(out.Models, api.ListModelResponse{Name: m.ID, Model: m.ID})
	}
	return out, nil
}

func (c *compatible) models(ctx context.Context) ([]listed, error) {
	var all struct{ Data []listed }
	err := c.get(ctx, c.base.JoinPath("models"), &all)
	return all.Data, err
}

// Show implements server: how long a context the model has on this server.
func (c *compatible) Show(ctx context.Context, req *api.ShowRequest) (*api.ShowResponse, error) {
	models, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	window := 0
	for _, m := range models {
		if m.ID == req.Model {
			window = m.Window
		}
	}
	if window == 0 { // llama.cpp says it beside the interface: of one slot, which is what a request gets
		var props struct {
			Settings struct {
				Window int `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		at := *c.base
		at.Path = strings.TrimSuffix(strings.TrimRight(at.Path, "/"), compatiblePath) + "/props"
		if err := c.get(ctx, &at, &props); err != nil {
			return nil, err
		}
		window = props.Settings.Window
	}
	out := &api.ShowResponse{ModelInfo: map[string]any{"general.architecture": compatibleVersion}, Capabilities: []model.Capability{model.CapabilityCompletion}}
	if window > 0 {
		out.ModelInfo[compatibleVersion+".context_length"] = float64(window)
	}
	return out, nil
}

// ListRunning implements server. These servers do not say what runs where.
func (c *compatible) ListRunning(context.Context) (*api.ProcessResponse, error) {
	return &api.ProcessResponse{}, nil
}

// Pull implements puller.
func (c *compatible) Pull(context.Context, *api.PullRequest, api.PullProgressFunc) error {
	return errors.New("this server has the model that it was started with; nothing can be pulled")
}

func (c *compatible) get(ctx context.Context, at *url.URL, to any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	res, err := c.do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(to)
}

// do sends a request. Another status than OK is an error of the kind that Ollama's client has.
func (c *compatible) do(req *http.Request) (*http.Response, error) {
	res, err := c.http.Do(req)
	if err != nil || res.StatusCode == http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // what can be read of the reason
	var said struct{ Error wrong }
	if json.Unmarshal(text, &said) == nil && said.Error.Message != "" {
		text = []byte(said.Error.Message)
	}
	return nil, api.StatusError{StatusCode: res.StatusCode, Status: res.Status, ErrorMessage: string(text)}
}

// wrong is an error as these servers say it.
type wrong struct {
	Message string `json:"message"`
}

// spoken is a message of a request, and a part of an answer.
type spoken struct {
	Role      string         `json:"role,omitempty"`
	Content   string         `json:"content"`
	ToolCalls []calledByPart `json:"tool_calls,omitempty"`
	CallID    string         `json:"tool_call_id,omitempty"`
}

// calledByPart is a tool call, or a part of one: the arguments come in pieces.
type calledByPart struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// body is a request in the words of these servers.
func body(req *api.ChatRequest) ([]byte, error) {
	out := map[string]any{
		"model": req.Model, "stream": true, "stream_options": map[string]any{"include_usage": true},
		"temperature": req.Options["temperature"], "seed": req.Options["seed"], "top_k": req.Options["top_k"], "max_tokens": req.Options["num_predict"],
		// Models that think before they answer are asked not to.
		"chat_template_kwargs": map[string]any{"enable_thinking": false},
	}
	if len(req.Format) > 0 {
		out["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": req.Format}}
	}
	if len(req.Tools) > 0 {
		out["tools"] = req.Tools
	}
	var messages []spoken
	id := 0
	for _, m := range req.Messages {
		s := spoken{Role: m.Role, Content: m.Content}
		for i, call := range m.ToolCalls {
			id++
			part := calledByPart{Index: i, ID: fmt.Sprintf("call_%d", id), Type: "function"}
			part.Function.Name, part.Function.Arguments = call.Function.Name, call.Function.Arguments.String()
			s.ToolCalls = append(s.ToolCalls, part)
		}
		if m.Role == string(RoleTool) {
			s.CallID = fmt.Sprintf("call_%d", id)
		}
		messages = append(messages, s)
	}
	out["messages"] = messages
	return json.Marshal(out)
}

// Chat implements chatter. The last part comes only where the server has said how the answer
// ended and that it was all.
func (c *compatible) Chat(ctx context.Context, req *api.ChatRequest, fn api.ChatResponseFunc) error {
	if len(req.Messages) == 0 { // a question that loads the model; this one is loaded
		return fn(api.ChatResponse{Done: true, DoneReason: "load"})
	}
	text, err := body(req)
	if err != nil {
		return err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath("chat", "completions").String(), bytes.NewReader(text))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/json")
	res, err := c.do(post)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var s stream
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue // an empty line, a comment, or the name of an event
		}
		if data = strings.TrimSpace(data); data == "[DONE]" {
			return s.end(fn)
		}
		if err := s.part(data, fn); err != nil {
			return err
		}
	}
	return lines.Err() // without [DONE] the answer is not over
}

// stream is an answer that comes in parts.
type stream struct {
	reason string
	calls  []calledByPart
	usage  struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
	began time.Time
}

// part takes one part.
func (s *stream) part(data string, fn api.ChatResponseFunc) error {
	var p struct {
		Error   *wrong
		Choices []struct {
			Index  int
			Delta  spoken
			Reason string `json:"finish_reason"`
		}
		Usage json.RawMessage
	}
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return &failure{reason: "a part of the answer is no JSON: " + plain(err.Error())}
	}
	if p.Error != nil {
		return &failure{reason: "the server broke the answer off: " + plain(p.Error.Message)}
	}
	if s.began.IsZero() {
		s.began = time.Now()
	}
	if len(p.Usage) > 0 && string(p.Usage) != "null" {
		if err := json.Unmarshal(p.Usage, &s.usage); err != nil {
			return &failure{reason: "the server's count of tokens cannot be read: " + plain(err.Error())}
		}
	}
	for _, choice := range p.Choices {
		if choice.Index != 0 {
			return &failure{reason: "the server gives several answers to one question"}
		}
		if s.reason != "" && (choice.Delta.Content != "" || len(choice.Delta.ToolCalls) > 0) {
			return &failure{reason: "the server went on after the end of the answer"}
		}
		if choice.Reason != "" {
			s.reason = choice.Reason
		}
		if err := s.call(choice.Delta.ToolCalls); err != nil {
			return err
		}
		if err := fn(api.ChatResponse{Message: api.Message{Role: "assistant", Content: choice.Delta.Content}}); err != nil {
			return err
		}
	}
	return nil
}

// call adds the parts of tool calls.
func (s *stream) call(parts []calledByPart) error {
	for _, p := range parts {
		switch {
		case p.Index < 0 || p.Index > len(s.calls) || p.Index >= maxCalls:
			return &failure{reason: fmt.Sprintf("the answer has more than %d tool calls, or they are out of order", maxCalls)}
		case p.Index == len(s.calls):
			s.calls = append(s.calls, calledByPart{})
		}
		s.calls[p.Index].Function.Name += p.Function.Name
		if s.calls[p.Index].Function.Arguments += p.Function.Arguments; len(s.calls[p.Index].Function.Arguments) > 4*maxAnswer {
			return &failure{reason: fmt.Sprintf("a tool call is longer than %d bytes", 4*maxAnswer)}
		}
	}
	return nil
}

// end is the last part in Ollama's words. An answer without a reason for its end is not over.
func (s *stream) end(fn api.ChatResponseFunc) error {
	if s.reason == "" {
		return nil
	}
	out := api.ChatResponse{Done: true, DoneReason: s.reason}
	if s.reason == "tool_calls" {
		out.DoneReason = "stop"
	}
	out.PromptEvalCount, out.EvalCount = s.usage.Prompt, s.usage.Completion
	if !s.began.IsZero() {
		out.EvalDuration = time.Since(s.began)
	}
	for _, c := range s.calls {
		call := api.ToolCall{Function: api.ToolCallFunction{Name: c.Function.Name}}
		if err := json.Unmarshal([]byte(c.Function.Arguments), &call.Function.Arguments); err != nil {
			return &failure{reason: "the arguments of a tool call are no JSON object"}
		}
		out.Message.ToolCalls = append(out.Message.ToolCalls, call)
	}
	return fn(out)
}
