package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Run says what a program does with the values of a file.
type Run struct {
	Shell bool          // hands them to a shell, or starts them
	Own   gate.Language // runs them as code of that language; empty for not at all
	Calls bool          // calls functions by their names
	Sends bool          // sends a file that they name to a host that they name
	Pipes bool          // puts a pipe between them
}

// Bounds of what is made of one file.
const (
	maxTexts   = 400 // texts that are read one by one
	maxRequest = 8   // files, and hosts, that may belong together
)

// Texts returns what the values of a data file are to a program that runs them: each text
// as code by itself, each list as a command line, and the items of lists one after the
// other. No key says what is for people, because the program decides that.
func Texts(lang gate.Language, content []byte, run Run) []Code {
	t := texts{run: run}
	for _, root := range roots(lang, content) {
		if root != nil {
			t.walk(root)
		}
	}
	if len(t.rest.lines) > 0 {
		t.code(t.rest)
	}
	if run.Sends {
		t.requests()
	}
	return t.out
}

// roots are the documents of a data file.
func roots(lang gate.Language, content []byte) []*setting {
	r := settingsReader{left: maxSettings}
	switch lang {
	case gate.LanguageJSON:
		if len(content) <= maxCanonical {
			return []*setting{r.json(newJSONReader(content), "", nil, 0)}
		}
	case gate.LanguageYAML, gate.LanguageWorkflow:
		var out []*setting
		pieces, _ := yamlPieces(content)
		for _, p := range pieces {
			docs, _ := yamlDocuments(p)
			for _, doc := range docs {
				out = append(out, r.yaml(doc, "", nil, 0))
			}
		}
		return out
	case gate.LanguageTOML:
		root := &setting{kind: objectSetting}
		tomlValues(content, func(table, key string, values []valueAt) { root.table(table, 0).put(key, values) })
		return []*setting{root}
	case gate.LanguageINI:
		return []*setting{iniSettings(content)}
	case gate.LanguageText, gate.LanguageUnknown, gate.LanguageMarkdown:
		return rows(content)
	}
	return nil
}

// tomlValues yields the texts behind each key of a TOML file.
func tomlValues(content []byte, yield func(table, key string, values []valueAt)) {
	text, lines := lex.Scan(gate.LanguageTOML, content), newLineIndex(content)
	tables := tomlTable.FindAllSubmatchIndex(content, maxCommands)
	table, key := "", ""
	var values []valueAt
	gap := 0
	for _, s := range text.Spans {
		if s.Class != lex.String {
			continue
		}
		if m := tomlKeyOf.FindSubmatch(content[gap:s.Start]); m != nil {
			yield(table, key, values)
			values = nil
			key = strings.Trim(string(m[1]), `"'`)
			key = key[strings.LastIndexByte(key, '.')+1:]
		}
		for len(tables) > 0 && tables[0][0] < s.Start {
			table = string(content[tables[0][2]:tables[0][3]])
			tables = tables[1:]
		}
		gap = s.End
		values = append(values, valueAt{bare(content, s), lines.of(s.Start)})
	}
	yield(table, key, values)
}

// texts collects what the values of a file may be run as.
type texts struct {
	run    Run
	out    []Code
	single int
	rest   builder // texts beyond those that are read one by one
	files  []valueAt
	hosts  []valueAt
}

func (t *texts) walk(s *setting) {
	if s.kind == scalarSetting {
		t.scalar(s)
		return
	}
	for _, item := range s.items {
		t.walk(item)
	}
	if s.kind == listSetting {
		t.list(s)
	}
}

var (
	sentFile = regexp.MustCompile(`^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\.)?[\\/][^\s|;&]+$|^\.[\w.-]+(?:/[\w./-]+)?$`)
	sentTo   = regexp.MustCompile(`(?i)^(?:https?|ftp|wss?|tcp)://[^\s"']+$|^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:/\S*)?$`)
)

