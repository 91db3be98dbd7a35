package execute

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// maxUnpacked is how many pieces of code one unit may bring up that go through
// the layers again. What is more is a gap.
const maxUnpacked = 8

// maxRest bounds what the interpreters of a unit compiled beyond these pieces, in bytes: test
// runners and validators make code in each of their threads and processes. They are looked at in
// texts of partRest bytes for each language, half of what the way of running is looked for in.
const (
	maxRest  = 2 << 20
	partRest = 512 << 10
)

// codeFolder is where the bootstrap of an interpreter puts the code that it is
// given as text, so that it is captured like every file that a program writes.
const codeFolder = behaviour.CodeFolder + "/"

// unpacked turns the code that appeared while the units ran into targets of
// their own: what was decoded, downloaded or put together goes through all
// layers like what was written down.
func unpacked(tree *workspace.Tree, targets []*gate.Target, units []plan.Unit, results []result, policy gate.SandboxPolicy) (children []gate.Derived, gaps []gate.Gap) {
	named := map[string]map[string]bool{} // by parent: several units may run it
	type text struct {
		parent   string
		language gate.Language
		sum      [sha256.Size]byte
	}
	there := map[text]bool{}
	for i, u := range units {
		parent := u.Targets[0]
		if named[parent] == nil {
			named[parent] = map[string]bool{}
		}
		taken := named[parent]
		seen := map[[sha256.Size]byte]bool{}
		var unseen, more int64
		rest := map[gate.Language][][]byte{} // what was compiled beyond that
		room := maxRest
		for _, run := range results[i].runs {
			unseen = max(unseen, run.res.Behaviour.Uncaptured)
			for _, c := range inlineLast(run.res.Behaviour.Captures) {
				sum := sumOf(c)
				lang, ok := isNew(tree, u, c, policy)
				if !ok || seen[sum] || results[i].before != nil && results[i].before.codes[sum] {
					continue
				}
				seen[sum] = true
				if len(seen) > maxUnpacked {
					switch {
					case onRecord(c):
					case endings[lang] != "" && strings.HasPrefix(c.Path, codeFolder) && !c.Truncated && len(c.Data) <= room:
						room -= len(c.Data)
						rest[lang] = joined(rest[lang], c.Data, endings[lang])
					default:
						more++
					}
					continue
				}
				if there[text{parent, lang, sum}] {
					continue
				}
				there[text{parent, lang, sum}] = true
				name := childPath(parent, c, taken)
				children = append(children, gate.Derived{Content: c.Data, Target: &gate.Target{
					Path: name, Parent: parent, Language: lang, Role: gate.RoleSource, Attribution: attribution(targets, parent),
				}})
				if c.Truncated {
					gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: parent,
						Reason: fmt.Sprintf("of the code that appeared as %s only the first %d KiB were looked at", name, len(c.Data)>>10)})
				}
			}
		}
		for _, lang := range slices.Sorted(maps.Keys(rest)) {
			for _, part := range rest[lang] {
				children = append(children, gate.Derived{Content: part, Target: &gate.Target{
					Path: childPath(parent, sandbox.Capture{Path: codeFolder + extensions[lang]}, taken), Parent: parent, Language: lang,
					Role: gate.RoleSource, Attribution: attribution(targets, parent),
				}})
			}
		}
		if n := unseen + more; n > 0 {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: parent,
				Reason: fmt.Sprintf("%d more pieces of code appeared while it ran than the %d that are looked at", n, maxUnpacked)})
		}
	}
	return children, gaps
}

// extensions are the names of the texts that are joined, by language, and endings what
// is between them.
var (
	extensions = map[gate.Language]string{gate.LanguageJavaScript: ".js", gate.LanguagePython: ".py", gate.LanguageShell: ".sh"}
	endings    = map[gate.Language]string{gate.LanguageJavaScript: "\n;\n", gate.LanguagePython: "\n\n", gate.LanguageShell: "\n\n"}
)

// joined adds a piece of code to the last of some texts, or begins another one.
func joined(texts [][]byte, piece []byte, ending string) [][]byte {
	if n := len(texts); n > 0 && len(texts[n-1])+len(piece) <= partRest {
		texts[n-1] = append(append(texts[n-1], piece...), ending...)
		return texts
	}
	return append(texts, append(bytes.Clone(piece), ending...))
}

