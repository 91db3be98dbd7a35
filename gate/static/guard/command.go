package guard

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// context is what surrounds a script.
type context struct {
	settings map[string][]string // by key, the leaves of what is above the command
	env      map[string]string
	before   []string // texts of earlier steps of the same job
	checkout []string // what is checked out
	hidden   bool     // in a job that nothing runs
	depth    int      // of scripts within scripts
}

// use is one place that runs gate.
type use struct {
	sub    string // the command of gate, such as "scan"
	action string // the action or the repository of hooks, where no command is written
	ref    string // its version
	args   []string
	weak   []string // what keeps it from failing or from running
	inputs map[string]string
	line   int
	context
}

func (u use) kind() string { return u.action + " " + u.sub }

func (u use) name() string {
	if u.action != "" {
		return u.action
	}
	if !slices.Contains(commands, u.sub) {
		return u.sub
	}
	return "gate " + u.sub
}

// commands are those that look at changes.
var commands = []string{"scan", "pr", "merge", "publish", "hook", "verify"}

// word matches one word of a command, or an operator.
var word = regexp.MustCompile(`\|\||&&|;;|[;|&()\n]|(?:\\[^\n]|"(?:[^"\\]|\\.)*"|'[^']*'|\$\{\{.*?\}\}|\$\([^()]*\)|[0-9]?>&[0-9-]|&>{1,2}|[^\s;|&()\\"'])+`)

// comment matches a comment of a shell, with what is in front of it.
var comment = regexp.MustCompile(`(?m)(^|[ \t])#[^\n]*`)

// silences are words of a script by which a failed command doesn't fail it.
var silences = map[string]*regexp.Regexp{
	"set +e":          regexp.MustCompile(`\bset\s+\+(?:\w*e|o\s+errexit)`),
	"exit 0":          regexp.MustCompile(`(?m)(?:^|[;&|\s])(?:exit|return)[ \t]*(?:0\b|;|$)`),
	"trap":            regexp.MustCompile(`(?m)(?:^|[;&|\s])trap\s`),
	"gate redefined":  regexp.MustCompile(`\bgate[ \t]*\(\)|\bfunction[ \t]+gate\b|\balias[ \t]+(?:-\w+[ \t]+)*gate=`),
	"true after":      regexp.MustCompile(`\bgate (?:scan|pr|merge|publish|hook)[^\n]*(?:;|\n)\s*(?:true|:)\s*(?:[;\n]|$)`),
	"exec before":     regexp.MustCompile(`(?m)^\s*exec\s+(?:true|:|sh|bash)\b`),
	"another PATH":    otherPath,
	"another folder":  regexp.MustCompile(`(?m)(?:^|[;&|\s])(?:cd|pushd)\s+[^\s;&|]`),
	"another commit":  otherCommit,
	"another context": regexp.MustCompile(`\b(?:export\s+|declare\s+-x\s+)(?:GITHUB_|GATE_|GIT_|DOCKER_HOST|BASH_ENV|LD_)\w*=`),
}

// otherCommit matches what changes the files that are looked at.
var otherCommit = regexp.MustCompile(`\bgit\s+(?:-\S+\s+\S+\s+)?(?:checkout|reset|switch|stash|restore|rm)\b`)

// hereText matches a here-document, which is no command.
var hereText = regexp.MustCompile(`(?s)<<-?[ \t]*["']?([A-Za-z_]\w*)["']?([^\n]*\n)(.*?)\n[ \t]*([A-Za-z_]\w*)[ \t]*(?:\n|$)`)

// withoutHere takes here-documents out, and leaves their lines.
func withoutHere(text string) string {
	return hereText.ReplaceAllStringFunc(text, func(h string) string {
		m := hereText.FindStringSubmatch(h)
		if !strings.Contains("\n"+m[3]+"\n"+m[4]+"\n", "\n"+m[1]+"\n") {
			return h
		}
		return m[2] + strings.Repeat("\n", strings.Count(m[3], "\n")+1)
	})
}

// otherPath matches what puts folders of the checkout in front of the programs of the
// machine.
var otherPath = regexp.MustCompile(`(?:\bPATH=|>>?[ \t]*["']?\$\{?(?:GITHUB_PATH|GITHUB_ENV|env:GITHUB_PATH)\b|\$BASH_ENV\b)`)

// scriptUses finds the commands of a script that run gate.
func scriptUses(text string, line int, c context) []use {
	flat := comment.ReplaceAllString(strings.ReplaceAll(text, "\\\n", "  "), "$1")
	flat = withoutHere(flat)
	if !mentions.MatchString(flat) {
		return nil
	}
	var around []string
	for _, name := range sorted(silences) {
		if name == "another PATH" {
			around = append(around, pathsOf(flat)...)
		} else if silences[name].MatchString(flat) {
			around = append(around, name)
		}
	}
	var out []use
	parts := split(flat)
	for i, p := range parts {
		if inner, ok := inShell(p.words); ok && c.depth < maxNested {
			deeper := c
			deeper.depth++
			for _, u := range scriptUses(inner, line+p.line, deeper) {
				u.weak = append(append(u.weak, around...), guards(parts, i, strings.Contains(flat, "pipefail"))...)
				out = append(out, u)
			}
			continue
		}
		u, ok := callOf(p.words)
		if !ok {
			u, ok = unread(p.words)
		}
		if !ok || len(out) >= maxUses {
			continue
		}
		u.line = line + p.line
		u.weak = append(append(u.weak, around...), guards(parts, i, strings.Contains(flat, "pipefail"))...)
		env := u.env
		u.context = c
		u.env = merged(c.env, env)
		out = append(out, u)
	}
	return out
}

// maxNested bounds the scripts within scripts.
const maxNested = 3

