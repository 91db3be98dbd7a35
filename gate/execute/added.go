package execute

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/locks"
)

// maxAdded is how many new dependencies of one file are findings of their own.
const maxAdded = 50

var (
	ruleAdded = Rule{
		ID: "dependency/added", Severity: gate.SeverityNote,
		Title:   "New dependency",
		Message: "names a dependency that the base does not",
		Why:     "It is code of others that runs with all rights of the program, and the rules have not read it.",
		Instead: "Look at who publishes it, since when, and what it needs; leave out what a few lines can do.",
	}
	ruleAddedScript = Rule{
		ID: "dependency/added-script", Severity: gate.SeveritySuspicious,
		Title:   "New dependency with an install script",
		Message: "names a new dependency that runs code of its own when it is installed",
		Why:     "Install scripts are how most malicious packages begin: they run on every machine that installs, before anything of the program does.",
		Instead: "Read the script, or install with scripts switched off (npm ci --ignore-scripts).",
	}
	ruleUninstalled = Rule{
		ID: "dependency/not-installed", Severity: gate.SeverityNote,
		Title:   "Run without locked dependencies",
		Message: "ran without the dependencies that the lock files name",
		Why:     "What comes after a missing module was not seen, or only with something made up in its place.",
		Instead: "Build an image with them: gate deps build.",
	}
	ruleInterpreter = Rule{
		ID: "dependency/other-interpreter", Severity: gate.SeverityNote,
		Title:   "Failure with another interpreter version",
		Message: "failed with another version of the interpreter than the base asks for",
		Why:     "What a version lacks or has changed can end a program that works where its project runs it, so that less was seen.",
		Instead: "Nothing to do where the failure has another reason. Else run it with an image of your own: sandbox.images in the policy.",
	}
	ruleOtherVersion = Rule{
		ID: "dependency/other-version", Severity: gate.SeverityNote,
		Title:   "Build with the base's module versions",
		Message: "was built with the versions of modules that the base names",
		Why:     "What is installed is what the base names. The versions that only the change names could not be fetched, or the policy says that they are not, so that what they do was not seen.",
		Instead: "Nothing to do; the change's go.mod is read by the rules. To run it with other modules, use an image of your own: sandbox.images in the policy.",
	}
	ruleFromChange = Rule{
		ID: "dependency/from-change", Severity: gate.SeverityNote,
		Title:   "Run with packages of the change",
		Message: "ran with packages that only the change names",
		Why:     "They were downloaded from the registries of the base and of this machine without running anything of them, and their code then ran in the sandbox like that of the change. The rules have not read it.",
		Instead: "Look at who publishes them, and since when. To have runs without them: deps-added: never in the policy.",
	}
	ruleNotFetched = Rule{
		ID: "dependency/not-fetched", Severity: gate.SeverityNote,
		Title:   "Run without packages of the change",
		Message: "ran without packages that only the change names",
		Why:     "What comes after a missing package was not seen, or only with something made up in its place.",
		Instead: "Do what the finding says about the reason, or use an image of your own that has the packages: sandbox.images in the policy.",
	}
	ruleOldImage = Rule{
		ID: "dependency/old-image", Severity: gate.SeverityNote,
		Title:   "Old sandbox image",
		Message: "ran in an image that is more than a month old",
		Why:     "The image lacks the fixes of more than a month, in the interpreter and in the libraries that code under test runs with. It is about this machine and says nothing about the change.",
		Instead: "Build the image anew with the command that the finding names.",
	}
)

// added reports, for every changed lock file and manifest, the dependencies that
// nothing of the base names. A file that cannot be read is a gap: what it adds is not
// known.
func added(c *gate.Change, found *gate.Findings) []gate.Gap {
	if c.Base == nil || c.Head == nil {
		return nil
	}
	var gaps []gate.Gap
	base := map[string][]locks.Dependency{}
	for _, t := range c.Targets {
		language := locks.Language(t.Path)
		if language == "" || !t.Exists() || !t.Mode.IsRegular() || t.Parent != "" {
			continue
		}
		data, err := locks.ReadFile(c.Head, t.Path)
		var head []locks.Dependency
		if err == nil {
			head, err = locks.Named(t.Path, data)
		}
		if err != nil {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: t.Path, Reason: "the dependencies that it adds are not known: " + err.Error()})
			continue
		}
		known, ok := base[language]
		if !ok {
			known = namedIn(c, language)
			base[language] = known
		}
		report(found, t.Path, data, locks.Added(known, head))
	}
	return gaps
}

// namedIn are the dependencies that any file of the base names. One that cannot be
// read names none, so that more is new and not less.
func namedIn(c *gate.Change, language string) []locks.Dependency {
	var all []locks.Dependency
	paths, err := locks.Paths(c.Base)
	if err != nil {
		return nil
	}
	for _, p := range paths {
		if locks.Language(p) != language {
			continue
		}
		if data, err := locks.ReadFile(c.Base, p); err == nil {
			named, _ := locks.Named(p, data)
			all = append(all, named...)
		}
	}
	return all
}

func report(found *gate.Findings, path string, data []byte, news []locks.Dependency) {
	var rest []string
	for i, d := range news {
		what := strings.TrimSpace(d.Name + " " + d.Version)
		if i >= maxAdded && !d.Script {
			rest = append(rest, d.Name)
			continue
		}
		rule, evidence := ruleAdded, what
		if d.Elsewhere != "" && !strings.Contains(d.Version, d.Elsewhere) {
			evidence += " (" + d.Elsewhere + ")"
		}
		if d.Script {
			rule = ruleAddedScript
		}
		found.Add(path, gate.Finding{
			Rule: rule.ID, Layer: gate.LayerSandbox, Severity: rule.Severity, Line: d.Line(data),
			Message: "it " + rule.Message + ": " + d.Name, Evidence: evidence,
		})
	}
	if len(rest) > 0 {
		found.Add(path, gate.Finding{
			Rule: ruleAdded.ID, Layer: gate.LayerSandbox, Severity: ruleAdded.Severity,
			Message: fmt.Sprintf("it names %d more dependencies that the base does not", len(rest)), Evidence: strings.Join(rest, " "),
		})
	}
}
