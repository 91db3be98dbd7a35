package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
)

// progress shows on standard error how far a run is: a line that is redrawn on a
// terminal, otherwise a plain line every few seconds. What takes less than a
// second shows nothing.
type progress struct {
	w     io.Writer
	cols  int // 0 where w is no terminal
	now   func() time.Time
	begin time.Time
	last  time.Time
	drawn bool
}

// The pace of progress: on a terminal it should look alive, in a log it should
// not fill pages.
const (
	progressQuiet    = time.Second
	progressTerminal = 100 * time.Millisecond
	progressLog      = 10 * time.Second
)

func newProgress(w io.Writer) *progress {
	return &progress{w: w, cols: width(w), now: time.Now}
}

// newLogProgress never draws: in a log of GitHub Actions a bar without an end of
// line would share its line with a command to the runner, which is then none.
func newLogProgress(w io.Writer) *progress { return &progress{w: w, now: time.Now} }

// Handle implements gate.Handler. It never fails: a run does not end because
// nobody reads its progress.
func (p *progress) Handle(e gate.Event) error {
	switch e := e.(type) {
	case gate.Started:
		p.begin = p.now()
	case gate.Progress:
		p.show(e)
	case gate.Finished:
		p.clear()
	}
	return nil
}

func (p *progress) show(e gate.Progress) {
	now := p.now()
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
			text += ", " + printable(e.Detail)
		}
		fmt.Fprintf(p.w, "gate: %s\n", text)
		return
	}
	const cells = 24
	full := 0
	if e.Total > 0 {
		full = min(cells*e.Done/e.Total, cells)
	}
	line := fmt.Sprintf("%s [%s%s] %s", text, strings.Repeat("=", full), strings.Repeat(" ", cells-full), printable(e.Detail))
	fmt.Fprintf(p.w, "\r\x1b[K%s", gate.Clip(line, p.cols-1))
	p.drawn = true
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// printable drops what a hostile file name could do to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r > 0x7e {
			return '?'
		}
		return r
	}, s)
}
