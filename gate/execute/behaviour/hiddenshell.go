package behaviour

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var ruleHiddenShell = Rule{
	ID: "shell-out/observed-hidden-shell", Severity: gate.SeveritySuspicious,
	Title:   "Unexpected shell",
	Message: "started a shell that its source does not mention",
	Why:     "No file that the program read names a way to start programs. A reader of the change does not expect a shell, and its input is nowhere in the text.",
	Instead: "Start programs openly (subprocess.run, child_process, os/exec), with a list of arguments.",
}

// starters are what is in a text that starts programs, in the languages in which a
// shell is no matter of course. A comment counts: the rule is about texts that hide it.
var starters = regexp.MustCompile(`\bsubprocess\b|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*|fork)\b|\bpopen\b|\bpexpect\b|\bpty\b|\bcreate_subprocess_\w+|` +
	`\bfabric\b|\binvoke\b|\bplumbum\b|\bparamiko\b|\bfrom\s+sh\b|\bimport\s+sh\b|\bctypes\.util\b|\bfind_library\b|\bpydoc\b|` +
	`\bchild_process\b|\bexec(?:Sync|File|FileSync|a)\b|\bspawn(?:Sync)?\b|\bshelljs\b|\bcross-spawn\b|\bzx\b|\bBun\.spawn\b|\bDeno\.(?:run|Command)\b|` +
	`"os/exec"|\bexec\.Command\w*|\bsyscall\.(?:Exec|ForkExec|StartProcess)\b|\bos\.StartProcess\b|\bunix\.Exec\b`)

// Starts reports whether a text names a way to start programs.
func Starts(text string) bool { return starters.MatchString(text) }

// quietLanguages are those in which a program that starts a shell says so.
var quietLanguages = []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo}

// packageManager matches what a program is called that runs scripts of package.json.
var packageManager = regexp.MustCompile(`(?:^|/|\()\s*(?:npm|npx|pnpm|yarn|bun)(?:-cli\.js)?(?:\s|$)`)

// inManifest reports whether what a shell was given is a text of the project as it is, such
// as a script of a manifest.
func (s *trace) inManifest(e sandbox.Event) bool {
	return len(e.Args) == 3 && e.Args[1] == "-c" && s.Literal([]byte(e.Args[2]))
}

// hiddenShell is a shell that a program starts although nothing that it read speaks of
// starting programs: neither the files that it was run for nor others of the project.
// Tests, installations and commands of the policy start shells of their own accord.
func hiddenShell(s *trace) []hit {
	if s.Starts == nil || s.Recipe || !slices.Contains(quietLanguages, s.Language) || s.Kind != Script && s.Kind != Module && s.Kind != Exercise {
		return nil
	}
	var shells []sandbox.Event
	packages := false // a package manager ran: it starts a shell for each script of the manifest
	for i, e := range s.of(sandbox.ActionExec) {
		packages = packages || slices.ContainsFunc(e.Args, packageManager.MatchString)
		if i > 0 && shellNames.MatchString(path.Base(e.Object)) && !(packages && s.inManifest(e)) { // the first is our own start
			shells = append(shells, e)
		}
	}
	if len(shells) == 0 {
		return nil
	}
	said := slices.ContainsFunc(s.Targets, s.Starts) || slices.ContainsFunc(s.of(sandbox.ActionRead), func(e sandbox.Event) bool {
		p := path.Clean(e.Object)
		return strings.HasPrefix(p, sandbox.Workspace+"/") && s.Starts(p)
	})
	if said {
		return nil
	}
	return hits(ruleHiddenShell, ruleHiddenShell.Severity, shells[0])
}
