package glob

import (
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	tests := map[string]struct {
		glob string
		yes  []string
		no   []string
	}{
		"a glob without a slash is looked for in every folder": {"*.yml", []string{"a.yml", "x/y/a.yml"}, []string{"a.yaml", "a.yml/b"}},
		"so is a name":                           {"CODEOWNERS", []string{".github/CODEOWNERS"}, []string{"CODEOWNERS2"}},
		"a folder anywhere":                      {"**/vendor/**", []string{"x/vendor/a", "vendor/a/b"}, []string{"x/vendored/a"}},
		"a leading slash is the root":            {"/Makefile", []string{"Makefile"}, []string{"x/Makefile"}},
		"a glob with a slash begins at the root": {"deploy/*.yml", []string{"deploy/a.yml"}, []string{"x/deploy/a.yml", "deploy/x/a.yml"}},
		"two stars are any number of folders":    {"a/**/b", []string{"a/b", "a/x/y/b"}, []string{"b", "ab", "x/a/b"}},
		"everything below a folder":              {"vendor/**", []string{"vendor/a", "vendor/a/b"}, []string{"vendored/a"}},
		"a list of alternatives":                 {"deploy/*.{yml,yaml}", []string{"deploy/a.yml", "deploy/a.yaml"}, []string{"deploy/a.json"}},
		"a class":                                {"[a-c]x", []string{"ax", "d/cx"}, []string{"dx"}},
		"a negated class":                        {"[!a-c]x", []string{"dx"}, []string{"ax"}},
		"the other spelling of a negated class":  {"[^a-c]x", []string{"dx"}, []string{"ax"}},
		"an escaped star is a star":              {`\*.go`, []string{"*.go"}, []string{"a.go"}},
		"an invalid glob matches nothing":        {"[a", nil, []string{"[a", "a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, p := range tt.yes {
				if !Match(tt.glob, p) || !Any([]string{"no/such", tt.glob}, p) {
					t.Errorf("%q does not match %q", tt.glob, p)
				}
			}
			for _, p := range tt.no {
				if Match(tt.glob, p) {
					t.Errorf("%q matches %q", tt.glob, p)
				}
			}
		})
	}
}

func TestMatchNameIsAboutTheWholeName(t *testing.T) {
	for name, want := range map[string]bool{"setup.py": true, "x/setup.py": false, "setup.pyc": false} {
		if got := MatchName("setup.{py,cfg}", name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, name := range []string{"rules", "a[1]", "{a,b}", `a\b*?`, "a/[x]/b"} {
		if g := "/" + Quote(name) + "/**"; Check(g) != nil || !Match(g, name+"/x") || Match(g, "ab/x") {
			t.Errorf("%q for %q", g, name)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, glob := range []string{"**", "*", "a", "/a", "a/**", "**/a", "{a,b}/*.{c,d}", "[!a]", "[]-a]x"[1:], `a\{b`, "{a/,b/}c", "a{,/**}", "ä/ö*"} {
		if err := Check(glob); err != nil {
			t.Errorf("%q: %v", glob, err)
		}
	}
	for glob, want := range map[string]string{
		"":                              "empty",
		"[a":                            "not closed",
		"{a,b":                          "not closed",
		`a\`:                            "not closed",
		"a\xff":                         "not a valid glob",
		strings.Repeat("a", 1<<10) + "": "",
		strings.Repeat("a", 1<<10+1):    "at most 1024",
		"./a":                           "matches no path",
		"../a":                          "matches no path",
		"a//b":                          "matches no path",
		"//a":                           "matches no path",
		"vendor/":                       `"folder/**"`,
		"{/a,/b}":                       "matches no path",
		strings.Repeat("{a,b}", 9):      "more than 256 alternatives",
		"{/Makefile,ci/**}":             `"/Makefile"`,
		"{./deploy,ops}/**":             "matches no path",
		"{deploy/,x}":                   "matches no path",
		"/":                             "matches no path",
	} {
		err := Check(glob)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", glob, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", glob, err, want)
		}
	}
}

// TestCheckAcceptsWhatCanMatch builds globs together with a path that they are meant
// for, so that the matcher and the checker are held against a third reading.
func TestCheckAcceptsWhatCanMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test wants the same numbers again
	accepted := 0
	for range 20_000 {
		glob, path := generate(r)
		if err := Check(glob); err != nil {
			if fs.ValidPath(path) && !strings.Contains(err.Error(), "alternatives") {
				t.Fatalf("%q is refused, and is meant for %q: %v", glob, path, err)
			}
			continue
		}
		accepted++
		if !Match(glob, path) {
			t.Fatalf("%q validates and does not match %q", glob, path)
		}
	}
	if accepted < 10_000 {
		t.Errorf("only %d globs were accepted", accepted)
	}
}

// generate returns a glob and a path that it means.
func generate(r *rand.Rand) (glob, path string) {
	letter := func() string { return string(rune('a' + r.IntN(26))) }
	piece := func() (string, string) {
		a, b := letter(), letter()
		switch r.IntN(8) {
		case 0:
			return "*", a + b
		case 1:
			return "?", a
		case 2:
			return "[" + a + "-z]", "z"
		case 3:
			return "[!" + a + "]", "0"
		case 4:
			return "{" + a + "1," + b + "2}", b + "2"
		case 5:
			return `\` + "{", "{"
		case 6:
			return "{" + a + ",{" + b + "," + a + "x}}", a + "x"
		default:
			return a + "." + b, a + "." + b
		}
	}
	var globs, paths []string
	for range 1 + r.IntN(4) {
		if r.IntN(6) == 0 {
			globs = append(globs, "**")
			for range r.IntN(3) {
				paths = append(paths, letter())
			}
			continue
		}
		g, p := piece()
		for range r.IntN(3) {
			mg, mp := piece()
			g, p = g+mg, p+mp
		}
		globs, paths = append(globs, g), append(paths, p)
	}
	if len(paths) == 0 {
		paths = []string{"f"}
	}
	if globs[len(globs)-1] == "**" && paths[len(paths)-1] != "f" {
		paths = append(paths, "f")
	}
	return strings.Join(globs, "/"), strings.Join(paths, "/")
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"deploy/*.{yml,yaml}", "[!x]", "**/a", `\`, "{{a,b},c}", "[", "[\\]]", "a/[b/c]"} {
		f.Add(s, "deploy/a.yml")
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		err := Check(glob)
		if Match(glob, path) && len(glob) <= MaxBytes && fs.ValidPath(path) && err != nil && !strings.Contains(err.Error(), "valid glob") && !strings.Contains(err.Error(), "alternatives") {
			t.Errorf("%q is refused (%v) and matches %q", glob, err, path)
		}
		_ = MatchName(glob, path)
	})
}
