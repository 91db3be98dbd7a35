package behaviour

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleWipedInput = Rule{
		ID: "deletion/observed-input-files", Severity: gate.SeverityDangerous,
		Title:   "Project files deleted or emptied",
		Message: "deleted or emptied files of the project",
		Why:     "Anyone who runs it where the project lies loses work.",
		Instead: "Delete only files that the program made, by name.",
	}
	ruleRansom = Rule{
		ID: "deletion/observed-ransom", Severity: gate.SeverityDangerous,
		Title:   "Project files replaced or encrypted",
		Message: "replaced or encrypted files of the project",
		Why:     "Reading many files and leaving something else, under other names or where they are, is what encrypting for a ransom looks like.",
		Instead: "Write results beside the originals and leave those alone.",
	}
	ruleOwnSource = Rule{
		ID: "deletion/observed-own-source", Severity: gate.SeveritySuspicious,
		Title:   "Own source deleted or emptied",
		Message: "deleted or emptied its own source",
		Why:     "What is gone cannot be looked at afterwards.",
		Instead: "There is no benign use in a code change.",
	}
	ruleWipedHome = Rule{
		ID: "deletion/observed-home", Severity: gate.SeverityDangerous,
		Title:   "Home folder files deleted or emptied",
		Message: "deleted or emptied files in the home folder that it did not make",
		Why:     "Keys and settings that are gone lock people out of their own systems.",
		Instead: "Delete only files that the program made, by name.",
	}
	ruleHistory = Rule{
		ID: "deletion/observed-git-history", Severity: gate.SeveritySuspicious,
		Title:   "Git history rewritten or branches deleted",
		Message: "removed commits, branches or tags of a repository that it did not make",
		Why:     "Commits that no branch or tag has are lost, in a remote for everybody who works with it.",
		Instead: "Revert with a new commit, and let people delete branches by hand.",
	}
	ruleWipedSystem = Rule{
		ID: "deletion/observed-system", Severity: gate.SeveritySuspicious,
		Title:   "Files of the system or of its data deleted",
		Message: "deleted or emptied files of the system, or tried to",
		Why:     "What lies there, such as backups and shared folders, belongs to the machine and to other people.",
		Instead: "Delete only files that the program made, by name.",
	}
)

// many is how many files make an accident unlikely.
const many = 5

var volatileFolders = regexp.MustCompile(`^/(?:var/(?:run|tmp|cache|lock)|run)(?:/|$)`)

