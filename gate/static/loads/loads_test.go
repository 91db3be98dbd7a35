package loads_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/loads"
)

// found lists what a text has run, as "file language:line".
func found(name string, lang gate.Language, text string, files ...string) []string {
	var out []string
	for _, u := range loads.Find(name, lang, []byte(text), loads.NewIndex(files)) {
		if s := fmt.Sprintf("%s %s:%d", files[u.File], u.Language, u.Line); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func TestFilesThatAProgramRunsAreFound(t *testing.T) {
	for text, want := range map[string]struct {
		lang gate.Language
		file string
		as   gate.Language
	}{
		"sh data.txt":                                                  {gate.LanguageShell, "data.txt", gate.LanguageShell},
		"bash -e -o pipefail lib/data.txt":                             {gate.LanguageShell, "lib/data.txt", gate.LanguageShell},
		". ./data.csv":                                                 {gate.LanguageShell, "data.csv", gate.LanguageShell},
		"source \"$HERE/prod.env\"":                                    {gate.LanguageShell, "conf/prod.env", gate.LanguageShell},
		". \"./evil.sh \"":                                             {gate.LanguageShell, "evil.sh ", gate.LanguageShell},
		"python3 -u x.css":                                             {gate.LanguageShell, "x.css", gate.LanguagePython},
		"sudo env A=1 python3 \\\n  x.css":                             {gate.LanguageShell, "x.css", gate.LanguagePython},
		"bash < data.txt":                                              {gate.LanguageShell, "data.txt", gate.LanguageShell},
		"cat data.txt | sudo -E bash -s":                               {gate.LanguageShell, "data.txt", gate.LanguageShell},
		"base64 -d data.txt | python3 -":                               {gate.LanguageShell, "data.txt", gate.LanguagePython},
		"eval \"$(cat data.txt)\"":                                     {gate.LanguageShell, "data.txt", gate.LanguageShell},
		"source <(cat data.txt)":                                       {gate.LanguageShell, "data.txt", gate.LanguageShell},
		"cp a b && ./tools/run.dat --x":                                {gate.LanguageShell, "tools/run.dat", gate.LanguageShell},
		"node --require ./x.dat main.js":                               {gate.LanguageShell, "x.dat", gate.LanguageJavaScript},
		"node --require=./x.dat main.js":                               {gate.LanguageShell, "x.dat", gate.LanguageJavaScript},
		"exec(open('data.txt').read())":                                {gate.LanguagePython, "data.txt", gate.LanguagePython},
		"code = open('data.txt').read()\nexec(code)":                   {gate.LanguagePython, "data.txt", gate.LanguagePython},
		"with open('data.txt') as f:\n    code = f.read()\nexec(code)": {gate.LanguagePython, "data.txt", gate.LanguagePython},
		"runpy.run_path('lib/x.dat')":                                  {gate.LanguagePython, "lib/x.dat", gate.LanguagePython},
		"subprocess.run(['bash', 'x.dat'])":                            {gate.LanguagePython, "x.dat", gate.LanguageShell},
		"os.system('sh x.dat')":                                        {gate.LanguagePython, "x.dat", gate.LanguageShell},
		"require('./x.dat')":                                           {gate.LanguageJavaScript, "src/x.dat", gate.LanguageJavaScript},
		"import x from \"./x.dat\"":                                    {gate.LanguageTypeScript, "x.dat", gate.LanguageTypeScript},
		"new Worker('x.dat')":                                          {gate.LanguageJavaScript, "x.dat", gate.LanguageJavaScript},
		"vm.runInThisContext(fs.readFileSync('x.dat'))":                {gate.LanguageJavaScript, "x.dat", gate.LanguageJavaScript},
		"do './x.dat';":                                                {gate.LanguagePerl, "x.dat", gate.LanguagePerl},
		"<?php include 'x.dat';":                                       {gate.LanguagePHP, "x.dat", gate.LanguagePHP},
		"load 'x.dat'":                                                 {gate.LanguageRuby, "x.dat", gate.LanguageRuby},
		"-include notes":                                               {gate.LanguageMakefile, "notes", gate.LanguageMakefile},
		"all:\n\tpython3 x.css":                                        {gate.LanguageMakefile, "x.css", gate.LanguagePython},
		"make -f notes.txt all":                                        {gate.LanguageShell, "notes.txt", gate.LanguageMakefile},
	} {
		line := 1 + strings.Count(text[:max(0, strings.LastIndex(text, strings.TrimLeft(want.file[strings.LastIndexByte(want.file, '/')+1:], "/")))], "\n")
		if got := found("a", want.lang, text, want.file, "other.txt"); !slices.Equal(got, []string{fmt.Sprintf("%s %s:%d", want.file, want.as, line)}) {
			t.Errorf("%q: %v, want %s as %s on line %d", text, got, want.file, want.as, line)
		}
	}
	if got := found("package.json", gate.LanguageJSON, `{"main": "./lib/x.dat"}`, "lib/x.dat"); !slices.Equal(got, []string{"lib/x.dat javascript:1"}) {
		t.Errorf("the main file of a package: %v", got)
	}
}

func TestFilesRunByAnotherWordAreFound(t *testing.T) {
	for text, want := range map[string]struct {
		lang gate.Language
		file string
		as   gate.Language
	}{
		"sh .editorconfig":                                             {gate.LanguageShell, ".editorconfig", gate.LanguageShell},
		"node ./.prettierrc":                                           {gate.LanguageShell, ".prettierrc", gate.LanguageJavaScript},
		"source ../.env.dist":                                          {gate.LanguageShell, ".env.dist", gate.LanguageShell},
		"cp data.csv /tmp/run && sh /tmp/run":                          {gate.LanguageShell, "data.csv", gate.LanguageShell},
		"FROM debian\nCOPY data.csv /y\nRUN sh /y":                     {gate.LanguageDockerfile, "data.csv", gate.LanguageShell},
		"FROM debian\nADD --chown=1 data.csv /y\nCMD [\"sh\", \"/y\"]": {gate.LanguageDockerfile, "data.csv", gate.LanguageShell},
		"cat data.csv > run\npython3 run":                              {gate.LanguageShell, "data.csv", gate.LanguagePython},
		"shutil.copy('data.csv', 'x.py')\nrunpy.run_path('x.py')":      {gate.LanguagePython, "data.csv", gate.LanguagePython},
		"for f in conf/*; do . \"$f\"; done":                           {gate.LanguageShell, "conf/data.csv", gate.LanguageShell},
		"sh conf/*.csv":                                                {gate.LanguageShell, "conf/data.csv", gate.LanguageShell},
		"while read -r l; do eval \"$l\"; done < data.csv":             {gate.LanguageShell, "data.csv", gate.LanguageShell},
		"include(cmake/data.txt)":                                      {gate.LanguageCMake, "cmake/data.txt", gate.LanguageCMake},
		"cmake -P data.txt":                                            {gate.LanguageShell, "data.txt", gate.LanguageCMake},
		"build = \"data.txt\"":                                         {gate.LanguageTOML, "data.txt", gate.LanguageRust},
		"python_files = data.txt *.txt":                                {gate.LanguageINI, "data.txt", gate.LanguagePython},
		"docker build -f data.txt .":                                   {gate.LanguageShell, "data.txt", gate.LanguageDockerfile},
		"    dockerfile: data.txt":                                     {gate.LanguageYAML, "data.txt", gate.LanguageDockerfile},
		"BASH_ENV=./data.csv bash -c true":                             {gate.LanguageShell, "data.csv", gate.LanguageShell},
		"dofile('data.txt')":                                           {gate.LanguageLua, "data.txt", gate.LanguageLua},
		"apply from: 'data.txt'":                                       {gate.LanguageGroovy, "data.txt", gate.LanguageGroovy},
		"      - uses: ./docs/act":                                     {gate.LanguageWorkflow, "docs/act/action.yml", gate.LanguageWorkflow},
		"    working-directory: docs":                                  {gate.LanguageWorkflow, "docs/Makefile", gate.LanguageMakefile},
		"    plugins:\n      - ./docs/p: ~":                            {gate.LanguageYAML, "docs/p/hooks/command", gate.LanguageShell},
		"use (\n\t./docs/d\n)":                                         {gate.LanguageText, "docs/d/d.go", gate.LanguageGo},
		"<iframe src=\"frame\"></iframe>":                              {gate.LanguageHTML, "frame", gate.LanguageHTML},
		"include!(\"docs/n.dat\");":                                    {gate.LanguageRust, "docs/n.dat", gate.LanguageRust},
		"#[path = \"../docs/n.dat\"]\nmod n;":                          {gate.LanguageRust, "docs/n.dat", gate.LanguageRust},
		"alias: { react: require.resolve('./docs/n.dat') }":            {gate.LanguageJavaScript, "docs/n.dat", gate.LanguageJavaScript},
		"module.exports = { addons: ['../docs/n.dat'] }":               {gate.LanguageJavaScript, "docs/n.dat", gate.LanguageJavaScript},
		"auto_prepend_file=docs/n.dat":                                 {gate.LanguageINI, "docs/n.dat", gate.LanguagePHP},
		"esbuild m.js --inject:./docs/n.dat":                           {gate.LanguageShell, "docs/n.dat", gate.LanguageJavaScript},
		"gem \"g\", path: \"docs/g\"":                                  {gate.LanguageRuby, "docs/g/g.gemspec", gate.LanguageRuby},
		"replace example.com/d => ./docs/d":                            {gate.LanguageText, "docs/d/d.go", gate.LanguageGo},
		"[defaults]\nlibrary = docs/lib":                               {gate.LanguageINI, "docs/lib/x.py", gate.LanguagePython},
		"grunt.loadTasks('docs/tasks')":                                {gate.LanguageJavaScript, "docs/tasks/a.js", gate.LanguageJavaScript},
		"// #cgo CFLAGS: -include docs/n.dat":                          {gate.LanguageGo, "docs/n.dat", gate.LanguageC},
		"NODE_OPTIONS=\"--require ./docs/n.dat\" npm test":             {gate.LanguageShell, "docs/n.dat", gate.LanguageJavaScript},
		"{\"env\": {\"NODE_OPTIONS\": \"--require ./docs/n.dat\"}}":    {gate.LanguageJSON, "docs/n.dat", gate.LanguageJavaScript},
		"<script async src=\"img/a.gif\"></script>":                    {gate.LanguageHTML, "img/a.gif", gate.LanguageJavaScript},
		"{\"imports\": {\"vue\": \"/lib/a.dat\"}}":                     {gate.LanguageHTML, "lib/a.dat", gate.LanguageJavaScript},
		"s = document.createElement('script')\ns.src = '/a.gif'":       {gate.LanguageJavaScript, "a.gif", gate.LanguageJavaScript},
		"runs:\n  main: docs/a.dat":                                    {gate.LanguageWorkflow, "docs/a.dat", gate.LanguageJavaScript},
		"    filePath: docs/a.dat":                                     {gate.LanguageWorkflow, "docs/a.dat", gate.LanguageShell},
		"          file: docs/a.dat":                                   {gate.LanguageWorkflow, "docs/a.dat", gate.LanguageDockerfile},
	} {
		got := found("a", want.lang, text, want.file, "other.md")
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want.file+" "+string(want.as)+":") }) {
			t.Errorf("%q: %v, want %s as %s", text, got, want.file, want.as)
		}
	}
}

