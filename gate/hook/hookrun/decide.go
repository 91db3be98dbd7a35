package hookrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/hook/guard"
)

// maxActions is how many things one event may do.
const maxActions = 100

// desk is what the actions of one event are looked at with.
type desk struct {
	place  guard.Place
	layers *engine.Layers
	policy gate.Policy
}

// decide looks at what an event does.
func decide(ctx context.Context, p Process, ev hook.Event, o Options) (a hook.Answer, err error) {
	if len(ev.Actions) > maxActions {
		return hook.Refuse("it does %d things at once, at most %d are looked at", len(ev.Actions), maxActions), nil
	}
	d := desk{place: p.place(ev.Cwd)}
	var refusals []guard.Refusal
	for _, action := range ev.Actions {
		switch action.Kind {
		case hook.KindCommand:
			refusals = append(refusals, guard.Command(action.Text, d.place)...)
		case hook.KindCode:
			refusals = append(refusals, guard.Code(action.Text, d.place)...)
		case hook.KindEdit, hook.KindPlace:
			refusals = append(refusals, guard.Path(action.Path, d.place)...)
		}
	}
	if len(refusals) > 0 { // enough to refuse; the layer need not start
		return hook.Decide(refusals, nil), nil
	}
	set, err := settings(ctx, p, o)
	if err != nil {
		return a, err
	}
	d.policy = set.Policy
	if d.layers, err = p.Engine.Open(ctx, engine.Setup{Settings: set, Selected: []gate.Layer{gate.LayerStatic}}); err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, d.layers.Close()) }()
	var looked []hook.Looked
	for _, action := range ev.Actions {
		l, more, err := d.action(ctx, ev, action)
		if err != nil {
			return a, err
		}
		refusals = append(refusals, more...)
		looked = append(looked, l...)
	}
	return hook.Decide(refusals, looked), nil
}

// place is where the agent works. Its tools may say so; else it is where the hook runs.
func (p Process) place(cwd string) guard.Place {
	if cwd == "" || !filepath.IsAbs(cwd) {
		cwd = filepath.Join(p.Cwd, cwd)
	}
	return guard.Place{Cwd: filepath.ToSlash(cwd), Home: filepath.ToSlash(p.Engine.Getenv("HOME")), Program: filepath.ToSlash(p.Program), Resolve: resolve}
}

