package workrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/agent/memory"
	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/mcp"
	"github.com/aigate/gate/gate/workspace"
)

// session is a workspace with its tools and its model, for one task after the other.
type session struct {
	o       Options
	engine  *engine.Engine
	server  *mcp.Server
	client  *mcp.Client
	model   *judge.Judge
	memory  *memory.Memory
	tools   []work.Tool
	given   exchange.Given
	fetched []data.Datum      // that are among given
	results map[string][]byte // by path, of the task that is done
	about   string            // the libraries of the images
	watch   func(work.Step)   // is told of each step; nil is no one
}

// open opens the workspace of the options.
func open(ctx context.Context, p Process, o Options) (_ *session, err error) {
	s := &session{o: o, engine: p.Engine, results: map[string][]byte{}}
	if s.memory, err = recall(p.Engine, o.Name); err != nil {
		return nil, exit.Usagef("the memory of the workspace %s: %w (gate agent clear removes it)", o.Name, err)
	}
	set, err := p.Engine.SettingsWithoutTree(o.Engine)
	if err != nil {
		return nil, err
	}
	if err := s.readData(ctx, set.Policy.Agent.Data); err != nil {
		return nil, err
	}
	if s.model, err = engine.NewJudge(judge.Options{Policy: set.Policy.Judge}); err != nil {
		return nil, err
	}
	s.server, err = mcp.New(ctx, mcp.Options{
		Engine: p.Engine, Run: o.Engine, Skills: o.Skills, State: state(p.Engine), Programs: p.Programs,
		Before: []gate.Layer{gate.LayerStatic, gate.LayerJudge}, Given: s.given, Results: s.take, Watch: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.client, err = s.server.Client(ctx); err != nil {
		return nil, err
	}
	before := s.memory.Session
	if s.memory.Session, err = s.client.Begin(ctx, before); err != nil {
		return nil, err
	}
	if before != "" && before != s.memory.Session {
		p.Engine.Noticef("the files of the workspace %s have expired; it begins anew", o.Name)
		s.memory.Forget()
	}
	all, err := s.client.Tools(ctx)
	if err != nil {
		return nil, err
	}
	if s.tools, err = offered(all, len(o.Skills) > 0, o.choices()); err != nil {
		return nil, err
	}
	s.about = s.client.Libraries(ctx)
	return s, nil
}

func (s *session) close() error {
	var errs []error
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	if s.server != nil {
		errs = append(errs, s.server.Close())
	}
	return errors.Join(errs...)
}

// take keeps what a program left in /output. A later run replaces a file of the same name.
func (s *session) take(files []exchange.File) {
	for _, f := range files {
		s.results[f.Path] = f.Data
	}
}

// native reports whether the model calls tools by itself.
func (s *session) native(w judge.Writer) bool {
	if s.o.Calls != CallsAuto {
		return s.o.Calls == CallsNative
	}
	return w.CallsTools
}

// room implements [work.Options].Room.
func (s *session) room(ctx context.Context) (int, error) {
	w, err := s.model.Writer(ctx)
	return w.Room, err
}

// describe says what the model has to know of what there is.
func (s *session) describe(t *workspace.Tree) string {
	var b strings.Builder
	if s.about != "" {
		b.WriteString("What is installed: " + s.about + ". Nothing else.\n")
	}
	if s.o.Language != "" {
		fmt.Fprintf(&b, "The user wants all programs in this language: %s.\n", s.o.Language)
	}
	names := func(what string, paths []string) {
		const most = 40
		if len(paths) == 0 {
			fmt.Fprintf(&b, "%s: none.\n", what)
			return
		}
		more := ""
		if len(paths) > most {
			more = fmt.Sprintf(" and %d more", len(paths)-most)
			paths = paths[:most]
		}
		var quoted []string
		for _, p := range paths {
			quoted = append(quoted, fmt.Sprintf("%+.100q", p))
		}
		fmt.Fprintf(&b, "%s: %s%s.\n", what, strings.Join(quoted, ", "), more)
	}
	var inputs []string
	for _, f := range s.given.Files {
		inputs = append(inputs, engine.InputFolder+"/"+f.Path)
	}
	names("Data of the user", inputs)
	names("Files of the workspace", t.Paths())
	return b.String()
}

func recall(e *engine.Engine, name string) (*memory.Memory, error) {
	text, err := bounded.ReadPath(memoryFile(e, name), memory.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &memory.Memory{}, nil
	}
	if err != nil {
		return nil, err
	}
	return memory.Parse(text)
}

func (s *session) remember() error {
	text, err := s.memory.Encode()
	if err == nil {
		err = atomicfile.Write(memoryFile(s.engine, s.o.Name), text)
	}
	if err != nil {
		return fmt.Errorf("remember the turn: %w", err)
	}
	return nil
}

// Clear removes a workspace: its files and what is remembered of it.
func Clear(ctx context.Context, e *engine.Engine, name string) error {
	if !nameForm.MatchString(name) {
		return exit.Usagef("the name of a workspace has small letters, digits and hyphens, not %q", name)
	}
	file := memoryFile(e, name)
	text, err := bounded.ReadPath(file, memory.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		e.Noticef("there is no workspace %s", name)
		return nil
	}
	if err != nil {
		return exit.Failed(err)
	}
	m, err := memory.Parse(text)
	if err == nil { // what cannot be read names no session, which ends by itself
		err = end(ctx, e, m.Session)
	}
	if rerr := os.Remove(file); rerr != nil {
		return exit.Failed(rerr)
	}
	if err != nil && !errors.Is(err, workspace.ErrNoSession) {
		return exit.Failed(fmt.Errorf("the memory of the workspace is removed, its files are not: %w", err))
	}
	e.Noticef("the workspace %s is cleared", name)
	return nil
}

// end removes the files of a session.
func end(ctx context.Context, e *engine.Engine, id string) error {
	store, err := workspace.Open(workspace.Options{Dir: mcp.SessionsDir(state(e))})
	if err != nil {
		return err
	}
	defer store.Close()
	w, err := store.Lock(ctx, id, mcp.LocalOwner)
	if err != nil {
		return err
	}
	return errors.Join(w.End(), w.Close())
}

// sortedFiles are files by path.
func sortedFiles(files map[string][]byte) []exchange.File {
	var out []exchange.File
	for p, data := range files {
		out = append(out, exchange.File{Path: p, Data: data})
	}
	slices.SortFunc(out, func(a, b exchange.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}
