package embedded

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setting is a value of a document of settings, whatever its format.
type setting struct {
	key          string // of the member that it is the value of, or ""
	kind         settingKind
	text         string // of a scalar
	tag          string // of YAML
	line         int
	step         int                 // see builder.add
	in           *setting            // the value that it is in
	items        []*setting          // of a list, or the members of an object
	index        map[string]*setting // see indexed
	indexedItems int
}

type settingKind int

const (
	scalarSetting settingKind = iota
	listSetting
	objectSetting
)

// Bounds of a document.
const (
	maxSettings     = 50_000  // values behind aliases, or of a format whose bytes say little about them
	maxValues       = 500_000 // of YAML or JSON; each takes some 150 bytes of memory
	maxSettingDepth = 100
)

// settingsReader makes settings of the values of a format.
type settingsReader struct {
	left    int  // values that count against maxSettings
	inAll   int  // values so far
	others  int  // values of JSON that are no texts
	over    bool // a bound kept values from being read
	aliases int  // aliases around the value that is read: only what follows them is not bounded by the text
}

// unread says that values were not read.
func (r *settingsReader) unread() []Code {
	if !r.over {
		return nil
	}
	return unreadOf(maxValues, fmt.Sprintf("values, %d behind aliases and %d within each other are", maxSettings, maxSettingDepth))
}

// yaml returns the setting of a YAML node.
func (r *settingsReader) yaml(n *yaml.Node, key string, in *setting, depth int) *setting {
	if r.aliases > 0 {
		r.left--
	}
	if r.inAll++; r.left < 0 && r.aliases > 0 || depth > maxSettingDepth || r.inAll > maxValues {
		r.over = true
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return nil
		}
		r.aliases++
		defer func() { r.aliases-- }()
		return r.yaml(n.Alias, key, in, depth+1)
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil
		}
		return r.yaml(n.Content[0], key, in, depth)
	case yaml.ScalarNode:
		return yamlScalar(n, key, in)
	}
	out := &setting{key: key, kind: listSetting, tag: plainTag(n.Tag), line: n.Line, in: in}
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			out.add(r.yaml(c, "", out, depth+1))
		}
		return out
	}
	out.kind = objectSetting
	for i := 0; i+1 < len(n.Content); i += 2 {
		out.add(r.yaml(n.Content[i+1], n.Content[i].Value, out, depth+1))
	}
	return out
}

func (s *setting) add(item *setting) {
	if item != nil {
		s.items = append(s.items, item)
	}
}

// takeOver adds what is in another value of the same kind, of which it is the beginning:
// so are the last values within each other of it, down to a depth, of the first ones.
func (s *setting) takeOver(more *setting, depth int) bool {
	if s == nil || more == nil || s.kind != more.kind || s.kind == scalarSetting {
		return false
	}
	items := more.items
	if depth > 0 && len(s.items) > 0 && len(items) > 0 {
		if last := s.items[len(s.items)-1]; last.key == items[0].key && last.takeOver(items[0], depth-1) {
			items = items[1:]
		}
	}
	for _, item := range items {
		item.in = s
	}
	s.items = append(s.items, items...)
	return true
}

// yamlScalar is the setting of a scalar. The lines of a literal block follow one below
// the other.
func yamlScalar(n *yaml.Node, key string, in *setting) *setting {
	out := &setting{key: key, text: n.Value, tag: plainTag(n.Tag), line: n.Line, in: in}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		out.line, out.step = n.Line+1, 1
	}
	if n.Tag == "!!binary" {
		if plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), "")); err == nil {
			out.text, out.step = string(plain), 0
		}
	}
	return out
}

