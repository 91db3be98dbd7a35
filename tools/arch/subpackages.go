package arch

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CheckSubpackages returns the packages whose comment does not name each package
// directly below them or lists one that is not there, and the folders of packages
// that have no comment at all.
// docs are the package comments by folder, tests and packages for tests left out.
//
// A package is named by its path from the module or from the package's folder, as
// an item at the start of an indented line, or in a sentence after the word
// "package". The first sentence, which is about the package itself, does not count.
func CheckSubpackages(docs map[string]string) []string {
	var wrong []string
	for local := range docs {
		parent := path.Dir(local)
		// Commands and tools are side by side and have nothing in common.
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
	for parent, doc := range docs {
		for _, gone := range goneFrom(doc, parent, docs) {
			wrong = append(wrong, fmt.Sprintf("the comment of package %s lists %s, which is not there", parent, gone))
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// listing matches the lines of a list in a comment, a name and what it is for.
var listing = regexp.MustCompile(`(?:\t[a-z][\w/]*  +\S.*(?:\n|$))+`)

// goneFrom returns what the lists of packages in a comment name and docs has not. A
// list is one of packages when it names at least one.
func goneFrom(doc, parent string, docs map[string]string) []string {
	var gone []string
	for _, list := range listing.FindAllString(doc, -1) {
		var missing []string
		lines := strings.Split(strings.TrimSpace(list), "\n")
		for _, line := range lines {
			name := strings.Fields(line)[0]
			there := func(local string) bool { return under(local, parent+"/"+name) }
			if !slices.ContainsFunc(slices.Collect(maps.Keys(docs)), there) {
				missing = append(missing, name)
			}
		}
		if len(missing) < len(lines) {
			gone = append(gone, missing...)
		}
	}
	return gone
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
