package embedded

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/placeholder"
	"go.yaml.in/yaml/v3"
)

// commandKeys are the keys whose value is a command or a script in workflows,
// in other CI systems, in compose files, in pods and in hooks.
var commandKeys = []string{"run", "script", "before_script", "after_script", "install", "before_install",
	"command", "commands", "cmd", "cmds", "entry", "entrypoint", "shell", "args", "postCreateCommand", "steps", "test"}

// ansibleModules are those that run what they are given, and the keys of
// cloud-init that do. Their names are found in the text as those above are.
var ansibleModules = []string{"ansible.builtin.shell", "ansible.builtin.command", "ansible.builtin.raw", "ansible.builtin.script",
	"bash", "pwsh", "powershell", "inlineScript", "exec", "execute", "sh", "hooks", "preStart", "postStart", "pre_build", "post_build",
	"raw", "runcmd", "bootcmd", "postCommands", "before_deploy", "after_success", "before_cache", "build_command", "local-exec"}

// Bounds of the walk over a YAML file.
const (
	maxYAMLDepth = 64
	maxYAML      = 1 << 20 // bytes that are parsed at once; what is parsed takes a hundred times that of memory
	maxTemplates = 5000    // parts of a template
)

// yamlCommands returns the commands of a YAML file. In a workflow these are the
// run blocks, each in the language of its shell, and the scripts of
// actions/github-script.
func yamlCommands(lang gate.Language, content []byte) []Code {
	named := func(k string) bool { return bytes.Contains(content, []byte(k)) }
	if !slices.ContainsFunc(commandKeys, named) && !slices.ContainsFunc(ansibleModules, named) && !mayRun.Match(content) {
		return nil
	}
	w := yamlWalk{workflow: lang == gate.LanguageWorkflow}
	pieces, uncut := yamlPieces(content)
	var rest []Code
	if len(uncut.text) > 0 {
		rest = append(unparsed(uncut.text, uncut.line), unreadOf(maxYAML, "bytes of YAML that can't be divided are")...)
	}
	r := settingsReader{left: maxSettings}
	var roots []*setting
	for _, p := range pieces {
		docs, err := w.piece(p)
		if err != nil && len(pieces) > 1 { // it may be whole where it was cut
			rest = append(rest, unreadOf(maxYAML, "bytes of YAML whose parts can't be read alone are")...)
		}
		for i, doc := range docs {
			root := r.yaml(doc, "", nil, 0)
			if i == 0 && p.goesOn && err == nil && len(roots) > 0 && roots[len(roots)-1].takeOver(root, p.keys) {
				continue
			}
			roots = append(roots, root)
		}
		if err != nil || templateValue.Match(p.text) {
			calls, unread := templateCalls(p)
			roots, rest = append(roots, calls), append(rest, unread...)
		}
	}
	w.out = append(w.out, documentCommands(roots, w.out, false)...)
	return append(append(w.out, r.unread()...), rest...)
}

// piece reads one piece of a file: the commands that its keys name, and its documents,
// those of a template as the file that it may become among them. What the parser does not
// take is read as another one may, and err says why.
func (w *yamlWalk) piece(p yamlPiece) (docs []*yaml.Node, err error) {
	docs, err = yamlDocuments(p)
	for i := range docs {
		w.node(docs[i], 0)
	}
	if err != nil { // another reader may be more lenient
		w.out = append(w.out, guessed(unparsed(p.text, p.line), true)...)
		w.out = append(w.out, documentCommands([]*setting{yamlLines(p)}, w.out, false)...)
		docs = nil
	}
	if err != nil || templateValue.Match(p.text) {
		more, _ := yamlDocuments(yamlPiece{text: withoutTemplate(p.text), line: p.line})
		docs = append(docs, more...)
	}
	return docs, err
}

