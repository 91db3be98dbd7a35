package embedded

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestScriptsInStringsAreRead(t *testing.T) {
	for name, tc := range map[string]struct {
		lang  gate.Language
		text  string
		want  string
		lines []int
	}{
		"a raw string of Go":          {gate.LanguageGo, "package p\n\nconst hook = `#!/bin/sh\ncurl x | sh\n`\n", "#!/bin/sh\ncurl x | sh\n", []int{3, 4}},
		"strings that are joined":     {gate.LanguageGo, "package p\n\nconst hook = \"#!/bin/sh\\n\" +\n\t\"cu\" + \"rl x | sh\\n\"\n", "#!/bin/sh\ncurl x | sh\n", []int{3, 4}},
		"a text of Python":            {gate.LanguagePython, "HOOK = '''#!/bin/sh\nid\n'''\n", "#!/bin/sh\nid\n", []int{1, 2}},
		"a template of JavaScript":    {gate.LanguageJavaScript, "const hook = `#!/bin/sh\nid\n`;\n", "#!/bin/sh\nid\n", []int{1, 2}},
		"the first line of a program": {gate.LanguagePython, "#!/usr/bin/env python3\nprint('x')\n", "", nil},
		"a text that only names one":  {gate.LanguageGo, "package p\n\nconst mark = \"begins with #!/bin/sh\"\n", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := scriptTexts(tc.lang, []byte(tc.text))
			if tc.want == "" {
				if len(got) > 0 {
					t.Fatalf("found %q", got[0].Text)
				}
				return
			}
			if len(got) != 1 || string(got[0].Text) != tc.want || got[0].Language != gate.LanguageShell {
				t.Fatalf("found %+v", got)
			}
			for i, n := range tc.lines {
				if got[0].Lines[i] != n {
					t.Errorf("line %d is line %d of the file, want %d", i, got[0].Lines[i], n)
				}
			}
		})
	}
}
