package given

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// put is a script with what a command gives it in place.
func put(lang gate.Language, content []byte, c command) []byte {
	options := c.options()
	switch lang {
	case gate.LanguageShell:
		return putShell(content, c, options)
	case gate.LanguagePython:
		return putPython(content, c, options)
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return putScript(content, c, options)
	}
	return putNumbered(content, c)
}

// options are the values behind the options of a command, by their names without hyphens. A word
// behind an option is its value, whether it takes one or not.
func (c command) options() map[string]string {
	out := map[string]string{}
	for i, w := range c.words {
		name := strings.TrimLeft(w, "-")
		if name == w || name == "" {
			continue
		}
		if key, value, ok := strings.Cut(name, "="); ok {
			out[key] = value
			continue
		}
		if i+1 < len(c.words) && !strings.HasPrefix(c.words[i+1], "-") {
			out[name] = c.words[i+1]
		}
	}
	return out
}

// positionals are the words that are neither options nor their values.
func (c command) positionals() (out []string) {
	for i, w := range c.words {
		if strings.HasPrefix(w, "-") || i > 0 && strings.HasPrefix(c.words[i-1], "-") && !strings.Contains(c.words[i-1], "=") {
			continue
		}
		out = append(out, w)
	}
	return out
}

var (
	caseLabel = regexp.MustCompile(`^\s*\(?((?:-{0,2}[\w?-]+|\||\s|["'])+)(?:=\*)?\)`)
	optionArg = regexp.MustCompile(`"?(?:\$\{?OPTARG\}?|\$2\b|\$\{2(?::\?[^}]*|:-[^}]*)?\}|\$\{1#[^}]*\})"?`)
	standard  = regexp.MustCompile(`(@|-T\s+|--upload-file[ =])-(?:\s|$|")|@/dev/stdin\b`)
	catStdin  = regexp.MustCompile(`\$\(\s*cat\s*(?:-|/dev/stdin)?\s*\)`)
)

// putShell sets the arguments of a script on its first line, which says how it is started.
func putShell(content []byte, c command, options map[string]string) []byte {
	lines := strings.SplitAfter(string(content), "\n")
	for i, line := range lines {
		if m := caseLabel.FindStringSubmatch(line); m != nil && len(options) > 0 {
			for label := range strings.SplitSeq(m[1], "|") {
				label = strings.TrimLeft(strings.Trim(label, " \t\"'"), "-")
				value, ok := options[label]
				if !ok || label == "" {
					continue
				}
				for n := i; n < len(lines) && n < i+8; n++ {
					lines[n] = optionArg.ReplaceAllStringFunc(lines[n], func(string) string { return shellWord(value) })
					if strings.Contains(lines[n], ";;") {
						break
					}
				}
			}
		}
		if c.input != "" {
			lines[i] = standard.ReplaceAllStringFunc(lines[i], func(s string) string {
				if strings.HasPrefix(s, "@/") {
					return "@" + c.input
				}
				dash := strings.LastIndexByte(s, '-')
				return s[:dash] + c.input + s[dash+1:]
			})
			lines[i] = catStdin.ReplaceAllStringFunc(lines[i], func(string) string { return "$(cat " + c.input + ")" })
		}
	}
	if len(c.words) == 0 {
		return []byte(strings.Join(lines, ""))
	}
	var set strings.Builder
	set.WriteString("set --")
	for _, w := range c.words {
		set.WriteString(" " + shellWord(w))
	}
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		end := ""
		if strings.HasSuffix(lines[0], "\n") {
			end = "\n"
		}
		lines[0] = set.String() + end
		return []byte(strings.Join(lines, ""))
	}
	return []byte(set.String() + "; " + strings.Join(lines, ""))
}

var bareWord = regexp.MustCompile(`^[\w@%+=:,./~*$?&-]+$`)

func shellWord(w string) string {
	if bareWord.MatchString(w) && !strings.Contains(w, "&") {
		return w
	}
	return `"` + strings.NewReplacer(`"`, `\"`, "\n", " ").Replace(w) + `"`
}

