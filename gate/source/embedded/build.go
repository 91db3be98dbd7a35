package embedded

import (
	"html"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// commandsOf says where the commands are in a kind of file that builds,
// tests, starts or deploys something.
type commandsOf struct {
	names []string // globs on the base name, in lower case
	// commands match a command in the first group that took part.
	commands []*regexp.Regexp
	// words match a place whose quoted texts together are the command line.
	words []*regexp.Regexp
	// elements match what has the words of one command line in its elements of XML.
	elements *regexp.Regexp
	// lists match the key of a list in an INI file: the command lines are
	// behind it, and indented below.
	lists *regexp.Regexp
	// here matches what introduces a text that goes on to a line with its tag,
	// which is the first group.
	here *regexp.Regexp
}

// buildFiles is compiled once and never changed.
var buildFiles = sync.OnceValue(func() []commandsOf {
	re := regexp.MustCompile
	return []commandsOf{
		{names: []string{"tox.ini"},
			lists: re(`^(?:commands|commands_pre|commands_post|install_command|list_dependencies_command)\s*=`)},
		{names: []string{"*.service", "*.socket", "*.timer"}, commands: []*regexp.Regexp{re(`(?m)^[ \t]*Exec\w+[ \t]*=[ \t]*[-@:+!|]*(.+)$`)}},
		{names: []string{"*.plist"}, elements: re(`(?s)<array>(.*?)</array>`), commands: []*regexp.Regexp{re(`<string>([^<]*)</string>`)}},
		{names: []string{"*.desktop"}, commands: []*regexp.Regexp{re(`(?m)^[ \t]*Exec[ \t]*=[ \t]*(.+)$`)}},
		{names: []string{"dune"}, commands: []*regexp.Regexp{re(`\(run\s+((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)`)}},
		{names: []string{"procfile"}, commands: []*regexp.Regexp{re(`(?m)^[\w-]+:[ \t]*(.+)$`)}},
		{names: []string{"crontab", "*.cron"}, commands: []*regexp.Regexp{re(`(?m)^[ \t]*(?:(?:[\d*/,-]+[ \t]+){5}|@\w+[ \t]+)(.+)$`)}},
		{names: []string{"cmakelists.txt", "*.cmake"}, commands: []*regexp.Regexp{re(`\bCOMMAND\s+((?:"(?:[^"\\]|\\.)*"|[^")])*)`)}},
		{names: []string{"meson.build"}, words: []*regexp.Regexp{re(`\b(?:run_command|custom_target|run_target)\s*\([^)]*`)}},
		{names: []string{"pom.xml", "build.xml", "*.csproj", "*.fsproj", "*.targets", "*.props"},
			commands: []*regexp.Regexp{re(`<(?:argument|commandlineArgs)>([^<]*)<`), re(`<arg\s+(?:value|line)="([^"]*)"`), re(`<Exec\s[^>]*\bCommand="([^"]*)"`)}},
		{names: []string{"*.gradle", "*.gradle.kts", "build.sbt"},
			words: []*regexp.Regexp{re(`[^\n]*(?:\.execute\s*\(|\bcommandLine\b|\bexecutable\b|\bargs\b|\bProcessBuilder\b|\bgetRuntime\b|\.!!|\bProcess\s*\()[^\n]*`)}},
		{names: []string{"jenkinsfile*"},
			commands: []*regexp.Regexp{re(`(?s)\bsh\s*\(?\s*(?:script:\s*)?(?:"""(.*?)"""|'''(.*?)''')`), re(`\bsh\s*\(?\s*(?:script:\s*)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)')`)}},
		{names: []string{"*.tf"},
			commands: []*regexp.Regexp{re(`(?m)^[ \t]*command[ \t]*=[ \t]*"((?:[^"\\\n]|\\.)*)"`)},
			words:    []*regexp.Regexp{re(`\b(?:program|interpreter|inline)\s*=\s*\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*`)},
			here:     re(`(?m)^[ \t]*(?:command|user_data|script|content|custom_data)[ \t]*=[^\n]*<<-?[ \t]*(\w+)[ \t]*$`)},
		{names: []string{"*.gyp", "*.gypi"}, commands: []*regexp.Regexp{re(`<!@?\(([^\n]*?)\)["'\s/,]`)}},
		{names: []string{"externaltools.xml", "*.run.xml", "workspace.xml", "*.iml"}, commands: []*regexp.Regexp{re(`\bvalue="([^"]*)"`)}}, // of editors
		{names: []string{"snakefile*", "*.smk"}, commands: []*regexp.Regexp{re(`(?s)\bshell\s*[:(]\s*(?:f|r)?(?:"""(.*?)"""|\'\'\'(.*?)\'\'\'|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')`)}},
		{names: []string{"*.m"}, commands: []*regexp.Regexp{re(`(?m)^[ \t]*!(.+)$`)}}, // of MATLAB and Octave
		{names: []string{"ipython*config.py", "jupyter*config.py"}, commands: []*regexp.Regexp{re(`["']!+([^"'\n]+)["']`)}},
		{names: []string{"config.py"}, commands: []*regexp.Regexp{re(`["']:?spawn\s+(?:-\S+\s+)*([^"\n]+)["']`)}},             // of qutebrowser
		{names: []string{"*.rb"}, here: re(`(?m)^[ \t]*(?:code|command|script|inline)\b[^\n]*<<[-~]?["']?(\w+)["']?[ \t]*$`)}, // of Chef
		{names: []string{"config.toml", "config"}, // of .cargo
			words: []*regexp.Regexp{re(`(?m)^[ \t]*(?:(?:runner|rustc-wrapper|rustc-workspace-wrapper|rustc|rustdoc|linker|credential-provider)[ \t]*=[^\n]*|[\w-]+[ \t]*=[ \t]*"!?[^"\n]*\b(?:sh|bash|curl|wget)\b[^\n]*)`)}},
		{names: []string{"gemfile", "podfile", "fastfile", "vagrantfile", "rakefile", "*.gemspec", "extconf.rb"},
			commands: []*regexp.Regexp{re("`([^`\n]+)`"), re(`%x[({\[]([^)}\]\n]+)`), re(`\b(?:system|exec|spawn|popen|sh|inline:)[ \t]*\(?[ \t]*(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)')`)}},
	}
})

// buildCommands returns the command lines of a file that is known by its name.
func buildCommands(name string, content []byte) []Code {
	base := strings.ToLower(path.Base(name))
	for _, kind := range buildFiles() {
		if slices.ContainsFunc(kind.names, func(g string) bool { return glob.MatchName(g, base) }) {
			return kind.read(content)
		}
	}
	return nil
}

// Bounds of what a text gives.
const (
	maxCommands = 5000 // command lines of one kind
	maxWords    = 1000 // of one command line
)

func (k commandsOf) read(content []byte) []Code {
	var b builder
	var unread []Code
	few := func(n int) {
		unread = append(unread, atBound(n, maxCommands, "commands of one kind are")...)
	}
	lines := newLineIndex(content)
	for _, re := range k.commands {
		found := re.FindAllSubmatchIndex(content, maxCommands)
		few(len(found))
		for _, m := range found {
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					b.block(unquoted(string(content[m[g]:m[g+1]])), lines.of(m[g]))
					break
				}
			}
		}
	}
	for _, re := range k.words {
		found := re.FindAllIndex(content, maxCommands)
		few(len(found))
		for _, m := range found {
			var words []string
			texts := quotedText.FindAll(content[m[0]:m[1]], maxWords)
			unread = append(unread, atBound(len(texts), maxWords, "words of one command are")...)
			for _, w := range texts {
				words = append(words, unquoted(string(w[1:len(w)-1])))
			}
			if len(words) > 0 {
				b.add(oneLine(strings.Join(words, " ")), lines.of(m[0]), 0)
			}
		}
	}
	if k.elements != nil {
		found := k.elements.FindAllSubmatchIndex(content, maxCommands)
		few(len(found))
		for _, m := range found {
			words := xmlTag.ReplaceAllString(string(content[m[2]:m[3]]), " ")
			b.flush(oneLine(html.UnescapeString(words)), lines.of(m[0]), 0)
		}
	}
	if k.lists != nil {
		b.list(k.lists, string(content))
	}
	if k.here != nil {
		few(b.documents(k.here, string(content)))
	}
	return append(b.region(gate.LanguageShell, gate.RoleInfra), unread...)
}

