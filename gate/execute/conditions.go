package execute

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
)

// condition is another world in which a unit runs once more.
type condition struct {
	name  string // "on a build machine"
	env   []string
	clock bool // the clock shows later
	// about is what a source asks for that this may answer.
	about branch
}

// branch is what a source makes depend on something, one bit each.
type branch uint8

const (
	onTime branch = 1 << iota
	onBuild
	onHost
)

// later is the time that a shifted clock shows: 2030-06-15 12:00 UTC.
const later = 1907755200

// conditions are all of them, in the order in which they are tried where nothing
// in the source speaks for another one.
var conditions = []condition{
	{name: "on a build machine", env: buildEnv, about: onBuild},
	{name: "with the clock in 2030", clock: true, about: onTime},
	{name: "as another user on another host", env: hostEnv, about: onHost},
	{name: "on a build machine with the clock in 2030", env: buildEnv, clock: true, about: onBuild | onTime},
	{name: "as another user with the clock in 2030", env: hostEnv, clock: true, about: onHost | onTime},
	{name: "as another user on a build machine", env: slices.Concat(buildEnv, hostEnv), about: onBuild | onHost},
}

var (
	buildEnv = []string{
		"CI=true", "GITHUB_ACTIONS=true", "GITHUB_WORKFLOW=build", "GITHUB_RUN_ID=1", "GITHUB_REPOSITORY=example/project", "GITHUB_REF=refs/heads/main",
		"RUNNER_OS=Linux", "BUILD_NUMBER=1",
	}
	hostEnv = []string{"USER=root", "LOGNAME=root", "USERNAME=root", "HOSTNAME=prod-web-01", "TZ=Asia/Tokyo", "LANG=ru_RU.UTF-8"}
)

// Where sources make what they do depend on the world. A line with a condition
// and a word for it is enough: a wrong guess costs a run.
var (
	conditional = `(?:\bif\b|\belif\b|\bwhile\b|\bwhen\b|\bcase\b|\bswitch\b|\bunless\b|\[\[? |\? |&&|\|\||\band\b|\bor\b|[<>=]=|\bassert\b)`
	asksTime    = regexp.MustCompile(`\bdatetime\b|\btime\.(?:time|localtime|gmtime|strftime|Now)\b|\bDate\b|\$\(date\b|` + "`date\\b" + `|EPOCHSECONDS|\bSECONDS\b`)
	usesTime    = regexp.MustCompile(`(?i)` + conditional + `.*(?:year|month|day|hour|minute|now\b|today|date|time|stamp|expir|deadline|\b20[2-9]\d\b|\b1[7-9]\d{8}\b)`)
	usesBuild   = regexp.MustCompile(`\b(?:CI|GITHUB_\w+|GITLAB_CI|JENKINS\w*|TRAVIS|CIRCLECI|BUILDKITE|TF_BUILD|RUNNER_\w+|BUILD_NUMBER|isCI|is_ci|ci-info)\b`)
	usesHost    = regexp.MustCompile(`gethostname|getuser\b|\bgetlogin\b|platform\.node|os\.hostname|userInfo\(|os\.Hostname|user\.Current|\b(?:LOGNAME|USERNAME|HOSTNAME|COMPUTERNAME|USER)\b|\bwhoami\b|\bhostname\b|\bTZ\b|tzname|timeZone|getdefaultlocale|\bLANG\b`)
)

// branches says what a source makes depend on the world.
func branches(text string) branch {
	var b branch
	if asksTime.MatchString(text) && usesTime.MatchString(text) {
		b |= onTime
	}
	if usesBuild.MatchString(text) {
		b |= onBuild
	}
	if usesHost.MatchString(text) {
		b |= onHost
	}
	return b
}

//go:embed bootstrap/clock.mjs
var nodeClock string

// shiftClock returns how a unit runs with its clock moved, and for what; ok is
// false where that is not possible, and then nothing is claimed.
func shiftClock(u unit) (argv, env []string, what string, ok bool) {
	argv = slices.Clone(u.argv)
	switch {
	case interpreted(argv):
		argv[wasmClock] = strconv.Itoa(later)
		return argv, u.env, "the clock of the module", true
	case u.image == gate.LanguagePython:
		code := slices.Index(argv, pythonBootstrap)
		if code < 0 || code+1 >= len(argv) {
			return nil, nil, "", false
		}
		var job pythonJob
		if json.Unmarshal([]byte(argv[code+1]), &job) != nil {
			return nil, nil, "", false
		}
		job.Clock = later
		data, _ := json.Marshal(job) // strings and a number: cannot fail
		argv[code+1] = string(data)
		return argv, u.env, "Python's time and datetime, in this process", true
	case u.image == gate.LanguageJavaScript:
		patch := "--import=data:text/javascript;base64," + base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(nodeClock, "LATER", fmt.Sprint(int64(later)*1000))))
		return argv, nodeOption(slices.Clone(u.env), patch), "Node's Date", true
	case u.image == gate.LanguageShell && len(argv) > 0 && argv[0] == "bash":
		// Bash takes functions from its environment. A file in the search path would
		// do for every shell, but nothing in a writable folder can be executed.
		shim := fmt.Sprintf(`BASH_FUNC_date%%%%=() { command date -d "@$((%d + SECONDS))" "$@"; }`, int64(later))
		return argv, append(slices.Clone(u.env), shim), "the date command in Bash", true
	}
	return nil, nil, "", false
}