// home is a word without what stands for the home folder at its beginning.
func home(w string) (rest string, ok bool) {
	for _, p := range []string{"~", "$HOME", "${HOME}", "$(HOME)", "/home/runner", "/root"} {
		if rest, ok := strings.CutPrefix(w, p); ok && (rest == "" || rest[0] == '/') {
			return rest, true
		}
	}
	return "", false
}

func pythonWord(w string) string {
	if rest, ok := home(w); ok {
		return "os.path.expanduser(" + strconv.Quote("~"+rest) + ")"
	}
	return strconv.Quote(w)
}

func scriptWord(w string) string {
	if rest, ok := home(w); ok {
		if rest == "" {
			return `require("os").homedir()`
		}
		return `require("os").homedir() + ` + strconv.Quote(rest)
	}
	return strconv.Quote(w)
}

// each joins words as literals.
func each(words []string, literal func(string) string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, literal(w))
	}
	return strings.Join(out, ", ")
}

// numbered replaces the elements of an argument vector. first is the number of the first
// argument.
func numbered(content []byte, element *regexp.Regexp, words []string, first int, literal func(string) string) []byte {
	return element.ReplaceAllFunc(content, func(m []byte) []byte {
		n, err := strconv.Atoi(string(element.FindSubmatch(m)[1]))
		if n -= first; err != nil || n < 0 || n >= len(words) {
			return m
		}
		return []byte(literal(words[n]))
	})
}

var (
	pythonElement = regexp.MustCompile(`\b(?:sys\.)?argv\[(\d+)\]`)
	pythonLoop    = regexp.MustCompile(`\bfor\s+(\w+)\s+in\s+(?:sys\.)?argv\[1:\]\s*:`)
	pythonRest    = regexp.MustCompile(`\b(?:sys\.)?argv\[1:\]`)
	pythonAll     = regexp.MustCompile(`(=\s*)(?:sys\.)?argv\b(\s*(?:#.*)?(?:\n|$))`)
	addArgument   = regexp.MustCompile(`\.add_argument\(\s*((?:["'][\w-]+["']\s*,?\s*)+)(?:[^\n]*?\bdest\s*=\s*["'](\w+)["'])?`)
	parsed        = regexp.MustCompile(`(\w+)(?:\s*,\s*\w+)?\s*=\s*[\w.()]*\bparse_(?:known_)?args\(`)
	scriptElement = regexp.MustCompile(`\bprocess\.argv\[(\d+)\]`)
	scriptRest    = regexp.MustCompile(`\bprocess\.argv\.slice\(2\)(\[(\d+)\])?`)
	scriptAll     = regexp.MustCompile(`(=\s*)process\.argv\b(\s*;?\s*(?:\n|$))`)
	unpacked      = regexp.MustCompile(`\[([\w\s,]*)\]\s*=\s*process\.argv(\.slice\(2\))?`)
	anyElement    = regexp.MustCompile(`\$?\b(?:ARGV|argv|os\.Args)\[(\d+)\]`)
)

func putPython(content []byte, c command, options map[string]string) []byte {
	all := "[" + each(append([]string{"x"}, c.words...), pythonWord) + "]"
	out := numbered(content, pythonElement, c.words, 1, pythonWord)
	out = loops(out, c.words)
	out = pythonRest.ReplaceAllFunc(out, func([]byte) []byte { return []byte("[" + each(c.words, pythonWord) + "]") })
	out = pythonAll.ReplaceAllFunc(out, func(m []byte) []byte {
		g := pythonAll.FindSubmatch(m)
		return []byte(string(g[1]) + all + string(g[2]))
	})
	values := map[string]string{}
	positionals := c.positionals()
	for _, m := range addArgument.FindAllSubmatch(content, maxWords) {
		for _, q := range quoted.FindAllStringSubmatch(string(m[1]), maxWords) {
			name := q[1] + q[2]
			key := strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
			if len(m[2]) > 0 {
				key = string(m[2])
			}
			if value, ok := options[strings.TrimLeft(name, "-")]; ok && name[0] == '-' {
				for _, q := range quoted.FindAllStringSubmatch(string(m[1]), maxWords) { // under each of its names
					values[strings.ReplaceAll(strings.TrimLeft(q[1]+q[2], "-"), "-", "_")] = value
				}
				values[key] = value
			} else if name[0] != '-' && len(positionals) > 0 {
				values[key], positionals = positionals[0], positionals[1:]
			}
		}
	}
	objects := []string{"args", "opts", "options"}
	for _, m := range parsed.FindAllSubmatch(content, maxWords) {
		objects = append(objects, string(m[1]))
	}
	return fields(out, objects, values, pythonWord)
}

