package plain

import (
	"path"
	"strings"
)

// facts are what is known of a script so far.
type facts struct {
	functions map[string]function
	aliases   map[string]string // what stands for a word
	copies    map[string]string // the program that a file is a copy of, or a link to
	downloads map[string]string // the address of what a file holds, as it is written
	folders   []folder
	runs      []word // files that are run
	fetched   int    // where the last command ends that fetches
}

// folder is a download whose files have names that the script doesn't say.
type folder struct {
	below  string // with its /, or "" for the folder that the script works in
	any    bool   // only files right in it, for a while
	at     int    // where an option belongs
	end    int    // where the command ends
	option string
}

func newFacts() facts {
	return facts{functions: map[string]function{}, aliases: map[string]string{}, copies: map[string]string{}, downloads: map[string]string{}, fetched: -1}
}

// interpreters run what they are given.
var interpreters = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "python": true, "python3": true, "python2": true,
	"perl": true, "ruby": true, "node": true, "php": true, "osascript": true, "source": true, ".": true, "java": true, "deno": true, "bun": true, "lua": true, "pwsh": true, "busybox": true}

// reads are files that a program reads and obeys although no one names them, by the program.
var reads = func() map[string][]string {
	out := map[string][]string{}
	for programs, files := range map[string]string{
		"make gmake":                           "Makefile makefile GNUmakefile",
		"cmake":                                "CMakeLists.txt",
		"ninja":                                "build.ninja",
		"pytest py.test":                       "conftest.py pytest.ini setup.cfg tox.ini pyproject.toml sitecustomize.py",
		"tox":                                  "tox.ini pyproject.toml setup.py setup.cfg conftest.py",
		"nox":                                  "noxfile.py",
		"pip pip3 uv poetry hatch":             "setup.py setup.cfg pyproject.toml",
		"npm pnpm yarn bun npx":                "package.json .npmrc .yarnrc.yml .pnpmfile.cjs binding.gyp",
		"jest vitest mocha":                    "jest.config.js vitest.config.ts vitest.config.js .mocharc.js package.json",
		"webpack vite rollup":                  "webpack.config.js vite.config.ts vite.config.js rollup.config.js",
		"docker podman buildah docker-compose": "Dockerfile Containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml",
		"cargo":                                "build.rs Cargo.toml",
		"rake":                                 "Rakefile",
		"bundle bundler gem":                   "Gemfile",
		"just":                                 "justfile Justfile .justfile",
		"mvn":                                  "pom.xml",
		"gradle gradlew":                       "build.gradle build.gradle.kts settings.gradle settings.gradle.kts",
		"ant":                                  "build.xml",
		"composer":                             "composer.json",
		"ansible-playbook":                     "playbook.yml site.yml",
		"terraform tofu":                       "main.tf",
		"vagrant":                              "Vagrantfile",
		"bazel bazelisk":                       "BUILD BUILD.bazel WORKSPACE MODULE.bazel .bazelrc",
		"pre-commit":                           ".pre-commit-config.yaml",
		"python python3":                       "sitecustomize.py usercustomize.py conftest.py setup.py",
		"configure":                            "configure",
		"meson":                                "meson.build",
		"scons":                                "SConstruct",
		"task":                                 "Taskfile.yml",
		"phpunit":                              "phpunit.xml",
		"grunt":                                "Gruntfile.js",
		"gulp":                                 "gulpfile.js",
		"kubectl helm":                         "Chart.yaml",
		"mix":                                  "mix.exs",
		"sbt":                                  "build.sbt",
		"stack cabal":                          "Setup.hs",
		"rspec":                                "spec_helper.rb .rspec",
		"direnv":                               ".envrc",
		"tsc":                                  "tsconfig.json",
		"eslint":                               "eslint.config.js .eslintrc.js",
		"swift":                                "Package.swift",
		"dune":                                 "dune dune-project",
		"zig":                                  "build.zig",
	} {
		for program := range strings.FieldsSeq(programs) {
			out[program] = strings.Fields(files)
		}
	}
	return out
}()

// clean is a path without prefixes.
func clean(name string) string {
	for strings.HasPrefix(name, "./") {
		name = name[2:]
	}
	return name
}

// download notes that a file holds what an address gives.
func (f *facts) download(name, address string) {
	if name = clean(name); name != "" && len(f.downloads) < maxNames {
		f.downloads[name] = address
	}
}

// names reads what a command says about names: an alias, a copy or a link of a program.
func (f *facts) names(c call) {
	switch c.name {
	case "alias":
		for _, w := range c.rest {
			if name, value, ok := strings.Cut(w.value, "="); ok && w.constant && len(value) <= maxBody && len(f.aliases) < maxNames {
				f.aliases[name] = value
			}
		}
	case "cp", "ln", "mv", "install", "link":
		if from, to, ok := c.copied(); ok && interpreters[path.Base(from.value)] && len(f.copies) < maxNames {
			f.copies[to.value] = from.value
		}
	}
}