// isNew reports whether a capture is code that is nowhere in the change, and its
// language. What tools make of their own accord is not.
func isNew(tree *workspace.Tree, u plan.Unit, c sandbox.Capture, policy gate.SandboxPolicy) (gate.Language, bool) {
	if len(bytes.TrimSpace(c.Data)) == 0 || bytes.IndexByte(c.Data, 0) >= 0 || ofTools(u, c.Path) || nothingNew(tree, u, c, memoryFor(policy, u.Job)) {
		return "", false // machine code shows in what it does
	}
	if own, ok := strings.CutPrefix(c.Path, sandbox.Workspace+"/"); ok && tree.Has(own) && tree.Text(own) == string(c.Data) {
		return "", false
	}
	for _, f := range tree.Files { // a copy
		if len(f.Data) == len(c.Data) && bytes.Equal(f.Data, c.Data) {
			return "", false
		}
		if c.Truncated && len(c.Sum) > 0 && len(f.Data) > len(c.Data) && bytes.HasPrefix(f.Data, c.Data) {
			if sum := sha256.Sum256(f.Data); bytes.Equal(sum[:], c.Sum) {
				return "", false
			}
		}
	}
	for _, f := range u.Extra {
		if bytes.Equal(f.Data, c.Data) {
			return "", false
		}
	}
	if _, bats := u.Job.Program.(job.Bats); bats && !c.Truncated && copyOfBats(tree, c.Data) {
		return "", false
	}
	language := languageOf(u, c)
	return language, language != gate.LanguageShell || c.Truncated || !numbers.Match(c.Data)
}

// numbers are lines with a number each, or with a word and a number: what scripts write down of
// a process or a count, and read again.
var numbers = regexp.MustCompile(`^(?:[ \t]*(?:[A-Za-z]+-)?\d[\d.:-]*[ \t]*(?:\n|$))+$`)

// ofTools reports whether a path is one at which the Go toolchain keeps what it
// makes of the change, or our own measuring does. What is not at exactly these
// paths may be anybody's.
func ofTools(u plan.Unit, p string) bool {
	return measuredFile.MatchString(p) || u.Job.Image == gate.LanguageGo && goToolFile.MatchString(p)
}

var (
	measuredFile = regexp.MustCompile(`^(?:/workspace|/dev/shm)/\.gate-coverage/[\w.-]+$`)
	goToolFile   = regexp.MustCompile(`^/tmp/go-build\d+/b\d+/[\w.-]+$|^/tmp/\.config/go/telemetry/local/weekends$`)
)

// languageOf is by the name, by the first line, and else that of who ran it.
func languageOf(u plan.Unit, c sandbox.Capture) gate.Language {
	switch path.Ext(c.Path) {
	case ".py", ".pth":
		return gate.LanguagePython
	case ".js", ".mjs", ".cjs", ".jsx":
		return gate.LanguageJavaScript
	case ".ts", ".mts", ".cts", ".tsx":
		return gate.LanguageTypeScript
	case ".sh", ".bash", ".zsh":
		return gate.LanguageShell
	case ".go":
		return gate.LanguageGo
	}
	switch name, _ := plan.Shebang(string(c.Data)); name {
	case "python":
		return gate.LanguagePython
	case "node":
		return gate.LanguageJavaScript
	case "sh", "bash", "dash", "zsh":
		return gate.LanguageShell
	}
	return u.Job.Image
}

// childPath is the path of a capture as a report shows it: under its parent, by
// its own path where that is a decent one.
func childPath(parent string, c sandbox.Capture, taken map[string]bool) string {
	name := strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(c.Path, sandbox.Workspace+"/")), "/")
	if strings.HasPrefix(c.Path, codeFolder) { // behind it is the number of a process
		name = "compiled" + path.Ext(c.Path)
	}
	printable := !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\u007f' || r == '\uFFFD' || r == ':' || r == '!' })
	if !printable || len(name) > 200 || !fs.ValidPath(parent+"!"+name) || name == "." {
		name = "code"
	}
	full, ext := parent+"!"+name, path.Ext(name)
	for n := 2; taken[full]; n++ {
		full = fmt.Sprintf("%s!%s-%d%s", parent, strings.TrimSuffix(name, ext), n, ext)
	}
	taken[full] = true
	return full
}

// attribution is that of a target: what a file brings up is as its own.
func attribution(targets []*gate.Target, p string) gate.Attribution {
	i := slices.IndexFunc(targets, func(t *gate.Target) bool { return t.Path == p })
	if i < 0 {
		return gate.Attribution{}
	}
	return targets[i].Attribution
}
