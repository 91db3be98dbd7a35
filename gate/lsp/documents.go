package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
)

// document is a text that is open in the editor. Its members are guarded by the server's
// lock, but for those that never change.
type document struct {
	server *Server
	uri    string

	version int
	text    text
	lost    string // why the text is not known; "" where it is
	gen     int    // grows with each text
	timer   *time.Timer
	cancel  context.CancelFunc // of the scan that goes on
	looked  looked             // of the last text that was looked at
	try     int                // how many scans of this text took too long
	gone    bool
	busy    chan struct{} // one scan of a text at a time
}

var errUnknownDocument = errors.New("the text is not open")

// opened takes a text.
func (s *Server) opened(params json.RawMessage) error {
	p, err := rpc.Params[protocol.Opened](params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		if len(s.documents) == maxDocuments {
			why := fmt.Errorf("more than %d texts are open", maxDocuments)
			return errors.Join(why, s.conn.Notify("textDocument/publishDiagnostics", protocol.Diagnostics{
				URI: p.TextDocument.URI, Diagnostics: (&document{server: s, text: newText(nil)}).diagnostics(looked{gaps: []string{why.Error()}}),
			}))
		}
		d = &document{server: s, uri: p.TextDocument.URI, busy: make(chan struct{}, 1)}
		s.documents[d.uri] = d
	}
	d.version, d.text, d.lost = p.TextDocument.Version, newText([]byte(p.TextDocument.Text)), ""
	d.doubt(params)
	d.touch(0)
	return nil
}

// doubt takes note of a text that is not the one in the editor: what is no UTF-8 is changed
// by reading it.
func (d *document) doubt(params json.RawMessage) {
	if !utf8.Valid(params) {
		d.lost = "the editor sent a text that is no UTF-8"
	}
}

