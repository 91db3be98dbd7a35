package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/deps"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
)

// Preparation is how a run gets the dependencies of its base. The zero value installs
// nothing.
type Preparation struct {
	Mode gate.Deps // "" is never
	Why  string    // for the user: who decided so
	// Unasked says that nothing decides, and that there is no terminal to ask on.
	Unasked bool
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 10

// preparation decides whether a run installs the dependencies of its base: the policy says
// so, or it is CI, or the user of a terminal is asked, once on this machine.
func (e *Engine) preparation(c *gate.Change, r Request, p gate.Policy) Preparation {
	switch {
	case !slices.Contains(r.Selected, gate.LayerSandbox):
		return Preparation{}
	case p.Deps != "":
		return Preparation{Mode: p.Deps, Why: "deps: " + string(p.Deps)}
	case e.host.Getenv("CI") != "":
		return Preparation{Mode: gate.DepsAuto, Why: "the default in CI"}
	}
	file := filepath.Join(e.StateDir("deps"), "answer")
	if text, err := bounded.ReadPath(file, maxAnswer); err == nil {
		if answer := gate.Deps(strings.TrimSpace(string(text))); answer == gate.DepsAuto || answer == gate.DepsNever {
			return Preparation{Mode: answer, Why: "your answer in " + file}
		}
	}
	if in, out, ok := e.host.terminal(); ok {
		if names := named(c); names != "" {
			return ask(e, in, out, file, names)
		}
	}
	return Preparation{Mode: gate.DepsNever, Unasked: true, Why: "runs install them themselves in CI, and where deps: auto is in the base's " + policy.File + " or your own configuration"}
}

// ask asks and keeps the answer. No answer is no.
func ask(e *Engine, in io.Reader, out io.Writer, file, names string) Preparation {
	fmt.Fprintf(out, `gate: the code needs packages that are not in gate's images (%s).
Without them most of it does not run in the sandbox. gate can install those of the base
commit in a container, now and when they change; no code of a package runs for that.
Install them, in this and later runs? [Y/n] `, names)
	line, err := bufio.NewReader(io.LimitReader(in, maxAnswer)).ReadString('\n')
	if err != nil {
		fmt.Fprintln(out)
		return Preparation{Mode: gate.DepsNever, Why: "there was no answer"}
	}
	answer := gate.DepsNever
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "", "y", "yes":
		answer = gate.DepsAuto
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = atomicfile.Write(file, []byte(string(answer)+"\n"))
		if err != nil {
			e.Noticef("the answer could not be kept: %v", err)
		}
	}
	return Preparation{Mode: answer, Why: "your answer, kept in " + file}
}

// terminal is where the user can be asked. Standard output carries the report.
func (h Host) terminal() (in io.Reader, out io.Writer, ok bool) {
	i, isFile := h.Stdin.(*os.File)
	o, alsoFile := h.Stderr.(*os.File)
	if !isFile || !alsoFile || !term.IsTerminal(int(i.Fd())) || !term.IsTerminal(int(o.Fd())) {
		return nil, nil, false
	}
	return i, o, true
}

// named lists the languages that the base names dependencies of, "" for none.
func named(c *gate.Change) string {
	tree := c.Base
	if tree == nil {
		tree = c.Head
	}
	if tree == nil {
		return ""
	}
	all, _, err := locks.ReadTree(tree)
	if err != nil {
		return ""
	}
	var names []string
	for _, l := range all {
		names = append(names, l.Language)
	}
	return strings.Join(names, ", ")
}

// uninstalled returns what tells the user, once for a language, that a run lacks what the
// base names and how to get it; nil where the user has decided so. A build takes minutes and
// a network, which a script that starts gate has not asked for.
func uninstalled(e *Engine, s Setup) func(locks.Lock) {
	if !s.Prepare.Unasked {
		return nil
	}
	var told sync.Map
	return func(l locks.Lock) {
		if _, again := told.LoadOrStore(l.Language, true); !again {
			e.Noticef("packages for %s that the base names are not installed, and most code that needs them does not run. To install them once: %s. In every run: deps: auto in your own configuration, or CI=true in the environment", l.Language, depsCommand(s.Base))
		}
	}
}

// notAdded says why runs do without the packages that only a change names, "" where they
// do not.
func notAdded(p gate.Policy) string {
	if p.DepsAdded == gate.DepsAddedNever {
		return "deps-added: never"
	}
	return ""
}

// installer is what makes an image with dependencies that a run lacks; nil where the run
// installs nothing.
func (e *Engine) installer(s Setup) func(context.Context, locks.Lock) error {
	if s.Prepare.Mode != gate.DepsAuto && s.Prepare.Mode != gate.DepsLocked {
		return nil
	}
	a := &deps.Automatic{
		Getenv: e.host.Getenv, State: e.StateDir("deps"), Commit: s.Base, Why: s.Prepare.Why,
		Say: func(format string, args ...any) { e.Noticef("%s", printable.ASCII(fmt.Sprintf(format, args...))) },
	}
	return a.Install
}
