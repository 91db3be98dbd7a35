package job

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Which lines ran is what the interpreters themselves say, written to a folder that
// is brought back. The program could write there as well: nothing of it improves a
// verdict.

// CoverFolder is what is brought back, in the workspace. It appears when a program
// has ended, so that no program finds it among its files.
const CoverFolder = behaviour.CoverageFolder

const (
	// goCoverFolder is in a folder that programs do not list.
	goCoverFolder = "/dev/shm/" + CoverFolder
	// goCoverArgument is what tests of Go are told.
	goCoverArgument = "-test.gocoverdir=" + goCoverFolder
)

// Counted returns the job so that it tells which of its lines ran. targets are the
// files that it runs and source is the text of the first. The error says why nothing
// tells.
func (j Job) Counted(targets []string, source string) (Job, error) {
	switch p := j.Program.(type) {
	case Python:
		p.Cover = targets
		j.Program = p
	case Node:
		p.Cover, p.Measured = true, targets
		j.Program = p
	case GoTests:
		p.Cover = true
		j.Program = p
	case GoProgram:
		if p.Wasi {
			return Job{}, uncounted(j.Image)
		}
		p.Cover = true
		j.Program = p
	case Script:
		switch {
		case p.Interpreter != "bash":
			return Job{}, &NotApplicable{p.Interpreter + " does not tell which of its lines ran"}
		case tracesItself.MatchString(source):
			return Job{}, &NotApplicable{"the script has a trace of its own"}
		}
		p.Cover = true
		j.Program = p
	case Bats:
		p.Cover = true
		j.Program = p
	case Make:
		p.Cover = true
		j.Program = p
	case Module:
		return Job{}, &NotApplicable{"nothing tells which of its instructions ran"}
	default:
		return Job{}, uncounted(j.Image)
	}
	return j, nil
}

func uncounted(image gate.Language) error {
	switch image {
	case gate.LanguagePython:
		return &NotApplicable{"only programs that are started directly are watched in Python"}
	case gate.LanguageGo:
		return &NotApplicable{"only programs that are started directly are watched in Go"}
	}
	return &NotApplicable{"nothing tells which of its lines ran"}
}

// aroundGo brings out what a Go program leaves.
const aroundGo = `d=/dev/shm/.gate-coverage
mkdir -p $d 2>/dev/null || exec "$@"
: >$d/tests-begin
exec 8>&2 2>/dev/null
trap : 30
"$@" 2>&8 8>&-
code=$?
cp -R $d /workspace/
exit $code`

func countedGo(counted bool, started []string) []string {
	if !counted {
		return started
	}
	return append([]string{"sh", "-c", aroundGo, "sh"}, started...)
}

// aroundShell gives Bash a place for its trace, of which every line is kept once,
// and what is given to eval. The last line completes it; what the script leaves running
// holds the place open, and goes on as it would without it.
const aroundShell = `d=/dev/shm/.gate-coverage c=/tmp/.gate-code
command -v awk >/dev/null && mkdir -p $d $c 2>/dev/null || exec "$@"
exec 186>&2 2>/dev/null
coproc awk -v c=$c/$$ '` + traceReader + `' 2>/dev/null
exec 187>/dev/fd/${COPROC[1]} 188<&${COPROC[0]}
BASH_XTRACEFD=187 PS4='+@gate@${BASH_SOURCE[0]-}@$LINENO@ ' "$@" 2>&186 186>&- 188<&-
code=$?
echo @gate-end@ >&187
read -r _ <&188
cp -R $d /workspace/
exit $code`

// traceReader writes down the lines of a trace, up to the last one of the script
// itself or the first that lets the shell skip what it traces (extdebug), and what follows an eval, up to the next line of the trace: the quotes around
// it are those of the trace.
// The first texts each have a file, the others share one. What is above the bound of a capture (1 MiB, and what is taken off)
// makes a file too long to be looked at to its end.
const traceReader = `BEGIN { m = 1048640; o = "/dev/shm/.gate-coverage/shell-lines"; printf "" >o }
function keep() {
  if (t == "" || z > m) { t = ""; return }
  if (substr(t, 1, 3) == "-- ") t = substr(t, 4)
  if (k > m && substr(t, 1, 1) == "\047") t = substr(t, 2)
  else if (substr(t, 1, 1) == "\047" && substr(t, length(t)) == "\047") { t = substr(t, 2, length(t) - 2); gsub(/\047\\\047\047/, "\047", t) }
  if (n2 < 40) n2++; if (n2 == 40) z += length(t)
  f = c "-" n2 ".sh"; print t >>f; close(f); t = ""
}
/^\++@gate@/ {
  keep(); split($0, p, "@"); k = p[3] "@" p[4]; if (o != "") l = k
  if (o != "" && !d && /@ .*extdebug/) { d = 1; print "@doubt@" k >o }
  if (!d && !(k in s) && n < 20000) { s[k]; n++; if (o != "") print k >o }
  i = index($0, "@ eval "); k = 0
  if (i > 0 && i == length(p[1] p[2] p[3] p[4]) + 4) { t = substr($0, i + 7, m + 1); k = length(t) }
  next
}
/^@gate-end@$/ && o != "" { keep(); print "@last@" l >o; close(o); o = ""; print "end"; fflush(); next }
END { keep() }
t != "" && k <= m { t = t "\n" substr($0, 1, m); k = length(t) }`

// AroundLeft reports whether a process that still ran at the end is one of our own,
// which waits for what the program left running.
func AroundLeft(command string) bool {
	return strings.HasPrefix(command, "awk -v c="+behaviour.CodeFolder+"/") && strings.Contains(command, "shell-lines")
}

// tracesItself is a script that the trace would disturb.
var tracesItself = regexp.MustCompile(`\bset\s+[-+]\w*x|xtrace|BASH_XTRACEFD|\bPS4\b`)

// Around reports whether a command is one of our own around a program whose lines
// are counted.
func Around(args []string) bool {
	const folder = goCoverFolder
	return aroundBats(args) || aroundGoTests(args) || aroundNodeTests(args) || slices.Equal(args, []string{"mkdir", "-p", folder}) || slices.Equal(args, []string{"mkdir", "-p", folder, behaviour.CodeFolder}) ||
		slices.Equal(args, []string{"cp", "-R", folder, sandbox.Workspace + "/"}) ||
		len(args) == 4 && args[0] == "awk" && len(args[3]) >= 100 && strings.HasPrefix(traceReader, args[3])
}

// WithoutCount returns the arguments of a command without those that tests of Go are
// given so that their lines are counted and the nearest of them run first.
func WithoutCount(args []string) []string {
	if i := slices.Index(args, "-exec"); i > 0 && i+1 < len(args) && len(args[i+1]) >= 100 && strings.HasPrefix(goTwiceWord, args[i+1]) {
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	if i := slices.Index(args, goCoverArgument); i > 0 {
		return slices.Delete(slices.Clone(args), i, i+1)
	}
	return args
}