// inShell is the script that a shell is given as an argument.
func inShell(words []string) (string, bool) {
	if len(words) < 3 || !slices.Contains([]string{"sh", "bash", "zsh", "dash"}, path.Base(words[0])) {
		return "", false
	}
	for i, w := range words[1 : len(words)-1] {
		if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") {
			return strings.Trim(words[i+2], `"'`), true
		}
	}
	return "", false
}

var (
	calls = regexp.MustCompile(`\bgate["'}]* (?:scan|pr|publish|merge|hook)\b`)
	says  = []string{"echo", "printf", ":", "true", "cat", "grep", "false", "exit", "return", "test", "["}
)

// unread takes a command that has gate run in a way that is not known: any other words are
// another command.
func unread(words []string) (use, bool) {
	text := strings.Join(words, " ")
	if len(words) == 0 || slices.Contains(says, words[0]) || !calls.MatchString(text) {
		return use{}, false
	}
	return use{sub: text}, true
}

// part is one simple command of a script, with the operators around it.
type part struct {
	words         []string
	before, after string
	line          int
}

// maxWords bounds the words of a script.
const maxWords = 20_000

func split(text string) []part {
	var out []part
	var at part
	line := 0
	end := func(op string) {
		if at.after = op; len(at.words) > 0 {
			out = append(out, at)
			at = part{before: op, line: line}
		} else if op != "\n" || at.before == ";" {
			at.before = op
		}
		at.line = line
	}
	for _, w := range word.FindAllString(text, maxWords) {
		switch w {
		case "\n":
			line++
			end(w)
		case "||", "&&", ";;", ";", "|", "&", "(", ")":
			end(w)
		default:
			at.words = append(at.words, w)
		}
	}
	end("\n")
	return out
}

// openers are words of a shell behind which a command runs only sometimes, or fails
// nothing.
var openers = []string{"if", "elif", "while", "until", "!", "then", "else", "do"}

// wrappers run what is behind them, and end as it does.
var wrappers = []string{"exec", "sudo", "time", "command", "nice", "env", "npx", "uvx", "@", "eatmydata"}

// callOf reads a simple command as a call of gate.
func callOf(words []string) (use, bool) {
	u := use{context: context{env: map[string]string{}}}
	for len(words) > 0 {
		w := words[0]
		name, value, assigned := strings.Cut(w, "=")
		switch {
		case slices.Contains(openers, w):
			if w != "then" && w != "else" && w != "do" {
				u.weak = append(u.weak, w)
			} else {
				u.weak = append(u.weak, "a condition")
			}
		case assigned && envName.MatchString(name):
			u.env[name] = value
		case w == "{":
			u.weak = append(u.weak, "in braces")
		case slices.Contains(wrappers, w):
		case strings.HasPrefix(w, "-"), number.MatchString(w):
		default:
			return u.called(words)
		}
		words = words[1:]
	}
	return u, false
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	number  = regexp.MustCompile(`^\d+$`)
	module  = regexp.MustCompile(`(?:^|/)cmd/gate(?:@(\S+))?$`)
	image   = regexp.MustCompile(`(?:^|/)gate(?:[:@](\S+))?$`)
)

// called reads the name of a program and what it is given.
func (u use) called(words []string) (use, bool) {
	first := strings.Trim(words[0], `"'`)
	at := -1
	switch base := path.Base(first); {
	case base == "gate" || base == "gate.exe":
		at = 1
	case base == "go" && len(words) > 2 && words[1] == "run":
		at = 1 + slices.IndexFunc(words, module.MatchString)
		if at > 0 {
			u.ref = module.FindStringSubmatch(words[at-1])[1]
		}
	case base == "docker" || base == "podman" || base == "nerdctl":
		at = 1 + slices.IndexFunc(words, image.MatchString)
		if at > 0 {
			u.ref = image.FindStringSubmatch(words[at-1])[1]
		}
	}
	if at <= 0 || at >= len(words) || !slices.Contains(commands, words[at]) {
		return u, false
	}
	u.sub, u.args = words[at], words[at+1:]
	if first != "gate" && strings.Contains(first, "gate") {
		u.weak = append(u.weak, "the program "+first)
	}
	return u, true
}

// fails matches the right side of an "or" that fails as well.
var fails = regexp.MustCompile(`^(?:exit|return)(?: (?:[1-9]|\$).*)?$|^(?:false|die|fail)\b`)

// guards are what surrounds a command on its line.
func guards(parts []part, i int, pipefail bool) []string {
	var out []string
	p := parts[i]
	switch p.after {
	case "||":
		if i+1 >= len(parts) || !fails.MatchString(strings.TrimLeft(strings.Join(parts[i+1].words, " "), "{ ")) {
			out = append(out, "||")
		}
	case "|":
		if !pipefail {
			out = append(out, "|")
		}
	case "&":
		out = append(out, "&")
	}
	switch p.before {
	case "||":
		out = append(out, "behind ||")
	case "&&":
		for j := i - 1; j >= 0; j-- {
			if w := parts[j].words; len(w) > 0 && slices.Contains([]string{"test", "[", "[[", "false", "!"}, w[0]) {
				out = append(out, "behind a condition")
			}
			if parts[j].before != "&&" {
				break
			}
		}
	}
	return out
}

// ofTheMachine are folders that no checkout holds.
var ofTheMachine = regexp.MustCompile(`\$\{?HOME\b|~/|/usr/|/opt/|\$\(go env|GOPATH|\bRUNNER_TOOL|runner\.(?:tool|temp)|RUNNER_TEMP`)

// pathsOf are the lines of a text that change where programs are found.
func pathsOf(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); otherPath.MatchString(l) && !ofTheMachine.MatchString(l) {
			out = append(out, "another PATH: "+l)
		}
	}
	return out
}
