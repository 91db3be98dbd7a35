package execute

import (
	"fmt"

	"github.com/aigate/gate/gate/execute/routes"
	"github.com/aigate/gate/sandbox"
)

// A program that serves does what it does when it is asked. The supervisor asks it; this
// says what became of that.

// askedNote says how a program was asked, "" where it was not.
func askedNote(a *sandbox.Asked) string {
	if a == nil || a.Places == 0 {
		return ""
	}
	return fmt.Sprintf("%s on %s over loopback, %s", counted(a.Questions, "question"), counted(a.Places, "port or socket"), counted(a.Answers, "answer"))
}

func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "port or socket":
		return fmt.Sprintf("%d ports and sockets", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// unasked says what of a server was not asked, "" for nothing. One that answers nothing
// may speak a language that we don't; where its source names routes, it is slow.
func unasked(r routes.Found, res sandbox.Result) string {
	a := res.Asked
	if a == nil || a.Places == 0 {
		return ""
	}
	const late = "; what it does when it is asked was not all seen"
	switch {
	case a.Missed != "":
		return a.Missed + late
	case a.Silent > 0 && r.Named > 0:
		return fmt.Sprintf("%d of its %s answered nothing in time", a.Silent, counted(a.Places, "port or socket")) + late
	case r.Left > 0:
		return fmt.Sprintf("its source names %d more questions than a server is asked", r.Left) + late
	}
	return ""
}

// unasked is what was not asked in any run that was as planned.
func (r result) unasked() string {
	for _, one := range r.runs {
		if one.unasked != "" && one.plainly() {
			return one.unasked
		}
	}
	return ""
}
