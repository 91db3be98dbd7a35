package mcp

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/static"
)

// rules are loaded once for all tests.
var rules = sync.OnceValues(static.LoadRules)

// engineOf is an engine whose folders are those of the test.
func engineOf(t testing.TB) *engine.Engine {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"HOME": home, "GATE_SUPERVISOR": os.Getenv("GATE_SUPERVISOR")}
	return engine.New(engine.Host{
		Tool: gate.Tool{Name: "gate", Version: "test"}, Stderr: io.Discard, Rules: rules,
		Getenv: func(name string) string { return env[name] },
	})
}

// fake runs programs without a container: what they do is a function.
type fake struct {
	mu   sync.Mutex
	ran  int
	does func(ctx context.Context, p engine.Program, files map[string]string) (engine.Ended, error)
}

func (f *fake) Close() error { return nil }

func (f *fake) Run(ctx context.Context, p engine.Program) (engine.Ended, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := errors.Join(p.Files(w), w.Close()); err != nil {
		return engine.Ended{}, err
	}
	files := map[string]string{}
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return engine.Ended{}, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return engine.Ended{}, err
		}
		files[h.Name] = string(data)
	}
	f.mu.Lock()
	f.ran++
	f.mu.Unlock()
	if f.does == nil {
		return ended(files), nil
	}
	return f.does(ctx, p, files)
}

// ended is a program that left these files.
func ended(files map[string]string) engine.Ended {
	var res engine.Ended
	res.Status, res.Duration = engine.EndedExited, time.Millisecond
	for p, text := range files {
		res.Files = append(res.Files, engine.File{Path: p, Data: []byte(text)})
	}
	return res
}

// open starts a server; it is closed with the test.
func open(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Engine == nil {
		o.Engine = engineOf(t)
	}
	if o.State == "" {
		o.State = filepath.Join(t.TempDir(), "state")
	}
	if o.Programs == nil {
		o.Programs = &fake{}
	}
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect is a client of a server, over memory.
func connect(t testing.TB, s *Server, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.protocol().Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

type arguments = map[string]any

// reply is the answer of a tool.
type reply struct {
	text  string
	error bool
	out   map[string]any
}

func (r reply) session() string { id, _ := r.out["session"].(string); return id }

// ask calls a tool.
func ask(t testing.TB, c *sdk.ClientSession, tool string, a arguments) reply {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	r := reply{error: res.IsError}
	for _, part := range res.Content {
		if text, ok := part.(*sdk.TextContent); ok {
			r.text += text.Text
		}
	}
	if res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		if err == nil {
			err = json.Unmarshal(data, &r.out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// works calls a tool that has to answer without an error.
func works(t testing.TB, c *sdk.ClientSession, tool string, a arguments) reply {
	t.Helper()
	r := ask(t, c, tool, a)
	if r.error {
		t.Fatalf("%s %v: %s", tool, a, r.text)
	}
	return r
}

// refused calls a tool that has to answer with an error that says something.
func refused(t testing.TB, c *sdk.ClientSession, tool string, a arguments, want string) reply {
	t.Helper()
	r := ask(t, c, tool, a)
	if !r.error || !strings.Contains(r.text, want) {
		t.Errorf("%s: error %v, want one with %q:\n%.2000s", tool, r.error, want, r.text)
	}
	return r
}
