package embedded

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
)

// settingsNames are globs on the base names, in lower case, of JSON files in which
// tools find what to run. Files in folders that begin with a dot are such, too.
var settingsNames = []string{"package.json", "composer.json", "deno.json", "deno.jsonc", "lerna.json", "nodemon.json", "vercel.json", "now.json",
	"firebase.json", "netlify.json", "renovate.json", "renovate.json5", "devcontainer*.json", "mcp.json", "*mcp*.json", "claude_desktop_config.json",
	"hooks.json", "*.code-workspace", "tasks.json", "launch.json", "settings.json", "project.json", "turbo.json", "nx.json", "wrangler.json", "wrangler.jsonc",
	"app.json", "cdk.json", "cmakepresets.json", "cmakeuserpresets.json", "angular.json", "tsconfig*.json", "*.gyp", "*.gypi", "jsr.json", "bower.json", "rush.json", "command-line.json", "opencode.json"}

// isSettings reports whether tools run what a file says.
func isSettings(name string) bool {
	name = strings.ToLower(name)
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".." {
			return true
		}
	}
	return slices.ContainsFunc(settingsNames, func(g string) bool { return glob.MatchName(g, path.Base(name)) })
}

// isCommandKey reports whether the value of a key is a command.
func isCommandKey(key string) bool {
	use := useOf(key)
	return use == command || use == group
}

// settings returns the commands of a JSON file that tools read.
func settings(content []byte) []Code {
	w := settingsWalk{r: newJSONReader(content)}
	w.value("", false, false, 0)
	return w.out.region(gate.LanguageShell, gate.RoleManifest)
}

// jsonCommands returns the commands of a JSON file, besides those that are known
// already. A large file that no tool is known to read for what to run is read where a text
// in it looks like a command or a template.
func jsonCommands(name string, content []byte, already []Code) []Code {
	read := isSettings(name)
	switch {
	case !read && strings.Contains(strings.ToLower(path.Base(name)), "lock"), len(content) > maxCanonicalData && !read && !telling(content):
		return nil
	case len(content) > maxCanonical:
		return unreadOf(maxCanonical, "bytes of JSON are")
	}
	r := settingsReader{left: maxSettings}
	root := r.json(newJSONReader(content), "", nil, 0)
	return append(documentCommands([]*setting{root}, already, !read), r.unread()...)
}

// telling reports whether a text in JSON looks like a command or a template.
func telling(content []byte) bool {
	for r := newJSONReader(content); ; {
		t, _, ok := r.token()
		if !ok {
			return false
		}
		if t.isText && (strings.HasPrefix(t.text, "#!") || slices.ContainsFunc(templateMarks, func(mark string) bool { return strings.Contains(t.text, mark) }) || wholeLines(t.text)) {
			return true
		}
	}
}

// templateMarks are what templates begin with.
var templateMarks = []string{"{{", "{%", "<%", "${", "$["}

type settingsWalk struct {
	r   *jsonReader
	out builder
}

// maxJSONDepth is how deep values are looked at; what is deeper is read without its
// keys.
const maxJSONDepth = 200

// value reads one value. command says that the key before it, or one around it, is one
// of commands; listed, that the value is a word among others. It returns the words of the value, to be put together with
// others of the same object.
func (w *settingsWalk) value(key string, command, listed bool, depth int) []string {
	command = command || isCommandKey(key)
	t, line, ok := w.r.token()
	switch {
	case !ok:
		return nil
	case t.isText:
		if command && (!listed || strings.ContainsAny(t.text, " \t")) || wholeCommand.MatchString(quoteSigns.Replace(t.text)) {
			w.out.flush(t.text, line, 0)
		}
		return []string{t.text}
	case t.delim == '{' && depth < maxJSONDepth:
		w.object(line, command, depth)
	case t.delim == '[' && depth < maxJSONDepth:
		var words []string
		for w.r.more() {
			words = append(words, w.value("", command, true, depth+1)...)
		}
		w.r.token()
		if command && len(words) > 1 {
			w.out.flush(strings.Join(words, " "), line, 0)
		}
		return words
	case t.delim == '{' || t.delim == '[':
		w.deep()
	}
	return nil
}

// deep takes every text of a value that is nested too deep.
func (w *settingsWalk) deep() {
	for depth := 1; depth > 0; {
		t, line, ok := w.r.token()
		switch {
		case !ok:
			return
		case t.delim == '{' || t.delim == '[':
			depth++
		case t.delim != 0:
			depth--
		case t.isText:
			w.out.flush(t.text, line, 0)
		}
	}
}

// object reads the members of an object, and puts a program and its arguments together.
func (w *settingsWalk) object(line int, command bool, depth int) {
	var program, args []string
	for w.r.more() {
		key, _, ok := w.r.token()
		if !ok || key.delim != 0 || !w.r.more() {
			break
		}
		words := w.value(key.text, command, false, depth+1)
		switch strings.ToLower(key.text) {
		case "command", "cmd", "program", "path", "runtimeexecutable", "executable":
			program = append(program, words...)
		case "args", "argv", "runtimeargs", "shellargs":
			args = append(args, words...)
		}
	}
	w.r.token()
	if len(program) > 0 && len(args) > 0 {
		w.out.flush(strings.Join(append(program, args...), " "), line, 0)
	}
}

// Bounds of the JSON that is written anew for the rules.
const (
	maxCanonical     = 10<<20 + 1 // bytes: the largest file that is read as a whole
	maxCanonicalData = 256 << 10  // bytes of a file that no tool reads for what to run
)

// canonical returns a JSON text as most people and tools write it, one member a line and
// no escapes, where it is written otherwise: rules look at lines.
func canonical(name string, content []byte) []Code {
	if len(content) > maxCanonical || len(content) > maxCanonicalData && !isSettings(name) && !strings.Contains(strings.ToLower(path.Base(name)), "lock") {
		return nil
	}
	r := newJSONReader(content)
	var b builder
	var keys []bool // of the brackets that are open: whether keys are in them
	same := true
	key, keyLine := "", 0
	for {
		t, line, ok := r.token()
		if !ok {
			break
		}
		inObject := len(keys) > 0 && keys[len(keys)-1]
		switch {
		case t.delim == '}' || t.delim == ']':
			if len(keys) > 0 {
				keys = keys[:len(keys)-1]
			}
			b.add(string(t.delim), line, 0)
			key = ""
		case t.delim == 0 && inObject && key == "":
			key, keyLine = `"`+t.text+`": `, line
		default:
			if keyLine == 0 || key == "" {
				keyLine = line
			}
			text := t.text
			switch {
			case t.isText:
				text = `"` + plainEscapes.Replace(text) + `"`
			case t.delim != 0:
				text = string(t.delim)
				keys = append(keys, t.delim == '{')
			}
			if t.isText || key != "" {
				b.add(key+text, keyLine, 0)
				same = same && holds(r, keyLine, key+text)
			}
			key, keyLine = "", 0
		}
	}
	if same {
		return nil
	}
	return b.region(gate.LanguageJSON, "")
}

// plainEscapes are the escapes that a text in JSON needs.
var plainEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// holds reports whether a text is on a line as it is, with nothing else of weight
// before it.
func holds(r *jsonReader, line int, text string) bool {
	start, end := r.lines[line-1], len(r.content)
	if line < len(r.lines) {
		end = r.lines[line]
	}
	return bytes.HasPrefix(bytes.TrimLeft(r.content[start:end], " \t"), []byte(text))
}
