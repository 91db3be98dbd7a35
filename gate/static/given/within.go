package given

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	// packaged is a script of package.json that a command starts.
	packaged = regexp.MustCompile(`(?:^|[;&|]\s*|\s)(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]+)((?:\s[^;&|]*)?)`)
	// read is a shell that takes its script from what follows.
	read = regexp.MustCompile(`\b(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*-\w*s\w*\s+(?:--\s+)?([^<|;&\n]+?)\s*<<-?\s*["'\\]?(\w+)["']?\s*$`)
	// takes is a script that another one makes part of itself.
	takes    = regexp.MustCompile(`^\s*(?:\.|source)\s+(["']?)([^\s;|&]+)`)
	function = regexp.MustCompile(`(?m)^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)`)
)

// packages reads a line that starts a script of package.json with arguments.
func (r *reader) packages(n int, line string, content []byte, depth int) {
	for _, m := range packaged.FindAllStringSubmatch(line, maxWords) {
		words, _ := wordsOf(m[2])
		if depth >= maxDepth || len(words) == 0 {
			continue
		}
		file := content
		if path.Base(r.caller) != "package.json" {
			var ok bool
			if file, ok = r.tree.read(path.Join(path.Dir(r.caller), "package.json")); !ok {
				if file, ok = r.tree.read("package.json"); !ok {
					continue
				}
			}
		}
		var manifest struct{ Scripts map[string]string }
		if json.Unmarshal(file, &manifest) != nil {
			continue
		}
		plain, ok := manifest.Scripts[m[1]]
		if !ok {
			continue
		}
		given := plain
		for _, w := range words {
			if w != "--" {
				given += " " + shellWord(w)
			}
		}
		r.add(Call{Line: n, Language: gate.LanguageShell, Plain: []byte(plain + "\n"), Given: []byte(given + "\n")})
		r.scripts(n, given, depth+1)
		r.packages(n, given, content, depth+1)
	}
}

// input reads a script that follows the command that runs it, with arguments: bash -s -- A <<E.
func (r *reader) input(content []byte, touches func(int) bool) {
	if r.lang != gate.LanguageShell && r.lang != gate.LanguageYAML && r.lang != gate.LanguageWorkflow && r.lang != gate.LanguageDockerfile || !bytes.Contains(content, []byte("<<")) {
		return
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	for i, line := range lines {
		m := read.FindSubmatch(bytes.TrimRight(line, "\r\n"))
		if m == nil || len(line) > maxLine {
			continue
		}
		words, _ := wordsOf(string(m[1]))
		var body []byte
		touched := touches(i + 1)
		for j := i + 1; j < len(lines) && len(body) < maxScript; j++ {
			if string(bytes.TrimSpace(lines[j])) == string(m[2]) {
				break
			}
			touched = touched || touches(j+1)
			body = append(body, lines[j]...)
		}
		if len(words) > 0 && touched {
			r.add(Call{Line: i + 1, Language: gate.LanguageShell, Plain: body, Given: putShell(body, command{words: words}, nil)})
		}
	}
}

// sourced reads a script that takes functions from another one and calls them.
func (r *reader) sourced(content []byte, touches func(int) bool) {
	if r.lang != gate.LanguageShell || len(content) > maxScript {
		return
	}
	lines := strings.SplitAfter(string(content), "\n")
	for i, line := range lines {
		m := takes.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		named := strings.Trim(m[2], `"'`)
		at := strings.LastIndexAny(named, "})") + 1
		name, ok := r.tree.find(r.caller, strings.TrimLeft(named[at:], `"/`), at > 0)
		if !ok {
			continue
		}
		library, ok := r.tree.read(name)
		if !ok || len(library) > maxScript {
			continue
		}
		functions := map[string]bool{}
		for _, f := range function.FindAllSubmatch(library, 1000) {
			functions[string(f[1])] = true
		}
		for n := i + 1; n < len(lines); n++ {
			words := strings.Fields(lines[n])
			for j, w := range words {
				if !functions[w] || !touches(n+1) || j > 0 && !strings.HasSuffix(words[j-1], ";") && words[j-1] != "&&" && words[j-1] != "then" && words[j-1] != "do" {
					continue
				}
				given := string(bytes.TrimRight(library, "\n")) + "\n" + strings.Join(lines[i+1:n+1], "")
				r.add(Call{Line: n + 1, Script: name, Language: gate.LanguageShell, Plain: library, Given: []byte(given)})
				break
			}
		}
	}
}

var (
	usesLocal = regexp.MustCompile(`^\s*(?:-\s+)?uses:\s*["']?(\./[\w./-]+)`)
	withKey   = regexp.MustCompile(`^\s*with:\s*(?:#.*)?$`)
	pair      = regexp.MustCompile(`^\s+([\w-]+):\s*(.+?)\s*$`)
	// inEnvironment is a variable that holds an input.
	inEnvironment = regexp.MustCompile(`(?m)^\s+(\w+):\s*["']?\$\{\{\s*inputs\.([\w-]+)\s*\}\}["']?\s*$`)
	anInput       = regexp.MustCompile(`\$\{\{\s*inputs\.([\w-]+)\s*\}\}`)
)

// actions reads a step of a workflow that gives a local action its inputs.
func (r *reader) actions(content []byte, touches func(int) bool) {
	if r.lang != gate.LanguageYAML && r.lang != gate.LanguageWorkflow || !bytes.Contains(content, []byte("uses: ./")) {
		return
	}
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		m := usesLocal.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		values, at := map[string]string{}, 0
		in := false
		for n := i + 1; n < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[n]), "- "); n++ {
			in = in || withKey.MatchString(lines[n])
			if p := pair.FindStringSubmatch(lines[n]); in && p != nil {
				value := unquoted(p[2])
				if rest, ok := home(value); ok {
					value = "$HOME" + rest
				}
				values[p[1]] = value
				if at == 0 && touches(n+1) {
					at = n + 1
				}
			}
		}
		if at == 0 || len(values) == 0 {
			continue
		}
		for _, base := range []string{"action.yml", "action.yaml"} {
			name := path.Join(path.Clean(m[1]), base)
			action, ok := r.tree.read(name)
			if !ok || len(action) > maxScript {
				continue
			}
			given := anInput.ReplaceAllFunc(action, func(s []byte) []byte {
				if v, ok := values[string(anInput.FindSubmatch(s)[1])]; ok {
					return []byte(v)
				}
				return s
			})
			for _, e := range inEnvironment.FindAllSubmatch(action, maxWords) {
				if v, ok := values[string(e[2])]; ok {
					variable := regexp.MustCompile(`\$(?:\{` + string(e[1]) + `\}|` + string(e[1]) + `\b)`)
					given = variable.ReplaceAllFunc(given, func([]byte) []byte { return []byte(v) })
				}
			}
			r.add(Call{Line: at, Script: name, Language: r.tree.language(name, action), Plain: action, Given: given})
		}
	}
}
