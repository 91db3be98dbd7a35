package versions

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// definitions lists what the names of a version stand for.
func (r *reading) definitions() []definition {
	if r.defined != nil {
		return r.defined
	}
	out := []definition{}
	for _, o := range r.outlines {
		if defines(o.language) {
			out = append(out, definitionsIn(o, r.statements)...)
		}
	}
	r.defined = out
	return out
}

func defines(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageMarkdown, gate.LanguageHTML, gate.LanguageNotebook, gate.LanguageText, gate.LanguageTOML, gate.LanguageINI:
		return false
	}
	return true
}

// scopeOf is the names of the functions around a block.
func scopeOf(o *outline, at int) string {
	var names []string
	for at = o.functionOf(at); at > 0; at = o.functionOf(o.blocks[at].parent) {
		names = append(names, o.blocks[at].name)
	}
	slices.Reverse(names)
	return strings.Join(names, "/")
}

// definitionsIn lists the definitions of one text.
func definitionsIn(o *outline, known statements) []definition {
	var out []definition
	for i := 1; i < len(o.blocks); i++ {
		if b := o.blocks[i]; b.function && b.name != "" {
			scope, last := scopeOf(o, b.parent), o.file(min(b.last, len(o.starts)-1))
			out = append(out, definition{name: lastPart(b.name), text: bodyOf(o, b), scope: scope, function: true, line: o.file(b.head), last: last})
			out = append(out, parametersOf(o, i)...)
		}
	}
	for i := range o.starts {
		if o.statement[i] != i {
			continue
		}
		text := o.code(i)
		if o.ends[i] > i {
			text = []byte(o.text(i))
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		set := known.read(o.language, text)
		if len(set.names) == 0 {
			continue
		}
		d := definition{text: set.plain + " " + strconv.FormatUint(o.around[o.in[i]], 16), scope: scopeOf(o, o.in[i]), line: o.file(i), last: o.file(o.ends[i]), assigned: true, anywhere: set.anywhere}
		if o.language == gate.LanguageShell || o.language == gate.LanguageMakefile || o.language == gate.LanguageDockerfile {
			d.scope = ""
		}
		for _, name := range set.names {
			d.name = name
			if d.anywhere {
				d.text = importOf(string(text), name)
			}
			out = append(out, d)
		}
	}
	return out
}

// parametersOf are the names that the header of a function defines in it.
func parametersOf(o *outline, at int) []definition {
	b := o.blocks[at]
	_, list, ok := strings.Cut(b.parameters, "(")
	if !ok {
		return nil
	}
	if end := strings.LastIndexByte(list, ')'); end >= 0 {
		list = list[:end]
	}
	var out []definition
	for part := range strings.SplitSeq(list, ",") {
		words := word.FindAllString(part, 20)
		if end := strings.IndexAny(part, ":="); end >= 0 {
			words = word.FindAllString(part[:end], 20)
		}
		if len(words) == 0 {
			continue
		}
		for _, name := range slices.Compact([]string{words[0], words[len(words)-1]}) {
			out = append(out, definition{name: name, text: plain([]byte(part)), scope: scopeOf(o, at), line: o.file(b.head), last: o.file(b.head)})
		}
	}
	return out
}

// bodyOf is the code of a function, for comparing.
func bodyOf(o *outline, b block) string {
	from, to := o.starts[b.head], o.end(min(b.last, len(o.starts)-1))
	return fmt.Sprint(hash(plain(o.view[from:max(from, to)])))
}

// importOf is what an import says of one of its names: the module, and what the name is
// there. The other names that it brings in mean nothing to this one.
func importOf(text, name string) string {
	m := importing.FindStringSubmatch(text)
	if m == nil {
		return plain([]byte(text))
	}
	list, module, _ := strings.Cut(m[2], " from ")
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(list), "(){};"), ",") {
		if words := word.FindAllString(part, 20); len(words) > 0 && (words[0] == name || words[len(words)-1] == name) {
			return m[1] + module + ": " + strings.Join(words, " ")
		}
	}
	return plain([]byte(text))
}

func lastPart(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// uses finds the lines that use names.
func (r *reading) uses(names map[string]bool) map[string][]use {
	out := map[string][]use{}
	for _, o := range r.outlines {
		for i := range o.starts {
			addUses(o, i, names, out)
		}
	}
	return out
}

// addUses adds the names that a line uses. Of its strings only what a language puts
// the value of a name into counts.
func addUses(o *outline, i int, names map[string]bool, out map[string][]use) {
	line := o.code(i)
	expands := defines(o.language) && (bytes.IndexByte(line, '$') >= 0 || bytes.Contains(line, []byte("{{")))
	dollar := o.language == gate.LanguageYAML || o.language == gate.LanguageWorkflow || o.language == gate.LanguageDockerfile || o.language == gate.LanguageMakefile
	seen := ""
	for at := 0; at < len(line); {
		if !isNameStart(line[at]) {
			at++
			continue
		}
		end := at
		for end < len(line) && (char.IsWord(line[end]) || line[end] == '$') {
			end++
		}
		name := string(line[at:end])
		before := byte(0)
		if at > 0 {
			before = line[at-1]
		}
		start := at
		at = end
		if !names[name] || name == seen {
			continue
		}
		switch {
		case dollar && !expands:
			continue
		case o.language == gate.LanguageShell && (before == '-' || before == '/'):
			continue
		case isSet.Match(line[end:]) && before != '$' && before != '{':
			continue // it is set here
		}
		if o.split.At(o.starts[i]+start) == lex.String && before != '$' && before != '{' && before != '(' && !dollar && o.language != gate.LanguageShell {
			continue
		}
		seen = name
		u := use{o.file(i), scopeOf(o, o.in[i])}
		if l := out[name]; len(l) == 0 || l[len(l)-1] != u {
			out[name] = append(l, u)
		}
	}
}

func isNameStart(c byte) bool { return char.IsWord(c) && (c < '0' || c > '9') }
