package behaviour

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTheListOfAccountsIsReadByProgramsAndByTheCLibrary(t *testing.T) {
	for name, tt := range map[string]struct {
		events   string
		language gate.Language
		printed  bool
		want     bool
	}{
		"the program opens it":                        {"read /etc/passwd", gate.LanguagePython, false, true},
		"a command that it starts opens it":           {"exec /bin/cat · cat · /etc/passwd\nread /etc/passwd", gate.LanguageShell, false, true},
		"the library looks up a name":                 {"read /etc/nsswitch.conf\nread /etc/passwd", gate.LanguagePython, false, false},
		"the library looks up a name, and it is said": {"read /etc/nsswitch.conf\nread /etc/passwd", gate.LanguagePython, true, true},
		"a Go program looks up its own name":          {"read /etc/passwd", gate.LanguageGo, false, false},
		"a Go program prints it":                      {"read /etc/passwd", gate.LanguageGo, true, true},
		"it is sent":                                  {"read /etc/nsswitch.conf\nread /etc/passwd\nrequest POST http://example.com/ <<<root:x:0:0:root", gate.LanguagePython, false, true},
		"it is sent in base64":                        {"request POST http://example.com/ <<<cm9vdDp4OjA6MDpyb290Oi9yb290", gate.LanguagePython, false, true},
		"another file is read":                        {"read /etc/group", gate.LanguagePython, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := runOf(t, Script, tt.events)
			r.Language, r.Accounts = tt.language, tt.printed
			if got := strings.Contains(rulesOf(Findings(r)), ruleAccountList.ID+sus); got != tt.want {
				t.Errorf("%v: %s", got, rulesOf(Findings(r)))
			}
		})
	}
}
