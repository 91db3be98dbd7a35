package active_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/active"
)

// texts have a mark behind each line that is off.
var texts = []struct {
	name     string
	language gate.Language
	path     string
	text     string
}{
	{"a hidden job that nothing uses", gate.LanguageYAML, ".gitlab-ci.yml", ".doc: # off\n  script: # off\n    - make # off\nj:\n  script: [x]\n"},
	{"a hidden job that another extends", gate.LanguageYAML, ".gitlab-ci.yml", ".doc:\n  script:\n    - make\nj:\n  extends: .doc\n"},
	{"a hidden job in a list of jobs that another extends", gate.LanguageYAML, ".gitlab-ci.yml", ".a:\n  script: [x]\n.b: # off\n  script: [y] # off\nj:\n  extends: [.a]\n"},
	{"a hidden job that a hidden job extends", gate.LanguageYAML, ".gitlab-ci.yml", ".a:\n  script: [x]\n.b:\n  extends: .a\nj:\n  extends: .b\n"},
	{"hidden jobs that use each other", gate.LanguageYAML, ".gitlab-ci.yml", ".a: # off\n  extends: .b # off\n.b: # off\n  extends: .a # off\nj:\n  script: [x]\n"},
	{"an anchor that is used", gate.LanguageYAML, ".gitlab-ci.yml", ".d: &d\n  script:\n    - make\nj:\n  <<: *d\n"},
	{"an anchor that is not used", gate.LanguageYAML, ".gitlab-ci.yml", ".d: &d # off\n  script: # off\n    - make # off\nj:\n  script: [echo]\n"},
	{"a part of a script that is referred to", gate.LanguageYAML, ".gitlab-ci.yml", ".d:\n  script:\n    - make\nj:\n  script:\n    - !reference [.d, script]\n"},
	{"a job whose condition is false", gate.LanguageWorkflow, ".github/workflows/a.yml", "jobs:\n  a:\n    if: false # off\n    steps: # off\n      - run: make # off\n  b:\n    steps:\n      - run: make\n"},
	{"a step whose condition is false", gate.LanguageWorkflow, ".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - name: x # off\n        if: ${{ false }} # off\n        run: make # off\n      - run: make\n"},
	{"a step that begins with its condition", gate.LanguageWorkflow, ".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - run: make\n      - if: false # off\n        run: make # off\n"},
	{"a job that runs by hand", gate.LanguageYAML, ".gitlab-ci.yml", "j:\n  script: # off\n    - make # off\n  when: manual # off\nk:\n  script: [x]\n"},
	{"a condition that may hold", gate.LanguageWorkflow, ".github/workflows/a.yml", "jobs:\n  a:\n    if: github.ref == 'x'\n    steps:\n      - run: make\n"},
	{"a key at the top", gate.LanguageYAML, "values.yaml", "enabled: false # off\nrun: make\n"},
	{"a stage that is not needed", gate.LanguageDockerfile, "Dockerfile", "FROM debian AS dbg # off\nRUN make # off\nFROM debian AS prod\nRUN ls\n"},
	{"a stage that another begins with", gate.LanguageDockerfile, "Dockerfile", "FROM debian AS dbg\nRUN make\nFROM dbg AS prod\nRUN ls\n"},
	{"a stage of which files are copied", gate.LanguageDockerfile, "Dockerfile", "FROM debian\nRUN make\nFROM debian AS b # off\nFROM debian\nCOPY --from=0 /x /x\n"},
	{"a stage that is mounted", gate.LanguageDockerfile, "Dockerfile", "FROM debian AS b\nRUN make\nFROM debian\nRUN --mount=type=bind,from=b,target=/x ls\n"},
	{"one stage", gate.LanguageDockerfile, "Dockerfile", "FROM debian\nRUN make\n"},
	{"a block under False", gate.LanguagePython, "a.py", "if False:\n    x() # off\ny()\n"},
	{"a block under a name", gate.LanguagePython, "a.py", "if DEBUG:\n    x()\ny()\n"},
	{"a block under false in braces", gate.LanguageJavaScript, "a.js", "if (false) {\n  x() // off\n}\ny()\n"},
	{"commands under false", gate.LanguageShell, "a.sh", "if false; then # x\n  x # off\nfi\ny\n"},
	{"commands under a test", gate.LanguageShell, "a.sh", "if [ -f x ]; then\n  x\nfi\n"},
	{"commands under false that never ends", gate.LanguageShell, "a.sh", "if false; then\n  x\n"},
	{"code left out", gate.LanguageC, "a.c", "#if 0\nx(); // off\n#if A // off\ny(); // off\n#endif // off\n#else\nz();\n#endif\n"},
}

