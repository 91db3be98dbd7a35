package hook

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// meaning is what an argument of a tool is, by its key.
type meaning uint8

const (
	unknown  meaning = iota // of a tool that gate doesn't know: it may be run
	command                 // of a shell
	words                   // that follow a command
	code                    // in a language that isn't said
	database                // statements
	file                    // that is changed
	place                   // where a file is put
	content                 // of a file
	oldText                 // that another takes the place of
	newText
	patch   // a unified diff
	address // that is fetched
	setting // variables of the environment
	prose   // for people, or for a model
)

// meaningOf returns what a key means. Tools of the same kind name their arguments much alike,
// and write them with capitals, underscores or hyphens.
func meaningOf(key string) meaning {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)) {
	case "command", "cmd", "script", "commandline", "cmdline", "shellcommand", "commands", "cmds", "scripts", "input", "chars", "stdin", "keystrokes", "keys", "executable":
		return command
	case "args", "arguments", "argv", "params", "parameters":
		return words
	case "code", "codesnippet", "snippet", "function", "expression", "javascript", "python", "program":
		return code
	case "sql", "query", "statement", "statements":
		return database
	case "filepath", "path", "notebookpath", "absolutepath", "targetfile", "filename", "file":
		return file
	case "destination", "dest", "destinationpath", "newpath", "targetpath", "target", "outputpath", "outputfile", "to":
		return place
	case "content", "filetext", "contents", "newsource", "codeedit", "newcontent", "codecontent", "filecontent", "filecontents":
		return content
	case "oldstring", "oldstr", "oldtext", "oldcontent":
		return oldText
	case "newstring", "newstr", "newtext", "inserttext":
		return newText
	case "diff", "patch", "patchtext", "unifieddiff":
		return patch
	case "url", "uri", "urls", "href":
		return address
	case "env", "environment":
		return setting
	case "description", "explanation", "prompt", "body", "title", "message", "comment", "reason", "summary", "question", "questions", "notes", "note", "thought", "instruction", "instructions",
		"observations", "justification", "pattern", "regex", "glob", "include", "exclude", "headers", "cwd", "workdir", "workingdirectory", "directory", "dirpath", "branch":
		return prose
	}
	return unknown
}

// arguments reads what a call does. Every text is read as what its key says, wherever it
// stands: a server ignores keys that it doesn't know, so one that is harmless stands for
// nothing, and a text whose key says nothing may be what is run.
type arguments struct {
	call string
	out  []Action
}

func (a *arguments) add(x Action) {
	if !slices.ContainsFunc(a.out, func(o Action) bool {
		return o.Kind == x.Kind && o.Text == x.Text && o.Path == x.Path && o.Edit.same(x.Edit)
	}) {
		a.out = append(a.out, x)
	}
}

// same reports whether two edits do the same.
func (e Edit) same(o Edit) bool {
	return e.Partial == o.Partial && e.Content == o.Content && e.Deleted == o.Deleted && slices.Equal(e.Replacements, o.Replacements)
}

// read adds what the arguments of one object do, and those below it.
func (a *arguments) read(o object) error {
	edits, err := editsOf(o)
	if err != nil {
		return err
	}
	files, rest := a.files(o)
	a.edits(files, edits)
	commands, err := commandsOf(o)
	if err != nil {
		return err
	}
	for _, c := range commands {
		if len(edits) > 0 && !strings.ContainsAny(c, " \t\n") {
			continue // the name of what an editor does
		}
		if strings.Contains(c, beginPatch) { // handed to a shell
			more, err := patchActions(c)
			if err != nil {
				return err
			}
			for _, x := range more {
				a.add(x)
			}
		}
		a.add(Action{Kind: KindCommand, Text: c})
	}
	for _, k := range rest {
		if err := a.value(k, o[k], files); err != nil {
			return err
		}
	}
	return nil
}

