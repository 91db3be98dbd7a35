package execute

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// condition is another world in which a unit runs once more.
type condition struct {
	name  string // "on a build machine"
	env   []string
	clock bool // the clock shows later
	room  bool // the process has no limits of its own
	// about is what a source asks for that this may answer.
	about branch
}

// branch is what a source makes depend on something, one bit each.
type branch uint8

const (
	onTime branch = 1 << iota
	onBuild
	onHost
	onBounds
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
	{name: "without limits of its process", room: true, about: onBounds},
	{name: "on a build machine without limits of its process", env: buildEnv, room: true, about: onBuild | onBounds},
	{name: "as another user without limits of its process", env: hostEnv, room: true, about: onHost | onBounds},
	{name: "with the clock in 2030 and without limits of its process", room: true, clock: true, about: onTime | onBounds},
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
	// What only reads or prints a limit, as servers and runtimes do, costs a run as well.
	usesBounds = regexp.MustCompile(`(?i)\bgetrlimit|\bprlimit|\bRLIMIT_\w+|\bulimit\b|/proc/(?:self|\$\$|\d+)/limits\b|\bSIGXFSZ\b|\bSIGXCPU\b|\bEFBIG\b`)
)

// branches says what a source makes depend on the world, and by which lines.
func branches(text string) map[int]branch {
	found := map[int]branch{}
	if asksTime.MatchString(text) && usesTime.MatchString(text) {
		mark(found, text, onTime, asksTime, usesTime)
	}
	mark(found, text, onBuild, usesBuild)
	mark(found, text, onHost, usesHost)
	mark(found, text, onBounds, usesBounds)
	return found
}

func mark(found map[int]branch, text string, b branch, by ...*regexp.Regexp) {
	for _, re := range by {
		n, from := 1, 0
		for _, at := range re.FindAllStringIndex(text, -1) {
			n, from = n+strings.Count(text[from:at[0]], "\n"), at[0]
			found[n] |= b
		}
	}
}

// arm is how many lines after a condition are taken for those that depend on it.
const arm = 20

// dependsOn says on what of the world the change of a file may depend, which other conditions
// can tell. A condition that was there before the change tells nothing new where every
// changed line ran and so did what follows the condition: each of its arms was seen.
func dependsOn(text string, changed gate.LineSet, known coverage.Lines) branch {
	var all, open branch
	untold := known == nil || len(coverage.CountIn(changed, text, known).Uncovered) > 0
	for n, b := range branches(text) {
		all |= b
		if changed.Touches(n, n) || unrun(known, n+1, n+arm) {
			open |= b
		}
	}
	if untold {
		return all
	}
	return open
}

// unrun reports whether a line with code did not run.
func unrun(known coverage.Lines, from, to int) bool {
	for n := from; n <= to; n++ {
		if ran, code := known[n]; code && !ran {
			return true
		}
	}
	return false
}

// conditioned is a job under a condition, and what is to be said about that.
type conditioned struct {
	name string
	job  job.Job
	says string
	// standIns are the modules in whose place something is there.
	standIns []string
}

// of is a job under the condition. The error says that its clock cannot be moved.
func (c condition) of(j job.Job) (conditioned, error) {
	out := conditioned{name: c.name}
	if c.clock {
		shifted, what, err := j.AtTime(later)
		if err != nil {
			return conditioned{}, err
		}
		j, out.says = shifted, "shifted: "+what
	}
	out.job = j.In(c.env...)
	out.job.Unlimited = c.room
	return out, nil
}

// others returns the conditions under which a job runs again, at most so many, by what
// its sources ask. One that is not applicable is left out, and nothing is claimed about it.
func others(j job.Job, asked branch, suspicious bool, most int) []conditioned {
	if asked == 0 && !suspicious {
		return nil
	}
	sorted := slices.Clone(conditions)
	slices.SortStableFunc(sorted, func(x, y condition) int { return fit(y, asked) - fit(x, asked) })
	var out []conditioned
	for _, c := range sorted {
		if one, err := c.of(j); err == nil && len(out) < most {
			out = append(out, one)
		}
	}
	return out
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

// conditionalOn is the finding about something that a run did under a condition
// and no run did without.
func conditionalOn(c string, u plan.Unit, f gate.Finding) gate.Finding {
	at := ruleConditional.Severity
	if f.Rule == behaviour.Connection && strings.HasPrefix(c, "on a build machine") {
		at = gate.SeveritySuspicious // reports of coverage are sent from there
	}
	return gate.Finding{
		Rule: ruleConditional.ID, Layer: gate.LayerSandbox, Severity: at,
		Message:  "run as " + u.Kind + ", it " + ruleConditional.Message + ": " + c,
		Evidence: f.Rule + ": " + f.Evidence, Origin: "what it did in the sandbox",
	}
}

var ruleConditional = Rule{
	ID: "time-trigger/observed-conditional", Severity: gate.SeverityDangerous,
	Title:   "Behaviour under a condition only",
	Message: "did something suspicious under certain conditions only",
	Why:     "It was started again with a later clock, as on a build machine, as another user or without limits of its process, and did there what it had not done before. Code that waits for a day, a place or a victim hides from the person who tests it.",
	Instead: "Let the program do the same everywhere, or make what differs a documented setting.",
}
