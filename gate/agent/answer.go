package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
)

// Bounds of what a model may write, in bytes.
const (
	maxAnswer = 64 << 10
	maxCode   = 32 << 10
	maxNotes  = 1000
)

// Program is what a model wrote.
type Program struct {
	Language gate.Language `json:"language"`
	Path     string        `json:"path"`
	Code     string        `json:"code"`
	Notes    string        `json:"notes"` // of the model, for the person who asked; hostile
}

// language is one that a model may write in.
type language struct {
	name       string // as people name it
	is         gate.Language
	extensions []string // the first is put on names that have none of them
	about      string
}

var languages = []language{
	{"python", gate.LanguagePython, []string{".py"}, "Python 3.11, standard library only"},
	{"node", gate.LanguageJavaScript, []string{".js", ".mjs", ".cjs"}, "JavaScript for Node.js, built-in modules only"},
	{"typescript", gate.LanguageTypeScript, []string{".ts"}, "TypeScript for Node.js, built-in modules only"},
	{"shell", gate.LanguageShell, []string{".sh"}, "Bash, with the usual text tools"},
	{"go", gate.LanguageGo, []string{".go"}, "Go, package main in one file, standard library only"},
}

// Languages are the names of the languages that a model may write in.
func Languages() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// choice returns the languages that are left to the model: the one that is named,
// or all.
func choice(name string) []language {
	if name == "" {
		return languages
	}
	return slices.DeleteFunc(slices.Clone(languages), func(l language) bool { return l.name != name })
}

// schema is the form of an answer.
func schema(choice []language) json.RawMessage {
	var names []string
	for _, l := range choice {
		names = append(names, l.name)
	}
	enum, _ := json.Marshal(names) // strings: cannot fail
	return fmt.Appendf(nil, `{"type": "object", "properties": {"language": {"type": "string", "enum": %s}, "file": {"type": "string", "maxLength": 60}, `+
		`"code": {"type": "string", "maxLength": 16000}, "notes": {"type": "string", "maxLength": 400}}, "required": ["language", "file", "code", "notes"]}`, enum)
}

// decode reads an answer strictly.
func decode(text string, choice []language) (Program, error) {
	if len(text) > maxAnswer {
		return Program{}, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	var answer struct{ Language, File, Code, Notes string }
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&answer); err != nil {
		return Program{}, fmt.Errorf("the answer is not the JSON object that was asked for: %s", gate.Clip(err.Error(), 200))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Program{}, errors.New("more follows behind the JSON object")
	}
	i := slices.IndexFunc(choice, func(l language) bool { return l.name == answer.Language })
	if i < 0 {
		return Program{}, fmt.Errorf("%q is not a language that was offered", gate.Clip(answer.Language, 40))
	}
	code := unwrapped(answer.Code)
	switch {
	case !utf8.ValidString(code) || strings.ContainsRune(code, 0):
		return Program{}, errors.New("the code is not text")
	case strings.TrimSpace(code) == "":
		return Program{}, errors.New("there is no code in the answer")
	case len(code) > maxCode:
		return Program{}, fmt.Errorf("the code has more than %d bytes", maxCode)
	}
	notes := gate.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(controlToken.ReplaceAllString(answer.Notes, ""), "?")), " "), maxNotes)
	return Program{Language: choice[i].is, Path: fileName(answer.File, choice[i]), Code: code, Notes: notes}, nil
}

var (
	// controlToken is what ends turns of a chat where a model writes it by mistake.
	controlToken = regexp.MustCompile(`<\|[a-z_]{1,32}\|>`)
	fence        = regexp.MustCompile("(?s)^\\s*```[a-z]*\r?\n(.*?)\r?\n?```\\s*$")
	stemForm     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// unwrapped is code without the fence that models put around it, and with an end of
// line.
func unwrapped(code string) string {
	code = controlToken.ReplaceAllString(code, "")
	if m := fence.FindStringSubmatch(code); m != nil {
		code = m[1]
	}
	return strings.TrimRight(code, " \t\r\n") + "\n"
}

// fileName is the model's name for a program where that is a plain one and none that
// installers and test runners look for.
func fileName(name string, l language) string {
	ext := path.Ext(name)
	stem := strings.ToLower(strings.TrimSuffix(name, ext))
	if !slices.Contains(l.extensions, ext) {
		ext = l.extensions[0]
	}
	special := slices.Contains([]string{"setup", "conftest", "test", "tests", "sitecustomize", "usercustomize", "out", "data"}, stem) ||
		strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec")
	// Go leaves files out by such ends of their names.
	if !stemForm.MatchString(stem) || special || l.is == gate.LanguageGo && strings.Contains(stem, "_") {
		stem = "program"
	}
	return stem + ext
}
