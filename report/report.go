package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// Options adjust the formats. The zero value works for all of them; a format
// ignores what does not concern it.
type Options struct {
	// Color switches SGR colours in text on. Whether standard output is a
	// terminal and NO_COLOR is unset is for the caller to know.
	Color bool
	// Width is the number of columns for text; 0 means DefaultWidth, and less
	// than MinWidth is raised to it.
	Width int
	// Verbose lists in text what is folded into a count otherwise: notes, safe
	// files, long lists.
	Verbose bool

	// FailOn is the lowest severity that junit reports as a failure, as in the
	// policy. The zero value fails on suspicious findings too.
	FailOn gate.Severity

	// Rules documents the rules for sarif, and gives people what to do about a
	// finding. Rules that no one documents are described by their findings.
	Rules []gate.Rule

	// Permalink returns the address of a line of a file in the change, or "".
	// Line 0 is the file as a whole. Only http and https addresses are used.
	Permalink func(path string, line int) string
	// Source returns the lines from..to (1-based, inclusive) of the head version
	// of a file for the html format, or nil where they are not at hand.
	Source func(path string, from, to int) []string

	// MaxBytes cuts markdown at a section border; 0 means no limit. GitHub
	// accepts [GitHubCommentLimit].
	MaxBytes int
	// FullReport says, in a few words or as an http(s) address, where the whole
	// report is; shown where markdown had to be cut.
	FullReport string
}

// The bounds of the columns of text, and what is used where no one knows them.
const (
	DefaultWidth = 100
	MinWidth     = 80 // what the table needs besides the paths
)

// GitHubCommentLimit is the longest comment, in characters, that GitHub takes;
// longer ones are answered with 422. Counting bytes instead keeps below it.
const GitHubCommentLimit = 65_536

// minMaxBytes is the least room in which the markdown report can say its
// verdict, what to do and that it was cut.
const minMaxBytes = 4096

// format is one output format: its name on the command line, what writes it, and
// how it spells a character that must not stand for itself.
type format struct {
	name   string
	render func(w io.Writer, r gate.Result, o Options) error
	escape string // for fmt, of a byte
}

// formats returns the formats in the order in which help texts list them.
func formats() []format {
	return []format{
		{"text", renderText, `\x%02x`},
		{"json", renderJSON, `\u%04x`},
		{"markdown", renderMarkdown, `\x%02x`},
		{"html", renderHTML, "&#%d;"},
		{"sarif", renderSARIF, `\u%04x`},
		{"junit", renderJUnit, "&#%d;"},
		{"lines", renderLines, `\x%02x`},
	}
}

// Formats returns the names that [New] accepts.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// New returns a handler that writes the result of a run to w in the named
// format when the run is finished. Before that it writes nothing, so a run that
// breaks off leaves no half report.
func New(name string, w io.Writer, o Options) (gate.Handler, error) {
	switch {
	case w == nil:
		return nil, errors.New("report: no writer to write to")
	case o.Width < 0:
		return nil, fmt.Errorf("report: a width of %d columns (want 0 or more)", o.Width)
	case o.MaxBytes != 0 && o.MaxBytes < minMaxBytes:
		return nil, fmt.Errorf("report: a limit of %d bytes (want 0 or at least %d)", o.MaxBytes, minMaxBytes)
	}
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	o.Width = max(o.Width, MinWidth)
	for _, f := range formats() {
		if f.name == name {
			return &handler{w: w, options: o, format: f}, nil
		}
	}
	return nil, fmt.Errorf("unknown report format %q (want one of %s)", name, strings.Join(Formats(), ", "))
}

// handler waits for the end of a run and renders its result.
type handler struct {
	w       io.Writer
	options Options
	format  format
	done    bool
}

// Handle implements [gate.Handler].
func (h *handler) Handle(e gate.Event) error {
	finished, ok := e.(gate.Finished)
	if !ok {
		return nil
	}
	if h.done {
		return fmt.Errorf("%s report: the run finished twice", h.format.name)
	}
	h.done = true
	var doc bytes.Buffer
	err := h.format.render(&doc, story.Mark(canonical(finished.Result)), h.options)
	if err == nil {
		_, err = h.w.Write(withoutCommands(doc.Bytes(), h.format.escape))
	}
	if err != nil {
		return fmt.Errorf("%s report: %w", h.format.name, err)
	}
	return nil
}

// withoutCommands breaks what the GitHub Actions runner obeys when a step prints
// it: "::name::" at the beginning of a line, leading space ignored, and "##[name]"
// anywhere in one. A report is often printed in a step, and its code, paths and
// outputs are hostile. The spelling in a format's own escapes does not change
// what the document says.
func withoutCommands(doc []byte, escape string) []byte {
	if bytes.Contains(doc, []byte("##[")) {
		doc = bytes.ReplaceAll(doc, []byte("##["), []byte("#"+fmt.Sprintf(escape, '#')+"["))
	}
	if !bytes.Contains(doc, []byte("::")) {
		return doc
	}
	colon := []byte(fmt.Sprintf(escape, ':'))
	var out bytes.Buffer
	for line := range bytes.Lines(doc) {
		if rest := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(rest, []byte("::")) {
			out.Write(line[:len(line)-len(rest)])
			out.Write(colon)
			line = rest[1:]
		}
		out.Write(line)
	}
	return out.Bytes()
}

// Fan returns a handler that passes every event to all handlers. One that fails
// or panics does not keep the others from their report; the errors are joined.
func Fan(handlers ...gate.Handler) gate.Handler { return fan(handlers) }

type fan []gate.Handler

// Handle implements [gate.Handler].
func (f fan) Handle(e gate.Event) error {
	var errs []error
	for _, h := range f {
		errs = append(errs, gate.Catch(func() error { return h.Handle(e) }))
	}
	return errors.Join(errs...)
}
