package owners_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/source/owners"
)

func TestTheLastPatternThatMatchesDecides(t *testing.T) {
	const text = `# who looks
*            @acme/all
*.js         @js-owner  # the front
/build/logs/ @doctocat
docs/*       docs@example.com
apps/        @octocat
/scripts/    @a @B
/apps/github
/with\ space @space
[Section][2] @standard
*.rb
/lib/ @lib
^[Optional] @nobody
*.go
`
	o, err := owners.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"x":                      {"@acme/all"},
		"a/b.js":                 {"@js-owner"},
		"build/logs/a/b":         {"@doctocat"},
		"x/build/logs/a":         {"@acme/all"},
		"docs/a.md":              {"docs@example.com"},
		"docs/a/b.md":            {"@acme/all"},
		"x/apps/y/z":             {"@octocat"},
		"apps/github":            nil,
		"apps/github/x":          nil,
		"scripts/x":              {"@a", "@b"},
		"with space":             {"@space"},
		"with space/x":           {"@space"},
		"a.rb":                   {"@acme/all", "@standard"},
		"lib/a.rb":               {"@acme/all", "@lib"},
		"a.go":                   {"@acme/all", "@nobody"},
		".github/CODEOWNERS":     {"@acme/all"},
		"deep/er/build/logs.txt": {"@acme/all"},
	} {
		if got := o.Of(path); !slices.Equal(got, want) {
			t.Errorf("%s belongs to %q, want %q", path, got, want)
		}
	}
}

func TestTooLargeOwnersFilesAreErrors(t *testing.T) {
	for name, text := range map[string]string{
		"bytes":    strings.Repeat("#", owners.MaxBytes+1),
		"patterns": strings.Repeat("a @b\n", owners.MaxRules+1),
	} {
		if _, err := owners.Read([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("* @a\n[b] @c\n/x/ @d\n"), "x/y")
	f.Add([]byte("^[\\ # {a,b}[ @c"), "{")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		o, err := owners.Read(text)
		if err != nil {
			return
		}
		for _, name := range o.Of(path) {
			if !slices.Contains(o.All(), name) {
				t.Errorf("%q owns %q and nothing else", name, path)
			}
		}
	})
}
