package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// Host is the process that an engine works in, so that tests can be one.
type Host struct {
	// Tool is how results are signed.
	Tool gate.Tool
	// Stderr takes notices and warnings. Reports go elsewhere.
	Stderr io.Writer
	// Stdin, where it is a terminal, is where the user can be asked.
	Stdin  io.Reader
	Getenv func(string) string
	// Build, when set, builds the layers of a run in place of [Engine.Open]'s own way.
	Build func(context.Context, Setup) (*Layers, error)
	// Rules, when set, loads gate's own rules.
	Rules func() (*static.OwnRules, error)
}

// Engine puts changes through the layers. It is safe for use by one run at a time.
type Engine struct {
	host  Host
	rules func() (*static.OwnRules, error) // loaded once, when they are first needed
	warn  *slog.Logger
}

// New returns an engine for a process.
func New(h Host) *Engine {
	if h.Rules == nil {
		h.Rules = static.LoadRules
	}
	return &Engine{
		host:  h,
		rules: sync.OnceValues(h.Rules),
		warn:  slog.New(slog.NewTextHandler(h.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// Tool is how results are signed.
func (e *Engine) Tool() gate.Tool { return e.host.Tool }

// Getenv looks up the environment of the process.
func (e *Engine) Getenv(name string) string { return e.host.Getenv(name) }

// Rules returns gate's own rules, which are loaded once.
func (e *Engine) Rules() (*static.OwnRules, error) { return e.rules() }

// Noticef tells the user something that no report carries.
func (e *Engine) Noticef(format string, args ...any) {
	fmt.Fprintf(e.host.Stderr, "gate: "+format+"\n", args...)
}

// StateDir is a folder for what gate keeps between runs on this machine
// (XDG Base Directory Specification).
func (e *Engine) StateDir(name string) string {
	if dir := e.host.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "gate", name)
	}
	if home := e.host.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "gate", name)
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("gate-%d", os.Getuid()), name)
}

// userConfig returns the file with the user's own settings, or "".
func (e *Engine) userConfig() string {
	if dir := e.host.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "gate", "config.yaml")
	}
	if home := e.host.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "gate", "config.yaml")
	}
	return ""
}
