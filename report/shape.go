package report

import (
	"encoding/json"
	"fmt"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// shape is a JSON Schema, as much of the language as result.schema.json uses;
// parseSchema refuses the rest. A validator from a library wants the whole
// document as a tree of any, collects every error there is, and cannot see a
// member that appears twice. Hostile documents are walked token by token
// instead, up to the first thing that is wrong. The tests hold this against a
// complete validator.
type shape struct {
	Schema      string `json:"$schema"`
	ID          string `json:"$id"`
	Title       string `json:"title"`
	Description string `json:"description"`

	Ref        string            `json:"$ref"`
	Defs       map[string]*shape `json:"$defs"`
	Type       string            `json:"type"`
	Const      *int              `json:"const"`
	Enum       []string          `json:"enum"`
	Pattern    string            `json:"pattern"`
	MaxLength  *int              `json:"maxLength"` // code points
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	Items      *shape            `json:"items"`
	Required   []string          `json:"required"`
	Properties map[string]*shape `json:"properties"`
	Additional *shape            `json:"additionalProperties"`

	pattern *regexp.Regexp
}

// parseSchema reads a schema and resolves its references.
func parseSchema(text string) (*shape, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	root := &shape{}
	if err := dec.Decode(root); err != nil {
		return nil, fmt.Errorf("schema of the result: %w", err)
	}
	if err := root.resolve(root.Defs, map[*shape]bool{}); err != nil {
		return nil, fmt.Errorf("schema of the result: %w", err)
	}
	return root, nil
}

// resolve puts the definitions in the place of the references to them.
func (s *shape) resolve(defs map[string]*shape, seen map[*shape]bool) (err error) {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if s.Pattern != "" {
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	target := func(p *shape) (*shape, error) {
		if p == nil || p.Ref == "" {
			return p, nil
		}
		def, ok := defs[strings.TrimPrefix(p.Ref, "#/$defs/")]
		if !ok {
			return nil, fmt.Errorf("nothing is defined as %q", p.Ref)
		}
		return def, nil
	}
	if s.Items, err = target(s.Items); err != nil {
		return err
	}
	if s.Additional, err = target(s.Additional); err != nil {
		return err
	}
	for name, p := range s.Properties {
		if s.Properties[name], err = target(p); err != nil {
			return err
		}
	}
	next := []*shape{s.Items, s.Additional}
	for _, p := range s.Properties {
		next = append(next, p)
	}
	for _, p := range next {
		if p == nil {
			continue
		}
		if err := p.resolve(defs, seen); err != nil {
			return err
		}
	}
	return nil
}
