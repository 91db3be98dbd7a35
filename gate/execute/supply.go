package execute

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/wants"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// A program that ends because it misses an argument, a variable of its environment, a file or
// a command ends before most of it ran. It runs again with what it asked for, made up by name,
// until it goes on or asks for nothing more.

// maxSupplied is how often a unit is run with more than it had before.
const maxSupplied = 5

// supplied is what a unit gets besides what was planned.
type supplied struct {
	args     []string
	env      []string
	files    []workspace.File
	commands []string
	guesses  int // arguments that nothing names
	said     []string
}

// suppliedRun is a run of a unit with what it asked for, so that the base can be run alike.
type suppliedRun struct {
	supplied supplied
	job      job.Job
}

// supply runs a unit again with what it lacked. A run that fails tells nothing.
func (l life) supply(ctx context.Context, u plan.Unit, r *result) {
	if u.Kind != plan.Script && u.Kind != plan.Module || len(r.runs) == 0 {
		return
	}
	var s supplied
	last, j := r.runs[len(r.runs)-1], r.jobOf(u)
	if !failedForWant(r.runs[0].res) {
		return
	}
	if last.note != "" && len(r.stubbed.names) == 0 {
		last = r.runs[0] // the second one asked for help
	}
	usage := wants.Usage(errorsOf(r.runs))
	for range maxSupplied {
		if !s.add(l.prepare.tree, u, last, usage) {
			return
		}
		one, err := l.with(ctx, u, j, s, "with "+strings.Join(s.said, ", "))
		if err != nil {
			return
		}
		one.standIns = r.stubbed.names
		r.runs = append(r.runs, one)
		r.supplied = &suppliedRun{supplied: s.clone(), job: j}
		if !failedForWant(one.res) {
			return
		}
		last = one
	}
}

// with runs a job with what was supplied.
func (l life) with(ctx context.Context, u plan.Unit, j job.Job, s supplied, as string) (run, error) {
	u.Extra = slices.Concat(u.Extra, s.files)
	j = j.With(s.args...).In(s.env...).WithCommands(s.commands)
	one, _, err := l.once(ctx, u, j, as)
	if err != nil {
		return run{}, err
	}
	one.supplied = strings.Join(s.said, ", ")
	one.note = strings.TrimSuffix("with "+one.supplied+", made up; "+one.note, "; ")
	one.res.Behaviour.Events = slices.DeleteFunc(slices.Clone(one.res.Behaviour.Events), func(e sandbox.Event) bool { return madeUp(e, wants.Mark) })
	if is := one.newHost; is != nil {
		one.newHost = func(host string) bool { return !madeUpHost(host, wants.Mark) && is(host) }
	}
	return one, nil
}

func (s supplied) clone() supplied {
	s.args, s.env, s.files = slices.Clone(s.args), slices.Clone(s.env), slices.Clone(s.files)
	s.commands, s.said = slices.Clone(s.commands), slices.Clone(s.said)
	return s
}

// failedForWant reports whether a program ended with an error of its own, one of a missing command
// included.
func failedForWant(res sandbox.Result) bool {
	return res.Status == sandbox.Exited && (failedOnItsOwn(res) || res.ExitCode == 127)
}

// errorsOf is what the runs of a unit wrote that may name its arguments.
func errorsOf(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(tail(r.res.Stderr.Data) + "\n" + tail(r.res.Stdout.Data) + "\n")
	}
	return b.String()
}

// add adds what a run lacked, and reports whether that is anything new.
func (s *supplied) add(t *workspace.Tree, u plan.Unit, last run, usage []string) bool {
	w, ok := wants.Read(errorLanguage(u), tail(last.res.Stderr.Data))
	if !ok {
		return s.refused(t.Text(u.Targets[0]), last, usage)
	}
	switch w.Kind {
	case wants.Argument:
		name := nameOf(t.Text(u.Targets[0]), w, usage)
		before := len(s.args)
		for len(s.args) < cmp.Or(w.At, before+1) {
			s.argument(cmp.Or(wants.Name(usage, len(s.args)+1), name))
		}
		return before < len(s.args)
	case wants.Option:
		option := w.Name + "="
		if slices.ContainsFunc(s.args, func(a string) bool { return strings.HasPrefix(a, option) }) {
			return false
		}
		s.args, s.said = append(s.args, option+wants.Value(w.Name)), append(s.said, w.String())
		s.sample()
	case wants.Variable:
		if slices.ContainsFunc(s.env, func(e string) bool { return strings.HasPrefix(e, w.Name+"=") }) {
			return false
		}
		s.env, s.said = append(s.env, w.Name+"="+wants.Value(w.Name)), append(s.said, w.String())
	case wants.File, wants.Folder:
		return s.file(t, u, w)
	case wants.Command:
		if _, script := u.Job.Program.(job.Script); !script || slices.Contains(s.commands, w.Name) {
			return false
		}
		s.commands, s.said = append(s.commands, w.Name), append(s.said, "something in place of the command "+w.Name)
	default:
		return false
	}
	return true
}

