package region

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
)

// jsonReader reads JSON token by token and knows on which line each stands.
// What is not valid JSON ends the walk; the file's own text is scanned anyway.
type jsonReader struct {
	dec   *json.Decoder
	lines lineIndex
}

func newJSONReader(content []byte) *jsonReader {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return &jsonReader{dec: json.NewDecoder(bytes.NewReader(content)), lines: newLineIndex(content)}
}

func (r *jsonReader) token() (json.Token, int, bool) {
	t, err := r.dec.Token()
	return t, r.lines.of(max(0, int(r.dec.InputOffset())-1)), err == nil
}

// object calls field for each key of the object that begins next. field must
// consume the value. It reports whether there was an object, read to its end.
func (r *jsonReader) object(field func(key string) bool) bool {
	t, _, ok := r.token()
	if !ok || t != json.Delim('{') {
		return ok && r.rest(t)
	}
	for r.dec.More() {
		key, _, ok := r.token()
		name, isKey := key.(string)
		if !ok || !isKey || !field(name) {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}

// array calls element for each element of the array that begins next.
func (r *jsonReader) array(element func() bool) bool {
	t, _, ok := r.token()
	if !ok || t != json.Delim('[') {
		return ok && r.rest(t)
	}
	for r.dec.More() {
		if !element() {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}

// skip consumes one value.
func (r *jsonReader) skip() bool {
	t, _, ok := r.token()
	return ok && r.rest(t)
}

// rest consumes what is left of the value that began with t.
func (r *jsonReader) rest(t json.Token) bool {
	depth := 0
	for {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return true
		}
		var ok bool
		if t, _, ok = r.token(); !ok {
			return false
		}
	}
}

// texts consumes a string, or an array of strings, and passes each on.
func (r *jsonReader) texts(yield func(text string, line int)) bool {
	t, line, ok := r.token()
	if !ok {
		return false
	}
	if s, isText := t.(string); isText {
		yield(s, line)
		return true
	}
	if t != json.Delim('[') {
		return r.rest(t)
	}
	for r.dec.More() {
		t, line, ok := r.token()
		if !ok {
			return false
		}
		if s, isText := t.(string); isText {
			yield(s, line)
		} else if !r.rest(t) {
			return false
		}
	}
	_, _, ok = r.token()
	return ok
}

// jsonScripts returns the scripts of the manifests that installers and runners
// of JavaScript and PHP read.
func jsonScripts(base string, content []byte) []Region {
	section := map[string]string{
		"package.json": "scripts", "composer.json": "scripts", "deno.json": "tasks", "deno.jsonc": "tasks",
	}[base]
	if section == "" {
		return nil
	}
	var b builder
	r := newJSONReader(content)
	r.object(func(key string) bool {
		if key != section {
			return r.skip()
		}
		return r.object(func(string) bool {
			return r.texts(func(text string, line int) { b.add(text, line, 0) })
		})
	})
	return b.region(gate.LanguageShell, gate.RoleManifest)
}

// cell is one cell of a notebook.
type cell struct {
	kind  string
	parts []string
	lines []int
}

// notebook returns the code cells of a notebook, each in its language.
func notebook(content []byte) []Region {
	r := newJSONReader(content)
	var cells []cell
	lang := gate.LanguagePython
	name := func(text string, _ int) {
		if l := interpreter(text); l != gate.LanguageUnknown {
			lang = l
		} else if strings.EqualFold(text, "javascript") || strings.EqualFold(text, "typescript") {
			lang = gate.LanguageJavaScript
		}
	}
	oneCell := func() bool {
		var c cell
		ok := r.object(func(key string) bool {
			switch key {
			case "cell_type":
				return r.texts(func(text string, _ int) { c.kind = text })
			case "source", "input": // "input" in format 3
				return r.texts(func(text string, line int) {
					c.parts, c.lines = append(c.parts, text), append(c.lines, line)
				})
			}
			return r.skip()
		})
		cells = append(cells, c)
		return ok
	}
	kernel := func(key string) bool {
		if key == "name" || key == "language" {
			return r.texts(name)
		}
		return r.skip()
	}
	r.object(func(key string) bool {
		switch key {
		case "cells":
			return r.array(oneCell)
		case "worksheets": // format 3
			return r.array(func() bool {
				return r.object(func(key string) bool {
					if key == "cells" {
						return r.array(oneCell)
					}
					return r.skip()
				})
			})
		case "metadata":
			return r.object(func(key string) bool {
				if key == "kernelspec" || key == "language_info" {
					return r.object(kernel)
				}
				return r.skip()
			})
		}
		return r.skip()
	})
	var out []Region
	for _, c := range cells {
		if c.kind == "code" {
			out = append(out, c.regions(lang)...)
		}
	}
	return out
}

// regions splits a cell into its code and the lines that go to a shell.
func (c cell) regions(lang gate.Language) []Region {
	var code, shell, packages builder
	first := true
	for i, part := range c.parts {
		for line := range strings.SplitSeq(strings.TrimSuffix(part, "\n"), "\n") {
			trimmed := strings.TrimSpace(line)
			switch {
			case first && strings.HasPrefix(trimmed, "%%"):
				lang = magic(trimmed[2:], lang)
				code.add("", c.lines[i], 0)
			case packagesOnly.MatchString(trimmed):
				packages.add(trimmed[1:], c.lines[i], 0)
				code.add("", c.lines[i], 0)
			case strings.HasPrefix(trimmed, "!"):
				shell.add(strings.TrimLeft(trimmed, "!"), c.lines[i], 0)
				code.add("", c.lines[i], 0)
			case strings.HasPrefix(trimmed, "%pip "), strings.HasPrefix(trimmed, "%conda "), strings.HasPrefix(trimmed, "%sx "), strings.HasPrefix(trimmed, "%system "):
				shell.add(strings.TrimPrefix(strings.TrimPrefix(trimmed[1:], "sx "), "system "), c.lines[i], 0)
				code.add("", c.lines[i], 0)
			default:
				code.add(line, c.lines[i], 0)
			}
			first = first && trimmed == ""
		}
	}
	out := append(code.region(lang, ""), shell.region(gate.LanguageShell, "")...)
	return append(out, packages.region(gate.LanguageShell, gate.RoleInfra)...)
}

// packagesOnly is a line that installs what a notebook needs and does nothing
// else: a notebook has no manifest.
var packagesOnly = regexp.MustCompile(`^[!%](?:pip3?|conda|mamba)\s+install\s[^;|&<>$\x60]*$`)

// magic is the language that a cell magic such as %%bash switches to.
func magic(words string, otherwise gate.Language) gate.Language {
	fields := strings.Fields(words)
	if len(fields) > 1 && fields[0] == "script" {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return otherwise
	}
	switch fields[0] {
	case "javascript", "js":
		return gate.LanguageJavaScript
	case "html":
		return gate.LanguageHTML
	case "system", "sx", "!":
		return gate.LanguageShell
	}
	if l := interpreter(fields[0]); l != gate.LanguageUnknown {
		return l
	}
	return otherwise
}
