package behaviour

import (
	"path"
	"slices"

	"github.com/aigate/gate/gate/execute/canary"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// several is how many files have lost what they held before that is no accident: a test
// may reset one, and a generator may leave one empty.
const several = 3

// losses are files that the program did not make, that are still there, and that have lost what
// they held.
type losses struct {
	emptied, scrambled []sandbox.Event // of the project
	// doubtful are those that an honest program may leave so: cut, packed, or like others.
	doubtful []sandbox.Event
	home     []sandbox.Event // that were planted in the home folder
	stored   []sandbox.Event // that were planted in folders for data
	history  []sandbox.Event // branches and tags of planted repositories
	source   []hit           // of the program itself, or a trace of what happened
}

// madeAgain are files of the project that programs make, and empty when they begin: logs,
// and what a build, a run of tests or a cache leaves.
var madeAgain = regexp.MustCompile(`(?i)\.(?:log|out|tmp|bak|pid|lock|cache|lcov|trace|prof|min\.js|min\.css|map|tsbuildinfo)$|/(?:logs?|build|dist|out|output|coverage|htmlcov|target|tmp|temp|\.?cache|\.next|\.nyc_output|node_modules|__snapshots__)/`)

// overwritten sorts the losses of a run, without the files that are gone already.
func overwritten(s *trace, gone map[string]bool) losses {
	var l losses
	for _, e := range s.of(sandbox.ActionOverwrite) {
		p := path.Clean(e.Object)
		if len(e.Args) == 0 || gone[p] {
			continue
		}
		_, planted := canary.Planted(p)
		how := sandbox.Loss(e.Args[0])
		sure := how == sandbox.LossEmptied || how == sandbox.LossFilled || how == sandbox.LossScrambled || how == sandbox.LossEncrypted || how == sandbox.LossRows
		switch {
		case how == sandbox.LossRewritten || how == sandbox.LossReplaced || how == sandbox.LossRemoved:
			l.history = append(l.history, e)
		case traceFiles.MatchString(p):
			l.source = append(l.source, hits(ruleProtection, s.inRecipe(ruleProtection.Severity), e)...)
		case planted && !s.Has(p):
			sure = sure || how == sandbox.LossAlike // no program has a reason to write one text over several of these
			switch {
			case sure && inDataFolder(p):
				l.stored = append(l.stored, e)
			case sure:
				l.home = append(l.home, e)
			}
		case !s.Has(p):
		case slices.Contains(s.Targets, p) && sure:
			l.source = append(l.source, hits(ruleOwnSource, ruleOwnSource.Severity, e)...)
			l.sort(e, how)
		case madeAgain.MatchString(p) && how != sandbox.LossScrambled && how != sandbox.LossEncrypted:
		default:
			l.sort(e, how)
		}
	}
	return l
}

func (l *losses) sort(e sandbox.Event, how sandbox.Loss) {
	switch how {
	case sandbox.LossEmptied, sandbox.LossFilled:
		l.emptied = append(l.emptied, e)
	case sandbox.LossScrambled, sandbox.LossEncrypted:
		l.scrambled = append(l.scrambled, e)
	case sandbox.LossCut, sandbox.LossAlike, sandbox.LossPacked:
		l.doubtful = append(l.doubtful, e)
	}
}
