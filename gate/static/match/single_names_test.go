package match

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestATableIsNotWhatItsEntriesAre(t *testing.T) {
	e := engine(t, `signals:
  table:
    what: the whole environment
    whole: true
    patterns: ['(?P<at>\b(?:os\.environ|process\.env))\s*(?:[,)};]|$)']
rules:
  - patterns: ['\bsend\(']
    all: [{signal: table, within: flow}]`)
	for _, tt := range []struct {
		name, src string
		lang      gate.Language
		found     bool
	}{
		{"a default, read by name", "def load(environ=os.environ):\n    token = environ[\"TOKEN\"]\n    send(token)\n", gate.LanguagePython, false},
		{"a typed default, asked and read by name", "def load(path, environ: dict = os.environ):\n    if \"CI\" in environ:\n        send(environ.get('TOKEN'))\n", gate.LanguagePython, false},
		{"a constant, read by name", "ENV = os.environ\nsend(ENV[\"TOKEN\"])\n", gate.LanguagePython, false},
		{"a default, handed on", "def load(environ=os.environ):\n    send(environ[\"A\"])\n    send(environ)\n", gate.LanguagePython, true},
		{"a default, read by a name that is worked out", "def load(name, environ=os.environ):\n    send(environ[name])\n", gate.LanguagePython, true},
		{"an argument", "send(environ=os.environ)\ndef f(environ):\n    return environ[\"A\"]\n", gate.LanguagePython, true},
		{"a copy of all", "def load(environ=os.environ):\n    send(environ.items())\n", gate.LanguagePython, true},
		{"a default in JavaScript, read by name", "async function main(env = process.env) {\n  send(`${env.URL}/x`, env['TOKEN']);\n}\n", gate.LanguageJavaScript, false},
		{"names that are taken out", "const env = process.env;\nconst { URL, TOKEN } = env;\nsend(TOKEN);\n", gate.LanguageJavaScript, false},
		{"a default in JavaScript, spread", "function main(env = process.env) {\n  send({ a: env.A, ...env });\n}\n", gate.LanguageJavaScript, true},
		{"a default in JavaScript, handed on", "function main(env = process.env) {\n  send(JSON.stringify(env));\n}\n", gate.LanguageJavaScript, true},
		{"settings that an imported function reads", "async function quote(cfg = load(process.env)) {\n  send(cfg.url, { key: cfg.apiKey ? cfg.apiKey : '' });\n}\n", gate.LanguageJavaScript, false},
		{"settings that a schema reads", "const env = schema.parse(process.env);\nsend(env.URL, env.TOKEN);\n", gate.LanguageTypeScript, false},
		{"settings that a class reads in Python", "settings = Settings.from_env(os.environ)\nsend(settings.url, settings.token)\n", gate.LanguagePython, false},
		{"settings, handed on", "const cfg = load(process.env);\nsend(cfg.url, cfg);\n", gate.LanguageJavaScript, true},
		{"settings with a field that holds all", "const cfg = load(process.env);\nsend(cfg.url, cfg.raw);\n", gate.LanguageJavaScript, true},
		{"settings, read by a name that is worked out", "const cfg = load(process.env);\nsend(cfg.url, cfg[name]);\n", gate.LanguageJavaScript, true},
		{"settings that a function of the text reads", "function load(env) {\n  return { url: env.URL, more: Object.entries(env) };\n}\nconst cfg = load(process.env);\nsend(cfg.url, cfg.more);\n", gate.LanguageJavaScript, true},
		{"a copy", "const copy = Object.assign(process.env);\nsend(copy.A);\n", gate.LanguageJavaScript, true},
	} {
		got := shown(e, tt.lang, tt.src)
		if found := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "r1:") }); found != tt.found {
			t.Errorf("%s: found %v, want %v", tt.name, got, tt.found)
		}
	}
}
