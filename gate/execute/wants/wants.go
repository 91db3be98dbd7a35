package wants

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Kind says what is missing.
type Kind string

// The kinds. The zero value is nothing.
const (
	Argument Kind = "argument"
	Option   Kind = "option" // an argument with a name, such as --host
	Variable Kind = "environment variable"
	File     Kind = "file"
	Folder   Kind = "folder"
	Command  Kind = "command"
)

// Want is one thing that a program says it lacks.
type Want struct {
	Kind Kind
	// Name is the variable, path or command; of an argument what it is called, which may be "".
	Name string
	// At is the position of an argument, from 1; 0 is the next one.
	At int
}

// String names the want in a sentence.
func (w Want) String() string {
	switch {
	case w.Kind == Argument && w.Name == "":
		return "the argument " + strconv.Itoa(max(w.At, 1))
	case w.Kind == "":
		return "nothing"
	}
	return "the " + string(w.Kind) + " " + w.Name
}

const (
	// maxText is how much of an error is read, in bytes: the reason comes last.
	maxText = 16 << 10
	// maxName bounds a name, in bytes.
	maxName = 200
	// maxArgument is the highest position of an argument that is made up.
	maxArgument = 8
)

// form is one way to say what is missing. The groups of re are the name, or the position and
// the name of an argument.
type form struct {
	kind Kind
	re   *regexp.Regexp
}

