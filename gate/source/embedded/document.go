package embedded

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/placeholder"
)

// document finds what tools run in a document of settings, of any format, with the
// placeholders in it written out.
type document struct {
	roots     []*setting
	guessed   bool                              // no tool is known to read the file for what to run
	known     map[gate.Language]map[string]bool // lines that are in a region
	constants *constants                        // nil until they are needed
	left      int                               // bytes that may still be written out
	out       []Code
	unread    []Code
	full      bool // names that a text asks for have more values than are tried
}

// maxWritten bounds what the placeholders of one document are written out to.
const maxWritten = 2 << 20 // bytes

// documentCommands returns the commands of settings that are not among those that are
// known already.
func documentCommands(roots []*setting, already []Code, guessed bool) []Code {
	d := document{guessed: guessed, known: map[gate.Language]map[string]bool{}, left: maxWritten}
	for _, r := range already {
		d.learn(r)
	}
	for _, root := range roots {
		if root != nil {
			d.roots = append(d.roots, root)
		}
	}
	for i, root := range d.roots {
		d.roots[i] = d.resolve(root, 0)
	}
	for _, root := range d.roots {
		d.walk(root)
	}
	if d.left <= 0 {
		d.unread = append(d.unread, unreadOf(maxWritten, "bytes with their placeholders written out are")...)
	}
	if d.full {
		d.unread = append(d.unread, unreadOf(maxChoices, "values of a matrix are")...)
	}
	return append(d.out, d.unread...)
}

// learn notes the lines of a region.
func (d *document) learn(r Code) {
	lines := d.known[r.Language]
	if lines == nil {
		lines = map[string]bool{}
		d.known[r.Language] = lines
	}
	for line := range bytes.SplitSeq(r.Text, []byte{'\n'}) {
		lines[string(bytes.TrimSpace(line))] = true
	}
}

// resolve replaces what stands for another value: the functions of templates, and
// references of GitLab.
func (d *document) resolve(s *setting, hops int) *setting {
	s = s.folded()
	if s.tag == "!reference" && hops < maxHops {
		if to := d.at(s.words()); to != nil {
			copied := *to
			copied.key, copied.in = s.key, s.in
			return d.resolve(&copied, hops+1)
		}
	}
	for i, item := range s.items {
		s.items[i] = d.resolve(item, hops)
	}
	return s
}

// maxHops is how far references are followed.
const maxHops = 5

// at is the value at the end of a path of keys.
func (d *document) at(path []string) *setting {
	for _, root := range d.roots {
		s := root
		for _, key := range path {
			s = s.member(key)
		}
		if s != nil && s != root {
			return s
		}
	}
	return nil
}

// walk finds the commands in a value.
func (d *document) walk(s *setting) {
	use := useOf(s.key)
	if use == ignored && s.in != nil && useOf(s.in.key) == group && s.key != "" && !shownKeys.MatchString(s.key) {
		use = command
	}
	switch {
	case pythonTag.MatchString(s.tag):
		d.python(pythonTag.FindStringSubmatch(s.tag)[1], s)
	case use == imageFile && s.kind == scalarSetting && strings.ContainsAny(s.text, " \n"):
		d.script(s, gate.LanguageDockerfile)
	case use == iniFile && s.kind == scalarSetting:
		d.script(s, gate.LanguageINI)
	case use == powershell:
		d.commands(s, []gate.Language{gate.LanguagePowerShell})
	case use != ignored && s.kind != objectSetting:
		d.commands(s, languagesFor(s))
	case startsProgram(s):
		d.commands(s, []gate.Language{gate.LanguageShell})
	case s.kind == scalarSetting:
		d.value(s)
	}
	if s.kind == objectSetting {
		d.commandLine(s)
		if target := s.member("_target_"); target != nil && strings.Contains(target.text, ".") {
			d.python(target.text, s)
		}
	}
	for _, item := range s.items {
		if item.kind != scalarSetting || use == ignored || s.kind == objectSetting {
			d.walk(item)
		}
	}
	d.together(s)
}

// maxFlags is how many words may be between a program and its code.
const maxFlags = 4