func TestFilesThatAPackageNamesAreFound(t *testing.T) {
	for text, file := range map[string]string{
		`{"dependencies": {"n": "file:docs/n"}}`: "docs/n/package.json",
		`{"imports": {"#x": "./docs/n.dat"}}`:    "docs/n.dat",
		`{"browser": {"fs": "./docs/n.dat"}}`:    "docs/n.dat",
	} {
		if got := found("package.json", gate.LanguageJSON, text, file, "README.md"); len(got) == 0 || !strings.HasPrefix(got[0], file+" ") {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestFilesThatAProgramOnlyReadsAreNoPrograms(t *testing.T) {
	for text, lang := range map[string]gate.Language{
		"sh check.sh README.md":                               gate.LanguageShell,
		"python3 count.py < README.md":                        gate.LanguageShell,
		"python3 -m json.tool README.md":                      gate.LanguageShell,
		"cat README.md | python3 count.py":                    gate.LanguageShell,
		"cat README.md | wc -l":                               gate.LanguageShell,
		"cp README.md docs/":                                  gate.LanguageShell,
		"cp README.md /tmp/x && cat /tmp/x":                   gate.LanguageShell,
		"for f in *.md; do cat \"$f\"; done":                  gate.LanguageShell,
		"while read -r l; do echo \"$l\"; done < README.md":   gate.LanguageShell,
		"configure_file(README.md out)":                       gate.LanguageCMake,
		"readme = \"README.md\"":                              gate.LanguageTOML,
		"echo 'see ./README.md'":                              gate.LanguageShell,
		"sh x.sh > ./README.md":                               gate.LanguageShell,
		"sh not-README.md":                                    gate.LanguageShell,
		"bash -c 'cat README.md'":                             gate.LanguageShell,
		"long = open('README.md').read()\nexec(open('v.py'))": gate.LanguagePython,
		"# see README.md for how to eval()":                   gate.LanguagePython,
		"subprocess.run(['pandoc', 'README.md'])":             gate.LanguagePython,
		"const text = fs.readFileSync('README.md')":           gate.LanguageJavaScript,
		"COPY README.md /":                                    gate.LanguageDockerfile,
		"  - ./README.md":                                     gate.LanguageYAML,
		"  path: ./README.md":                                 gate.LanguageWorkflow,
		"{\"readme\": \"README.md\"}":                         gate.LanguageJSON,
		"<p>Run sh README.md</p>":                             gate.LanguageHTML,
		"<img src=\"README.md\">":                             gate.LanguageHTML,
		"all: README.md\n\tcat $< >x":                         gate.LanguageMakefile,
	} {
		if got := found("package.json", lang, text, "README.md"); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := found("a.js", gate.LanguageJavaScript, "import data from './data.json'", "data.json"); len(got) > 0 {
		t.Errorf("JSON that Node parses: %v", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"sh a", ". \"b c\"", "eval $(cat a)", "x=open('a')\nexec(x)", "a | sh", "\\\n\\\na", "make -f a", strings.Repeat("sh a;", 500)} {
		f.Add(s, string(gate.LanguageShell))
		f.Add(s, string(gate.LanguagePython))
	}
	files := []string{"a", "b c", "d/e.txt", "d/\xff", "README.md"}
	index := loads.NewIndex(files)
	f.Fuzz(func(t *testing.T, text, lang string) {
		uses := loads.Find("package.json", gate.Language(lang), []byte(text), index)
		if len(uses) > loads.MaxUses+len(files) {
			t.Errorf("%d uses", len(uses))
		}
		for _, u := range uses {
			if u.File < 0 || u.File >= len(files) || u.Line < 1 || u.Line > 1+strings.Count(text, "\n") || u.Language == gate.LanguageUnknown {
				t.Errorf("%q: %+v", text, u)
			}
		}
	})
}

func TestATextWithoutAnyOfTheNamesIsKnownQuickly(t *testing.T) {
	files := loads.NewIndex([]string{"data/notes.txt", "x"})
	for text, want := range map[string]bool{"sh data/notes.txt": true, "sh ./notes.txt\n": true, "sh notes.md": false, "": false, "max": true} {
		if got := files.Quick([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if uses := loads.Find("a.sh", gate.LanguageShell, []byte(text), files); len(uses) > 0 && !files.Quick([]byte(text)) {
			t.Errorf("%q has files run and is said to mention none", text)
		}
	}
}

func TestAFileThatStandsAloneOnALineIsListed(t *testing.T) {
	files := loads.NewIndex([]string{"data/notes.txt"})
	for text, want := range map[string]bool{
		"command:\n  - sh\n  - data/notes.txt\n": true, "- 'notes.txt'\n": true, "args: [\n\"notes.txt\",\n]\n": true,
		"run: sh notes.txt\n": false, "- run: cat notes.txt\n": false, "- other.txt\n": false, "": false,
	} {
		if got := files.Listed([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