func (t *texts) scalar(s *setting) {
	switch {
	case strings.TrimSpace(s.text) == "":
		return
	case sentFile.MatchString(s.text) && len(t.files) < maxRequest:
		t.files = append(t.files, valueAt{s.text, s.line})
	case sentTo.MatchString(s.text) && len(t.hosts) < maxRequest:
		t.hosts = append(t.hosts, valueAt{s.text, s.line})
	}
	if !strings.ContainsAny(s.text, " \t\n(|;&$`<>") {
		return // one word does nothing
	}
	if t.single++; t.single > maxTexts {
		t.rest.flush(s.text, s.line, s.step)
		return
	}
	var b builder
	b.flush(s.text, s.line, s.step)
	t.code(b)
}

// code takes over what is run as it is.
func (t *texts) code(b builder) {
	if t.run.Shell {
		t.out = append(t.out, b.region(gate.LanguageShell, "")...)
	}
	if t.run.Own != "" && t.run.Own != gate.LanguageShell {
		t.out = append(t.out, b.region(t.run.Own, "")...)
	}
}

// list takes over a list: as the words of a command line, as one text, and its items as
// the lines of a script.
func (t *texts) list(s *setting) {
	if len(t.out) > 2*maxTexts {
		return
	}
	var line, script, calls builder
	words := s.words()
	flat := len(words) == len(s.items)
	if flat && len(words) > 1 {
		line.flush(quoted(words), s.line, 0)
		if plain := oneLine(strings.Join(words, " ")); plain != quoted(words) {
			t.code(one(plain, s.line))
		}
	}
	for _, item := range s.items {
		switch {
		case item.kind == scalarSetting:
			script.flush(item.text, item.line, item.step)
		default:
			if words := item.words(); len(words) > 1 {
				script.flush(quoted(words), item.line, 0)
			}
		}
		if t.run.Calls {
			called(&calls, item)
		}
	}
	t.code(line)
	if len(s.items) > 1 {
		t.code(script)
	}
	if t.run.Pipes && len(s.items) > 1 {
		var stages []string
		for _, item := range s.items {
			stages = append(stages, strings.Join(item.cells(), " "))
		}
		t.code(one(oneLine(strings.Join(stages, " | ")), s.line))
	}
	t.out = append(t.out, calls.region(gate.LanguagePython, "")...)
}

func one(text string, line int) (b builder) {
	b.flush(text, line, 0)
	return b
}

var (
	plainWord = regexp.MustCompile(`^[\w./:=@%+,~-]+$`)
	nameOf    = regexp.MustCompile(`^[A-Za-z_][\w.]*$`)
)

// quoted are words as a shell takes them for these words.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; !plainWord.MatchString(w) {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// called adds the call that a row of a table is: a module, a function of it and its
// arguments, as a list or as an object.
func called(b *builder, row *setting) {
	if row.kind == scalarSetting || len(row.items) < 2 || row.items[0].kind != scalarSetting {
		return
	}
	module, args := row.items[0].text, row.items[1:]
	name := module
	if args[0].kind == scalarSetting && nameOf.MatchString(args[0].text) {
		name, args = module+"."+args[0].text, args[1:]
	} else if at := strings.LastIndexAny(module, ".:"); at > 0 {
		module, name = module[:at], module[:at]+"."+module[at+1:]
	}
	if !nameOf.MatchString(module) || !nameOf.MatchString(name) {
		return
	}
	var words []string
	for _, a := range args {
		for _, w := range a.words() {
			words = append(words, `"`+pythonEscapes.Replace(w)+`"`)
		}
	}
	b.flush("import "+module, row.line, 0)
	b.flush(name+"("+strings.Join(words, ", ")+")", row.line, 0)
}

var pythonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

// requests takes each file with each host that it may be sent to.
func (t *texts) requests() {
	for _, f := range t.files {
		for _, to := range t.hosts {
			path := f.text
			if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
				path = "~" + path[strings.IndexByte(path+"/", '/'):]
			}
			t.out = append(t.out, builderOf("curl -s -d \"$(cat "+path+")\" "+quoted([]string{to.text}), f.line)...)
		}
	}
}

func builderOf(text string, line int) []Code {
	b := one(text, line)
	return b.region(gate.LanguageShell, "")
}