// The words are those of bash and dash (their manuals, "Parameter Expansion"), coreutils,
// CPython, argparse, click, Node, commander, yargs, Go's os package and cobra.
var forms = map[gate.Language][]form{
	gate.LanguageShell: {
		{Argument, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: \$?([1-9])(?:: ([^\n]*)|)$`)},
		{Variable, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: ([A-Za-z_]\w*): (?:unbound variable|parameter not set|parameter null or not set)$`)},
		{Folder, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: cd: (?:can't cd to )?([^\n:]+)(?:: No such file or directory)?$`)},
		{Folder, regexp.MustCompile(`(?m)^(?:ls|find|du|tree)[\w]*: (?:cannot access )?['‘]?([^\n'’:]+)['’]?: No such file or directory$`)},
		{File, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: (?:cannot (?:open|create) )?([^\n:]+): (?:No such file or directory|No such file|Directory nonexistent)$`)},
		{File, regexp.MustCompile(`(?m)^[\w.-]{1,40}: (?:cannot (?:stat|open|access|create regular file) |can't read |failed to access |)['‘]?([^\n'’:]+)['’]?: (?:Cannot open: )?No such file or directory$`)},
		// A message of ${NAME:?message}: after the forms above, which begin alike.
		{Variable, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: ([A-Z][A-Z0-9_]*): [^\n]+$`)},
		{Command, regexp.MustCompile(`(?m)^[^\n:]{1,300}: (?:line )?\d+: ([A-Za-z_][\w.+-]*): (?:command )?not found$`)},
	},
	gate.LanguagePython: {
		{Variable, regexp.MustCompile(`(?m)os\.environ\[[^\n]*\n(?:[^\n]*\n){0,8}?KeyError: '([A-Za-z_]\w*)'$`)},
		{Argument, regexp.MustCompile(`(?m)sys\.argv\[([1-9])\][^\n]*\n(?:[^\n]*\n){0,4}?IndexError: list index out of range()$`)},
		{Option, regexp.MustCompile(`(?m)^\S+: error: the following arguments are required: (?:[^\n]*, )?(--?[\w-]+)(?:, |$)`)},
		{Argument, regexp.MustCompile(`(?m)^\S+: error: the following arguments are required: ()([\w-]+)`)},
		{Option, regexp.MustCompile(`(?m)^Error: Missing option '(--?[\w-]+)'`)},
		{Argument, regexp.MustCompile(`(?m)^Error: Missing argument ()'([^'\n]+)'`)},
		{File, regexp.MustCompile(`(?m)^FileNotFoundError: \[Errno 2\] No such file or directory: '([^'\n]+)'$`)},
	},
	gate.LanguageJavaScript: {
		{Option, regexp.MustCompile(`(?m)^error: required option '(?:-\w, )?(--[\w-]+)`)},
		{Argument, regexp.MustCompile(`(?m)^error: missing required argument ()'([^'\n]+)'`)},
		{Option, regexp.MustCompile(`(?m)^Missing required argument: ([\w-]+)$`)},
		{File, regexp.MustCompile(`ENOENT: no such file or directory, \w+ '([^'\n]+)'`)},
	},
	gate.LanguageGo: {
		{Option, regexp.MustCompile(`(?m)required flag\(s\) "([\w-]+)"`)},
		{Argument, regexp.MustCompile(`(?m)(?:accepts|requires at least) [1-8] arg()()`)},
		{File, regexp.MustCompile(`(?m)(?:open|stat|lstat|chdir) ([^\s:]+): no such file or directory`)},
	},
}

// usage is a message of how a program is to be started: its arguments follow its name.
var usage = regexp.MustCompile(`(?im)^\s*usage: ?\s*(?:(?:bash|sh|python3?|node|go run)\s+)?\S+[ \t]+([^\n]{1,200})$`)

// Read returns what a program in a language says it lacks, by what it wrote to its standard
// error. ok is false where it says nothing of the kind.
func Read(language gate.Language, stderr string) (w Want, ok bool) {
	text := stderr[max(0, len(stderr)-maxText):]
	for _, f := range forms[language] {
		m := f.re.FindAllStringSubmatch(text, -1)
		if len(m) == 0 {
			continue
		}
		last := m[len(m)-1]
		w = Want{Kind: f.kind, Name: last[1]}
		if f.kind == Argument {
			w.At, _ = strconv.Atoi(last[1]) // "" is the next one
			w.Name = last[2]
		}
		if f.kind == Option && !strings.HasPrefix(w.Name, "-") {
			w.Name = "--" + w.Name
		}
		w.Name = strings.TrimSpace(w.Name)
		return w, w.valid()
	}
	return Want{}, false
}

// valid reports whether a want can be answered at all.
func (w Want) valid() bool {
	return len(w.Name) <= maxName && w.At <= maxArgument && !strings.ContainsAny(w.Name, "\x00\n") && (w.Name != "" || w.Kind == Argument)
}

// Usage returns the arguments that a message of use asks for, at most maxArgument, by name: those that
// are not in brackets.
func Usage(text string) []string {
	m := usage.FindStringSubmatch(text[max(0, len(text)-maxText):])
	if m == nil {
		return nil
	}
	var out []string
	optional := 0
	for word := range strings.FieldsSeq(m[1]) {
		opens, closes := strings.Count(word, "["), strings.Count(word, "]")
		inside := optional > 0 || opens > 0
		optional = max(0, optional+opens-closes)
		word = strings.Trim(word, "<>[]().,\"'`")
		if inside || word == "" || strings.HasPrefix(word, "-") || strings.Contains(word, "|") {
			continue
		}
		if len(out) == maxArgument || len(word) > maxName || strings.ContainsAny(word, "#:;=") {
			break
		}
		out = append(out, word)
	}
	return out
}

// Mark is a part of every value that is made up and can have it.
const Mark = "gate-sample"

// values are made up by what a name has in it, the first that fits.
var values = []struct {
	words []string
	value string
}{
	{[]string{"url", "uri", "endpoint", "webhook", "origin"}, "http://" + Mark + ".invalid/"},
	{[]string{"email", "mail", "recipient"}, Mark + "@" + Mark + ".invalid"},
	{[]string{"port"}, "8080"},
	{[]string{"host", "server", "domain", "address", "target", "remote", "site"}, Mark + ".invalid"},
	{[]string{"count", "number", "num", "size", "limit", "days", "hours", "seconds", "minutes", "timeout", "retries", "max", "min", "id", "n", "keep", "level", "year"}, "3"},
	{[]string{"date", "day", "since", "until"}, "2026-01-15"},
	{[]string{"version", "tag", "release"}, "1.2.3"},
	{[]string{"environment", "env", "stage", "profile"}, "production"},
	{[]string{"branch", "ref"}, "main"},
	{[]string{"dir", "dirs", "directory", "folder", "root", "destination", "dest", "outdir"}, Mark},
	{[]string{"file", "files", "path", "filename", "input", "source", "src", "config", "page", "pages", "image", "font", "archive", "csv", "json"}, Mark + ".txt"},
}

// Value makes up a value for a name, by the words in it.
func Value(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, v := range values {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(v.words, w) }) {
			return v.value
		}
	}
	return Mark
}

// SampleFile and SampleFolder are the file and the folder that values of [Value] name, relative to where the program
// is started.
const (
	SampleFile   = Mark + ".txt"
	SampleFolder = Mark
)

// SampleText is what the file has.
const SampleText = "name,value\nfirst,1\nsecond,2\n"

// Name returns a name for an argument of a position, of the ones that a message of use has.
func Name(names []string, at int) string {
	if at >= 1 && at <= len(names) {
		return names[at-1]
	}
	return cmp.Or(strings.Join(names, " "), "")
}
