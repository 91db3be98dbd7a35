package execute

import (
	"net/url"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// A value that gate makes up has a mark in it. What such a value names was not chosen by the
// program: a host that is asked because an argument names it, a file that is deleted because
// an argument names it. A program sees the value and can put it wherever it likes, so
// only what the value itself names is left out, and nothing that merely has the mark in it.

// plainWord is an argument without the signs of a command line.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]*$`)

// madeUp reports whether what happened concerns only a value with a mark.
func madeUp(e sandbox.Event, mark string) bool {
	switch e.Action {
	case sandbox.ActionRequest, sandbox.ActionTraffic, sandbox.ActionSend, sandbox.ActionMail, sandbox.ActionResolve, sandbox.ActionConnect, sandbox.ActionEgress:
		return madeUpHost(peerOf(e), mark)
	case sandbox.ActionExec:
		return len(e.Canaries) == 0 && madeUpCommand(e.Args, mark)
	}
	rest, below := strings.CutPrefix(e.Object, sandbox.Workspace+"/")
	return below && strings.Contains(rest, mark) || strings.HasPrefix(e.Object+"/", "/tmp/"+mark+"/")
}

// madeUpHost reports whether a host is a made-up one, and not another's with its name in it.
func madeUpHost(host, mark string) bool {
	return host == mark || host == mark+".invalid" || host == mark+".example"
}

// madeUpCommand reports whether a command has a made-up value among its arguments, and
// nothing else that it reaches by: no address of another, no text that a shell reads.
func madeUpCommand(args []string, mark string) bool {
	if !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, mark) }) {
		return false
	}
	return !slices.ContainsFunc(args, func(a string) bool {
		if strings.Contains(a, mark) && !plainWord.MatchString(a) {
			return true
		}
		_, rest, address := strings.Cut(a, "://")
		return address && !madeUpHost(hostIn(rest), mark) || strings.Contains(a, "/dev/tcp/")
	})
}

// peerOf is the host that an event reaches or asks for: of "POST http://example.com/x", "A
// example.com", "example.com:443 · tcp".
func peerOf(e sandbox.Event) string {
	text := e.Object
	if _, rest, ok := strings.Cut(text, "://"); ok {
		return hostIn(rest)
	}
	if e.Action == sandbox.ActionResolve {
		_, text, _ = strings.Cut(text, " ")
	}
	if e.Action == sandbox.ActionMail && len(e.Args) > 0 {
		text = e.Args[0]
	}
	return hostIn(text)
}

// hostIn is the host at the beginning of what follows a scheme.
func hostIn(text string) string {
	if u, err := url.Parse("x://" + text); err == nil && u.Host != "" {
		return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	}
	host, _, _ := strings.Cut(text, ":")
	return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(host), "."))
}

// maxMadeUpCode is how much a text with a mark may have besides it, in bytes, to be no code of the
// program's.
const maxMadeUpCode = 16

// madeUpCode reports whether a text that appeared is a made-up value and little else.
func madeUpCode(c sandbox.Capture, mark string) bool {
	return strings.Contains(string(c.Data), mark) && len(strings.ReplaceAll(strings.TrimSpace(string(c.Data)), mark, "")) <= maxMadeUpCode
}

// literalIn reports whether a text is in a file, or is one that was made up for a call: that
// it is in a question says nothing about the machine.
func literalIn(files func([]byte) bool) func([]byte) bool {
	return func(text []byte) bool {
		return string(text) == job.Given || string(text) == job.Given+" and more of it" || files(text)
	}
}