// json returns the setting of the value that the reader has next.
func (r *settingsReader) json(from *jsonReader, key string, in *setting, depth int) *setting {
	t, line, ok := from.token()
	if !ok {
		return nil
	}
	if !t.isText && t.delim == 0 { // a number is no command
		if r.others++; r.others > maxSettings {
			return nil
		}
	} else if r.inAll++; r.inAll > maxValues {
		r.over = true
		return nil
	}
	out := &setting{key: key, text: t.text, line: line, in: in}
	if t.delim == 0 {
		return out
	}
	if depth > maxSettingDepth || t.delim != '{' && t.delim != '[' {
		from.rest(t)
		r.over = true
		return nil
	}
	out.kind = listSetting
	if t.delim == '{' {
		out.kind = objectSetting
	}
	for r.left > 0 && from.more() {
		name := ""
		if out.kind == objectSetting {
			member, _, ok := from.token()
			if !ok || member.delim != 0 || !from.more() {
				break
			}
			name = member.text
		}
		out.add(r.json(from, name, out, depth+1))
	}
	from.token()
	return out
}

// member is the value of a key, nil where there is none. Case does not matter.
func (s *setting) member(key string) *setting {
	if s == nil || s.kind != objectSetting {
		return nil
	}
	if len(s.items) > manyItems {
		return s.indexed()[strings.ToLower(key)]
	}
	for _, item := range s.items {
		if strings.EqualFold(item.key, key) {
			return item
		}
	}
	return nil
}

// manyItems is how many items of an object are searched one by one.
const manyItems = 16

// indexed are the first items of an object by their keys in lower case.
func (s *setting) indexed() map[string]*setting {
	if s.index == nil || s.indexedItems != len(s.items) {
		s.index, s.indexedItems = make(map[string]*setting, len(s.items)), len(s.items)
		for _, item := range s.items {
			if key := strings.ToLower(item.key); s.index[key] == nil {
				s.index[key] = item
			}
		}
	}
	return s.index
}

// words are the texts of a value, those of lists within lists as well.
func (s *setting) words() []string {
	var out []string
	s.scalars(func(of *setting) { out = append(out, of.text) })
	return out
}

// scalars calls fn for the texts of a value, in order. Of an object that stands for a
// text, only that is one.
func (s *setting) scalars(fn func(*setting)) {
	switch s.kind {
	case scalarSetting:
		fn(s)
	case listSetting:
		for _, item := range s.items {
			item.scalars(fn)
		}
	case objectSetting:
		if value := s.member("value"); value != nil && value.kind == scalarSetting {
			fn(value)
		}
	}
}

// folded puts the functions of templates together that are written as values:
// !Join ["", […]], {"Fn::Sub": …}, {"Fn::Base64": …}.
func (s *setting) folded() *setting {
	name, of := strings.TrimPrefix(s.tag, "!"), s
	if s.kind == objectSetting && len(s.items) == 1 && strings.HasPrefix(s.items[0].key, "Fn::") {
		of = s.items[0]
		name = of.key[len("Fn::"):]
	}
	switch name {
	case "Join":
		if of.kind != listSetting || len(of.items) != 2 || of.items[0].kind != scalarSetting || of.items[1].kind != listSetting {
			return s
		}
		var parts []string
		for _, item := range of.items[1].items {
			if item = item.folded(); item.kind == scalarSetting {
				parts = append(parts, item.text)
			} else {
				parts = append(parts, "$X")
			}
		}
		return &setting{key: s.key, text: strings.Join(parts, of.items[0].text), line: of.line, in: s.in}
	case "Sub":
		if of.kind == listSetting && len(of.items) > 0 {
			of = of.items[0]
		}
	case "Base64":
		if of == s {
			break
		}
		of = of.folded()
	default:
		return s
	}
	if of.kind == scalarSetting || of != s {
		copied := *of
		copied.key, copied.in, copied.tag = s.key, s.in, ""
		return copied.folded()
	}
	if s.kind == objectSetting && len(s.items) == 1 { // !Base64 {Fn::Sub: …}
		copied := *s
		copied.tag = ""
		return copied.folded()
	}
	return s
}

// plainTag is a tag without the escapes of its characters, as loaders compare it.
func plainTag(tag string) string {
	if plain, err := url.PathUnescape(tag); err == nil {
		return plain
	}
	return tag
}
