package static

import (
	"fmt"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxPipLists is how many lists one file may name.
const maxPipLists = 200

var (
	// namedList matches a list of requirements that another one includes.
	namedList = regexp.MustCompile(`(?m)^[ \t]*(?:-r|-c|--requirement|--constraint)[= \t]*["']?([^\s"'#]+)`)
	// installedList matches one that a command installs.
	installedList = regexp.MustCompile(`\b(?:pip[0-9.]*|uv)\b[^\n;|&]*?\s(?:-r|-c|--requirements?|--constraints?)[= \t]*["']?([\w./-]+)`)
)

// isPipList reports whether pip reads a file of that name as a list of requirements.
func isPipList(name string) bool {
	return pythonManifest(name, strings.ToLower(path.Base(name))) != nil && path.Ext(name) != ".toml" && path.Ext(name) != ".py"
}

// lists notes the targets that pip reads as lists of requirements, whatever they are called.
func (e *otherReadings) lists(by string, lang gate.Language, content []byte) {
	from, root := namedList, path.Dir(by)
	if !isPipList(by) {
		switch lang {
		case gate.LanguageShell, gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageWorkflow, gate.LanguageYAML, gate.LanguageTOML, gate.LanguageINI, gate.LanguageJust:
			from, root = installedList, ""
		default:
			return
		}
	}
	for _, m := range from.FindAllSubmatch(content, maxPipLists) {
		for _, name := range []string{path.Join(root, string(m[1])), path.Join(path.Dir(by), string(m[1]))} {
			if t := e.targets[name]; t != nil && name != by && !isPipList(name) {
				e.add(t, also{path: path.Join(path.Dir(name), "requirements.txt"), language: gate.LanguageText, role: gate.RoleManifest,
					origin: fmt.Sprintf("read as a list of requirements, as %s has it", gate.Clip(by, maxShownName))})
			}
		}
	}
}
