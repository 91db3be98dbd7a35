package change

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
)

// kind is what a path says about a file. fixed is set where a program reads the
// file by its very name, so that its content cannot make it something else.
type kind struct {
	language gate.Language
	role     gate.Role
	fixed    bool
}

// byPath classifies a lower-case path. The rows of the table are asked from the
// role that gets the most attention to the one that gets the least.
func byPath(lower string) kind {
	base := path.Base(lower)
	ext := path.Ext(base)
	language := languagesByExtension()[ext]
	if before, ok := strings.CutSuffix(base, ext); ok && slices.Contains(templateSuffixes(), ext) {
		if becomes := languagesByExtension()[path.Ext(before)]; isCode(becomes) || isMarkup(becomes) && becomes != gate.LanguageHTML && becomes != gate.LanguageMarkdown {
			language = becomes // a.sh.in is a shell script once its marks are filled in
		}
	}
	for _, row := range pathRows() {
		if !row.matches(lower, base, ext) {
			continue
		}
		k := kind{language: language, role: row.role, fixed: row.fixed}
		if row.fixed && row.language != "" || language == gate.LanguageUnknown {
			k.language = row.language
		}
		if k.role == gate.RoleDocs && isCode(k.language) {
			k.role = gate.RoleSource
		}
		return k
	}
	k := kind{language: language, role: gate.RoleSource}
	switch {
	case isTest(lower, base):
		k.role = gate.RoleTest
	case isDocs(lower, language):
		k.role = gate.RoleDocs
	}
	return k
}

// pathRow is one row of the table of paths: names, globs and folders are
// alternatives. Everything is in lower case.
type pathRow struct {
	role     gate.Role
	language gate.Language // where fixed: whatever the extension says; else where it says nothing
	fixed    bool
	names    []string // base names
	globs    []string // on the base name
	folders  []string // folders with everything below, wherever they lie
	exts     []string // when set, only files with these extensions
}

func (r pathRow) matches(lower, base, ext string) bool {
	if len(r.exts) > 0 && !slices.Contains(r.exts, ext) {
		return false
	}
	return slices.Contains(r.names, base) ||
		slices.ContainsFunc(r.globs, func(g string) bool { return glob.MatchName(g, base) }) ||
		slices.ContainsFunc(r.folders, func(f string) bool {
			return strings.HasPrefix(lower, f+"/") || strings.Contains(lower, "/"+f+"/")
		})
}

// isTest reports whether a file is named like a test or lies in a folder of tests.
func isTest(lower, base string) bool {
	if slices.ContainsFunc(testNames(), func(g string) bool { return glob.MatchName(g, base) }) {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(lower), "/") {
		if slices.Contains(testFolders(), part) {
			return true
		}
	}
	return false
}

// isDocs reports whether a file is documentation: prose by its extension, or
// text in a folder of documentation. Code in such a folder is code.
func isDocs(lower string, l gate.Language) bool {
	switch l {
	case gate.LanguageMarkdown:
		return true
	case gate.LanguageText, gate.LanguageHTML, gate.LanguageBinary:
		if slices.Contains(proseExtensions(), path.Ext(lower)) {
			return true
		}
		for part := range strings.SplitSeq(path.Dir(lower), "/") {
			if slices.Contains(docsFolders(), part) {
				return true
			}
		}
	}
	return false
}

// isEnvFile reports whether a file is one that programs take secrets from: .env
// and its variants, examples included, since people fill them in.
func isEnvFile(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == ".env" || base == ".envrc" || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env") ||
		strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env_")
}
