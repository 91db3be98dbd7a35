package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aigate/gate/gate/hook"
)

// errLimit says that an agent was still at work after its limit.
var errLimit = errors.New("it was still at work")

// limit is how long one agent may take: more than its hooks may.
const limit = 2 * time.Minute

// try is one call of a tool behind one hook.
type try struct {
	name string
	// hook is a script in the place of gate; "" for gate.
	hook string
	// gone is a hook whose program isn't there.
	gone bool
	// call is what the model asks for, in a project.
	call func(a agent, project string) call
	// file is there if the tool ran.
	file string
	// want is what happens.
	want func(a agent) string
}

// What happens to a call.
const (
	runs    = "runs"
	refused = "refused"
	waits   = "waits"                              // until the hook ends
	told    = "refused, and the model is told why" // in the words of gate
)

func tries() []try {
	crashed := func(a agent) string {
		if a.silent {
			return refused
		}
		return told
	}
	always := func(what string) func(agent) string { return func(agent) string { return what } }
	line := func(text string) func(agent, string) call {
		return func(a agent, _ string) call { return a.command(text) }
	}
	file := func(text string) func(agent, string) call {
		return func(a agent, project string) call { return a.create(filepath.Join(project, "new.py"), text) }
	}
	const touch = "touch ran"
	return []try{
		{name: "harmless command", call: line(touch), file: "ran", want: always(runs)},
		{name: "commit past the hooks", call: line(touch + "; git commit --no-verify -m x"), file: "ran", want: always(told)},
		{name: "harmless file", call: file("print(2)\n"), file: "new.py", want: always(runs)},
		{name: "dangerous file", call: file("import base64\nexec(base64.b64decode(\"cHJpbnQoMSk=\"))\n"), file: "new.py", want: always(told)},
		{name: "gate crashes", hook: "echo 'gate refused this: it crashed' >&2; exit 2", call: line(touch), file: "ran", want: crashed},
		{name: "hook is missing", gone: true, call: line(touch), file: "ran", want: always(refused)},
		{name: "hook is killed", hook: "kill -9 $$", call: line(touch), file: "ran", want: always(refused)},
		{name: "hook hangs", hook: "exec sleep 600", call: line(touch), file: "ran", want: func(a agent) string { return a.hung }},
	}
}

// lab is where agents run.
type lab struct {
	packages, scratch, messages string
	gate                        string // the program
	runs                        int
}

func (l *lab) build(ctx context.Context) error {
	l.gate = filepath.Join(l.scratch, "gate")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", l.gate, "./cmd/gate")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	return nil
}

// version is that of the package of an agent.
func (l *lab) version(a agent) (string, error) {
	_, name, node := strings.Cut(a.program, "node ")
	if !node {
		name = a.program
	}
	parts := strings.SplitN(name, "/", 3)
	text, err := os.ReadFile(filepath.Join(l.packages, parts[0], strings.TrimSuffix(parts[1], "-linux-x64"), "package.json"))
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	return p.Version, errors.Join(json.Unmarshal(text, &p))
}

// try runs an agent once, and returns what happened to the call and what the agent said.
func (l *lab) try(ctx context.Context, a agent, t try) (got, said string, err error) {
	l.runs++
	dir := filepath.Join(l.scratch, fmt.Sprint(l.runs))
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	if err := errors.Join(os.MkdirAll(home, 0o700), repository(ctx, project)); err != nil {
		return "", "", err
	}
	m := &model{ask: t.call(a, project)}
	server, end, err := serve(ctx, m)
	if err != nil {
		return "", "", err
	}
	defer end()
	if err := l.settings(a, t, home, project, server); err != nil {
		return "", "", err
	}
	said, err = l.start(ctx, a, home, project, server)
	_, ran := os.Stat(filepath.Join(project, t.file))
	if errors.Is(err, errLimit) && os.IsNotExist(ran) {
		return waits, said, nil
	}
	if err != nil {
		return "", "", err
	}
	result := m.result()
	if result == "" {
		return "", "", fmt.Errorf("the agent never told the model how the call ended:\n%s", said)
	}
	switch {
	case ran == nil:
		return runs, said, nil
	case !os.IsNotExist(ran):
		return "", "", ran
	case strings.Contains(result, "gate refused this"):
		return told, said, nil
	}
	return refused, said, nil
}

// repository makes a project with one commit.
func repository(ctx context.Context, dir string) error {
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if text, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, text)
		}
	}
	return nil
}

// serve starts a model on this machine.
func serve(ctx context.Context, m *model) (address string, end func(), err error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	return "http://" + l.Addr().String(), func() {
		_ = s.Close() // what is still open is a connection of an agent that has ended
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "agents: the model ended:", err)
		}
	}, nil
}

// settings writes what `gate hook settings` prints, with the hook of the try.
func (l *lab) settings(a agent, t try, home, project, server string) error {
	tool, ok := hook.Find(a.name)
	if !ok {
		return fmt.Errorf("gate does not know %q", a.name)
	}
	program, text := filepath.Join(filepath.Dir(home), "gate"), "#!/bin/sh\n"+t.hook+"\n"
	if t.hook == "" {
		text = fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", l.gate)
		if l.messages != "" {
			kept := filepath.Join(l.messages, a.name+"."+strings.ReplaceAll(t.name, " ", "-"))
			text = fmt.Sprintf("#!/bin/sh\ntee '%s'.\"$3\".json | '%s' \"$@\"\n", kept, l.gate)
		}
	}
	file := filepath.Join(home, a.settings)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if !t.gone {
		if err := os.WriteFile(program, []byte(text), 0o700); err != nil { //nolint:gosec // a program has to be one
			return err
		}
	}
	if err := os.WriteFile(file, []byte(tool.Settings(program)), 0o600); err != nil {
		return err
	}
	if a.also == nil {
		return nil
	}
	return a.also(home, project, server)
}

// start runs the agent to its end, and returns what it wrote. An agent that says that it
// failed is no error here: what counts is what became of the call.
func (l *lab) start(ctx context.Context, a agent, home, project, server string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := append([]string{filepath.Join(l.packages, a.program)}, a.args...)
	if _, script, ok := strings.Cut(a.program, "node "); ok {
		argv = append([]string{"node", filepath.Join(l.packages, script)}, a.args...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = project
	cmd.Env = append(a.env(server), "HOME="+home, "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"HTTPS_PROXY="+server, "HTTP_PROXY="+server, "NO_PROXY=127.0.0.1", "https_proxy="+server, "http_proxy="+server, "no_proxy=127.0.0.1")
	end := together(cmd)
	defer end()
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return string(text), fmt.Errorf("after %v %w:\n%s", limit, errLimit, text)
	}
	if cmd.ProcessState == nil || ctx.Err() != nil {
		return "", errors.Join(err, ctx.Err(), errors.New(string(text)))
	}
	return string(text), nil
}