// resolve follows the links of a path, as far as it exists.
func resolve(name string) string {
	rest := ""
	for dir := filepath.FromSlash(name); ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return path.Join(filepath.ToSlash(real), rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return name
		}
		rest = path.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// settings are the user's, and those of a file or a revision that the command line names.
func settings(ctx context.Context, p Process, o Options) (engine.Settings, error) {
	opts := engine.Options{Config: o.Config}
	var set engine.Settings
	var err error
	if o.Policy == "" || o.Config != "" {
		set, err = p.Engine.SettingsWithoutTree(opts)
	} else {
		var repo *change.Repo
		if repo, err = change.Open(ctx, nil); err != nil {
			return set, exit.Usagef("--policy: %w", err)
		}
		defer repo.Close()
		set, err = p.Engine.Settings(ctx, repo, o.Policy, opts)
	}
	set.Policy.Require = []gate.Layer{gate.LayerStatic}
	return set, err
}

// action looks at one thing that an event does.
func (d desk) action(ctx context.Context, ev hook.Event, a hook.Action) ([]hook.Looked, []guard.Refusal, error) {
	switch a.Kind {
	case hook.KindCommand:
		l, err := d.command(ctx, ev, a.Text)
		return l, nil, err
	case hook.KindCode:
		l, err := d.code(ctx, a)
		return l, nil, err
	case hook.KindPlace:
		return nil, nil, nil // its path was looked at
	case hook.KindFetch:
		l, err := d.text(ctx, "the address", "fetch.sh", fetches(a.Text), everything)
		return []hook.Looked{l}, nil, err
	case hook.KindText:
		l, err := d.text(ctx, "what was read", "fetched.md", []byte(a.Text), misleads)
		return []hook.Looked{l}, nil, err
	case hook.KindEdit:
		l, refusals, err := d.edit(ctx, ev, a)
		return []hook.Looked{l}, refusals, err
	}
	return []hook.Looked{{At: "the call"}}, nil, nil // which is refused
}

// command looks at a command, at the commands in it, and at what it writes to files.
func (d desk) command(ctx context.Context, ev hook.Event, text string) ([]hook.Looked, error) {
	if strings.Contains(strings.ToLower(ev.Call), "powershell") {
		l, err := d.modified(ctx, "the command", "command.ps1", 0o644, nil, []byte(text))
		return []hook.Looked{l}, err
	}
	inner, files := guard.Script(text, d.place)
	script := strings.Join(append([]string{text}, inner...), "\n")
	l, err := d.modified(ctx, "the command", "command.sh", 0o644, nil, []byte(script))
	if err != nil {
		return nil, err
	}
	out := []hook.Looked{l}
	for _, f := range files {
		l, err := d.modified(ctx, "what the command writes to "+f.Path, d.relative(filepath.FromSlash(f.Path)), 0o644, nil, []byte(f.Content))
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// code looks at a program: as what its ending says, or as each of the languages that tools run.
func (d desk) code(ctx context.Context, a hook.Action) ([]hook.Looked, error) {
	names := []string{"code.py", "code.js", "code.sh"}
	if a.Path != "" {
		names = []string{a.Path}
	}
	var out []hook.Looked
	for _, name := range names {
		l, err := d.modified(ctx, "the program", name, 0o644, nil, []byte(a.Text))
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// misleads reports whether a finding is about text that is made to steer an agent. What
// else a page shows, such as a command to install something, is for who runs it.
func misleads(f gate.Finding) bool {
	return f.Category == "prompt-injection" || f.Category == "hidden-text"
}

func everything(gate.Finding) bool { return true }

// fetches is a script that gets every address of a text.
func fetches(text string) []byte {
	var b bytes.Buffer
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, "<>()[]{}\"',;")
		if _, err := url.Parse(word); err != nil || !strings.Contains(word, "://") && word != text {
			continue
		}
		fmt.Fprintf(&b, "curl -fsS '%s'\n", strings.ReplaceAll(word, "'", `'\''`))
	}
	return b.Bytes()
}

// edit looks at a file as it will be, or is, against what it was.
func (d desk) edit(ctx context.Context, ev hook.Event, a hook.Action) (hook.Looked, []guard.Refusal, error) {
	at := a.Path
	none := hook.Looked{At: at, Decision: gate.DecisionPass}
	full := filepath.FromSlash(a.Path)
	if !filepath.IsAbs(full) {
		full = filepath.Join(filepath.FromSlash(d.place.Cwd), full)
	}
	if a.Edit.Deleted || a.Edit.Partial && len(a.Edit.Replacements) == 0 && a.Edit.Content == "" && ev.Phase == hook.Before {
		return none, nil, nil
	}
	present, mode, err := d.present(full)
	if err != nil {
		return none, nil, fmt.Errorf("read %s: %w", at, err)
	}
	before, after := present, present
	switch {
	case ev.Phase == hook.Before && a.Edit.Partial && a.Edit.Content != "" && strings.EqualFold(filepath.Ext(full), ".ipynb"):
		before, after = nil, cellAlone(present, a.Edit.Content)
	case ev.Phase == hook.Before:
		after = a.Edit.Apply(present)
	case present == nil:
		return none, nil, nil // it is gone again
	default:
		before = nil
		if undone, ok := a.Edit.Undo(present); ok {
			before = undone
		}
	}
	name := d.relative(full)
	l, err := d.modified(ctx, at, name, mode, before, after)
	return l, newRefusals(name, before, after, d.place), err
}

// newRefusals is what a script does to gate that it hasn't done before.
func newRefusals(name string, before, after []byte, p guard.Place) []guard.Refusal {
	language, _ := change.Classify(name, 0o644, after[:min(len(after), change.HeadBytes)])
	look := guard.Code
	switch language {
	case gate.LanguageShell:
		look = guard.Command
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP:
	default:
		return nil
	}
	old := look(string(before), p)
	return slices.DeleteFunc(look(string(after), p), func(r guard.Refusal) bool {
		return r.Unreadable() || slices.ContainsFunc(old, func(o guard.Refusal) bool { return o.ID == r.ID })
	})
}

// present is a file as it is, nil where there is none.
func (d desk) present(full string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o644, nil
	case err != nil:
		return nil, 0, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = os.Stat(full); err != nil {
			return nil, 0o644, nil //nolint:nilerr // a link to nothing: the edit makes a new file there
		}
	}
	data, err := bounded.ReadPath(full, d.policy.Limits.FileSize)
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, info.Mode().Perm(), err
}

// relative is a path as rules see it: from where the agent works, or from the root.
func (d desk) relative(full string) string {
	if rel, err := filepath.Rel(filepath.FromSlash(d.place.Cwd), full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	name := strings.Trim(filepath.ToSlash(full[len(filepath.VolumeName(full)):]), "/")
	if !fs.ValidPath(name) || name == "." {
		return "file"
	}
	return name
}

// text looks at what an agent reads, or where it reads it. No person reviews that before the
// agent acts on it, so what is suspicious is refused as well.
func (d desk) text(ctx context.Context, at, name string, text []byte, only func(gate.Finding) bool) (hook.Looked, error) {
	l, err := d.modified(ctx, at, name, 0o644, nil, text)
	if err != nil {
		return l, err
	}
	strict := d.policy
	strict.FailOn = gate.SeveritySuspicious
	l.Findings = slices.DeleteFunc(l.Findings, func(f gate.Finding) bool { return !only(f) })
	l.Decision = strict.Decision(strict.Decide(l.Findings, l.Gaps))
	return l, nil
}

// modified puts one file through the static layer.
func (d desk) modified(ctx context.Context, at, name string, mode fs.FileMode, before, after []byte) (hook.Looked, error) {
	c, err := change.Edited(ctx, name, mode, before, after)
	if err != nil {
		return hook.Looked{}, err
	}
	if len(c.Targets) == 0 && len(c.Incomplete) == 0 {
		c.Incomplete = []gate.Gap{{Layer: gate.LayerStatic, Path: name, Reason: "it is not looked at"}}
	}
	res, err := d.layers.Run(ctx, engine.Job{Change: c, Policy: d.policy})
	if err != nil {
		return hook.Looked{}, err
	}
	l := hook.Looked{At: at, Decision: res.Decision, Gaps: res.Incomplete}
	for _, f := range res.Files {
		l.Findings = append(l.Findings, f.Findings...)
	}
	return l, nil
}
