package sandbox

import "github.com/aigate/gate/sandbox/internal/wire"

// Ask is what a program is asked, once, on each port and socket on which it waits for
// others: these questions over HTTP, and where no HTTP comes back a bare connection with
// an empty line. It is then ended as Serving.
type Ask struct {
	Questions []Question
}

// Question is a request over HTTP.
type Question struct {
	Method string // GET, POST, PUT, PATCH or DELETE
	Path   string // begins with a slash; printable ASCII without spaces
}

// Bounds of what is asked.
const (
	MaxQuestions = wire.MaxQuestions
	MaxRoute     = wire.MaxRoute // bytes of a path
)

// Asked is what became of the questions.
type Asked struct {
	Places    int    // ports and sockets of the program that were asked
	Questions int    // that were sent
	Answers   int    // that came; a connection that the program closed is one
	Silent    int    // places that answered nothing at all
	Missed    string // what was not asked, or not waited for; "" is nothing
}

func (a *Ask) job() *wire.Ask {
	if a == nil {
		return nil
	}
	out := &wire.Ask{Questions: []wire.Question{}}
	for _, q := range a.Questions {
		out.Questions = append(out.Questions, wire.Question(q))
	}
	return out
}