// files returns the files that an object names, and the keys that are left to read.
func (a *arguments) files(o object) (files, rest []string) {
	for _, k := range o.keys() {
		switch meaningOf(k) {
		case file:
			for _, name := range texts(o[k]) {
				if !slices.Contains(files, name) {
					files = append(files, name)
				}
			}
		case place:
			for _, name := range texts(o[k]) {
				a.add(Action{Kind: KindPlace, Path: name})
			}
		case content, oldText, newText, prose, command:
		default:
			rest = append(rest, k)
		}
		if _, in := o[k].(object); in && !slices.Contains(rest, k) {
			rest = append(rest, k)
		}
	}
	return files, rest
}

// readableHost is an address with its host as clients ask for it: they take what is escaped in
// it (evil%2eexample.com) as written out. What is escaped wrongly stays.
func readableHost(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	host, err := url.PathUnescape(rest[:end])
	if err != nil {
		return address
	}
	return scheme + "://" + host + rest[end:]
}

// edits adds each of the edits to each of the files.
func (a *arguments) edits(files []string, edits []Edit) {
	named := files
	if len(files) == 0 && len(edits) > 0 { // a file that isn't named: its text is looked at as a script
		named = []string{"unnamed.sh"}
	}
	if len(edits) == 0 { // whatever the tool does to them, it isn't one that only reads
		edits = []Edit{{Partial: true}}
	}
	for _, name := range named {
		for _, e := range edits {
			a.add(Action{Kind: KindEdit, Path: name, Edit: e})
		}
	}
}

// value adds what the value of a key does that is no command and no edit.
func (a *arguments) value(key string, v any, files []string) error {
	of := meaningOf(key)
	switch of {
	case code:
		for _, text := range plainTexts(v) {
			a.add(Action{Kind: KindCode, Text: text})
		}
	case database:
		for _, text := range plainTexts(v) {
			a.add(Action{Kind: KindCode, Text: text, Path: "code.sql"})
		}
	case patch:
		for _, text := range plainTexts(v) {
			a.diff(text)
		}
	case address:
		for _, text := range texts(v) {
			a.add(Action{Kind: KindFetch, Text: readableHost(text)})
		}
		return nil
	case setting:
		if o, ok := v.(object); ok {
			a.environment(o)
			return nil
		}
	}
	switch v := v.(type) {
	case object:
		return a.read(v)
	case []any:
		if strings.EqualFold(key, "edits") {
			return nil // read as edits
		}
		if of == unknown || of == words && len(files) == 0 {
			if text := strings.Join(plainTexts(v), "\n"); of == unknown && text != "" {
				a.unknown(text, files)
			}
		}
		for _, e := range v {
			if o, ok := e.(object); ok {
				if err := a.read(o); err != nil {
					return err
				}
			}
		}
	case string:
		if of == words {
			if o, err := decode([]byte(v)); err == nil {
				return a.read(o)
			}
		}
		if of == unknown || of == words {
			a.unknown(v, files)
		}
	}
	return nil
}

// unknown adds a text whose key says nothing: the content of a file where one is named, else
// what may be run. One word does nothing.
func (a *arguments) unknown(text string, files []string) {
	if !strings.ContainsAny(strings.TrimSpace(text), " \t\n;|&$`<>(") {
		return
	}
	for _, name := range files {
		a.add(Action{Kind: KindEdit, Path: name, Edit: Edit{Partial: true, Content: text}})
	}
	if len(files) == 0 {
		a.add(Action{Kind: KindCommand, Text: typed(text)})
	}
}

// environment adds variables that a command is started with.
func (a *arguments) environment(o object) {
	var b strings.Builder
	for _, k := range o.keys() {
		if text, ok := o[k].(string); ok && strings.Trim(strings.ToUpper(k), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
			fmt.Fprintf(&b, "export %s=%s\n", k, quoted(text))
		}
	}
	if b.Len() > 0 {
		a.add(Action{Kind: KindCommand, Text: b.String()})
	}
}

