package execute

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Functions that nothing calls do nothing. Where changed lines have not run, the functions
// they are in are called, with arguments that are made up; where lines still have not run,
// once more with the conditions in front of them taken as met. What an invented argument
// names was not chosen by the program, so nothing that happens to it is looked at.

// exercise calls the functions of modules and programs of which lines of the change have
// not run.
func (r *rounds) exercise(ctx context.Context) error {
	return r.callAll(ctx, false)
}

// forForced is the time of one run with conditions taken as met, in which loops often don't end: what
// a line does shows soon after it is reached. Go is given the time to build as well.
func forForced(p gate.SandboxPolicy, l gate.Language) time.Duration {
	if l == gate.LanguageGo {
		return p.Timeout / 2
	}
	return p.Timeout / 3
}

// forced does that under the conditions that keep lines of the change from running.
func (r *rounds) forced(ctx context.Context) error {
	if r.conditions == 0 {
		return nil
	}
	return r.callAll(ctx, true)
}

func (r *rounds) callAll(ctx context.Context, force bool) error {
	all := covers(r.results)
	plain := coversOf(r.results, false) // what a run under a condition reached, a condition keeps back
	type call struct {
		unit int
		as   []plan.Unit // one after the other: their runs are added to one result
		done bool
	}
	var todo []call
	golang := map[string]bool{} // folders whose functions are called
	for i, u := range r.units {
		if !r.worthExercise(u, r.results[i], all, force) {
			continue
		}
		c := job.Calls{Touched: map[string][][2]int{}}
		for _, t := range u.Targets {
			lines := r.texts().untold(t, all)
			if _, known := all[t]; known && len(lines) == 0 && u.Job.Image == gate.LanguageGo {
				continue // every line of it ran; no lines would mean all of them
			}
			if c.Touched[t] = lines; force {
				lines := slices.Concat(r.texts().keptBack(t, plain), r.texts().guarded(t))
				if u.Job.Image == gate.LanguageShell {
					lines = c.Touched[t] // a run of it costs little
				}
				if len(lines) > 0 {
					if c.Force == nil {
						c.Force = map[string][][2]int{}
					}
					c.Force[t] = lines
				}
			}
		}
		if force && len(c.Force) == 0 {
			continue
		}
		if force {
			r.texts().chosenElsewhere(c.Force)
		}
		var as []plan.Unit
		for _, one := range r.calls(u, r.results[i].jobOf(u), c) {
			if key := one.Dir + "\x00" + one.Targets[0]; one.Job.Image == gate.LanguageGo && golang[key] {
				continue
			} else {
				golang[key] = true
			}
			if force {
				one.Extra = slices.Concat(one.Extra, samples(r.life.prepare.tree, one))
			}
			as = append(as, one)
			r.life.expect(ctx, one, one.Job)
		}
		if len(as) > 0 {
			todo = append(todo, call{unit: i, as: as})
		}
	}
	err := gate.ForEach(ctx, r.parallel, len(todo), func(ctx context.Context, i int) error {
		t := &todo[i]
		for _, one := range t.as {
			r.life.exercise(ctx, one, one.Job, &r.results[t.unit], force)
		}
		t.done = true
		r.progress.report("functions of " + r.units[t.unit].Targets[0])
		return nil
	})
	for _, t := range todo {
		if one := &r.results[t.unit]; !t.done && one.unseen == "" {
			one.unseen = "its functions were not called: " + err.Error()
		}
	}
	return err
}

// calls are the runs in which functions are called for the sake of some lines.
func (r *rounds) calls(u plan.Unit, j job.Job, c job.Calls) []plan.Unit {
	if u.Job.Image == gate.LanguageGo {
		return plan.GoCalls(r.life.prepare.tree, u, c.Touched, c.Force)
	}
	if _, shell := u.Job.Program.(job.Script); shell {
		return plan.ShellForced(r.life.prepare.tree, u, c.Force[u.Targets[0]])
	}
	called, err := j.Exercised(c)
	if err != nil {
		return nil
	}
	u.Job = called
	return []plan.Unit{u}
}

