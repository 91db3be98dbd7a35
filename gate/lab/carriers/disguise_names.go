package main

import (
	"path"
	"strings"
)

// nameDisguises are about names, folders and modes.
func nameDisguises() []disguise {
	out := []disguise{
		{name: "upper-ext", about: "the extension in capitals", apply: named(func(dir, stem, ext string) string {
			if ext == "" {
				return ""
			}
			return dir + stem + strings.ToUpper(ext)
		})},
		{name: "name-blank", about: "a blank in the name", apply: named(func(dir, stem, ext string) string { return dir + "my " + stem + ext })},
		{name: "name-newline", about: "a line end in the name", apply: named(func(dir, stem, ext string) string { return dir + "my\n" + stem + ext }), odd: "a line end in a name"},
		{name: "name-unicode", about: "a name in Cyrillic", apply: named(func(dir, _, ext string) string { return dir + "сборка" + ext })},
		{name: "name-bidi", about: "a name that is shown backwards", apply: named(func(dir, stem, ext string) string { return dir + stem + "\u202egnp" + ext }), odd: "a name that is shown as another"},
		{name: "name-dash", about: "a name that begins with a dash", apply: named(func(dir, stem, ext string) string { return dir + "-" + stem + ext })},
		{name: "name-long", about: "a name of 200 characters", apply: named(func(dir, stem, ext string) string { return dir + strings.Repeat("a", 200) + stem + ext })},
		{name: "name-hidden", about: "a name that begins with a dot", apply: named(func(dir, stem, ext string) string { return dir + "." + stem + ext })},
		{name: "two-ext", about: "a second extension, of a picture, in front", apply: named(func(dir, stem, ext string) string {
			if ext == "" {
				return ""
			}
			return dir + stem + ".png" + ext
		})},
	}
	for _, folder := range []string{
		"docs", "tests/fixtures", "testdata", "vendor/lib", "node_modules/lib", "third_party/lib", "dist", "build", "examples",
		"__pycache__", "site-packages/lib", ".cache", ".hidden", "locale",
		strings.TrimSuffix(strings.Repeat("d/", 60), "/"),
	} {
		name := "in-" + strings.ReplaceAll(folder, "/", "-")
		if strings.HasPrefix(folder, "d/d/") {
			name = "deep-folder"
		}
		out = append(out, disguise{name: name, about: "in " + folder[:min(len(folder), 20)], apply: func(p *program) bool {
			if p.carrier.place == fixed {
				return false
			}
			p.move(path.Join(folder, p.main))
			return true
		}})
	}
	for _, name := range []string{"tool", "LICENSE", "README.md", "logo.png", "data.csv", "style.css", "yarn.lock", "app.min.js.map", "notes.txt", "model.bin", "a.pb.go", "go.sum"} {
		out = append(out, disguise{name: "as-" + name, about: "an executable file called " + name, apply: textually(func(p *program, s syntax) bool {
			if s.shebang == "" || s.keep > 0 || p.carrier.place != anywhere || p.carrier.with != nil {
				return false
			}
			p.put(s.shebang + "\n" + p.text)
			p.move("bin/" + name)
			f := p.head[p.main]
			f.mode = 0o755
			p.head[p.main] = f
			return true
		})})
	}
	return out
}

// named gives a file another name.
func named(rename func(dir, stem, ext string) string) func(*program) bool {
	return func(p *program) bool {
		if p.carrier.place != anywhere {
			return false
		}
		dir, base := path.Split(p.main)
		ext := path.Ext(base)
		to := rename(dir, strings.TrimSuffix(base, ext), ext)
		if to == "" {
			return false
		}
		p.move(to)
		return true
	}
}
