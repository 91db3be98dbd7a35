package loads_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
)

// values is what a text does with the values of the first of some files.
func values(lang gate.Language, text string, files ...string) (embedded.Run, int) {
	for _, v := range loads.Values("a", lang, []byte(text), loads.NewIndex(files)) {
		if v.File == 0 {
			return v.Run, v.Line
		}
	}
	return embedded.Run{}, 0
}

func TestProgramsThatRunValuesOfADataFileAreFound(t *testing.T) {
	shell, sends := embedded.Run{Shell: true}, embedded.Run{Sends: true}
	own := func(l gate.Language) embedded.Run { return embedded.Run{Own: l} }
	py, js, sh := gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageShell
	for name, c := range map[string]struct {
		lang gate.Language
		text string
		file string
		want embedded.Run
	}{
		"in one line":                  {py, "os.system(json.load(open('c.json'))['description'])", "c.json", shell},
		"over variables":               {py, "with open('c.json') as f:\n    cfg = json.load(f)\ncmd = cfg['help']\nsubprocess.run(cmd, shell=True)", "c.json", shell},
		"over a path":                  {py, "P = Path(__file__).parent / 'c.json'\ndata = json.loads(P.read_text())\nos.system(data['x'])", "c.json", shell},
		"over a loop":                  {py, "for c in yaml.safe_load(open('c.yml')):\n    os.system(c)", "c.yml", shell},
		"over a function that returns": {py, "def load():\n    return json.load(open('c.json'))\n\nos.system(load()['x'])", "c.json", shell},
		"over a parameter":             {py, "def go(cmd: str):\n    os.system(cmd)\n\ngo(json.load(open('c.json'))['x'])", "c.json", shell},
		"over an object":               {py, "self.cfg = json.load(open('c.json'))\nos.system(self.cfg['x'])", "c.json", shell},
		"over a parser":                {py, "c = configparser.ConfigParser()\nc.read('c.ini')\ns = c['a']\nos.system(s['x'])", "c.ini", shell},
		"in files of a folder":         {py, "for p in Path('conf').glob('conf/*.json'):\n    os.system(json.loads(p.read_text())['x'])", "conf/c.json", shell},
		"as code":                      {py, "exec(json.load(open('c.json'))['description'])", "c.json", embedded.Run{Shell: true, Own: py}},
		"as names of functions":        {py, "for m, f, a in yaml.safe_load(open('p.yml')):\n    getattr(importlib.import_module(m), f)(*a)", "p.yml", embedded.Run{Calls: true}},
		"as a file and a host":         {py, "c = json.load(open('c.json'))\nurllib.request.urlopen(c['u'], open(os.path.expanduser(c['p']), 'rb').read())", "c.json", sends},
		"required":                     {js, "require('child_process').execSync(require('./c.json').help)", "c.json", shell},
		"imported":                     {js, "import cfg from './c.json'\nspawn(cfg.x)", "c.json", shell},
		"taken out of an object":       {js, "const { help } = require('./c.json')\nexecSync(help)", "c.json", shell},
		"in a callback":                {js, "require('./c.json').steps.forEach(s => execSync(s))", "c.json", shell},
		"as a script":                  {js, "eval(require('./c.json').note)", "c.json", own(js)},
		"by eval":                      {sh, "eval \"$(yq .description c.yml)\"", "c.yml", shell},
		"by a pipe":                    {sh, "jq -r .note c.json | sh", "c.json", shell},
		"by a variable":                {sh, "cmd=$(jq -r .note c.json)\nbash -c \"$cmd\"", "c.json", shell},
		"by a variable as a command":   {sh, "cmd=$(jq -r .note c.json)\n$cmd", "c.json", shell},
		"line by line":                 {sh, "jq -r '.[]' c.json | while read -r l; do eval \"$l\"; done", "c.json", shell},
		"in Ruby":                      {gate.LanguageRuby, "cfg = YAML.load_file('c.yml')\nsystem(cfg['x'])", "c.yml", shell},
		"in Go":                        {gate.LanguageGo, "b, _ := os.ReadFile(\"c.json\")\njson.Unmarshal(b, &cfg)\nexec.Command(\"sh\", \"-c\", cfg.X).Run()", "c.json", shell},
	} {
		if got, line := values(c.lang, c.text, c.file, "other.json"); got != c.want || line < 1 || line > 1+strings.Count(c.text, "\n") {
			t.Errorf("%s: %+v on line %d, want %+v", name, got, line, c.want)
		}
	}
}

func TestDataThatAProgramOnlyReadsIsLeftAlone(t *testing.T) {
	py, js, sh := gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageShell
	for name, c := range map[string]struct {
		lang gate.Language
		text string
	}{
		"it shows a value":                    {py, "print(json.load(open('c.json'))['description'])\nos.system('ls')"},
		"it starts something with the file":   {py, "P = 'c.json'\nsubprocess.run(['lint', P])"},
		"it runs another value":               {py, "cfg = json.load(open('c.json'))\nos.system(other['x'])"},
		"it tells about the file":             {py, "# os.system(json.load(open('c.json'))['x'])\n"},
		"it sends to a host that is there":    {py, "c = json.load(open('c.json'))\nrequests.get(c['url'])"},
		"it fills a page":                     {js, "const cfg = require('./c.json')\nrender(cfg.title)\nexecSync('ls')"},
		"it matches an expression":            {js, "const cfg = require('./c.json')\nconst m = /x/.test(cfg.title)"},
		"it names a member of something else": {js, "const help = require('./c.json').help\nexecSync(other.help)"},
		"it counts the keys":                  {sh, "jq length c.json | wc -l\nsh -c 'ls'"},
		"it hands the file to a tool":         {sh, "bash build.sh --config c.json"},
		"it keeps a value":                    {sh, "v=$(jq -r .version c.json)\necho \"$v\"\neval \"$other\""},
	} {
		if got, _ := values(c.lang, c.text, "c.json"); got != (embedded.Run{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got, _ := values(py, "os.system(open('c.txt').read())", "c.txt"); got != (embedded.Run{Shell: true}) {
		t.Errorf("a text without keys: %+v", got)
	}
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"os.system(json.load(open('c.json'))['x'])", "for a, b in c.json:\n exec(a)", "c=$(jq . c.json)\n$c", "const {a} = require('c.json')\nf(a => eval(a))", strings.Repeat("a=c.json a;", 300)} {
		f.Add(s, string(gate.LanguagePython))
		f.Add(s, string(gate.LanguageShell))
	}
	index := loads.NewIndex([]string{"c.json", "conf/d.yml"})
	f.Fuzz(func(t *testing.T, text, lang string) {
		for _, v := range loads.Values("a", gate.Language(lang), []byte(text), index) {
			if v.File < 0 || v.File > 1 || v.Line < 1 || v.Line > 1+strings.Count(text, "\n") || v.Run == (embedded.Run{}) && len(v.Templates) == 0 {
				t.Errorf("%q: %+v", text, v)
			}
		}
	})
}