// loops puts the word that tells most into a loop over all arguments.
func loops(content []byte, words []string) []byte {
	i := slices.IndexFunc(words, func(w string) bool { _, ok := home(w); return ok })
	if i < 0 {
		i = slices.IndexFunc(words, telling.MatchString)
	}
	m := pythonLoop.FindSubmatchIndex(content)
	if m == nil || i < 0 {
		return content
	}
	end := min(len(content), m[1]+maxLoop)
	used := regexp.MustCompile(`([(,=]\s*)` + string(content[m[2]:m[3]]) + `(\s*[),])`)
	body := used.ReplaceAllFunc(content[m[1]:end], func(s []byte) []byte {
		g := used.FindSubmatch(s)
		return []byte(string(g[1]) + pythonWord(words[i]) + string(g[2]))
	})
	return slices.Concat(content[:m[1]], body, content[end:])
}

// maxLoop is how much of the body of a loop is looked at, in bytes.
const maxLoop = 600

// fields replaces what objects hold of options under their names.
func fields(content []byte, objects []string, values map[string]string, literal func(string) string) []byte {
	if len(values) == 0 {
		return content
	}
	of := regexp.MustCompile(`\b(?:` + strings.Join(objects, "|") + `)(?:\.(\w+)\b|\[["'](\w+)["']\])`)
	return of.ReplaceAllFunc(content, func(m []byte) []byte {
		g := of.FindSubmatch(m)
		value, ok := values[string(g[1])+string(g[2])]
		if !ok {
			return m
		}
		return []byte(literal(value))
	})
}

func putScript(content []byte, c command, options map[string]string) []byte {
	out := content
	for _, m := range unpacked.FindAllSubmatch(content, maxWords) { // names that stand for them
		first := 2
		if len(m[2]) > 0 {
			first = 0
		}
		for i, name := range bytes.Split(m[1], []byte(",")) {
			if n := i - first; len(bytes.TrimSpace(name)) > 0 && n >= 0 && n < len(c.words) {
				used := regexp.MustCompile(`([(,:=+]\s*)` + string(bytes.TrimSpace(name)) + `(\s*[),;}+\n])`)
				out = used.ReplaceAllFunc(out, func(m []byte) []byte {
					g := used.FindSubmatch(m)
					return []byte(string(g[1]) + scriptWord(c.words[n]) + string(g[2]))
				})
			}
		}
	}
	out = numbered(out, scriptElement, c.words, 2, scriptWord)
	out = scriptRest.ReplaceAllFunc(out, func(m []byte) []byte {
		if n := scriptRest.FindSubmatch(m)[2]; len(n) > 0 {
			i, err := strconv.Atoi(string(n))
			if err == nil && i < len(c.words) {
				return []byte(scriptWord(c.words[i]))
			}
			return m
		}
		return []byte("[" + each(c.words, scriptWord) + "]")
	})
	out = scriptAll.ReplaceAllFunc(out, func(m []byte) []byte {
		g := scriptAll.FindSubmatch(m)
		return []byte(string(g[1]) + "[" + each(append([]string{"node", "x"}, c.words...), scriptWord) + "]" + string(g[2]))
	})
	return fields(out, []string{"argv", "args", "opts", "options", "values", "flags"}, options, scriptWord)
}

// putNumbered is for Ruby, Perl, PHP and Go, whose vectors are read by number.
func putNumbered(content []byte, c command) []byte {
	first := 1
	if bytes.Contains(content, []byte("ARGV[")) {
		first = 0
	}
	return numbered(content, anyElement, c.words, first, func(w string) string {
		if rest, ok := home(w); ok {
			w = "/root" + rest
		}
		return strconv.Quote(w)
	})
}
