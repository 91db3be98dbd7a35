package match

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAnExampleInTheUsageOfAnOptionIsNoTarget(t *testing.T) {
	e := engine(t, `signals:
  address:
    what: an address
    in: source
    keywords: ["://"]
    patterns: ['https://(?P<host>[\w.-]+)']
rules:
  - patterns: ['\bsend\(']
    all: [{signal: address, within: flow, host: new}]`)
	for _, tt := range []struct {
		name, src string
		lang      gate.Language
		found     bool
	}{
		{"in the usage of a flag", "func f() {\n\tserver := flag.String(\"server\", \"\", \"for example https://a.example.com\")\n\tsend(*server)\n}\n", gate.LanguageGo, false},
		{"in the usage of a flag of a set", "func f() {\n\tserver := flags.String(\"server\", def, \"for example https://a.example.com\")\n\tsend(*server)\n}\n", gate.LanguageGo, false},
		{"what a flag is by default", "func f() {\n\tserver := flag.String(\"server\", \"https://a.example.com\", \"where to send\")\n\tsend(*server)\n}\n", gate.LanguageGo, true},
		{"another call with three texts", "func f() {\n\tserver := pick(\"server\", \"\", \"https://a.example.com\")\n\tsend(server)\n}\n", gate.LanguageGo, true},
		{"in the help of an argument", "server = parser.add_argument(\"--server\", help=\"such as https://a.example.com\")\nsend(server)\n", gate.LanguagePython, false},
		{"what an argument is by default", "server = parser.add_argument(\"--server\", help=\"where\", default=\"https://a.example.com\")\nsend(server)\n", gate.LanguagePython, true},
	} {
		text := Text{Language: tt.lang, Role: gate.RoleSource, Path: "dir/name", Content: []byte(tt.src), NewHost: func(string) bool { return true }}
		if got := len(e.Run(text)) > 0; got != tt.found {
			t.Errorf("%s: found %t, want %t", tt.name, got, tt.found)
		}
	}
}
