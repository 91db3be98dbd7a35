package build

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Value is a text of an XML document with the properties in it worked out.
type Value struct {
	Line
	Key     string // of the attribute or the element that holds it
	Command bool   // a tool starts it
}

// Document is what the XML of a build tool says: Ant's, Maven's and MSBuild's.
type Document struct {
	Root   string // the name of the outermost element, in lower case
	Values []Value
	Code   []Value // programs in the document, their languages in Key
	// Unread are the bounds that kept something from being worked out.
	Unread []string
}

// Bounds of one document.
const (
	maxXML      = 10<<20 + 1 // bytes
	maxElements = 500_000
	maxNesting  = 200
)

// ReadXML evaluates a document.
func ReadXML(content []byte) Document {
	p := &document{budget: newBudget(), properties: map[string][]string{}, macros: map[string]bool{}, active: map[string]bool{}, ways: &ways{choice: map[string]int{}, among: map[string]int{}}}
	p.budget.over(len(content), maxXML, "bytes")
	root := p.parse(content[:min(len(content), maxXML)])
	if root == nil {
		return Document{}
	}
	p.define(root)
	p.commands(root)
	if p.budget.spent {
		p.add("command", Computed+"more than gate works out}}", root.at, true)
	}
	p.out.Unread = p.budget.unread
	p.out.Root = strings.ToLower(root.name)
	return p.out
}

// element is one element of a document.
type element struct {
	name     string
	attrs    []xml.Attr
	children []*element
	text     string
	at       int
}

func (e *element) attr(name string) (string, bool) {
	for _, a := range e.attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value, true
		}
	}
	return "", false
}

// document is the state of a reading.
type document struct {
	budget     *budget
	ways       *ways
	properties map[string][]string
	macros     map[string]bool
	active     map[string]bool // properties that are worked out just now
	nesting    int
	out        Document
}

// parse reads a document as leniently as it can be read. What is wrong behind some point
// leaves what is before it.
func (p *document) parse(content []byte) *element {
	dec := xml.NewDecoder(bytes.NewReader([]byte(withoutSigns(string(content)))))
	dec.Strict = false
	dec.Entity = p.entities(content)
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	line, counted := 1, int64(0)
	var root *element
	var open []*element
	for n := 0; !p.budget.full(n, maxElements, "elements"); {
		token, err := dec.Token()
		if err != nil {
			break
		}
		at := line
		if end := dec.InputOffset(); end > counted && end <= int64(len(content)) {
			line += bytes.Count(content[counted:end], []byte{'\n'})
			counted = end
		}
		switch t := token.(type) {
		case xml.StartElement:
			n++
			e := &element{name: t.Name.Local, attrs: slices.Clone(t.Attr), at: at}
			switch {
			case root == nil:
				root = e
			case len(open) > 0:
				parent := open[len(open)-1]
				parent.children = append(parent.children, e)
			}
			if !p.budget.full(len(open), maxNesting, "elements within each other") {
				open = append(open, e)
			}
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if len(open) > 0 {
				e := open[len(open)-1]
				if e.text == "" {
					t = bytes.TrimLeft(t, " \t\r\n")
				}
				e.text += string(t)
			}
		}
	}
	return root
}

var entity = regexp.MustCompile(`<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>`)

// entities are those that a document defines for itself.
func (p *document) entities(content []byte) map[string]string {
	out := map[string]string{"nbsp": "\u00a0"}
	if !bytes.Contains(content, []byte("<!ENTITY")) {
		return out
	}
	b := p.budget
	found := entity.FindAllSubmatch(content, maxItems)
	b.full(len(found), maxItems, "entities")
	for range 8 { // those that are in others
		for _, m := range found {
			value := string(m[2]) + string(m[3])
			for name, text := range out {
				if strings.Contains(value, "&"+name+";") && b.take(len(text)) {
					value = strings.ReplaceAll(value, "&"+name+";", text)
				}
			}
			if !b.over(len(value), maxValue, "bytes of one entity") && b.take(len(value)) {
				out[string(m[1])] = unnumbered(value)
			}
		}
	}
	return out
}

var numbered = regexp.MustCompile(`&#(?:x[0-9a-fA-F]{1,6}|[0-9]{1,7});`)

// unnumbered writes the characters that are given by their numbers.
func unnumbered(s string) string {
	return numbered.ReplaceAllStringFunc(s, func(c string) string {
		var r struct {
			Text string `xml:",chardata"`
		}
		if xml.Unmarshal([]byte("<a>"+c+"</a>"), &r) != nil {
			return c
		}
		return r.Text
	})
}

// define takes over what sets properties.
func (p *document) define(e *element) {
	name, hasName := e.attr("name")
	for _, key := range []string{"value", "location", "string", "default"} {
		if value, ok := e.attr(key); ok && hasName {
			p.property(name, value)
		}
	}
	if strings.EqualFold(e.name, "macrodef") || strings.EqualFold(e.name, "presetdef") {
		p.macros[strings.ToLower(name)] = true
	}
	if property, ok := e.attr("property"); ok && makesProperty.MatchString(e.name) {
		p.property(property, notWorkedOut(e.name))
	}
	if property, ok := e.attr("outputproperty"); ok {
		p.property(property, notWorkedOut(e.name))
	}
	if strings.EqualFold(e.name, "output") {
		if property, ok := e.attr("PropertyName"); ok {
			p.property(property, fromElsewhere("$("+property+")"))
		}
	}
	if strings.EqualFold(e.name, "createproperty") {
		value, _ := e.attr("Value")
		for _, c := range e.children {
			if property, ok := c.attr("PropertyName"); ok {
				p.property(property, value)
			}
		}
	}
	if value, ok := e.attr("Include"); ok {
		p.property("@"+e.name, value)
	}
	if len(e.children) == 0 && strings.TrimSpace(e.text) != "" {
		p.property(e.name, strings.TrimSpace(e.text))
	}
	for _, c := range e.children {
		p.define(c)
	}
	if p.macros[strings.ToLower(e.name)] {
		for _, a := range e.attrs {
			p.property("@"+a.Name.Local, a.Value)
		}
	}
}

// makesProperty matches what makes a property of a file or of another text.
var makesProperty = regexp.MustCompile(`(?i)^(?:loadresource|loadfile|propertyregex|concat|script|scriptdef|get)$`)

func (p *document) property(name, value string) {
	name = strings.ToLower(name)
	values := p.properties[name]
	if slices.Contains(values, value) || p.budget.over(len(value), maxValue, "bytes of one value") {
		return
	}
	if len(values) == maxVariants {
		value = oneOf(append(slices.Clone(values), value), maxVariants, "values")
	}
	if len(values) <= maxVariants && !p.budget.full(len(p.properties), maxVariables, "properties") && p.budget.take(len(value)) {
		p.properties[name] = append(values, value)
	}
}
