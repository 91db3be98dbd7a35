package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate/workspace"
)

// Client calls the tools of a server in the same process, through the protocol: its calls go
// through the same checks as those of any other client.
type Client struct {
	server *Server
	there  *sdk.ServerSession
	here   *sdk.ClientSession
}

// Tool is a tool as its server describes it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of the arguments
}

// Reply is what a tool answers. Text is for people and models, Fields the same for programs;
// an error has no fields.
type Reply struct {
	Text   string
	Error  bool
	Fields json.RawMessage
}

// Client connects a client. The caller closes it before the server.
func (s *Server) Client(ctx context.Context) (*Client, error) {
	a, b := sdk.NewInMemoryTransports()
	there, err := s.protocol().Connect(ctx, a, nil)
	if err != nil {
		return nil, fmt.Errorf("connect the tools: %w", err)
	}
	here, err := sdk.NewClient(&sdk.Implementation{Name: "gate agent", Version: s.o.Engine.Tool().Version}, nil).Connect(ctx, b, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to the tools: %w", err), there.Close())
	}
	return &Client{s, there, here}, nil
}

// Close ends the connection.
func (c *Client) Close() error {
	err := c.here.Close()
	_ = c.there.Wait() // it ends because the client has
	return err
}

// Begin goes on with a session that is there, or begins another one, and returns its
// identifier. All calls of the client have it from now on.
func (c *Client) Begin(ctx context.Context, id string) (string, error) {
	if id == "" {
		id = newSession
	}
	w, err := c.server.session(ctx, call{connection: c.there.ID()}, id)
	if errors.Is(err, workspace.ErrNoSession) {
		w, err = c.server.session(ctx, call{connection: c.there.ID()}, newSession)
	}
	if err != nil {
		return "", err
	}
	return w.ID, w.Close()
}

// Files returns the files of the session as they are now.
func (c *Client) Files(ctx context.Context) (*workspace.Tree, error) {
	w, err := c.server.session(ctx, call{connection: c.there.ID()}, "")
	if err != nil {
		return nil, err
	}
	return w.Tree.Clone(), w.Close()
}

// Tools are the tools of the server.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var out []Tool
	for t, err := range c.here.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the tools: %w", err)
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("list the tools: %s: %w", t.Name, err)
		}
		out = append(out, Tool{t.Name, t.Description, schema})
	}
	return out, nil
}

// Call calls a tool. What is wrong with the arguments is a reply; an error is that of ctx or
// the end of the server.
func (c *Client) Call(ctx context.Context, name string, arguments json.RawMessage) (Reply, error) {
	res, err := c.here.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if ctx.Err() != nil {
		return Reply{}, context.Cause(ctx)
	}
	if errors.Is(err, sdk.ErrConnectionClosed) {
		return Reply{}, fmt.Errorf("call %s: %w", name, err)
	}
	if err != nil {
		return Reply{Text: line(err.Error(), maxSentence), Error: true}, nil
	}
	r := Reply{Error: res.IsError}
	var b strings.Builder
	for _, part := range res.Content {
		if t, ok := part.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	if r.Text = b.String(); res.StructuredContent != nil && !res.IsError {
		if r.Fields, err = json.Marshal(res.StructuredContent); err != nil {
			return Reply{}, fmt.Errorf("read what %s answers: %w", name, err)
		}
	}
	return r, nil
}