// samples are the data that a run finds in folders that its files name.
func samples(tree *workspace.Tree, u plan.Unit) []workspace.File {
	dir := u.Dir
	if u.Job.Image == gate.LanguageGo {
		dir = workspace.Parent(u.Targets[0]) // where tests run
	}
	var texts []string
	for _, t := range u.Targets {
		texts = append(texts, tree.Text(t))
	}
	return plan.Samples(tree, dir, texts...)
}

// untold are the changed lines of a file that are not known to have run and that do something; none
// are all lines.
func (t changedTexts) untold(file string, all coverage.Profile) [][2]int {
	known, ok := all[file]
	if !ok {
		return pairs(t.changed[file].Ranges())
	}
	text := t.sources[file]
	return pairs(acting(text, coverage.CountIn(t.changed[file], text, known).Uncovered))
}

// idle is a line that only leaves: with a value, or with an error that it makes.
var idle = regexp.MustCompile(`^\s*(?:[{}()\[\];,]*|return\b[^()]*|return\b.*\b(?:fmt\.Errorf|errors\.(?:New|Join|Wrap\w*)|Err\(\w+)\(.*|(?:raise|throw)\b.*|continue|break|pass|panic\(.*|(?:log|t|b)\.Fatal.*|os\.Exit\(.*|sys\.exit\(.*|process\.exit\(.*|(?:fmt\.Fp|p)rint.*|console\.\w+\(.*)[;,]?\s*$`)

// acting are those ranges of lines that have one which is not idle.
func acting(text string, ranges []gate.LineRange) []gate.LineRange {
	lines := strings.Split(text, "\n")
	return slices.DeleteFunc(slices.Clone(ranges), func(at gate.LineRange) bool {
		return !slices.ContainsFunc(lines[min(max(at[0]-1, 0), len(lines)):min(at[1], len(lines))], func(l string) bool { return !idle.MatchString(l) })
	})
}

// keptBack are the changed lines that are known not to have run and that a condition on
// the world may keep from running.
func (t changedTexts) keptBack(file string, all coverage.Profile) [][2]int {
	known, ok := all[file]
	if !ok {
		return nil
	}
	text := t.sources[file]
	lines := strings.Split(text, "\n")
	uncovered := acting(text, coverage.CountIn(t.changed[file], text, known).Uncovered)
	dangers := harmful(file, t.changed, t.sources)
	if !slices.ContainsFunc(uncovered, func(at gate.LineRange) bool {
		to := min(at[1], len(lines))
		missed := strings.Join(lines[max(0, at[0]-1):to], "\n")
		return harms.MatchString(missed) || callsOne(missed, dangers) || awaits.MatchString(strings.Join(lines[max(0, at[0]-reach):to], "\n"))
	}) {
		return nil
	}
	return pairs(uncovered)
}

// harmful are the functions of the files of a change, of the folder of one of them, that can do harm.
func harmful(file string, changed map[string]gate.LineSet, sources coverage.Sources) map[string]bool {
	out := map[string]bool{}
	for other := range changed {
		if path.Dir(other) != path.Dir(file) {
			continue
		}
		lines := strings.Split(sources[other], "\n")
		for n, line := range lines {
			name := declares(line)
			if name == "" {
				continue
			}
			end := n + 1
			for end < len(lines) && end < n+maxBody && declares(lines[end]) == "" {
				end++
			}
			if harms.MatchString(strings.Join(lines[n:end], "\n")) {
				out[name] = true
			}
		}
	}
	return out
}

// callsOne reports whether a text calls one of some functions.
func callsOne(text string, functions map[string]bool) bool {
	return slices.ContainsFunc(called.FindAllStringSubmatch(text, -1), func(m []string) bool { return functions[m[1]] })
}

