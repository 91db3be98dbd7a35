package ways

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	goTags     = regexp.MustCompile(`^[A-Za-z0-9_.]{1,50}(?:,[A-Za-z0-9_.]{1,50}){0,20}$`)
	goVariable = regexp.MustCompile(`^(?:GO[A-Z0-9]*|CGO_[A-Z0-9_]*)=`)
)

// maxTags bounds the sets of build tags of one module.
const maxTags = 10

// Go is how a module of Go runs its tests: with which build tags and variables, by its
// Makefile or the workflows. Each command counts for its tags, and the first for the
// variables.
func (w *Ways) Go(dir string) Tests {
	var t Tests
	folders := []string{dir}
	if dir != "" {
		folders = append(folders, "") // the Makefile of the whole repository
	}
	var sources []source
	for _, folder := range folders {
		commands, by := makeCommands(w.read, folder)
		sources = append(sources, source{by, commands})
	}
	for _, s := range append(sources, w.fromCI()...) {
		for _, c := range s.commands {
			tags, ok := goTests(&c)
			if !ok || c.Dir != dir {
				continue
			}
			if t.Runner == "" {
				t.Runner, t.By, t.Dir = "go test", s.by, dir
				for _, v := range c.Env {
					if Settable(v) && !goVariable.MatchString(v) && len(t.Env) < maxWords {
						t.Env = append(t.Env, v)
					}
				}
			}
			if !slices.Contains(t.Tags, tags) && len(t.Tags) < maxTags {
				t.Tags = append(t.Tags, tags)
			}
		}
	}
	return t
}

// goTests reads the build tags of a command that runs tests of Go; ok is false for another.
// The folder that it names is that of the command.
func goTests(c *Command) (tags string, ok bool) {
	words := c.Words
	if len(words) > 0 && path.Base(words[0]) == "gotestsum" {
		at := slices.Index(words, "--")
		if at < 0 {
			return "", true
		}
		words = slices.Concat([]string{"go", "test"}, words[at+1:])
	}
	if len(words) < 2 || !slices.Contains([]string{"go", "richgo", "gotest"}, path.Base(words[0])) {
		return "", false
	}
	words = words[1:]
	if words[0] == "-C" && len(words) > 2 {
		c.Dir, words = Below(c.Dir, words[1]), words[2:]
	}
	if len(words) == 0 || words[0] != "test" {
		return "", false
	}
	for _, v := range c.Env {
		if value, is := strings.CutPrefix(v, "GOFLAGS="); is {
			words = append(words, strings.Fields(value)...)
		}
	}
	for i, w := range words {
		name, value, joined := strings.Cut(strings.TrimPrefix(w, "-"), "=")
		if !strings.HasPrefix(w, "-") || strings.TrimPrefix(name, "-") != "tags" {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		if value = strings.Join(strings.Fields(value), ","); goTags.MatchString(value) {
			tags = value
		}
	}
	return tags, true
}