var yamlLine = regexp.MustCompile(`^[ \t]*((?:-[ \t]+)*)(?:["']?([\w.-]+)["']?[ \t]*:(?:[ \t]+|$))?(.*)$`)

// yamlLines reads the lines of a YAML file that the parser does not take: each key with
// its value, and the elements of lists as those of the key before them.
func yamlLines(p yamlPiece) *setting {
	root := &setting{kind: objectSetting}
	scope := &setting{key: "variables", kind: objectSetting, in: root}
	root.add(scope)
	var list *setting
	for i, line := range strings.Split(string(p.text), "\n") {
		m := yamlLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		value := strings.Trim(m[3], `"'`)
		switch {
		case m[2] != "" && (value == "" || value[0] == '|' || value[0] == '>'):
			list = &setting{key: m[2], kind: listSetting, line: p.line + i, in: scope}
			scope.add(list)
		case m[2] != "":
			scope.add(&setting{key: m[2], text: value, line: p.line + i, in: scope})
		case value != "" && list != nil:
			list.add(&setting{text: value, line: p.line + i, in: list})
		}
	}
	return root
}

// withoutTemplate is a template of a YAML file as the file that it may become: what is
// not known of it is a word, and each line stays where it is.
func withoutTemplate(content []byte) []byte {
	if !bytes.Contains(content, []byte("{{")) && !bytes.Contains(content, []byte("{%")) {
		return nil
	}
	text := string(content)
	if written := placeholder.Expand(text, nil).Texts; len(written) > 0 {
		text = written[0]
	}
	text = templateLine.ReplaceAllString(text, "")
	return []byte(templatePart.ReplaceAllStringFunc(text, func(of string) string {
		return "X" + strings.Repeat("\n", strings.Count(of, "\n"))
	}))
}

// templateCalls are the parts of a template in which something may be started.
func templateCalls(p yamlPiece) (out *setting, unread []Code) {
	if !placeholder.Starts.Match(p.text) {
		return nil, nil
	}
	out = &setting{kind: listSetting}
	lines := newLineIndex(p.text)
	found := templatePart.FindAllIndex(p.text, maxTemplates)
	unread = atBound(len(found), maxTemplates, "parts of a template are")
	for _, m := range found {
		out.add(&setting{text: string(p.text[m[0]:m[1]]), line: p.line - 1 + lines.of(m[0]), in: out})
	}
	return out, unread
}

// templateValue matches a part of a template where YAML has a value: a parser takes it
// for an object.
var templateValue = regexp.MustCompile(`(?m)[:-][ \t]+\{\{|^[ \t]*\{\{`)

var (
	templateLine = regexp.MustCompile(`(?m)^[ \t]*(?:(?:\{\{[^{}\n]*\}\}|\{%[^\n]*?%\})[ \t]*)+\r?$`)
	templatePart = regexp.MustCompile(`(?s)\{\{.{0,1000}?\}\}|\{%.{0,1000}?%\}`)
)

// unparsed is what follows the part that is parsed. It is taken for one
// script unchanged, keys and all: that finds more than the commands in it
// would, and leaves none out.
func unparsed(content []byte, line int) []Code {
	var b builder
	b.add(string(content), line, 1)
	return b.region(gate.LanguageShell, "")
}

// mayRun matches what an escape could spell a key with, names of programs, and lines of programs.
var mayRun = regexp.MustCompile(`\brequire\(["']|(?m:^[ \t]*(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b))|\\|!!binary|\b(?:curl|wget|sh|bash|python|node|nc|ncat|eval|base64|ssh|perl|ruby|php|powershell|pwsh|socat)\b`)

type yamlWalk struct {
	workflow bool
	secrets  []envSecret // of the mappings around
	out      []Code
}

