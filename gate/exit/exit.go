// Package exit is the exit codes of gate as typed errors, so that the code travels
// with the error from where it is known to the end of main.
//
// It promises that an error without a code is never a pass: [Failed] gives it the code of an
// incomplete run. It prints nothing.
package exit

import (
	"errors"
	"fmt"

	"github.com/aigate/gate/gate"
)

// The exit codes of every command. A program under test never chooses them.
const (
	Pass       = 0
	Blocked    = 1
	Usage      = 2 // a mistake on the command line or in the configuration, or nothing to scan
	Incomplete = 3 // also a signal, and a failure of gate itself
)

// Error is an error that knows its exit code. Err may be nil: then the report has said
// everything and nothing is left to print.
type Error struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the error that is to be printed, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// Usagef marks an error as the caller's: exit code 2.
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Failed marks an error as gate's own, exit code 3, unless it has a code already.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	if _, coded := errors.AsType[*Error](err); coded {
		return err
	}
	return &Error{Incomplete, err}
}

// Reported is the end of a run whose report is written; err is what kept it from being
// written whole. A block stays one; a pass that could not be told is none.
func Reported(d gate.Decision, err error) error {
	switch {
	case err == nil:
		return For(d, nil)
	case d == gate.DecisionBlock:
		return &Error{Blocked, err}
	default:
		return &Error{Incomplete, err}
	}
}

// For is the end of a run: nil for a pass, else an error with the exit code of its
// decision. An error of the run itself makes the run incomplete.
func For(d gate.Decision, err error) error {
	switch {
	case err != nil:
		return &Error{Incomplete, err}
	case d == gate.DecisionPass:
		return nil
	case d == gate.DecisionBlock:
		return &Error{Code: Blocked}
	default:
		return &Error{Code: Incomplete}
	}
}
