package given

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestWhatALineGivesIsPutIntoTheScript(t *testing.T) {
	files := map[string]string{
		"s/a.sh":       "#!/bin/sh\nrm -rf \"$1\"\n",
		"t/a.py":       "import sys\nopen(sys.argv[1])\nprint(sys.argv[1:])\n",
		"t/b.js":       "const [, , file, url] = process.argv;\nsend(url, read(file));\n",
		"t/c.rb":       "puts File.read(ARGV[0])\n",
		"package.json": `{"scripts": {"a": "s/a.sh"}}`,
	}
	paths := []string{}
	for name := range files {
		paths = append(paths, name)
	}
	types := map[string]gate.Language{"sh": gate.LanguageShell, "py": gate.LanguagePython, "js": gate.LanguageJavaScript}
	tree := NewTree(paths, func(name string) ([]byte, bool) { return []byte(files[name]), files[name] != "" }, func(name string, _ []byte) gate.Language {
		return types[name[strings.LastIndexByte(name, '.')+1:]]
	})
	for name, tc := range map[string]struct {
		lang gate.Language
		line string
		want string // within what is given; empty for no call
	}{
		"words":                           {gate.LanguageShell, `s/a.sh ~/x "a b"`, `set -- ~/x "a b"`},
		"words behind an interpreter":     {gate.LanguageShell, `sudo bash -e ./s/a.sh /x > log 2>&1; echo /y`, "set -- /x\n"},
		"words behind a computed folder":  {gate.LanguageShell, `"$(dirname "$0")/a.sh" $HOME`, "set -- $HOME\n"},
		"a name that is only mentioned":   {gate.LanguageShell, `shellcheck s/a.sh ~/x`, ""},
		"a comment":                       {gate.LanguageShell, `# s/a.sh ~/x`, ""},
		"words that tell nothing":         {gate.LanguageShell, `s/a.sh build`, ""},
		"the home folder of a recipe":     {gate.LanguageMakefile, "\ts/a.sh $(HOME)", "set -- $HOME"},
		"a list":                          {gate.LanguagePython, `run(["python3", "t/a.py", "~/x", "y"])`, `open(os.path.expanduser("~/x"))`},
		"a list as a whole":               {gate.LanguagePython, `run(["python3", "t/a.py", "/x", "y"])`, `print(["/x", "y"])`},
		"names that stand for arguments":  {gate.LanguageShell, `node t/b.js /x https://a.example.com`, `send("https://a.example.com", read("/x"))`},
		"a vector that starts at nothing": {gate.LanguageShell, `ruby t/c.rb /x`, `File.read("/x")`},
		"a string of a document":          {gate.LanguageJSON, `{"b": "sh s/a.sh \"/x y\""}`, `set -- "/x y"`},
		"a script of package.json":        {gate.LanguageShell, `npm run a -- /x`, "s/a.sh /x"},
	} {
		calls, _ := Calls("x", tc.lang, []byte(tc.line+"\n"), func(int) bool { return true }, tree)
		found := tc.want == "" && len(calls) == 0
		for _, c := range calls {
			found = found || tc.want != "" && strings.Contains(string(c.Given), tc.want)
			if strings.Count(string(c.Given), "\n") != strings.Count(string(c.Plain), "\n") {
				t.Errorf("%s: the lines are others: %q", name, c.Given)
			}
		}
		if !found {
			t.Errorf("%s: %+v, want %q", name, calls, tc.want)
		}
	}
}

func FuzzCalls(f *testing.F) {
	f.Add("s/a.sh ~/x \"a b\" <y; bash -s -- a <<E\n$1\nE\n. s/a.sh\nnpm run a -- /x\n", "case $1 in -f|--file) x=$OPTARG ;; esac\nsys.argv[1] process.argv.slice(2)[0]\n")
	f.Fuzz(func(t *testing.T, caller, script string) {
		for _, lang := range []gate.Language{gate.LanguageShell, gate.LanguageJSON, gate.LanguageYAML, gate.LanguageMakefile} {
			for _, of := range []gate.Language{gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageRuby} {
				tree := NewTree([]string{"s/a.sh", "package.json"}, func(string) ([]byte, bool) { return []byte(script), true }, func(string, []byte) gate.Language { return of })
				if calls, _ := Calls("x.sh", lang, []byte(caller), func(int) bool { return true }, tree); len(calls) > MaxCalls {
					t.Fatalf("%d calls", len(calls))
				}
			}
		}
	})
}