// diff adds what a unified diff puts into files.
func (a *arguments) diff(text string) {
	if strings.Contains(text, beginPatch) {
		if more, err := patchActions(text); err == nil {
			for _, x := range more {
				a.add(x)
			}
			return
		}
	}
	name, added := "unnamed.sh", strings.Builder{}
	flush := func() {
		if added.Len() > 0 {
			a.add(Action{Kind: KindEdit, Path: name, Edit: Edit{Partial: true, Content: added.String()}})
		}
		added.Reset()
	}
	for line := range strings.Lines(text) {
		if to, ok := strings.CutPrefix(line, "+++ "); ok {
			flush()
			to, _, _ = strings.Cut(strings.TrimSpace(to), "\t")
			name = strings.TrimPrefix(to, "b/")
		} else if in, ok := strings.CutPrefix(line, "+"); ok {
			added.WriteString(in)
		}
	}
	flush()
}

// key matches how the keys of a terminal are written.
var key = regexp.MustCompile(`(?i)\{(?:enter|return)\}|<(?:enter|return|cr)>`)

// typed is what is typed into a terminal as the lines of a script.
func typed(text string) string {
	return strings.ReplaceAll(key.ReplaceAllString(text, "\n"), "\r", "\n")
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// plainTexts are a text, or the texts of a list.
func plainTexts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// commandsOf are the commands of a shell that are in an object. A list is put together with
// its quotes, except where its key says that there are several.
func commandsOf(o object) ([]string, error) {
	var out []string
	follow := argumentsOf(o)
	for _, k := range o.keys() {
		if meaningOf(k) != command {
			continue
		}
		switch v := o[k].(type) {
		case nil:
		case object:
			if f := strings.ToLower(k); f == "command" || f == "cmd" {
				return nil, fmt.Errorf("its %s is no text", k)
			}
		case string:
			if v != "" {
				out = append(out, typed(v))
			}
			if v != "" && follow != "" {
				out = append(out, typed(v)+" "+follow)
			}
		case []any:
			list, err := listed(k, v)
			if err != nil {
				return nil, err
			}
			several := strings.HasSuffix(strings.ToLower(k), "s")
			if several {
				out = append(out, strings.Join(list, "\n"))
			}
			for i := range list {
				list[i] = quoted(list[i])
			}
			out = append(out, strings.TrimSpace(strings.Join(list, " ")+" "+follow))
		default:
			return nil, fmt.Errorf("its %s is no text", k)
		}
	}
	return out, nil
}

// listed are the texts of a list of commands; objects in it are read on their own.
func listed(key string, v []any) ([]string, error) {
	var out []string
	for _, e := range v {
		switch e := e.(type) {
		case string:
			out = append(out, e)
		case object:
		default:
			return nil, fmt.Errorf("its %s has something that is no text", key)
		}
	}
	return out, nil
}

// argumentsOf are the words that follow the command of an object.
func argumentsOf(o object) string {
	var out []string
	for _, k := range o.keys() {
		if meaningOf(k) != words {
			continue
		}
		switch v := o[k].(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, w := range plainTexts(v) {
				out = append(out, quoted(w))
			}
		}
	}
	return strings.Join(out, " ")
}

// editsOf are the edits that are in an object.
func editsOf(o object) ([]Edit, error) {
	var out []Edit
	for _, k := range o.keys() {
		if meaningOf(k) != content {
			continue
		}
		s, isText := o[k].(string)
		if !isText {
			return nil, fmt.Errorf("its %s is no text", k)
		}
		out = append(out, Edit{Partial: k == "new_source" || k == "code_edit", Content: s})
	}
	if list, there := o["edits"].([]any); there {
		e := Edit{Partial: true}
		for _, v := range list {
			in, isObject := v.(object)
			r, found := replacementOf(in)
			if !isObject || !found {
				return nil, errors.New("one of its edits can't be read")
			}
			e.Replacements = append(e.Replacements, r)
		}
		out = append(out, e)
	}
	if r, found := replacementOf(o); found {
		out = append(out, Edit{Partial: true, Replacements: []Replacement{r}})
	}
	return out, nil
}
