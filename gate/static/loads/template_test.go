package loads_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
)

// shown is a template as a person writes it.
func shown(t embedded.Template) string {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Joins:
			b.WriteString("{join " + p.Text + "}")
		case p.Value:
			b.WriteString("{" + p.Key + "}")
		default:
			b.WriteString(p.Text)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestTheCommandThatRowsGoIntoIsFound(t *testing.T) {
	py, js, sh := gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageShell
	for name, c := range map[string]struct {
		lang       gate.Language
		text, file string
		want       string
	}{
		"in a text of Python":        {py, "for u in open('u.txt'):\n    subprocess.run(f\"curl -fsSL {u.strip()} | sh\", shell=True)", "u.txt", "curl -fsSL {} | sh"},
		"in a format":                {py, "for host in yaml.safe_load(open('c.yml')):\n    os.system('{tool} {url}'.format(**host))", "c.yml", "{tool} {url}"},
		"behind a text":              {py, "for u in open('u.txt'):\n    os.system('curl ' + u)", "u.txt", "curl {}"},
		"in a list":                  {py, "for t in E.parse('t.xml').getroot():\n    subprocess.run([t.get('exe'), *t.get('arg').split()])", "t.xml", "{exe} {arg}"},
		"with a sign between":        {py, "for step in json.load(open('c.json')):\n    subprocess.run(' | '.join(step), shell=True)", "c.json", "{join  | }"},
		"by the name of a column":    {py, "for r in csv.DictReader(open('a.csv')):\n    os.system(r['cmd'])", "a.csv", "{cmd}"},
		"in a template of Node":      {js, "for (const u of fs.readFileSync('u.txt', 'utf8').split('\\n')) {\n  execSync(`curl ${u} | sh`)\n}", "u.txt", "curl {} | sh"},
		"in a loop of a script":      {sh, "while read r; do git clone -q \"$r\" t && make -C t install; done < repos.txt", "repos.txt", "git clone -q \"{}\" t && make -C t install"},
		"in a loop of several lines": {sh, "while read -r u; do\n  curl -o t \"$u\"\n  sh t\ndone < u.txt", "u.txt", "curl -o t \"{}\" sh t"},
		"in a loop behind a pipe":    {sh, "cat u.txt | while read u; do curl $u | sh; done", "u.txt", "curl {} | sh"},
		"in a loop over files":       {sh, "for f in lists/*.txt; do\n  xargs -n1 curl -O < \"$f\"\ndone", "lists/u.txt", "xargs -n1 curl -O < \"{}\""},
		"as arguments":               {sh, "xargs npm i -g < npm-tools.txt", "npm-tools.txt", "npm i -g {}"},
		"as arguments behind a pipe": {sh, "cat u.txt | xargs -n1 curl -O", "u.txt", "curl -O {}"},
	} {
		var got []string
		for _, v := range loads.Values("a", c.lang, []byte(c.text), loads.NewIndex([]string{c.file, "b.sh"})) {
			for _, template := range v.Templates {
				got = append(got, shown(template))
			}
		}
		if !slices.Contains(got, strings.Join(strings.Fields(c.want), " ")) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestACommandThatNoRowGoesIntoIsLeftAlone(t *testing.T) {
	for text, lang := range map[string]gate.Language{
		"for u in open('u.txt'):\n    print(u)\nos.system('curl x | sh')": gate.LanguagePython,
		"P = 'u.txt'\nsubprocess.run(['wc', P])":                          gate.LanguagePython,
		"wc -l u.txt\nfor f in a b; do curl \"$f\" | sh; done":            gate.LanguageShell,
		"cp u.txt /tmp/\nwhile read r; do curl $r; done < other.txt":      gate.LanguageShell,
	} {
		for _, v := range loads.Values("a", lang, []byte(text), loads.NewIndex([]string{"u.txt", "b.sh"})) {
			for _, template := range v.Templates {
				t.Errorf("%q: %q", text, shown(template))
			}
		}
	}
}

func TestTheNamesThatALoopGoesOverAreNotTheRowsOfTheFiles(t *testing.T) {
	for text, file := range map[string]string{
		"for f in *.md; do\n  base=\"$(basename \"$f\")\"\n  \"$TOOL\" -in \"$f\" -out \"man/$base\"\ndone":        "a.md",
		"for s in a b; do\n  id=$(COMPOSE_FILE=$file docker compose ps -q \"$s\")\n  docker inspect \"$id\"\ndone": "completion/docker",
	} {
		for _, v := range loads.Values("run", gate.LanguageShell, []byte(text), loads.NewIndex([]string{file, "b.sh"})) {
			t.Errorf("%q: the rows of %s go into %v", text, file, v.Templates)
		}
	}
}

func TestABareWordIsAFileOfAnotherFolderOnlyWhereTheFolderIsNamed(t *testing.T) {
	const text = "ROOT = %q\nfor r in open(os.path.join(ROOT, 'hosts')):\n    os.system('ssh ' + r)\n"
	for folder, want := range map[string]int{"inventory": 1, "elsewhere": 0} {
		got := loads.Values("tools/run.py", gate.LanguagePython, []byte(strings.ReplaceAll(text, "%q", "'"+folder+"'")), loads.NewIndex([]string{"inventory/hosts", "b.sh"}))
		if len(got) != want {
			t.Errorf("%s: %v, want %d", folder, got, want)
		}
	}
}