var xmlTag = regexp.MustCompile(`<!--(?s:.*?)-->|<!\[CDATA\[|\]\]>|<[^>]*>`)

// quotedText is a text in quotes; escapes stay.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// unquoted undoes what the languages of these files write for a quote, an
// ampersand and the like within a text.
func unquoted(s string) string {
	return html.UnescapeString(strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(s))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// block adds a command that begins on a line, with the lines that it has.
func (b *builder) block(command string, line int) {
	if strings.TrimSpace(command) != "" {
		b.add(command, line, 1)
	}
}

// list adds the lines behind the keys that match, and those indented below.
func (b *builder) list(key *regexp.Regexp, content string) {
	within := false
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch at := key.FindStringIndex(line); {
		case at != nil:
			within = true
			b.block(line[at[1]:], i+1)
		case within && line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '#':
			within = false
		case within:
			b.block(strings.TrimLeft(line, " \t-"), i+1)
		}
	}
}

// documents adds the texts that end on a line with their tag, and returns how many
// there are.
func (b *builder) documents(start *regexp.Regexp, content string) int {
	lines := newLineIndex([]byte(content))
	found := start.FindAllStringSubmatchIndex(content, maxCommands)
	for _, m := range found {
		tag, body := content[m[2]:m[3]], strings.TrimPrefix(content[m[1]:], "\n")
		first := lines.of(m[1]) + 1
		for i, line := range strings.Split(body, "\n") {
			if strings.TrimSpace(line) == tag {
				break
			}
			b.block(line, first+i)
		}
	}
	return len(found)
}
