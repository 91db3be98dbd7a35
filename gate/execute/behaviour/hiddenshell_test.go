package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAShellThatNoTextSpeaksOf(t *testing.T) {
	const hidden = "exec /usr/bin/python3 · python3 · main.py\nread /workspace/main.py\nread /workspace/lib/a.py\nexec /bin/sh · sh · -c · true"
	for name, tt := range map[string]struct {
		kind     Kind
		language gate.Language
		events   string
		speak    []string // the files that name a way to start programs
		want     bool
	}{
		"no file speaks of it":                     {Script, gate.LanguagePython, hidden, nil, true},
		"an import does it":                        {Module, gate.LanguageJavaScript, hidden, nil, true},
		"the program says so":                      {Script, gate.LanguagePython, hidden, []string{"/workspace/main.py"}, false},
		"a file that it reads says so":             {Script, gate.LanguagePython, hidden, []string{"/workspace/lib/a.py"}, false},
		"only a file that it does not read":        {Script, gate.LanguagePython, hidden, []string{"/workspace/lib/b.py"}, true},
		"a shell script":                           {Script, gate.LanguageShell, hidden, nil, false},
		"tests":                                    {Tests, gate.LanguagePython, hidden, nil, false},
		"an installation":                          {Hook, gate.LanguageJavaScript, hidden, nil, false},
		"the shell that starts the program":        {Script, gate.LanguagePython, "exec /bin/sh · sh · -c · python3 main.py\nexec /usr/bin/python3 · python3 · main.py", nil, false},
		"the shell of a script of the manifest":    {Script, gate.LanguageJavaScript, "exec /bin/sh · sh · -c · ( npm run clean\n)\nexec /usr/bin/npm · npm · run · clean\nexec /bin/sh · sh · -c · node clean.js", nil, false},
		"another text behind a package manager":    {Script, gate.LanguageJavaScript, "exec /bin/sh · sh · -c · ( npm run clean\n)\nexec /usr/bin/npm · npm · run · clean\nexec /bin/sh · sh · -c · id > x", nil, true},
		"another program":                          {Script, gate.LanguagePython, "exec /usr/bin/python3 · python3 · main.py\nexec /usr/bin/uname · uname · -p", nil, false},
		"a program whose name ends like a shell's": {Script, gate.LanguagePython, "exec /usr/bin/python3 · python3 · main.py\nexec /usr/bin/fish_config · fish_config", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := runOf(t, tt.kind, tt.events)
			r.Language = tt.language
			r.Literal = func(text []byte) bool { return string(text) == "node clean.js" }
			r.Starts = func(p string) bool { return slices.Contains(tt.speak, p) }
			if got := strings.Contains(rulesOf(Findings(r)), ruleHiddenShell.ID+sus); got != tt.want {
				t.Errorf("%v: %s", got, rulesOf(Findings(r)))
			}
		})
	}
}

func TestTextsThatStartProgramsSaySo(t *testing.T) {
	for text, want := range map[string]bool{
		"import subprocess\n": true, "os.system('ls')": true, "const { execSync } = require('child_process')": true, "import { $ } from 'zx'": true,
		"import \"os/exec\"": true, "syscall.Exec(a, b, c)": true, "import os\nprint(os.getcwd())": false, "system of the world": false,
		"getattr(o, 'sys' + 'tem')('true')": false, "fetch(url)": false,
	} {
		if Starts(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