// declares is the name of the function that begins on a line, "" for none.
func declares(line string) string {
	m := declared.FindStringSubmatch(line)
	if m == nil || slices.Contains([]string{"if", "for", "while", "switch", "catch", "function", "with"}, m[3]) {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// maxBody bounds the lines of a function that are looked at.
const maxBody = 60

// declared is a line on which a function begins, called what is called.
var (
	declared = regexp.MustCompile(`^\s*(?:(?:export\s+|default\s+|async\s+|static\s+|private\s+|public\s+)*(?:def|function\*?|func(?:\s+\([^)]*\))?)\s+(\w+)|(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|(?:async\s+)?(\w+)\s*\([^)]*\)\s*\{\s*$)`)
	called   = regexp.MustCompile(`(\w+)\s*\(`)
)

// guarded are the changed lines that hold a condition on the world, or one in front of harm, and
// what it guards: that such a line ran does not say that what it guards did.
func guarded(text string, changed gate.LineSet, dangers map[string]bool) [][2]int {
	var out [][2]int
	for n, line := range strings.Split(text, "\n") {
		n++
		if m := oneLine.FindStringSubmatch(line); m != nil && changed.Touches(n, n) && !idle.MatchString(m[1]+m[2]) && (awaits.MatchString(line) || harms.MatchString(m[1]+m[2]) || callsOne(m[1]+m[2], dangers)) {
			out = append(out, [2]int{n, n})
		}
	}
	return out
}

// oneLine is a condition of JavaScript or Python with what it guards, of which it takes the latter
// as one of its groups.
var oneLine = regexp.MustCompile(`^\s*(?:if\s*\(.*\)\s+((?:await\s+|void\s+)?[\w.]+\(.*)|(?:el)?if\b[^#]*:\s+([\w.]+\(.*))$`)

func pairs(ranges []gate.LineRange) [][2]int {
	var out [][2]int
	for _, r := range ranges {
		out = append(out, [2]int(r))
	}
	return out
}

// worthExercise reports whether a module could be imported, or a program ran, and some of its
// changed lines are not known to have run, or with force some that are guarded.
func (r *rounds) worthExercise(u plan.Unit, one result, all coverage.Profile, force bool) bool {
	if u.Kind != plan.Module && u.Kind != plan.Script && u.Kind != plan.Tests || one.lost != "" || len(one.runs) == 0 {
		return false
	}
	if u.Kind == plan.Tests && u.Job.Image != gate.LanguageGo {
		return false
	}
	last := one.runs[0].res // or the last one that called no function: a call may wait for ever
	for _, r := range one.runs {
		if r.kind == "" && r.condition == "" {
			last = r.res
		}
	}
	if u.Kind == plan.Module && (rank(statusOf(last.Status)) > rank(gate.ExecutionExited) || last.ExitCode != 0) {
		return false
	}
	return slices.ContainsFunc(u.Targets, func(t string) bool {
		known, ok := all[t]
		return force && u.Job.Image != gate.LanguageShell && len(r.texts().guarded(t)) > 0 || !ok && (u.Kind == plan.Module || u.Job.Image == gate.LanguageShell) || ok && len(coverage.CountIn(r.changed[t], r.life.observe.sources[t], known).Uncovered) > 0
	})
}

// awaits is what programs wait for: a time, a machine, a user, a setting, an argument, a number
// of times.
var awaits = regexp.MustCompile(`(?i)\b(?:datetime|date|time|today|now|year|month|weekday|isoweekday|getDay|hour)\b|\bDate\b|time\.Now|gethostname|hostname|getuser|getlogin|\bgetuid\b|\buser(?:name|Info)?\b|environ|getenv|process\.env|Getenv|LookupEnv|\bplatform\b|sys\.argv|process\.argv|os\.Args|\bcount(?:er)?\b|\bcalls\b|\bruns\b|sha256|hashlib|createHash|\bCI\b|\brandom\b|locale|timezone|GOOS|GOARCH|\bos\.name\b|\buname\b|win32|darwin|\bwindows\b|APPDATA|\blen\([^)\n]*\)\s*(?:>=?|==|%)\s*\d{2,}|\.(?:length|size)\s*(?:>=?|===?|%)\s*\d{2,}|%\s*\d{2,}|\bstatus\b|\bcode\b|\bresp(?:onse)?\b|\banswer\b|HTTPError|\bexists\b|\bisfile\b`)

// harms is what lines do that can do harm: removing files, starting programs, making code of
// text, talking to others, and what lies in the home folder.
var harms = regexp.MustCompile(`(?i)\brm(?:tree|Sync|dir\w*)?\b|\bunlink\w*|\bremove(?:All|dirs|Sync)?\s*\(|\bRemoveAll\b|-delete\b|\btruncate\w*|\bshred\b|subprocess|child_process|\bexec\w*\s*\(|exec\.C|\bspawn\w*\s*\(|\bPopen\b|\bos\.system\b|\bcheck_(?:call|output)\b|\beval\b|\bFunction\s*\(|\bimport\s*\(|importlib|\bfetch\s*\(|\burlopen\b|\brequests?\.|\bhttps?\.|\bhttpx\.|\bsocket\b|\bDial\w*\b|\b(?:create)?connect\w*\s*\(|\bcurl\b|\bwget\b|home\(\)|\bhomedir\b|HomeDir|expanduser|\$HOME\b|~/|append(?:File\w*)\s*\(`)

// reach is how many lines in front of a line a condition is looked for that keeps it from
// running.
const reach = 12

// withoutGiven takes out of a behaviour what happened to values that were made up, and names
// commands that were recorded in the place of others.
func withoutGiven(seen sandbox.Behaviour) sandbox.Behaviour {
	seen.Events = slices.DeleteFunc(slices.Clone(seen.Events), func(e sandbox.Event) bool { return madeUp(e, job.Given) })
	for i, e := range seen.Events {
		if e.Action != sandbox.ActionExec || len(e.Args) == 0 {
			continue
		}
		if name, ok := strings.CutPrefix(e.Args[0], job.Tool); ok {
			seen.Events[i].Object, seen.Events[i].Args = "/usr/bin/"+path.Base(name), append([]string{name}, e.Args[1:]...)
		}
	}
	seen.Captures = slices.DeleteFunc(slices.Clone(seen.Captures), func(c sandbox.Capture) bool { return madeUpCode(c, job.Given) })
	return seen
}

// forcedOn is the finding about something that happened only when conditions were taken as
// met; ok is false where that says too little: an honest program asks as well before it does
// what it is for.
// A program whose condition is a date or chance (aimless) has no user who asked.
func forcedOn(f gate.Finding, aimless bool) (out gate.Finding, ok bool) {
	if lost.MatchString(f.Rule) {
		f.Severity = max(f.Severity, gate.SeveritySuspicious) // few files at a certain time are no accident
	}
	if f.Severity < gate.SeveritySuspicious || weakly.MatchString(f.Rule) && !(aimless && onRequest.MatchString(f.Rule)) {
		return gate.Finding{}, false
	}
	return gate.Finding{
		Rule: ruleForced.ID, Layer: gate.LayerSandbox, Severity: f.Severity,
		Message:  "when its functions were called, it " + ruleForced.Message,
		Evidence: f.Rule + ": " + f.Evidence, Origin: "what it did in the sandbox",
	}, true
}

// lost are rules about data that is gone.
var lost = regexp.MustCompile(`^deletion/observed-(?:input-files|home|ransom)$`)

// weakly are rules about what honest programs do when they are asked to.
var weakly = regexp.MustCompile(`^(?:network|resource-exhaustion|process|shell-out|package-install|file-access|file-write|execution|cloud-metadata)/|^(?:persistence|privilege)/observed-(?:command|start-file|accounts)$|^deletion/observed-own-source$`)

// onRequest are rules about what people ask installers for: to start again, to have rights.
var onRequest = regexp.MustCompile(`^(?:persistence|privilege)/observed-(?:command|start-file|accounts)$`)

// aimless are conditions on chance and on the date, by which no one asks a program for something.
var aimless = regexp.MustCompile(`\b(?:if|elif|while|unless)\b[^\n]*(?:Math\.random|\brandom\.|\brand\.|\bsecrets\.|\bRANDOM\b|getFullYear|getMonth|getDay\b|getDate\b|\.(?:year|month|weekday|isoweekday|Year|Month|Weekday|YearDay)\b|\bdate\s+\+|date\((?:19|20)\d\d)|\$\{?RANDOM\b`)

var ruleForced = Rule{
	ID: "time-trigger/observed-forced", Severity: gate.SeverityDangerous,
	Title:   "Harm where a condition was forced",
	Message: "did something harmful where a condition was taken as met",
	Why:     "Lines of the change did not run under any condition that was tried. The conditions in front of them were taken as met, and then it did this. Code that waits for a day, a place, a victim or a number of times hides from the person who tests it.",
	Instead: "Let the program do the same everywhere, or make what differs a documented setting.",
}
