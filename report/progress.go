package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/printable"
)

// Progress shows how far a run is: a line that is redrawn on a terminal, otherwise a
// plain line every few seconds. A run of less than a second shows nothing.
type Progress struct {
	w     io.Writer
	cols  int // 0 where w is no terminal
	begin time.Time
	last  time.Time
	drawn bool
}

var _ gate.Handler = (*Progress)(nil)

// The pace of progress: on a terminal it should look alive, in a log it should
// not fill pages.
const (
	progressQuiet    = time.Second
	progressTerminal = 100 * time.Millisecond
	progressLog      = 10 * time.Second
)

// NewProgress returns a handler that shows progress on w. columns is the width of the
// terminal, 0 where w is none: there nothing is drawn. In a log of GitHub Actions a bar
// without an end of line would share its line with a command to the runner, which would
// then not see the command.
func NewProgress(w io.Writer, columns int) *Progress { return &Progress{w: w, cols: columns} }

// Handle implements [gate.Handler]. It never fails: a run does not end because its
// progress cannot be shown.
func (p *Progress) Handle(e gate.Event) error {
	switch e := e.(type) {
	case gate.Started:
		p.begin = time.Now()
	case gate.Progress:
		p.show(e)
	case gate.Finished:
		p.clear()
	}
	return nil
}

func (p *Progress) show(e gate.Progress) {
	now := time.Now()
	pace := progressLog
	if p.cols > 0 {
		pace = progressTerminal
	}
	if now.Sub(p.begin) < progressQuiet || now.Sub(p.last) < pace {
		return
	}
	p.last = now
	text := fmt.Sprintf("%-8s %d/%d", e.Layer, e.Done, e.Total)
	if p.cols == 0 {
		if e.Layer == gate.LayerJudge && e.Detail != "" { // how fast, and who; never text of the change
			text += ", " + printable.ASCII(e.Detail)
		}
		fmt.Fprintf(p.w, "gate: %s\n", text)
		return
	}
	const cells = 24
	full := 0
	if e.Total > 0 {
		full = min(cells*e.Done/e.Total, cells)
	}
	line := fmt.Sprintf("%s [%s%s] %s", text, strings.Repeat("=", full), strings.Repeat(" ", cells-full), printable.ASCII(e.Detail))
	fmt.Fprintf(p.w, "\r\x1b[K%s", gate.Clip(line, p.cols-1))
	p.drawn = true
}

func (p *Progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