// others returns the conditions under which a unit runs again.
func (b *batch) others(u unit, suspicious bool) []condition {
	var asks branch
	for _, t := range u.targets {
		asks |= branches(b.tree.Text(t))
	}
	if asks == 0 && !suspicious {
		return nil
	}
	var out []condition
	for _, c := range conditions {
		if _, _, _, ok := shiftClock(u); ok || !c.clock {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y condition) int { return fit(y, asks) - fit(x, asks) })
	return out[:min(len(out), b.stage.o.Policy.Conditions)]
}

// fit is how well a condition answers what a source asks.
func fit(c condition, asks branch) int {
	switch {
	case c.about&asks == 0, c.about&^asks != 0:
		return 0
	case c.about == asks:
		return 2
	}
	return 1
}

// varyAll runs the units again for which other conditions may tell more.
func (b *batch) varyAll(ctx context.Context) error {
	type again struct {
		unit       int
		conditions []condition
		done       bool
	}
	var todo []again
	for i, u := range b.units {
		r := b.results[i]
		if r.lost != "" || b.stage.o.Policy.Conditions == 0 {
			continue
		}
		if c := b.others(u, b.suspected(u, r)); len(c) > 0 {
			todo = append(todo, again{unit: i, conditions: c})
			for _, one := range c {
				v, _ := one.of(u)
				b.expect(ctx, v, v.argv)
			}
		}
	}
	err := gate.ForEach(ctx, b.stage.o.Parallel, len(todo), func(ctx context.Context, i int) error {
		t := &todo[i]
		b.vary(ctx, b.units[t.unit], &b.results[t.unit], t.conditions)
		t.done = true
		b.report("other conditions for " + b.units[t.unit].targets[0])
		return nil
	})
	for _, t := range todo {
		if r := &b.results[t.unit]; !t.done && r.unseen == "" {
			r.unseen = "it was not run under other conditions: " + err.Error()
		}
	}
	return err
}

// vary runs a unit under other conditions. What it lacks there it lacks in the
// first run as well, so only a run that did not come about is a gap.
func (b *batch) vary(ctx context.Context, u unit, r *result, conditions []condition) {
	for _, c := range conditions {
		v, says := c.of(u)
		one, err := b.once(ctx, v, v.argv)
		if err != nil {
			r.unseen = cmp.Or(r.unseen, "it was not run "+c.name+": "+err.Error())
			continue
		}
		r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
		one.res.Behaviour = b.own(u, one.res.Behaviour)
		one.condition, one.note = c.name, says
		if note := diagnose(u, one.res, b.tree.Withheld).note; note != "" {
			one.note = strings.TrimPrefix(says+"; "+note, "; ")
		}
		r.runs = append(r.runs, one)
	}
}

// of is a unit under a condition, and what is to be said about that.
func (c condition) of(u unit) (v unit, says string) {
	v = u
	if c.clock {
		argv, env, what, _ := shiftClock(u)
		v.argv, v.env = argv, env
		says = "shifted: " + what
	}
	v.env = slices.Concat(v.env, c.env)
	return v, says
}

// suspected reports whether a layer has more than a note about a unit.
func (b *batch) suspected(u unit, r result) bool {
	for _, t := range u.targets {
		if b.found.Worst(t) >= gate.SeveritySuspicious {
			return true
		}
	}
	return slices.ContainsFunc(b.behaved(u, r), func(f gate.Finding) bool { return f.Severity >= gate.SeveritySuspicious })
}

// conditionalOn is the finding about something that a run did under a condition
// and no run did without.
func conditionalOn(c string, u unit, f gate.Finding) gate.Finding {
	at := ruleConditional.Severity
	if f.Rule == behaviour.Connection && strings.HasPrefix(c, "on a build machine") {
		at = gate.SeveritySuspicious // reports of coverage are sent from there
	}
	return gate.Finding{
		Rule: ruleConditional.ID, Layer: gate.LayerSandbox, Severity: at,
		Message:  "run as " + u.kind + ", it " + ruleConditional.Title + ": " + c,
		Evidence: f.Rule + ": " + f.Evidence, Origin: "what it did in the sandbox",
	}
}

var ruleConditional = Rule{
	ID: "time-trigger/observed-conditional", Severity: gate.SeverityDangerous,
	Title:   "did something suspicious under certain conditions only",
	Why:     "It was started again with a later clock, as on a build machine or as another user, and did there what it had not done before. Code that waits for a day, a place or a victim hides from whoever tests it.",
	Instead: "Let the program do the same everywhere, or make what differs a documented setting.",
}
