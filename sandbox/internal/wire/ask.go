package wire

import "fmt"

// Ask is what a program is asked that waits for others: over HTTP these questions, and
// where no HTTP comes back with a bare connection.
type Ask struct {
	Questions []Question
}

// Question is a request over HTTP.
type Question struct {
	Method string
	Path   string // begins with a slash; printable ASCII without spaces
}

// Asked is what became of that.
type Asked struct {
	Places    int    // ports and sockets of the program that were asked
	Questions int    // that were sent
	Answers   int    // that came; a connection that the program closed is one
	Silent    int    // places that answered nothing at all
	Missed    string // what was not asked, or not waited for; "" is nothing
}

// Bounds of questions.
const (
	MaxQuestions = 32
	MaxRoute     = 200 // bytes of a path
	MaxPlaces    = 16
)

// Methods are those that a question may have.
func Methods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

// Check says what is wrong with questions.
func (a *Ask) Check() error {
	if a == nil {
		return nil
	}
	if len(a.Questions) > MaxQuestions {
		return fmt.Errorf("%d questions, at most %d are taken", len(a.Questions), MaxQuestions)
	}
	for _, q := range a.Questions {
		if err := q.check(); err != nil {
			return err
		}
	}
	return nil
}

func (q Question) check() error {
	known := false
	for _, m := range Methods() {
		known = known || q.Method == m
	}
	if !known {
		return fmt.Errorf("question with the method %.20q", q.Method)
	}
	if len(q.Path) > MaxRoute || q.Path == "" || q.Path[0] != '/' {
		return fmt.Errorf("question for %.40q: want a slash and at most %d bytes", q.Path, MaxRoute)
	}
	for _, c := range []byte(q.Path) {
		if c <= ' ' || c > '~' {
			return fmt.Errorf("question for %.40q: it has other characters than printable ASCII", q.Path)
		}
	}
	return nil
}

// Check says what is wrong with the answer of a supervisor.
func (a *Asked) Check() error {
	if a == nil {
		return nil
	}
	if a.Places < 0 || a.Questions < 0 || a.Answers < 0 || a.Silent < 0 || a.Silent > a.Places || a.Places > MaxPlaces || a.Answers > a.Questions || a.Questions > MaxPlaces*(MaxQuestions+2) || len(a.Missed) > 500 {
		return fmt.Errorf("%d questions to %d places with %d answers", a.Questions, a.Places, a.Answers)
	}
	return nil
}
