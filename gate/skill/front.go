package skill

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// The bounds of a front matter.
const (
	maxFront       = 16 << 10 // bytes
	maxDepth       = 8        // of YAML in YAML
	maxName        = 64
	maxDescription = 1024
)

// Front is what a skill says of itself.
type Front struct {
	Name        string // lower-case letters, digits and single hyphens
	Description string // on one line
}

// name is what a skill may be called.
var name = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// Parse reads the front matter of a SKILL.md and returns what follows it. Other keys than
// name and description belong to other tools and are not read. file is what errors call it.
func Parse(file string, text []byte) (Front, string, error) {
	front, body, err := split(file, text)
	if err != nil {
		return Front{}, "", err
	}
	r := &strict.Reader{File: file}
	root := r.Document(front)
	var f Front
	switch {
	case r.Err() != nil:
	case root == nil || root.Kind != yaml.MappingNode:
		r.FailAt(strict.Position{File: file, Line: 1, Column: 1}, "the front matter is no mapping; expected are the keys name and description")
	case plain(r, root, 0):
		read(r, root, "name", &f.Name)
		read(r, root, "description", &f.Description)
	}
	if err := r.Err(); err != nil {
		return Front{}, "", err
	}
	if err := f.check(); err != nil {
		return Front{}, "", fmt.Errorf("%s: %w", file, err)
	}
	return f, body, nil
}

// split cuts the front matter off. Its first line stays empty, so that lines are those of
// the file.
func split(file string, text []byte) (front []byte, body string, err error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return nil, "", fmt.Errorf("%s is not UTF-8", file)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, "", fmt.Errorf("%s:1: expected is a line with --- that begins the front matter", file)
	}
	inner, after, ok := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---\n"))
	if !ok {
		if inner, ok = bytes.CutSuffix(inner, []byte("\n---")); !ok {
			return nil, "", fmt.Errorf("%s: the front matter does not end; expected is a second line with ---", file)
		}
	}
	if len(inner) > maxFront {
		return nil, "", fmt.Errorf("%s: the front matter has %d bytes, at most %d are allowed", file, len(inner), maxFront)
	}
	return inner, string(after), nil
}

// plain refuses what makes YAML larger or other than it looks.
func plain(r *strict.Reader, n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		r.Fail(n, "more than %d levels deep", maxDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.Fail(n, "anchors and aliases are not read")
	case n.Style&yaml.TaggedStyle != 0:
		r.Fail(n, "tags are not read")
	default:
		for _, c := range n.Content {
			if !plain(r, c, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// read takes the one value of a key.
func read(r *strict.Reader, root *yaml.Node, key string, into *string) {
	found := false
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if k.Value != key {
			continue
		}
		if found {
			r.Fail(k, "%s is there twice", key)
			return
		}
		found = true
		if v.Kind != yaml.ScalarNode || v.Tag != "!!str" {
			r.Fail(v, "%s is no text", key)
			return
		}
		*into = v.Value
	}
}

func (f *Front) check() error {
	if len(f.Name) > maxName || !name.MatchString(f.Name) {
		return fmt.Errorf("name is %+.80q; expected are lower-case letters, digits and single hyphens, at most %d", f.Name, maxName)
	}
	f.Description = strings.Join(strings.Fields(f.Description), " ")
	switch {
	case f.Description == "":
		return fmt.Errorf("description is missing; expected is what the skill does and when to use it")
	case len(f.Description) > maxDescription:
		return fmt.Errorf("description has %d bytes, at most %d are allowed", len(f.Description), maxDescription)
	case strings.ContainsFunc(f.Description, func(c rune) bool {
		return c != ' ' && !unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
	}):
		return fmt.Errorf("description has characters that cannot be seen")
	}
	return nil
}