// startsProgram reports whether a list is the words of a command line, whatever key it
// is under: an interpreter, and the flag that its code follows.
func startsProgram(s *setting) bool {
	if s.kind != listSetting || len(s.items) < 3 || s.items[0].kind != scalarSetting {
		return false
	}
	first := s.items[0].text
	if clients[first] && strings.HasPrefix(s.items[1].text, "-") {
		return true
	}
	if strings.ContainsAny(first, " \t\n") || interpreter(path.Base(strings.ReplaceAll(first, `\`, "/"))) == gate.LanguageUnknown {
		return false
	}
	for _, item := range s.items[1:min(len(s.items)-1, maxFlags)] {
		if codeFlag.MatchString(item.text) {
			return true
		}
	}
	return false
}

// clients are programs that hardly any list begins with for another reason than to start them.
var clients = map[string]bool{"curl": true, "wget": true, "nc": true, "ncat": true, "netcat": true, "socat": true, "scp": true, "rsync": true}

// codeFlag matches a flag that a program in the next word follows.
var codeFlag = regexp.MustCompile(`^(?:-[a-zA-Z]{0,4}[cerEp]|--(?:command|eval|print|exec)|(?i:-(?:Command|EncodedCommand|enc|Comm)))$`)

// commands takes over the texts of a value, one below the other, and the words of each
// list as a command line.
func (d *document) commands(s *setting, langs []gate.Language) {
	var b builder
	s.scalars(func(of *setting) {
		if of == s && !strings.EqualFold(s.key, "shell") || strings.ContainsAny(of.text, wordsApart) {
			b.flush(of.text, of.line, of.step)
		}
		if strings.HasPrefix(of.text, "#!") {
			d.value(of)
		}
	})
	d.lists(s, &b)
	for _, lang := range langs {
		d.emit(b, lang, false)
	}
}

// wordsApart are signs without which a text is one word, which is no command line
// where it is among others.
const wordsApart = " \t\n;|&$`{%("

// lists adds the words of each list as one line.
func (d *document) lists(s *setting, b *builder) {
	if s.kind != listSetting {
		return
	}
	if words := s.words(); len(words) > 1 {
		b.flush(oneLine(strings.Join(words, " ")), s.line, 0)
	}
	for _, item := range s.items {
		d.lists(item, b)
	}
}

// script takes over a text as it is.
func (d *document) script(s *setting, lang gate.Language) {
	var b builder
	b.flush(s.text, s.line, s.step)
	d.emit(b, lang, false)
}

var (
	inTemplate = regexp.MustCompile(`(?s)(?:\{\{|\{%|<%)(.*?)(?:\}\}|%\}|%>)`)
	pythonText = regexp.MustCompile(`\b(?:popen|system|exec|eval|__globals__|__import__|__builtins__|subprocess)\b`)
)

// value takes over a text that no key says to be a command, if it is one by itself: a
// script with a first line that names its interpreter, a command line once its
// placeholders are written out, or an expression that starts something.
func (d *document) value(s *setting) {
	if line, _, _ := strings.Cut(s.text, "\n"); strings.HasPrefix(line, "#!") {
		d.script(s, firstInterpreter(line[2:], gate.LanguageShell))
		return
	}
	if cronLine.MatchString(s.text) {
		var b builder
		b.flush(cronLine.ReplaceAllString(s.text, "$1"), s.line, s.step)
		d.emit(b, gate.LanguageShell, false)
		return
	}
	if !shownKeys.MatchString(s.key) && d.guess(s) {
		return
	}
	if !placeholder.May(s.text) {
		return
	}
	if pythonText.MatchString(s.text) || strings.Contains(s.text, "<%") {
		d.expressions(s)
	}
	if placeholder.Starts.MatchString(s.text) || mayBeCommand(s) {
		var b builder
		b.flush(s.text, s.line, s.step)
		d.expand(b, gate.LanguageShell, func(text string) bool { return wholeLines(text) && !shownKeys.MatchString(s.key) }, false)
	}
}

// guess takes over a text that reads like a program in some language. It reports
// whether that is so.
func (d *document) guess(s *setting) bool {
	text := []byte(s.text)
	var langs []gate.Language
	if s.step > 0 && (wholeLines(s.text) || shellLike(text)) {
		langs = append(langs, gate.LanguageShell)
	}
	if len(text) >= minProgram && pythonLine.Match(text) {
		langs = append(langs, gate.LanguagePython)
	}
	if len(text) >= minProgram && scriptLine.Match(text) {
		langs = append(langs, gate.LanguageJavaScript)
	}
	var b builder
	b.flush(s.text, s.line, s.step)
	for _, lang := range langs {
		d.emit(b, lang, true)
	}
	return len(langs) > 0
}

// minProgram is how long a text is at least that does any harm as a program.
const minProgram = 20 // bytes

// cronLine matches a line of a table of cron.
var cronLine = regexp.MustCompile(`(?m)^[ \t]*(?:(?:[\d*/,-]+[ \t]+){5}|@(?:reboot|hourly|daily|weekly|monthly)[ \t]+)(?:root[ \t]+)?(.+)$`)

// mayBeCommand reports whether a text could be a command line once its placeholders are
// written out: its name is in one, and something follows.
func mayBeCommand(s *setting) bool {
	i := strings.IndexAny(s.text, "${%(<")
	return i >= 0 && i < maxName && !shownKeys.MatchString(s.key)
}

// maxName is how far the name of a command may reach that placeholders are part of.
const maxName = 40 // bytes

// commandLine puts a program and its arguments together that are values of keys of one
// object.
func (d *document) commandLine(s *setting) {
	var all []*setting
	used := map[*setting]bool{}
	take := func(keys []string, most int) {
		for _, key := range keys {
			if v := s.member(key); v != nil && !used[v] && v.kind != objectSetting && most > 0 {
				v.scalars(func(of *setting) { all = append(all, of) })
				used[v] = true
				most--
			}
		}
	}
	take(programKeys, 1)
	program := len(all)
	take(wordKeys, len(wordKeys))
	if program == 0 {
		return
	}
	if len(all) > program {
		words := make([]string, len(all))
		for i, of := range all {
			words[i] = of.text
		}
		var b builder
		b.flush(oneLine(strings.Join(words, " ")), all[program].line, 0)
		d.emit(b, gate.LanguageShell, false)
	}
	d.program(s, all)
}

// program takes over code in another language that an interpreter is given: behind -c,
// or behind a key of the same object.
func (d *document) program(s *setting, words []*setting) {
	lang := gate.LanguageUnknown
	for i, of := range words {
		first, _, _ := strings.Cut(strings.TrimSpace(of.text), " ")
		if l := interpreter(first); l != gate.LanguageUnknown {
			lang = l
		}
		if i > 0 && lang != gate.LanguageUnknown && takesProgram(words[i-1].text) {
			d.script(of, lang)
		}
	}
	if lang == gate.LanguageUnknown || lang == gate.LanguageShell {
		return
	}
	for _, key := range sourceKeys {
		if v := s.member(key); v != nil && v.kind == scalarSetting && strings.ContainsAny(v.text, " (\n") {
			d.script(v, lang)
		}
	}
}

// languagesFor are the languages of a script behind a key: of the interpreters that a
// shell besides it names, or the defaults of what is around it.
func languagesFor(s *setting) []gate.Language {
	if s.in == nil || !slices.Contains(sourceKeys, strings.ToLower(s.key)) {
		return []gate.Language{gate.LanguageShell}
	}
	if uses := s.in.in.member("uses"); uses != nil && strings.Contains(uses.text, "github-script") {
		return []gate.Language{gate.LanguageJavaScript}
	}
	shell := s.in.member("shell")
	for at := s.in; shell == nil && at != nil; at = at.in {
		shell = at.member("defaults").member("run").member("shell")
	}
	if shell == nil || shell.kind != scalarSetting {
		return []gate.Language{gate.LanguageShell}
	}
	var out []gate.Language
	for word := range strings.FieldsSeq(shell.text) {
		if l := interpreter(strings.Trim(word, `"'|;&()`)); l != gate.LanguageUnknown && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	if out == nil { // of a shell that is not known
		out = []gate.Language{gate.LanguageShell}
	}
	return out
}

// emit adds a piece of code, and what it becomes once its placeholders are written
// out.
func (d *document) emit(b builder, lang gate.Language, guess bool) {
	if len(b.lines) == 0 {
		return
	}
	d.add(b, lang, guess)
	d.expand(b, lang, func(string) bool { return true }, guess)
	if lang != gate.LanguageShell || guess {
		return
	}
	if pythonLine.Match(b.text) {
		d.add(b, gate.LanguagePython, true)
	}
	if scriptLine.Match(b.text) {
		d.add(b, gate.LanguageJavaScript, true)
	}
}

// add adds a piece of code that holds a line that is not known yet.
func (d *document) add(b builder, lang gate.Language, guess bool) {
	lines := d.known[lang]
	fresh := false
	for line := range strings.SplitSeq(string(b.text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !lines[line] {
			fresh = true
			break
		}
	}
	if !fresh {
		return
	}
	added := guessed(b.region(lang, ""), guess || d.guessed)
	d.learn(added[0])
	d.out = append(d.out, added...)
}

// maxWhole is how many ways to write a script out are taken as a whole; of the others,
// the lines that differ are.
const maxWhole = 3

// expand adds what a piece of code becomes once its placeholders are written out, where
// that is wanted: as a whole, and line by line in more ways.
func (d *document) expand(b builder, lang gate.Language, wanted func(string) bool, guess bool) {
	text := strings.TrimSuffix(string(b.text), "\n")
	if !placeholder.May(text) || d.left <= 0 {
		return
	}
	d.know()
	d.write(text, b.lines, lang, wanted, guess)
	if len(b.lines) < 2 {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if d.left > 0 && placeholder.May(line) {
			d.write(line, b.lines[min(i, len(b.lines)-1):], lang, wanted, guess)
		}
	}
}

// know reads the names of the document.
func (d *document) know() {
	if d.constants != nil {
		return
	}
	d.constants = newConstants()
	for _, root := range d.roots {
		d.constants.add(root, nil, false)
	}
	for _, root := range d.roots {
		d.constants.aliases(root)
	}
}

// write adds what a text becomes once its placeholders are written out.
func (d *document) write(text string, places []int, lang gate.Language, wanted func(string) bool, guess bool) {
	written := placeholder.Expand(text, d.constants.names(places[0]))
	d.full = d.full || d.constants.matrix
	// What no key says to be a command matters where it becomes one.
	unread := written.Unread
	if !templated(text) || !slices.ContainsFunc(append(written.Texts, text), wanted) {
		unread = nil
	}
	for _, bound := range unread {
		d.unread = append(d.unread, Code{unread: "the placeholders in it were not written out to the end: at most " + bound})
	}
	var lines builder // of the ways that are not taken as a whole
	for i, plain := range written.Texts {
		if d.left -= len(plain); d.left <= 0 {
			break
		}
		switch {
		case !wanted(plain):
		case i >= maxWhole || len(places) == 1:
			more := relined(plain, places, true, d.known[lang])
			lines.text, lines.lines = append(lines.text, more.text...), append(lines.lines, more.lines...)
		default:
			d.add(relined(plain, places, false, nil), lang, guess)
		}
	}
	if len(lines.lines) > 0 {
		d.add(lines, lang, guess)
	}
	for _, command := range written.Runs {
		var run builder
		run.flush(command, places[0], 0)
		d.add(run, gate.LanguageShell, false)
	}
}

// templated reports whether a text has placeholders besides those of a shell and of
// GitHub's workflows, which no text that a program generates has by the hundred.
func templated(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, "${{", ""), "{{") || strings.Contains(text, "{%") || strings.Contains(text, "<%") || strings.Contains(text, "$[[")
}

// relined gives the lines of a text that was written out their places.
func relined(text string, places []int, onlyNew bool, known map[string]bool) builder {
	var out builder
	for i, line := range strings.Split(text, "\n") {
		if onlyNew && known[strings.TrimSpace(line)] {
			continue
		}
		out.add(line, places[min(i, len(places)-1)], 0)
	}
	return out
}