// wiped are files that the program did not make and that are gone.
func wiped(s *trace) []hit {
	var out []hit
	read := map[string]bool{}
	for _, e := range s.of(sandbox.ActionRead) {
		read[path.Clean(e.Object)] = true
	}
	var input, home, system, replaced, stored []sandbox.Event
	for _, e := range s.of(sandbox.ActionDelete, sandbox.ActionRename) {
		p := path.Clean(e.Object)
		file, planted := canary.Planted(p)
		switch {
		case e.Object == canary.Home+"/": // it tried to remove all of it
			home = append(home, e, e)
		case planted && tidied(e, file):
		case keptByGit(s, p, planted):
		case s.Has(p):
			if e.Action == sandbox.ActionRename && s.Has(target(e)) {
				continue // one file of the project over another
			}
			if slices.Contains(s.Targets, p) {
				out = append(out, hits(ruleOwnSource, ruleOwnSource.Severity, e)...)
			}
			if read[p] && (e.Action == sandbox.ActionRename || s.madeBeside(p)) {
				replaced = append(replaced, e)
			} else {
				input = append(input, e)
			}
		case planted && inDataFolder(p):
			stored = append(stored, e)
		case planted:
			home = append(home, e)
		case traceFiles.MatchString(p):
			out = append(out, hits(ruleProtection, s.inRecipe(ruleProtection.Severity), e)...)
		case !writable(p) && p[0] == '/' && !volatileFolders.MatchString(p) && !s.finishes(e) && !ownData(s, e):
			system = append(system, e)
		}
	}
	gone := map[string]bool{}
	for _, e := range slices.Concat(input, replaced, home, stored) {
		gone[path.Clean(e.Object)] = true
	}
	lost := overwritten(s, gone)
	out = append(out, lost.source...)
	input, replaced, home = append(input, lost.emptied...), append(replaced, lost.scrambled...), append(home, lost.home...)
	stored = append(stored, lost.stored...)
	add := func(rule Rule, events []sandbox.Event, few gate.Severity, enough int) {
		at := rule.Severity
		if len(events) < enough {
			at = few
		}
		for _, e := range events {
			out = append(out, hits(rule, at, e)...)
		}
	}
	out = append(out, s.rewritten(read)...)
	out = append(out, history(lost.history)...)
	share := max(3, min(many, s.Input/2))
	few := func(events []sandbox.Event) gate.Severity {
		if len(lost.emptied)+len(lost.scrambled)+len(lost.doubtful) >= several && len(events) > 0 {
			return gate.SeveritySuspicious
		}
		return gate.SeverityNote
	}
	add(ruleRansom, replaced, few(lost.scrambled), share)
	add(ruleWipedInput, input, few(lost.emptied), share)
	for _, e := range lost.doubtful {
		out = append(out, hits(ruleWipedInput, few(lost.doubtful), e)...)
	}
	add(ruleWipedHome, home, gate.SeveritySuspicious, 2)
	for _, e := range stored {
		at := gate.SeveritySuspicious
		if len(stored) >= 2 {
			at = gate.SeverityDangerous
		}
		out = append(out, hits(ruleWipedSystem, s.inRecipe(at), e)...)
	}
	for _, e := range system {
		out = append(out, hits(ruleWipedSystem, s.inRecipe(ruleWipedSystem.Severity), e)...)
	}
	if len(system) >= 2*many && !s.Recipe {
		last := system[len(system)-1]
		out = append(out, hit{ruleWipedSystem, gate.SeverityDangerous, plural(len(system), "file", "files") + ", the last " + last.Object, last})
	}
	return out
}

// ownData reports whether a program removes or renames what it made itself in a folder for data: a
// file, or a folder in which it made one.
func ownData(s *trace, e sandbox.Event) bool {
	p := path.Clean(e.Object)
	if !inDataFolder(p) {
		return false
	}
	for made, at := range s.made {
		if at <= e.First && below(made, p) {
			return true
		}
	}
	return false
}

// finishes reports whether a rename gives a file that the program wrote its name in the same
// folder: it appears there whole or not at all, and nothing of others is gone.
func (s *trace) finishes(e sandbox.Event) bool {
	p := path.Clean(e.Object)
	at, made := s.made[p]
	return e.Action == sandbox.ActionRename && made && at <= e.First && path.Dir(target(e)) == path.Dir(p) && strings.HasPrefix(p, target(e)+".")
}

// rewritten are files of the project of many kinds that were read and written in
// their place. Formatters do that, but to one kind of file.
func (s *trace) rewritten(read map[string]bool) []hit {
	kinds, n := map[string]bool{}, 0
	var last sandbox.Event
	for _, e := range s.of(sandbox.ActionWrite) {
		if p := path.Clean(e.Object); read[p] && s.Has(p) {
			kinds[path.Ext(p)] = true
			last = e
			n++
		}
	}
	if n < 2*many || len(kinds) < 4 {
		return nil
	}
	return []hit{{ruleRansom, gate.SeveritySuspicious, plural(n, "file", "files") + " in their place, the last " + last.Object, last}}
}

// madeBeside reports whether a file was written whose name is that of another and
// more.
func (s *trace) madeBeside(p string) bool {
	for m := range s.made {
		if m != p && len(m) > len(p) && m[:len(p)] == p {
			return true
		}
	}
	return false
}

// traceFiles are those in which it is noted what happened.
var traceFiles = regexp.MustCompile(`^` + home + `/\.[a-z]+_history$|^/var/log/`)