// copied returns what a command copies, and where to.
func (c call) copied() (from, to word, ok bool) {
	var names []word
	for i := 0; i < len(c.rest); i++ {
		switch w := c.rest[i]; {
		case c.name == "install" && (w.value == "-m" || w.value == "-o" || w.value == "-g"):
			i++
		case strings.HasPrefix(w.value, "-"):
		default:
			names = append(names, w)
		}
	}
	if len(names) != 2 {
		return word{}, word{}, false
	}
	return names[0], names[1], true
}

// moved writes a copy of a download as another download.
func (r *rewriter) moved(c call) {
	switch c.name {
	case "cp", "mv", "ln", "install":
	default:
		return
	}
	from, to, ok := c.copied()
	address, known := r.facts.downloads[clean(from.value)]
	if !ok || !known || to.value == "" {
		return
	}
	names := []string{to.value}
	switch path.Base(to.value) {
	case ".":
		return
	case "bin", "sbin", "tmp":
		names = append(names, joined(to.value, path.Base(from.value)))
	default:
		if strings.HasSuffix(to.value, "/") {
			names[0] = joined(to.value, path.Base(from.value))
		}
	}
	text := ""
	for _, name := range names {
		text += "curl -o " + name + " " + address + "; "
		r.facts.download(name, address)
	}
	if c.name == "install" && c.executable() {
		text += "chmod 755 " + names[len(names)-1] + "; "
	}
	r.insert(c.verb.start, text)
}

// executable reports whether install makes a program of a file, as it does without an option.
func (c call) executable() bool {
	for i, w := range c.rest {
		mode, ok := strings.CutPrefix(w.value, "-m")
		if !ok {
			mode, ok = strings.CutPrefix(w.value, "--mode=")
		}
		if !ok {
			continue
		}
		if mode == "" && i+1 < len(c.rest) {
			mode = c.rest[i+1].value
		}
		return strings.ContainsAny(mode, "x1357")
	}
	return true
}

// obeyed writes out what a program reads without being told so, where it was downloaded.
func (r *rewriter) obeyed(c call) {
	files := reads[c.name]
	if len(files) == 0 || len(r.facts.downloads) == 0 {
		return
	}
	for _, name := range files {
		for _, at := range []string{name, "/" + name} {
			for got := range r.facts.downloads {
				if got == name || at[0] == '/' && strings.HasSuffix(got, at) {
					r.insert(c.verb.start, "sh "+got+"; ")
					return
				}
			}
		}
	}
}

// runsFile are programs that run a file which they are given, and the options that name it, ""
// for any word. Rules know those that only ever run files.
var runsFile = map[string]string{
	"java": " -jar -cp -classpath ", "make": " -f --file ", "gmake": " -f --file ", "ansible-playbook": "", "docker": " -f --file ", "docker-compose": " -f --file ", "podman": " -f --file ",
	"ruby": "", "node": "", "php": "", "Rscript": "", "lua": "", "pwsh": "", "deno": "", "bun": "", "go": "", "tclsh": "", "osascript": "", "groovy": "", "julia": "", "swift": "", "dotnet": "",
	"mono": "", "wine": "", "gdb": " -x --command ", "vim": " -S -s -c ", "nvim": " -S -s -c ", "awk": " -f ", "sed": " -f ", "m4": "", "kotlin": "", "scala": "", "elixir": "", "escript": "", "racket": "",
	"just": " -f --justfile ", "rake": " -f ", "ninja": " -f ", "tox": " -c ", "nox": " -f ", "psql": " -f ", "sqlite3": " -init ", "vagrant": "", "pip": "", "pip3": "", "npm": "", "gem": "",
}

// given writes out the download that a program is given to run.
func (r *rewriter) given(c call) {
	options, ok := runsFile[c.name]
	if !ok || len(r.facts.downloads) == 0 {
		return
	}
	for i, w := range c.rest {
		name := clean(w.value)
		if r.facts.downloads[name] == "" || options != "" && (i == 0 || !strings.Contains(options, " "+c.rest[i-1].value+" ")) {
			continue
		}
		r.insert(c.verb.start, "sh "+name+"; ")
		return
	}
}

// ran notes the file that a command runs.
func (f *facts) ran(c call) {
	file := c.verb
	if interpreters[c.name] {
		i := 0
		for i < len(c.rest) && (strings.HasPrefix(c.rest[i].value, "-") && c.rest[i].value != "-") {
			i++
		}
		if i == len(c.rest) {
			return
		}
		file = c.rest[i]
	} else if !strings.Contains(file.value, "/") {
		return
	}
	if len(f.runs) < maxNames && file.value != "" {
		f.runs = append(f.runs, file)
	}
}

// finish names the files of downloads that only the commands name which run them.
func (r *rewriter) finish() {
	for _, f := range r.facts.folders {
		for _, w := range r.facts.runs {
			name := clean(w.value)
			inside := strings.HasPrefix(name, clean(f.below)) && len(name) > len(clean(f.below))
			if f.any {
				inside = w.start-f.end < near && inside && !strings.Contains(name[len(clean(f.below)):], "/")
			}
			if inside && w.start > f.at {
				r.insert(f.at, f.option+name)
			}
		}
	}
}

// near is how far from a download a file is run whose name only the server knows.
const near = 300 // bytes
