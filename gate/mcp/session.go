package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aigate/gate/gate/workspace"
)

// newSession is what a client passes as a session to begin another one.
const newSession = "new"

// Session is what a result says of the session that it belongs to.
type Session struct {
	ID    string `json:"session" jsonschema:"pass it as session to go on with this workspace"`
	Ends  string `json:"session_ends" jsonschema:"when the session ends by itself if it isn't used again"`
	Files int    `json:"workspace_files"`
	Bytes int64  `json:"workspace_bytes"`
}

func about(w *workspace.Session) Session {
	return Session{ID: w.ID, Ends: w.Ends().UTC().Format(time.RFC3339), Files: w.Tree.Len(), Bytes: w.Tree.Bytes()}
}

// bound remembers which session the calls of a connection have that name none.
type bound struct {
	mu    sync.Mutex
	of    map[string]string
	order []string
}

func (b *bound) get(connection string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[connection]
}

func (b *bound) set(connection, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[string]string{}
	}
	if _, there := b.of[connection]; !there {
		if len(b.order) == maxBound { // the oldest has to name its session from now on
			delete(b.of, b.order[0])
			b.order = b.order[1:]
		}
		b.order = append(b.order, connection)
	}
	b.of[connection] = id
}

// session takes the workspace of a call: the one that it names, or that of its connection,
// which is made where there is none. The caller closes it.
func (s *Server) session(ctx context.Context, c call, id string) (*workspace.Session, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, waitSession, fmt.Errorf("another call has had the session for %s", waitSession))
	defer cancel()
	bindable := c.connection != "" || !s.remote
	named := id
	if id == "" && bindable {
		id = s.bound.get(c.connection)
	}
	switch {
	case id == "" && !bindable:
		return nil, fmt.Errorf(`no session is named: pass "session": %q once, and the identifier that you get from then on`, newSession)
	case id == "" || id == newSession:
		var err error
		if id, err = s.store.Create(s.owner); err != nil {
			return nil, err
		}
	}
	w, err := s.store.Lock(ctx, id, s.owner)
	if errors.Is(err, workspace.ErrNoSession) && named == "" {
		s.bound.set(c.connection, "")
		return nil, fmt.Errorf("the session %s of this connection has ended, and its files with it; the next call begins another one", id)
	}
	if err != nil {
		return nil, err
	}
	if bindable {
		s.bound.set(c.connection, id)
	}
	return w, nil
}
