package strict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
)

// maxQuoted is how much of a wrong value is in an error, in bytes.
const maxQuoted = 80

// Text reads a text that is not empty; surrounding space is dropped.
func (r *Reader) Text(what string, dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
			r.Fail(n, "%s must be a text, not %s", what, Kind(n))
			return
		}
		*dst = strings.TrimSpace(n.Value)
	}
}

// Texts reads a list of texts that are not empty, as they are.
func (r *Reader) Texts(what string, dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.Items(n, what, func(v *yaml.Node) {
			if v.Kind != yaml.ScalarNode || v.Value == "" {
				r.Fail(v, "an entry of %s must be a text, not %s", what, Kind(v))
				return
			}
			*dst = append(*dst, v.Value)
		})
	}
}

// Word reads one of a fixed set of words.
func (r *Reader) Word(what string, words []string, set func(string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !slices.Contains(words, n.Value) {
			r.Fail(n, "unknown %s %s%s", what, quote(n), Allowed(n.Value, words))
			return
		}
		set(n.Value)
	}
}

// Flag reads true or false.
func (r *Reader) Flag(what string, dst *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
			r.Fail(n, "%s must be true or false, not %s", what, Kind(n))
			return
		}
		*dst = n.Value == "true"
	}
}

// Integer reads a whole number in lo..hi.
func (r *Reader) Integer(what string, lo, hi int, dst *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < lo || v > hi {
			r.Fail(n, "%s must be a whole number from %d to %d, not %s", what, lo, hi, Kind(n))
			return
		}
		*dst = v
	}
}

// Kind says in words what is at a node, for "…, not %s".
func Kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return fmt.Sprintf("a list of %d", len(n.Content))
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "nothing"
	}
	return quote(n)
}

func quote(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return Kind(n)
	}
	return strconv.Quote(gate.Clip(n.Value, maxQuoted))
}