func (w *yamlWalk) node(n *yaml.Node, depth int) {
	if depth > maxYAMLDepth {
		w.deep(n)
		return
	}
	if n.Kind == yaml.MappingNode {
		if w.workflow {
			defer func(outer []envSecret) { w.secrets = outer }(w.secrets)
			secrets := secretsOf(n)
			w.out = append(w.out, atBound(len(secrets), maxSecretVariables, "variables with a secret are")...)
			w.secrets = append(slices.Clip(w.secrets), secrets...)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.value(n, n.Content[i].Value, n.Content[i+1])
		}
	}
	for _, c := range n.Content {
		w.node(c, depth+1)
	}
}

// value takes over one value of a mapping if it is a command.
func (w *yamlWalk) value(parent *yaml.Node, key string, v *yaml.Node) {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	switch {
	case w.workflow && key == "run":
		w.command(v, shellOf(parent))
		w.sent(v)
	case w.workflow && key == "script" && v.Kind == yaml.ScalarNode:
		w.command(v, gate.LanguageJavaScript)
		if wholeLines(v.Value) { // of an action for another shell
			w.command(v, gate.LanguageShell)
		}
	case !w.workflow && (slices.Contains(commandKeys, key) || slices.Contains(ansibleModules, key)):
		if v.Kind == yaml.MappingNode && slices.Contains(ansibleModules, key) {
			break // its keys are commands again
		}
		w.command(v, gate.LanguageShell)
	case v.Kind == yaml.ScalarNode && key != "shell" && isCommand(key, v.Value), !w.workflow && isCommandKey(key) && v.Kind == yaml.SequenceNode:
		w.command(v, gate.LanguageShell)
	}
}

// deep takes all that is nested too deep for commands, without looking at keys.
func (w *yamlWalk) deep(n *yaml.Node) {
	var b builder
	for nodes := []*yaml.Node{n}; len(nodes) > 0; {
		n, nodes = nodes[len(nodes)-1], nodes[:len(nodes)-1]
		if n.Kind == yaml.ScalarNode {
			scalar(&b, n)
		}
		nodes = append(nodes, n.Content...)
	}
	w.out = append(w.out, b.region(gate.LanguageShell, "")...)
}

// resolved is what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// shellOf is the language of a step's run block.
func shellOf(step *yaml.Node) gate.Language {
	for i := 0; i+1 < len(step.Content); i += 2 {
		if step.Content[i].Value == "shell" {
			command, _, _ := strings.Cut(step.Content[i+1].Value, " ")
			if l := interpreter(command); l != gate.LanguageUnknown {
				return l
			}
		}
	}
	return gate.LanguageShell
}

// command takes over a scalar, or the scalars of a list as one command line each.
// A list of words, as containers take it, is one line.
func (w *yamlWalk) command(v *yaml.Node, lang gate.Language) {
	var b builder
	switch v.Kind {
	case yaml.ScalarNode:
		scalar(&b, v)
	case yaml.SequenceNode:
		if v.Style&yaml.FlowStyle != 0 {
			b.add(strings.Join(scalars(v), " "), v.Line, 0)
			break
		}
		for _, c := range v.Content {
			if c = resolved(c); c.Kind == yaml.ScalarNode {
				scalar(&b, c)
			}
		}
		if !w.workflow && len(v.Content) > 1 {
			b.add(strings.Join(scalars(v), " "), v.Line, 0)
		}
	}
	w.out = append(w.out, b.region(lang, "")...)
}

func scalars(v *yaml.Node) []string {
	var words []string
	for _, c := range v.Content {
		if c = resolved(c); c.Kind == yaml.ScalarNode {
			words = append(words, c.Value)
		}
	}
	return words
}

// scalar adds a scalar: the lines of a literal block are one below the other,
// beginning below the "|".
func scalar(b *builder, v *yaml.Node) {
	if v.Tag == "!!binary" {
		if plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(v.Value), "")); err == nil {
			b.add(string(plain), v.Line, 0)
			return
		}
	}
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		b.add(v.Value, v.Line+1, 1)
		return
	}
	b.add(v.Value, v.Line, 0)
}