// guessed is how many arguments a program gets that ends with an error and doesn't say why.
const guessed = 2

// countsArguments is how sources look at how many arguments there are.
var countsArguments = regexp.MustCompile(`\$#|\$\{#|\$@|"\$\*"|\blen\((?:sys\.argv|os\.Args|args)\)|\bprocess\.argv\.length\b|\bargs?\.length\b|\bflag\.NArg\b`)

// refused adds the arguments of a message of use, and else one more where the source counts them.
func (s *supplied) refused(source string, last run, usage []string) bool {
	switch {
	case len(s.args) == 0 && len(usage) > 0 && asks(last.res):
		for _, name := range usage {
			s.argument(name)
		}
	case s.guesses < guessed && slices.Contains(usageCodes, last.res.ExitCode) && countsArguments.MatchString(source):
		s.guesses++
		s.argument("file")
	default:
		return false
	}
	return true
}

func (s *supplied) argument(name string) {
	s.args = append(s.args, wants.Value(name))
	if s.said = append(s.said, strings.TrimSpace("an argument "+gate.Clip(name, 40))); len(s.args) == 1 {
		s.sample()
	}
}

// sample adds the file and the folder that made-up arguments name.
func (s *supplied) sample() {
	for _, f := range []workspace.File{{Path: wants.SampleFile, Data: []byte(wants.SampleText)}, {Path: path.Join(wants.SampleFolder, "first.txt"), Data: []byte(wants.SampleText)}} {
		if !slices.ContainsFunc(s.files, func(o workspace.File) bool { return o.Path == f.Path }) {
			s.files = append(s.files, f)
		}
	}
}

// file adds a file or a folder of the workspace: the folder of a file first, because a program
// that writes a file needs no more.
func (s *supplied) file(t *workspace.Tree, u plan.Unit, w wants.Want) bool {
	name := strings.TrimPrefix(w.Name, sandbox.Workspace+"/")
	if path.IsAbs(name) {
		return false // nothing can be put there
	}
	if name == w.Name {
		name = path.Join(u.Dir, name)
	}
	if name = path.Clean(name); name == "." || strings.HasPrefix(name, "../") || t.Has(name) || t.Withheld[name] || wants.Builds(name) {
		return false
	}
	dir := name
	if w.Kind == wants.File {
		dir = path.Dir(name)
	}
	has := func(p string) bool {
		return slices.ContainsFunc(s.files, func(f workspace.File) bool { return f.Path == p || strings.HasPrefix(f.Path, p+"/") })
	}
	switch {
	case dir != "." && !t.Dirs[dir] && !has(dir):
		s.files, s.said = append(s.files, workspace.File{Path: path.Join(dir, ".keep")}), append(s.said, "the folder "+gate.Clip(dir, 80))
	case w.Kind == wants.File && !has(name):
		s.files, s.said = append(s.files, workspace.File{Path: name, Data: []byte(wants.SampleText)}), append(s.said, "the file "+gate.Clip(name, 80))
	default:
		return false
	}
	return true
}

// errorLanguage is the language in whose words a unit's program ends.
func errorLanguage(u plan.Unit) gate.Language {
	if u.Job.Image == gate.LanguageTypeScript {
		return gate.LanguageJavaScript
	}
	return u.Job.Image
}

// assigned is how a script names an argument.
var assigned = regexp.MustCompile(`(?m)\b([A-Za-z_]\w*)\s*=\s*["']?(?:\$\{?|sys\.argv\[)([1-9])\b`)

// nameOf is what an argument is called: by the message, the source, or the message of use.
func nameOf(text string, w wants.Want, usage []string) string {
	if w.Name != "" && !strings.Contains(w.Name, "unbound variable") && !strings.Contains(w.Name, "not set") {
		return w.Name
	}
	for _, m := range assigned.FindAllStringSubmatch(text, 50) {
		if m[2] == string(rune('0'+w.At)) {
			return m[1]
		}
	}
	return wants.Name(usage, w.At)
}
