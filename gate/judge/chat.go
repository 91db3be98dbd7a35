package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate"
)

// chatter is the one method of the Ollama client that judges.
type chatter interface {
	Chat(ctx context.Context, req *api.ChatRequest, fn api.ChatResponseFunc) error
}

// failure says why there is no usable answer, in words for a report.
type failure struct {
	reason string
	// retry: the same request may work in a moment.
	retry bool
	// lost: the server or the model is gone, so that other requests to it will
	// fail too.
	lost bool
	// slow: a deadline passed. Once is bad luck, several in a row are a server
	// that hangs.
	slow bool
}

func (f *failure) Error() string { return f.reason }

// The deadlines of one exchange, as the causes that cancel it.
var (
	errRequestDeadline = errors.New("request deadline")
	errIdleDeadline    = errors.New("idle deadline")
)

// reply is a complete answer of the model.
type reply struct {
	text         string
	calls        []api.ToolCall
	promptTokens int
	tokens       int           // of the answer
	took         time.Duration // for generating the answer
	worked       time.Duration // on all of it, without waiting for its turn; 0 is not known
}

// chat does one exchange. It accepts a reply only when the server says that it
// is done because the model stopped.
func chat(ctx context.Context, c chatter, req *api.ChatRequest, total, idle time.Duration) (reply, error) {
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(total, func() { cancel(errRequestDeadline) }).Stop()
	// The watchdog starts with the first token: before it, the server may be
	// loading the model, reading the prompt, or serving others.
	var watchdog *time.Timer
	defer func() {
		if watchdog != nil {
			watchdog.Stop()
		}
	}()
	ctx, body := withWatch(ctx)

	var r reply
	var done *api.ChatResponse
	var text strings.Builder
	err := c.Chat(ctx, req, func(part api.ChatResponse) error {
		if watchdog == nil {
			watchdog = time.AfterFunc(idle, func() { cancel(errIdleDeadline) })
		} else {
			watchdog.Reset(idle)
		}
		switch {
		case done != nil:
			return &failure{reason: "the server went on after the end of the answer"}
		case part.RemoteHost != "" || part.RemoteModel != "":
			return &failure{reason: "the server passed the code on to another host", lost: true}
		case text.Len()+len(part.Message.Content) > maxAnswer:
			return &failure{reason: fmt.Sprintf("the answer is longer than %d bytes", maxAnswer)}
		}
		text.WriteString(part.Message.Content)
		if r.calls = append(r.calls, part.Message.ToolCalls...); len(r.calls) > maxCalls {
			return &failure{reason: fmt.Sprintf("the answer has more than %d tool calls", maxCalls)}
		}
		if part.Done {
			done = &part
		}
		return nil
	})
	if parent.Err() != nil {
		return reply{}, context.Cause(parent)
	}
	if err := diagnose(context.Cause(ctx), err, body.cause(), total, idle); err != nil {
		return reply{}, err
	}
	if done == nil {
		return reply{}, &failure{reason: "the answer was cut off before its end"}
	}
	r.text, r.promptTokens = text.String(), done.PromptEvalCount
	r.tokens, r.took = done.EvalCount, done.EvalDuration
	r.worked = done.LoadDuration + done.PromptEvalDuration + done.EvalDuration
	switch done.DoneReason {
	case "stop", "load":
		return r, nil
	case "length":
		return r, &failure{reason: "the model did not come to an end (done_reason length)"}
	default:
		return r, &failure{reason: fmt.Sprintf("the server ended the answer with done_reason %q", gate.Clip(done.DoneReason, 40))}
	}
}

// diagnose puts a name to what went wrong, nil when nothing did. Which of the
// three errors tells most depends on who noticed first.
func diagnose(cause, err, body error, total, idle time.Duration) error {
	var status api.StatusError
	var auth api.AuthorizationError
	var ours *failure
	switch {
	case errors.Is(cause, errRequestDeadline):
		return &failure{reason: fmt.Sprintf("no complete answer within %s", total), slow: true}
	case errors.Is(cause, errIdleDeadline):
		return &failure{reason: fmt.Sprintf("no token for %s in the middle of an answer", idle), slow: true}
	case errors.As(err, &ours):
		return ours
	case errors.Is(body, errTooMuch):
		return &failure{reason: errTooMuch.Error()}
	case errors.As(err, &status):
		return ofStatus(status.StatusCode, status.ErrorMessage)
	case errors.As(err, &auth):
		return ofStatus(http.StatusUnauthorized, "not authorised")
	case body != nil && !errors.Is(body, context.Canceled):
		return &failure{reason: "the connection broke in the middle of an answer: " + plain(body.Error())}
	case err == nil:
		return nil
	case unreachable(err):
		return &failure{reason: "the server cannot be reached: " + plain(err.Error()), retry: true, lost: true}
	default:
		return &failure{reason: "the server's answer cannot be used: " + plain(err.Error())}
	}
}

// ofStatus explains an HTTP status of an Ollama server.
func ofStatus(code int, message string) *failure {
	f := &failure{reason: fmt.Sprintf("the server answered %d: %s", code, plain(message))}
	switch code {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.retry = true
	case http.StatusNotFound:
		f.reason, f.lost = "the model is gone: "+f.reason, true
	case http.StatusUnauthorized, http.StatusForbidden:
		f.lost = true
	}
	return f
}

// unreachable reports whether an error of the client came from the connection,
// before any answer.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, io.ErrClosedPipe)
}

// plain makes a server's message fit for one line of a report.
func plain(s string) string {
	return gate.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " "), 200)
}
