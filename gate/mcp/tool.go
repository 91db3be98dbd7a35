package mcp

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
)

// call is what a tool is told of its call besides the arguments.
type call struct {
	connection string // "" where the transport does not tell connections apart
	// progress tells the client how far the call is, where it asked for that.
	progress func(done, total int, what string)
}

// described are the words of a tool.
type described struct {
	name, title, text string
	reads             bool // it changes nothing, not even a workspace
	// bounds are put on the arguments by name.
	bounds map[string]func(*jsonschema.Schema)
}

// add registers a tool. What h returns as text is for people and models, out is the same for
// programs. An error of h becomes an error of the tool, with its text.
func add[In, Out any](s *Server, server *sdk.Server, d described, h func(context.Context, call, In) (Out, string, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil { // only a type that has no schema, which the first test would show
		s.o.Log.Error("a tool is missing", "tool", d.name, "error", err)
		return
	}
	for name, bound := range d.bounds {
		if p := schema.Properties[name]; p != nil {
			bound(p)
		}
	}
	closed := false
	tool := &sdk.Tool{
		Name: d.name, Title: d.title, Description: d.text, InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{Title: d.title, ReadOnlyHint: d.reads, DestructiveHint: &closed, OpenWorldHint: &closed},
	}
	sdk.AddTool(server, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (res *sdk.CallToolResult, out Out, err error) {
		ctx, leave, err := s.enter(ctx)
		if err != nil {
			return nil, out, err
		}
		defer leave()
		c := call{connection: req.Session.ID(), progress: progressOf(ctx, req)}
		var text string
		err = gate.Catch(func() error {
			var err error
			out, text, err = h(ctx, c, in)
			return err
		})
		if ctx.Err() != nil && err != nil {
			err = fmt.Errorf("the call was ended: %w", context.Cause(ctx))
		}
		if err != nil {
			return nil, out, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, nil
	})
}

// progressOf tells the client of a call how far it is; it does nothing where the client did
// not ask.
func progressOf(ctx context.Context, req *sdk.CallToolRequest) func(done, total int, what string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(int, int, string) {}
	}
	last := -1
	return func(done, total int, what string) {
		if done <= last { // the protocol wants it to grow
			return
		}
		last = done
		// A client that does not take it will not take the result either.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(done), Total: float64(total), Message: what,
		})
	}
}

// The bounds of arguments.

func text(least, most int) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) { p.MinLength, p.MaxLength = &least, &most }
}

func number(least, most float64) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) { p.Minimum, p.Maximum = &least, &most }
}

func oneOf(values ...string) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) {
		for _, v := range values {
			p.Enum = append(p.Enum, v)
		}
	}
}

func list(most, length int) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) {
		p.MaxItems = &most
		if p.Items != nil {
			p.Items.MaxLength = &length
		}
	}
}
