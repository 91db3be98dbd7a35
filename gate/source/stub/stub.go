// Package stub recognises files that stand for content which is kept elsewhere: the
// pointers and links of Git LFS and git-annex, and the files of DVC.
//
// It promises to take any text and to look at its form only. It doesn't fetch
// anything, and doesn't know whether the content is there.
package stub

import (
	"bytes"
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Tool is what keeps the content; the zero value is none.
type Tool string

// The tools that leave something in place of a file.
const (
	LFS   Tool = "Git LFS"
	Annex Tool = "git-annex"
	DVC   Tool = "DVC"
)

// Fetch is the command that brings the content.
func (t Tool) Fetch() string {
	switch t {
	case Annex:
		return "git annex get"
	case DVC:
		return "dvc pull"
	}
	return "git lfs pull"
}

// Bounds of what stands for a file, and of how many files it stands for.
const (
	maxPointer = 1024     // bytes, as Git LFS has it
	maxAnnex   = 32 << 10 // as git-annex has it
	maxOutputs = 100
)

var (
	// The specification names the versions, and asks readers to take those of before.
	lfsVersion = regexp.MustCompile(`\A(?:version) https?://(?:git-lfs\.github\.com/spec/v\d|hawser\.github\.com/spec/v\d|git-media\.io/v/\d)\S*[^\n]*\n`)
	annexed    = regexp.MustCompile(`\A/?(?:\S*/)?annex/objects/[^\n]*[A-Z0-9_]+-(?:s\d+|m\d+|[SCc]\d+|-)[^\n]*`)
	output     = regexp.MustCompile(`(?m)^[ \t]*(?:-[ \t]+)?path:[ \t]*["']?([^"'\n\r]+?)["']?[ \t]*\r?$`)
)

// Of returns what keeps the content of a regular file of that name, as its first bytes
// say.
func Of(name string, head []byte) Tool {
	switch {
	case len(head) <= maxPointer && lfsVersion.Match(head) && bytes.Contains(head, []byte("\noid sha256:")):
		return LFS
	case len(head) <= maxAnnex && bytes.HasPrefix(head, []byte("/annex/objects/")) && annexed.Match(head):
		return Annex
	case path.Ext(name) == ".dvc" && bytes.Contains(head, []byte("outs:")):
		return DVC
	}
	return ""
}

// OfLink returns what keeps the content of a link that leads there.
func OfLink(to string) Tool {
	to = strings.ReplaceAll(to, `\`, "/")
	if strings.Contains("/"+to, "/.git/annex/objects/") {
		return Annex
	}
	return ""
}

// Names returns the files that one of that name stands for: itself, or what a file of
// DVC lists.
func Names(name string, t Tool, content []byte) []string {
	if t != DVC {
		return []string{name}
	}
	out := []string{strings.TrimSuffix(name, path.Ext(name))}
	at := bytes.Index(content, []byte("outs:"))
	if at < 0 {
		return out
	}
	for _, m := range output.FindAllSubmatch(content[at:], maxOutputs) {
		if p := path.Join(path.Dir(name), string(m[1])); p != out[0] {
			out = append(out, p)
		}
	}
	return out
}
