package job

import (
	"slices"
	"strconv"
	"strings"
	"time"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bats runs files of tests that Bats understands.
type Bats struct {
	Program string        // as it is started: "bats" is that of the image
	First   []string      // tests that run before the others, by name
	Cover   bool          // Bash tells which lines ran
	Budget  time.Duration // for all of them; 0 is none
	// Others is how long the others go on after First; 0 is as long as Budget. NearestOnly leaves
	// them out. Neither says anything where First is empty.
	Others      time.Duration
	NearestOnly bool
}

// batsTrace makes every Bash below a program tell its lines, by what each reads first. (An
// exported SHELLOPTS would do as well, and hand errexit and nounset down.) Bats runs a copy of
// each file, whose lines are those of the file.
const batsTrace = `t=/dev/shm/.gate-coverage/bats-trace
cat >$t <<'end'
PS4='+@gate@${BASH_SOURCE:+${BASH_SOURCE[0]/#${BATS_TEST_SOURCE:-/.}/${BATS_TEST_FILENAME-}}}@$LINENO@ '
set -x
end
BASH_ENV=$t exec "$@"`

func (b Bats) line(args, env []string) Line {
	started := b.shown(args)
	env = append([]string{"TERM=dumb"}, env...)
	if !b.Cover {
		return Line{Argv: started, Started: started, Env: env}
	}
	argv := []string{"bash", "-c", aroundShell, "bash", "bash", "-c", batsTrace, "bash"}
	if b.Budget > 0 {
		argv = append(argv, batsEnd, batsGrace, strconv.FormatFloat(stretched*b.Budget.Seconds(), 'f', 3, 64))
	}
	if len(b.First) > 0 {
		others := ""
		switch {
		case b.NearestOnly:
			others = "none"
		case b.Others > 0:
			others = strconv.FormatFloat(b.Others.Seconds(), 'f', 3, 64)
		}
		argv = append(argv, "bash", "-c", batsFirst, "bash", b.filter(), others)
	}
	return Line{Argv: append(argv, started...), Started: started, Env: env}
}

// batsFirst runs some tests, and then all of them for so many seconds: all that they take where
// there is no number. What it ends, it tells, and exits as after the first ones.
const batsFirst = `filter=$1 others=$2; shift 2
"$@" --filter "$filter"; first=$?
case $others in
none) exit $first ;;
"") exec "$@" ;;
esac
` + batsEnd + ` ` + batsGrace + ` "$others" "$@"; code=$?
[ $code = 124 ] || exit $code
echo >/dev/shm/.gate-coverage/` + TestsOthers + `
exit $first`

// filter is a regular expression for the tests that run first, as Bash has them.
func (b Bats) filter() string {
	var out []string
	for _, name := range b.First {
		out = append(out, regexp.QuoteMeta(name))
	}
	return "^(" + strings.Join(out, "|") + ")$"
}

// batsEnd ends the tests when the supervisor says that their budget is over, those that don't
// end within batsGrace for good.
const (
	batsEnd   = "timeout"
	batsGrace = "--kill-after=5"
)

func (b Bats) shown(args []string) []string {
	return slices.Concat([]string{b.Program, "--formatter", "tap"}, args)
}

// aroundBats reports whether a command is what we start Bats with.
func aroundBats(args []string) bool {
	return len(args) > 3 && args[0] == "bash" && (args[2] == batsTrace || args[2] == batsFirst) ||
		len(args) > 3 && args[0] == batsEnd && args[1] == batsGrace && strings.Trim(args[2], "0123456789.") == ""
}