// changed takes changes of a text.
func (s *Server) changed(params json.RawMessage) error {
	p, err := rpc.Params[protocol.Changed](params)
	if err != nil {
		return &rpc.LostError{Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return errUnknownDocument
	}
	for _, c := range p.Changes {
		switch {
		case c.Range == nil:
			d.lost = ""
		case d.lost != "":
			continue // what it is a change of is not known
		case d.text.lonelyReturn():
			d.lost = "a carriage return has no line feed, which editors count in different ways; save the file"
		}
		next, err := d.text.with(c)
		if err != nil {
			d.lost = "a change of the editor does not fit the text (" + err.Error() + "); save the file or open it anew"
			continue
		}
		d.text = next
	}
	d.doubt(params)
	if p.TextDocument.Version != nil {
		d.version = *p.TextDocument.Version
	}
	d.touch(s.o.Wait)
	return nil
}

// saved takes the text that was saved, which is the one that counts where the two differ.
func (s *Server) saved(params json.RawMessage) error {
	p, err := rpc.Params[protocol.Saved](params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return errUnknownDocument
	}
	if p.Text == nil || d.lost == "" && string(d.text.data) == *p.Text {
		return nil
	}
	d.text, d.lost = newText([]byte(*p.Text)), ""
	d.doubt(params)
	d.touch(0)
	return nil
}

// closed forgets a text, and takes back what was said about it.
func (s *Server) closed(params json.RawMessage) error {
	p, err := rpc.Params[protocol.Closed](params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		s.mu.Unlock()
		return errUnknownDocument
	}
	d.stop()
	delete(s.documents, d.uri)
	s.mu.Unlock()
	s.telling.Lock()
	defer s.telling.Unlock()
	return s.conn.Notify("textDocument/publishDiagnostics", protocol.Diagnostics{URI: d.uri, Diagnostics: []protocol.Diagnostic{}})
}

// stop ends what goes on for a text. The lock is held.
func (d *document) stop() {
	d.gone = true
	d.gen++
	if d.timer != nil && d.timer.Stop() {
		d.server.working.Done()
	}
	d.timer = nil
	if d.cancel != nil {
		d.cancel()
	}
}

// touch has a text looked at after a while, and ends the scan of an older one. The lock is
// held.
func (d *document) touch(after time.Duration) {
	s := d.server
	if d.gone || s.state == down {
		return
	}
	d.gen++
	d.try = 0
	if d.cancel != nil {
		d.cancel()
	}
	d.after(after)
}

// after has a text looked at after a while. The lock is held.
func (d *document) after(while time.Duration) {
	s := d.server
	if d.timer != nil && d.timer.Stop() {
		s.working.Done()
	}
	s.working.Add(1)
	d.timer = time.AfterFunc(while, func() {
		defer s.working.Done()
		if _, _, err := s.current(s.ctx, d.uri); err != nil && s.ctx.Err() == nil && !errors.Is(err, errNewer) && !errors.Is(err, errUnknownDocument) {
			s.o.Log.Warn("a text was not looked at", "error", err)
		}
	})
}

// errNewer is a scan that ended because the text has changed.
var errNewer = rpc.Errorf(rpc.CodeContentModified, "the text has changed")

// subject is a document as it is now. The lock is held, and let go of meanwhile.
func (s *Server) subject(uri string) (*document, subject, error) {
	s.mu.Lock()
	d := s.documents[uri]
	s.mu.Unlock()
	if d == nil {
		return nil, subject{}, rpc.Errorf(rpc.CodeInvalidParams, "%v: %.200q", errUnknownDocument, uri)
	}
	r, full, rel, err := s.place(uri)
	s.mu.Lock()
	defer s.mu.Unlock()
	version := d.version
	x := subject{root: r, full: full, rel: rel, text: d.text, lost: d.lost, gen: d.gen, version: &version, try: d.try}
	if err != nil {
		x.lost, x.root = err.Error(), &root{}
	}
	return d, x, nil
}

// current returns what is known of a text as it is now. Where nothing is, it looks, and
// tells the client.
func (s *Server) current(ctx context.Context, uri string) (subject, looked, error) {
	d, x, err := s.subject(uri)
	if err != nil {
		return x, looked{}, err
	}
	slots := s.slots
	if x.try > 0 {
		slots = s.again // a text that takes long keeps no other one waiting
	}
	for _, slot := range []chan struct{}{d.busy, slots} {
		select {
		case slot <- struct{}{}:
			defer func() { <-slot }()
		case <-ctx.Done():
			return x, looked{}, context.Cause(ctx)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	switch {
	case d.gone || d.gen != x.gen:
		s.mu.Unlock()
		return x, looked{}, errNewer
	case d.looked.gen == x.gen && d.looked.try >= x.try:
		defer s.mu.Unlock()
		return x, d.looked, nil
	}
	d.cancel = cancel
	s.mu.Unlock()

	l, err := s.look(ctx, x)
	if err != nil {
		return x, l, errors.Join(err, errNewer)
	}
	s.mu.Lock()
	fits := !d.gone && d.gen == x.gen
	if fits {
		d.looked = l
		if l.late && x.try+1 < len(s.o.times) {
			d.try = x.try + 1
			d.after(s.o.Wait)
		}
	}
	s.mu.Unlock()
	if !fits {
		return x, l, errNewer
	}
	return x, l, s.tell(d, x.gen)
}

// tell sends what is known of a text, unless there is a newer one.
func (s *Server) tell(d *document, gen int) error {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	if d.gone || d.gen != gen {
		s.mu.Unlock()
		return nil
	}
	out := protocol.Diagnostics{URI: d.uri, Diagnostics: d.diagnostics(d.looked)}
	if s.client.TextDocument.PublishDiagnostics.VersionSupport {
		version := d.version
		out.Version = &version
	}
	s.mu.Unlock()
	return s.conn.Notify("textDocument/publishDiagnostics", out)
}

func (s *Server) hover(ctx context.Context, params json.RawMessage) (any, error) {
	p, err := rpc.Params[protocol.HoverParams](params)
	if err != nil {
		return nil, err
	}
	x, l, err := s.current(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if h := s.explainAt(l, x, p.Position); h != nil {
		return h, nil
	}
	return nil, nil
}
