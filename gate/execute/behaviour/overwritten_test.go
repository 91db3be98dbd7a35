package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// overwriteRun is a run in a project of files, of which so many have lost what they held.
func overwriteRun(t testing.TB, kind Kind, how string, lost int, name string) Run {
	var b strings.Builder
	var files []string
	for i := range 20 {
		files = append(files, "/workspace/"+fmt.Sprintf(name, i))
	}
	for _, f := range files[:lost] {
		fmt.Fprintf(&b, "overwrite %s · %s\n", f, how)
	}
	r := runOf(t, kind, b.String())
	r.Input, r.Has = len(files), func(p string) bool { return slices.Contains(files, p) }
	return r
}

func TestDestroyingFilesWhereTheyAre(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind Kind
		how  string
		lost int
		file string
		want string
	}{
		{"a wiper", Script, "emptied", 12, "data/%d.csv", ruleWipedInput.ID + dan},
		{"a wiper that writes zeros", Script, "filled", 12, "data/%d.csv", ruleWipedInput.ID + dan},
		{"a wiper among the tests", Tests, "emptied", 12, "data/%d.csv", ruleWipedInput.ID + dan},
		{"some files", Script, "emptied", 3, "data/%d.csv", ruleWipedInput.ID + sus},
		{"one file that a test resets", Tests, "emptied", 1, "data/%d.csv", ruleWipedInput.ID + not},
		{"files that are encrypted", Script, "scrambled", 12, "data/%d.csv", ruleRansom.ID + dan},
		{"files that a tool has encrypted", Script, "encrypted", 5, "data/%d.csv", ruleRansom.ID + dan},
		{"logs that are encrypted", Script, "scrambled", 12, "log/%d.txt", ruleRansom.ID + dan},
		{"a secret that is encrypted", Script, "encrypted", 1, "secrets/%d.yml", ruleRansom.ID + not},
		{"files of which little is left", Script, "cut", 12, "data/%d.csv", ruleWipedInput.ID + sus},
		{"files that all hold the same", Script, "alike", 12, "data/%d.csv", ruleWipedInput.ID + sus},
		{"files that are packed", Script, "packed", 12, "data/%d.csv", ruleWipedInput.ID + sus},
		{"a fixture that is packed", Script, "packed", 2, "data/%d.csv", ruleWipedInput.ID + not},

		{"logs", Script, "emptied", 12, "%d.log", ""},
		{"what a build has made", Script, "emptied", 12, "dist/%d.js", ""},
		{"the report of a run of tests", Tests, "cut", 12, "coverage/%d.html", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rulesOf(Findings(overwriteRun(t, tt.kind, tt.how, tt.lost, tt.file))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestMakefilesMayNotEmptyTheProject(t *testing.T) {
	r := overwriteRun(t, Hook, "emptied", 12, "data/%d.csv")
	r.Recipe = true
	if got := rulesOf(Findings(r)); got != ruleWipedInput.ID+dan {
		t.Error(got)
	}
}

func TestOtherLossesOfFilesThatAreStillThere(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"keys and settings", "overwrite /tmp/.ssh/id_rsa · emptied\noverwrite /tmp/.aws/credentials · scrambled", ruleWipedHome.ID + dan},
		{"a setting", "overwrite /tmp/.npmrc · emptied", ruleWipedHome.ID + sus},
		{"the history of a shell", "overwrite /tmp/.bash_history · emptied", ruleProtection.ID + sus},
		{"its own source", "overwrite /workspace/main.py · emptied", ruleWipedInput.ID + not + ", " + ruleOwnSource.ID + sus},
		{"a settings file that is shorter now", "overwrite /tmp/.npmrc · cut", ""},
		{"an unknown file", "overwrite /tmp/x · emptied", ""},
		{"one that was removed and made again", "delete /workspace/data.csv\noverwrite /workspace/data.csv · emptied", ruleWipedInput.ID + not},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rulesOf(Findings(runOf(t, Script, tt.events))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestEncryptionIsNotExcusedByPackingInTheBase(t *testing.T) {
	base := Known{}
	base.Learn(overwriteRun(t, Script, "packed", 12, "data/%d.csv"))
	for how, want := range map[string]string{"packed": ruleWipedInput.ID + not, "scrambled": ruleRansom.ID + dan} {
		r := overwriteRun(t, Script, how, 12, "data/%d.csv")
		r.Before = Before{Known: base, SameData: true}
		if got := rulesOf(Findings(r)); got != want {
			t.Errorf("%s: %s, want %s", how, got, want)
		}
	}
}