func TestLinesThatAreSwitchedOff(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.name, func(t *testing.T) {
			l := active.Read(tt.language, tt.path, []byte(tt.text))
			for i, line := range strings.Split(tt.text, "\n") {
				if want := strings.HasSuffix(line, " off"); l.Off(i+1) != want {
					t.Errorf("line %d %q is off: %t, want %t", i+1, line, l.Off(i+1), want)
				}
			}
		})
	}
}

func TestAFileOfGoThatNoBuildTakesIsOff(t *testing.T) {
	for text, want := range map[string]bool{
		"//go:build ignore\n\npackage main\n\nfunc init() {}\n":          true,
		"// +build never\n\npackage main\n\nfunc init() {}\n":            true,
		"//go:build linux\n\npackage main\n\nfunc init() {}\n":           false,
		"package main\n\n//go:build ignore\nvar x int\nfunc init() {}\n": false,
	} {
		if got := active.Read(gate.LanguageGo, "a.go", []byte(text)).Off(5); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAChainOfHiddenJobsIsFollowedToItsEnd(t *testing.T) {
	var b strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&b, ".j%d:\n  extends: .j%d\n", i+1, i)
	}
	chain := b.String() + ".j0:\n  script: [x]\n"
	if !active.Read(gate.LanguageYAML, ".gitlab-ci.yml", []byte(chain)).Off(3001) {
		t.Error("nothing uses the last, and it is not off")
	}
	if active.Read(gate.LanguageYAML, ".gitlab-ci.yml", []byte(chain+"k:\n  extends: .j1500\n")).Off(3001) {
		t.Error("the last is used, and it is off")
	}
}

// A search for the end of each of many blocks must not read the rest of the text each time:
// the benchmark tells how long the worst texts take.
func TestTheSearchForEndsIsBounded(t *testing.T) {
	for name, tt := range endless {
		t.Run(name, func(t *testing.T) {
			text := []byte(strings.Repeat(tt.line, 4<<20/len(tt.line)))
			if l := active.Read(tt.language, "a", text); l.Off(4<<20/len(tt.line) + 2) {
				t.Error("a line behind the end is off")
			}
		})
	}
}

var endless = map[string]struct {
	language gate.Language
	line     string
}{
	"code that is left out and never ends": {gate.LanguageC, "#if 0\n"},
	"commands that never end":              {gate.LanguageShell, "if false; then\n"},
	"blocks in blocks":                     {gate.LanguagePython, "if False:\n"},
	"jobs in one mapping":                  {gate.LanguageYAML, "  when: manual\n"},
	"hidden jobs":                          {gate.LanguageYAML, ".a: *a\n"},
	"stages":                               {gate.LanguageDockerfile, "FROM a AS a\n"},
}

func BenchmarkEndless(b *testing.B) {
	for name, tt := range endless {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(tt.line, 4<<20/len(tt.line)))
			for b.Loop() {
				active.Read(tt.language, "a", text)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range texts {
		f.Add(string(tt.language), tt.path, tt.text)
	}
	f.Fuzz(func(t *testing.T, language, name, text string) {
		l := active.Read(gate.Language(language), name, []byte(text))
		if n := strings.Count(text, "\n"); l.Off(0) || l.Off(n+2) {
			t.Errorf("a line outside of %d is off", n+1)
		}
	})
}
