package wants

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestMissingModulesAreReadFromErrors(t *testing.T) {
	for _, tt := range []struct {
		language gate.Language
		stderr   string
		want     Want
	}{
		{gate.LanguageShell, "deploy.sh: line 7: 1: host\n", Want{Argument, "host", 1}},
		{gate.LanguageShell, "x.sh: 3: 2: parameter not set\n", Want{Argument, "parameter not set", 2}},
		{gate.LanguageShell, "x.sh: line 3: $1: unbound variable\n", Want{Argument, "unbound variable", 1}},
		{gate.LanguageShell, "x.sh: line 3: HOST: unbound variable\n", Want{Variable, "HOST", 0}},
		{gate.LanguageShell, "x.sh: line 3: RECIPIENTS: set RECIPIENTS in /etc/x\n", Want{Variable, "RECIPIENTS", 0}},
		{gate.LanguageShell, "bin/dump-db: line 10: /etc/club-backup.conf: No such file or directory\n", Want{File, "/etc/club-backup.conf", 0}},
		{gate.LanguageShell, "x.sh: 4: cannot open settings.env: No such file\n", Want{File, "settings.env", 0}},
		{gate.LanguageShell, "x.sh: line 2: cd: build: No such file or directory\n", Want{Folder, "build", 0}},
		{gate.LanguageShell, "x.sh: 2: cd: can't cd to build\n", Want{Folder, "build", 0}},
		{gate.LanguageShell, "ls: cannot access 'out': No such file or directory\n", Want{Folder, "out", 0}},
		{gate.LanguageShell, "cp: cannot stat 'config/settings.example.env': No such file or directory\n", Want{File, "config/settings.example.env", 0}},
		{gate.LanguageShell, "deploy.sh: line 5: hugo: command not found\n", Want{Command, "hugo", 0}},
		{gate.LanguageShell, "deploy.sh: 5: hugo: not found\n", Want{Command, "hugo", 0}},
		{gate.LanguagePython, "Traceback (most recent call last):\n  File \"/workspace/a.py\", line 3, in <module>\n    TOKEN = os.environ[\"API_TOKEN\"]\n            ~~~~~~~~~~^^^^^^^^^\n  File \"<frozen os>\", line 709, in __getitem__\nKeyError: 'API_TOKEN'\n", Want{Variable, "API_TOKEN", 0}},
		{gate.LanguagePython, "  File \"/workspace/a.py\", line 3, in <module>\n    host = sys.argv[2]\n           ~~~~~~~~^^^\nIndexError: list index out of range\n", Want{Argument, "", 2}},
		{gate.LanguagePython, "usage: a.py [-h] --host HOST name\na.py: error: the following arguments are required: --host, name\n", Want{Option, "--host", 0}},
		{gate.LanguagePython, "a.py: error: the following arguments are required: name, count\n", Want{Argument, "name", 0}},
		{gate.LanguagePython, "Error: Missing argument 'PATH'.\n", Want{Argument, "PATH", 0}},
		{gate.LanguagePython, "FileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'\n", Want{File, "data/in.csv", 0}},
		{gate.LanguageJavaScript, "error: missing required argument 'file'\n", Want{Argument, "file", 0}},
		{gate.LanguageJavaScript, "Error: ENOENT: no such file or directory, open 'data/in.json'\n", Want{File, "data/in.json", 0}},
		{gate.LanguageGo, "Error: required flag(s) \"region\" not set\n", Want{Option, "--region", 0}},
		{gate.LanguageGo, "Error: accepts 1 arg(s), received 0\n", Want{Argument, "", 0}},
		{gate.LanguageGo, "panic: open conf.yml: no such file or directory\n", Want{File, "conf.yml", 0}},
	} {
		if got, ok := Read(tt.language, tt.stderr); !ok || got != tt.want {
			t.Errorf("%s %q: %+v, %v; want %+v", tt.language, tt.stderr, got, ok, tt.want)
		}
	}
}

func TestOtherErrorsLackNothing(t *testing.T) {
	for language, texts := range map[gate.Language][]string{
		gate.LanguageShell:  {"", "x.sh: line 4: syntax error near unexpected token `fi'\n", "error: the build failed\n", "x.sh: line 4: bin/run: Permission denied\n", "x.sh: line 4: value: too great for base\n"},
		gate.LanguagePython: {"KeyError: 'name'\n", "IndexError: list index out of range\n", "ValueError: x\n"},
		gate.LanguageGo:     {"panic: runtime error: index out of range\n"},
	} {
		for _, text := range texts {
			if w, ok := Read(language, text); ok {
				t.Errorf("%s %q: %+v", language, text, w)
			}
		}
	}
}

func TestAMessageOfUseNamesItsArguments(t *testing.T) {
	for text, want := range map[string][]string{
		"Usage: deploy.sh HOST [rollback]\n":      {"HOST"},
		"usage: bin/x <file> <count>\n":           {"file", "count"},
		"usage: a.py [-h] [--level LEVEL] name\n": {"name"},
		"error: no\n": nil,
		"Usage: python3 tool.py INPUT OUTPUT [--verbose]": {"INPUT", "OUTPUT"},
	} {
		if got := Usage(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAMadeUpValueFitsItsNameAndCanBeTold(t *testing.T) {
	for name, want := range map[string]string{
		"HOST": "gate-sample.invalid", "db_port": "8080", "--keep-days": "3", "font file": "gate-sample.txt", "TITLE": "gate-sample", "webhook_url": "http://gate-sample.invalid/",
	} {
		if got := Value(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("deploy.sh: line 7: 1: host\n")
	f.Add("usage: a.py [[[ x\n")
	f.Add("FileNotFoundError: [Errno 2] No such file or directory: ''\n")
	f.Fuzz(func(t *testing.T, text string) {
		for l := range forms {
			if w, ok := Read(l, text); ok && (len(w.Name) > maxName || w.At > maxArgument || strings.ContainsAny(w.Name, "\x00\n")) {
				t.Errorf("%+v", w)
			}
		}
		if n := Usage(text); len(n) > maxArgument {
			t.Errorf("%d arguments", len(n))
		}
	})
}
