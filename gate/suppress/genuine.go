package suppress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
)

// Bounds of the look at YAML.
const (
	maxYAML      = 1 << 20 // bytes; in a larger file nothing is taken for a comment
	maxYAMLTries = 50      // comments that are looked at one by one
	maxDocuments = 100
)

// genuine says which comments of a file really are comments, where the lexer
// can't know: in a text block of YAML and in a here document of a Dockerfile, a
// line that begins with # is content. Lines that are inside of embedded code are
// not asked for.
func (d *document) genuine(lang gate.Language, found []comment, inside map[int]bool) []bool {
	out := make([]bool, len(found))
	switch lang {
	case gate.LanguageYAML, gate.LanguageWorkflow:
		var asked []int
		for i, c := range found {
			if !inside[c.line] && c.alone {
				asked = append(asked, i)
			}
		}
		if len(asked) > 0 && len(d.text) <= maxYAML {
			d.yamlComments(found, asked, out)
		}
	case gate.LanguageDockerfile:
		for i, c := range found {
			out[i] = !bytes.Contains(d.text[:c.start], []byte("<<"))
		}
	default:
		for i := range out {
			out[i] = true
		}
	}
	return out
}

// yamlComments tells a comment from content by what the file says without it: a
// comment can be taken away and every value stays as it is.
func (d *document) yamlComments(found []comment, asked []int, out []bool) {
	want, err := yamlValues(d.text)
	if err != nil {
		return
	}
	same := func(which ...int) bool {
		without := bytes.Clone(d.text)
		for _, i := range which {
			for at := found[i].start; at < found[i].end; at++ {
				without[at] = ' '
			}
		}
		got, err := yamlValues(without)
		return err == nil && slices.Equal(got, want)
	}
	if same(asked...) {
		for _, i := range asked {
			out[i] = true
		}
		return
	}
	for _, i := range asked[:min(len(asked), maxYAMLTries)] {
		out[i] = same(i)
	}
}

// yamlValues lists what a file says, without its comments.
func yamlValues(text []byte) ([]string, error) {
	var out []string
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for range maxDocuments {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = yamlValue(out, &doc)
	}
	return nil, errors.New("too many documents")
}

// yamlValue adds a node and what is below it. The parser bounds the depth.
func yamlValue(out []string, n *yaml.Node) []string {
	out = append(out, fmt.Sprintf("%d %s %q %d", n.Kind, n.Tag, n.Value, len(n.Content)))
	for _, c := range n.Content {
		out = yamlValue(out, c)
	}
	return out
}
