package versions

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// definitions lists what the names of a version stand for.
func (r *reading) definitions() []definition {
	var out []definition
	for _, o := range r.outlines {
		if defines(o.language) {
			out = append(out, definitionsIn(o)...)
		}
	}
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

var (
	importing  = regexp.MustCompile(`^\s*(?:from\s+(\S+)\s+)?import\s+(.*)`)
	goImport   = regexp.MustCompile(`^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([\w./~-]+)"\s*$`)
	forLoop    = regexp.MustCompile(`^\s*(?:async\s+)?for(?:each)?\s*\(?\s*(?:const|let|var|my)?\s*([\w$, ]+?)\s+(?:in|of|:=)\b`)
	named      = regexp.MustCompile(`\bas\s+([A-Za-z_]\w*)`)
	shellNames = regexp.MustCompile(`(?:^|[\s;&|({])([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=`)
	shellOther = regexp.MustCompile(`(?:^|[\s;&|({])(?:(?:un)?alias|unset|read|export|declare|local)\s+(?:-\w+\s+)*([\w.-]+)`)
	yamlSets   = regexp.MustCompile(`^[\s-]*["']?([A-Za-z_][\w.-]*)["']?\s*:(?:\s|$)`)
	dockerSets = regexp.MustCompile(`^\s*(?:ENV|ARG|env|arg)\s+([A-Za-z_]\w*)`)
	makeSets   = regexp.MustCompile(`^\s*(?:override\s+|export\s+|define\s+)*([A-Za-z_][\w.-]*)\s*(?:[:?+!]|::)?=`)
	types      = regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?(?:type|interface)\s`)
	// release is the number of a release as a whole value. Another one is no other
	// meaning: such lines change with every update. Four numbers could be an address.
	release = regexp.MustCompile(`([=:])\s*["']?v?\d+(?:\.\d+){0,2}(?:-(?:alpha|beta|rc|pre|dev)?[.-]?\d*)?["']?\s*[;,]?$`)
	isSet   = regexp.MustCompile(`^\s*:?=(?:[^=>~]|$)`)
	word    = regexp.MustCompile(`[A-Za-z_$][\w$]*`)
)

// plainKeys are keys of YAML that say how a command is run, and name no variable.
var plainKeys = []string{"name", "uses", "with", "env", "run", "shell", "type", "image", "path", "if", "when", "id", "on", "key", "script",
	"command", "args", "steps", "jobs", "needs", "stage", "tags", "only", "rules", "version", "default", "required", "description"}

// definitionsIn lists the definitions of one text.
func definitionsIn(o *outline) []definition {
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
		d := definition{text: fmt.Sprintf("%s %x", short(release.ReplaceAllString(plain(text), "$1 release")), o.around[o.in[i]]), scope: scopeOf(o, o.in[i]), line: o.file(i), last: o.file(o.ends[i]), assigned: true}
		if o.language == gate.LanguageShell || o.language == gate.LanguageMakefile || o.language == gate.LanguageDockerfile {
			d.scope = ""
		}
		for _, name := range definedBy(o, string(text[:min(len(text), maxStatement)]), &d) {
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

// definedBy are the names that a statement defines.
func definedBy(o *outline, text string, d *definition) []string {
	var names []string
	switch o.language {
	case gate.LanguageShell:
		for _, r := range []*regexp.Regexp{shellNames, shellOther} {
			for _, m := range r.FindAllStringSubmatch(text, 50) {
				names = append(names, m[1])
			}
		}
		if m := forLoop.FindStringSubmatch(text); m != nil {
			names = append(names, m[1])
		}
		return names
	case gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageDockerfile, gate.LanguageMakefile:
		settings := map[gate.Language]*regexp.Regexp{gate.LanguageDockerfile: dockerSets, gate.LanguageMakefile: makeSets}
		if m := cmp.Or(settings[o.language], yamlSets).FindStringSubmatch(text); m != nil && !(o.language == gate.LanguageWorkflow && strings.ToUpper(m[1]) != m[1]) && !slices.Contains(plainKeys, m[1]) {
			names = append(names, m[1])
		}
		return names
	case gate.LanguageGo:
		if m := goImport.FindStringSubmatch(text); m != nil {
			d.anywhere = true
			return []string{cmp.Or(m[1], m[2][strings.LastIndexByte(m[2], '/')+1:])}
		}
	}
	if m := importing.FindStringSubmatch(text); m != nil {
		d.anywhere = true
		return importedBy(o, m[2])
	}
	if m := forLoop.FindStringSubmatch(text); m != nil {
		return word.FindAllString(m[1], 10)
	}
	if types.MatchString(text) {
		return nil // nothing of them is there at run time
	}
	if m := functionHeads[0].FindStringSubmatch(text); m != nil {
		return []string{lastPart(m[1])} // with its parameters, or with a body on the same line
	}
	if o.language == gate.LanguagePython {
		for _, m := range named.FindAllStringSubmatch(text, 10) {
			names = append(names, m[1])
		}
	}
	return append(names, assigned(text)...)
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

// importedBy are the names that an import brings in.
func importedBy(o *outline, list string) []string {
	var names []string
	list, _, _ = strings.Cut(list, " from ")
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(list), "(){};"), ",") {
		words := word.FindAllString(part, 20)
		if n := len(words); n > 2 && words[n-2] == "as" {
			names = append(names, words[n-1])
		} else if n > 0 {
			names = append(names, words[0])
		}
	}
	return names
}

// assigned are the names on the left of the first "=" that stands in no bracket
// and no string.
func assigned(text string) []string {
	depth := 0
	for i := 0; i < min(len(text), 400); i++ {
		switch c := text[i]; c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '"', '\'', '`':
			if j := strings.IndexByte(text[i+1:], c); j >= 0 {
				i += j + 1
			}
		case '=':
			if depth > 0 {
				continue
			}
			if i+1 < len(text) && (text[i+1] == '=' || text[i+1] == '>' || text[i+1] == '~') || i > 0 && strings.IndexByte("!<>=~", text[i-1]) >= 0 {
				return nil
			}
			return targets(text[:i])
		}
	}
	return nil
}

// targets are the names that the left side of an assignment sets.
func targets(left string) []string {
	var names []string
	if strings.ContainsAny(left, "{[(") && !strings.ContainsAny(left, ".\"'") {
		return word.FindAllString(left, 20) // unpacked
	}
	for part := range strings.SplitSeq(left, ",") {
		part, _, _ = strings.Cut(part, ":")
		if in, _, ok := strings.Cut(part, "["); ok {
			if key := strings.Trim(part[len(in)+1:], `]"' +-*/|`); word.MatchString(key) {
				names = append(names, word.FindString(key))
			}
			part = in
			if strings.Contains(in, "environ") {
				continue
			}
		}
		if words := word.FindAllString(part, 20); len(words) > 0 {
			names = append(names, words[len(words)-1])
		}
	}
	return names
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
