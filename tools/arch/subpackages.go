package arch

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CheckSubpackages returns the packages whose comment does not name each package
// directly below them, and the folders of packages that have no comment at all.
// docs are the package comments by folder, tests and packages for tests left out.
//
// A package is named by its path from the module or from the package's folder, as
// an item at the start of an indented line, or in a sentence after the word
// "package". The first sentence, which is about the package itself, does not count.
func CheckSubpackages(docs map[string]string) []string {
	var wrong []string
	for local := range docs {
		parent := path.Dir(local)
		// Commands and tools stand side by side and have nothing in common.
		if parent == "." || parent == "cmd" || parent == "tools" || forTests(local) {
			continue
		}
		doc, ok := docs[parent]
		switch {
		case !ok && path.Base(parent) == "internal":
			parent = path.Dir(parent)
			doc = docs[parent]
		case !ok:
			wrong = append(wrong, fmt.Sprintf("folder %s holds packages and has no doc.go: say what they have in common and name each", parent))
			continue
		}
		if !names(doc, parent, local) {
			wrong = append(wrong, fmt.Sprintf("the comment of package %s does not name %s: add it with what it is for", parent, local))
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// names reports whether the comment of a package names one below it.
func names(doc, parent, local string) bool {
	below := regexp.QuoteMeta(strings.TrimPrefix(local, parent+"/"))
	for _, form := range []string{
		`\b` + regexp.QuoteMeta(local),
		`\b` + regexp.QuoteMeta(path.Base(parent)) + `/` + below,
		`(?m)^\t` + below,
	} {
		if regexp.MustCompile(form + `(?:$|[^\w/-])`).MatchString(doc) {
			return true
		}
	}
	listed := regexp.MustCompile(`(?s)\b[Pp]ackages?\s(?:.*[^\w/-])?` + below + `(?:$|[^\w/-])`)
	sentences := sentenceEnd.Split(doc, -1)
	return slices.ContainsFunc(sentences[1:], listed.MatchString)
}

// sentenceEnd matches what ends a sentence or a paragraph of a comment.
var sentenceEnd = regexp.MustCompile(`[.:]\s+|\n\n`)
