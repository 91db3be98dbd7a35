package scan_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestNamesOfDependencies(t *testing.T) {
	const npm, pip, golang, any = "supply-chain/npm-lookalike", "supply-chain/pip-lookalike", "supply-chain/go-lookalike", "supply-chain/pip-unpinned"
	for _, c := range []struct {
		name, path, text string
		want             []string // rule:line, of the rules above
	}{
		{"a letter too few", "package.json", `{"dependencies": {"expres": "^4.0.0"}}`, []string{npm + ":1 suspicious"}},
		{"no separator", "web/package.json", "{\n\"devDependencies\": {\n\"express\": \"^5.1.0\",\n\"crossenv\": \"6.1.1\"}}", []string{npm + ":4 suspicious"}},
		{"an alias of such a name", "package.json", `{"dependencies": {"express": "npm:expres@4"}}`, []string{npm + ":1 suspicious"}},
		{"popular names", "package.json", `{"dependencies": {"express": "^4.0.0", "preact": "^10.0.0", "left-pad": "1.3.0"}}`, nil},
		{"a package of the workspace", "package.json", `{"dependencies": {"exprss": "workspace:*"}}`, nil},
		{"other keys", "package.json", `{"scripts": {"expres": "node a.js"}, "jets": true}`, nil},
		{"swapped letters", "requirements.txt", "requests==2.32.5\nreqeusts==2.0.1\n", []string{pip + ":2 suspicious"}},
		{"a list of a project", "pyproject.toml", "[project]\ndependencies = [\n  \"django>=5\",\n  \"djnago>=5\",\n]\n", []string{pip + ":4 suspicious"}},
		{"a table of a project", "pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.12\"\nreqeusts = \"*\"\n\n[tool.x]\ndjnago = 1\n", []string{pip + ":3 suspicious"}},
		{"a list of a setup script", "setup.py", "setup(name='a', install_requires=['numpy', 'pandsa>=2'])\n", []string{pip + ":1 suspicious"}},
		{"digits for letters", "requirements-dev.txt", "col0rama==1.0\n", []string{pip + ":1 suspicious"}},
		{"a requirement without a version", "requirements.txt", "flask\nclick==8.1.8\n", []string{any + ":1 note"}},
		{"a module of Go", "go.mod", "module example.com/a\n\nrequire (\n\tgithub.com/sirupsem/logrus v1.9.3\n\tgithub.com/spf13/cobra v1.10.1\n)\n", []string{golang + ":4 suspicious"}},
		{"a major version of a module", "go.mod", "require github.com/jackc/pgx/v5 v5.7.1\n", nil},
		{"another file", "notes.txt", "reqeusts==2.0.1\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{c.path: &fstest.MapFile{Data: []byte(c.text)}}
			found := run(t, newScanner(t, nil), tree, &gate.Target{Path: c.path, Language: gate.LanguageText}).found[c.path]
			var got []string
			for _, f := range found {
				if slices.Contains([]string{npm, pip, golang, any}, f.Rule) {
					got = append(got, f.Rule+":"+string(rune('0'+f.Line))+" "+f.Severity.String())
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
