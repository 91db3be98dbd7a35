package static

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/char"
)

// Bounds of the search for names of packages in the base.
const (
	maxPackageFiles = 2000    // files that can name one
	maxPackageFile  = 2 << 20 // bytes of one; longer ones are lock files, whose names a manifest gives
	maxPackageBytes = 32 << 20
	maxPackageName  = 214 // bytes, as registries have it
)

// wellKnown reports whether a package is on the list of one of the registries whose
// programs a command fetches and runs.
func (r registries) wellKnown(name string) bool {
	return r.npm.Known(name) || r.pypi.Known(name)
}

// packagesNewTo returns what tells whether a package is new to a repository: one that no
// manifest, script or file of CI of the base names, and that few people know. The base is
// read when the first is asked for, once. It is nil without a base.
func (s *Scanner) packagesNewTo(ctx context.Context, c *gate.Change) func(name string) bool {
	if c.Base == nil {
		return nil
	}
	named := sync.OnceValue(func() map[string]bool { return s.packageWords(ctx, c) })
	return func(name string) bool {
		name = strings.ToLower(name)
		if name == "" || len(name) > maxPackageName || s.registries.wellKnown(name) {
			return false
		}
		words := named()
		return len(words) > 0 && !words[name] && !words[strings.ReplaceAll(name, "_", "-")]
	}
}

// packageWords are the words of the files of the base that can name a package.
func (s *Scanner) packageWords(ctx context.Context, c *gate.Change) map[string]bool {
	words, files, left := map[string]bool{}, 0, int64(maxPackageBytes)
	read := func(name string) {
		if files >= maxPackageFiles || left <= 0 || ctx.Err() != nil {
			return
		}
		text, err := bounded.ReadFile(c.Base, name, min(left, maxPackageFile))
		if err != nil {
			return // what can't be read names nothing
		}
		files, left = files+1, left-int64(len(text))
		addWords(words, string(text))
	}
	for _, name := range c.Paths() {
		read(name) // what the change itself touches comes first
	}
	for _, name := range c.Files {
		if c.Remote {
			break
		}
		if s.namesPackages(name) {
			if info, err := fs.Stat(c.Base, name); err == nil && info.Mode().IsRegular() {
				read(name)
			}
		}
	}
	return words
}

// namesPackages reports whether a file can name a package that a command fetches.
func (s *Scanner) namesPackages(name string) bool {
	language, role := s.classify(name, 0, nil)
	switch language {
	case gate.LanguageShell, gate.LanguageMakefile, gate.LanguageDockerfile, gate.LanguageWorkflow, gate.LanguageYAML, gate.LanguageTOML, gate.LanguageMarkdown:
		return true
	}
	base := path.Base(name)
	return role == gate.RoleManifest || role == gate.RoleCI || base == "package.json" || strings.Contains(base, "requirements") || strings.EqualFold(base, "justfile")
}

// addWords adds the words of a text that can be names of packages, without a version.
func addWords(words map[string]bool, text string) {
	is := func(c byte) bool { return char.IsASCIIWord(c) || c == '-' || c == '.' || c == '/' || c == '@' }
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && is(text[i]) {
			i++
		}
		if i == start || i-start > maxPackageName {
			continue
		}
		word := strings.ToLower(strings.TrimRight(text[start:i], ".-/@"))
		words[word] = true
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			words[word[:at]] = true
		}
	}
}
