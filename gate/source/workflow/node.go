package workflow

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// deref follows an alias.
func deref(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// pairs are the keys and values of a mapping, in order; of anything else there are none.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		if n = deref(n); n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// value is the value of a key, nil where there is none. Of a key that is there twice
// the last one counts.
func value(n *yaml.Node, key string) *yaml.Node {
	var out *yaml.Node
	for k, v := range pairs(n) {
		if k.Value == key {
			out = v
		}
	}
	return out
}

// items are the elements of a list.
func items(n *yaml.Node) []*yaml.Node {
	if n = deref(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return nil
}

// budget bounds the nodes that are visited: an alias repeats what it stands for.
type budget struct{ nodes int }

// walk visits every scalar below a node, and reports whether it got to the end.
func (b *budget) walk(n *yaml.Node, depth int, visit func(*yaml.Node)) bool {
	if b.nodes--; b.nodes < 0 || depth > maxDepth {
		return false
	}
	n = deref(n)
	if n.Kind == yaml.ScalarNode {
		visit(n)
		return true
	}
	for _, c := range n.Content {
		if !b.walk(c, depth+1, visit) {
			return false
		}
	}
	return true
}

// maxFlat bounds a value that is compared as a whole.
const maxFlat = 4 << 10 // bytes

// flat is a value as one text, up to a bound.
func (b *budget) flat(n *yaml.Node) string {
	var out strings.Builder
	b.walk(n, 0, func(scalar *yaml.Node) {
		if out.Len() < maxFlat {
			out.WriteString(scalar.Value)
			out.WriteByte(' ')
		}
	})
	return strings.TrimSpace(out.String())
}
