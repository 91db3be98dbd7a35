package loads_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/loads"
)

func TestFilesThatABuildGivesToAnInterpreterAreFound(t *testing.T) {
	text, yaml, sh := gate.LanguageText, gate.LanguageYAML, gate.LanguageShell
	for content, want := range map[string]struct{ lang, as gate.Language }{
		`volumes: ["./docs/n.txt:/docker-entrypoint-initdb.d/a.sh:ro"]`:                                             {yaml, sh},
		"volumes:\n  - ./docs/n.txt:/docker-entrypoint.d/a.sh\n":                                                    {yaml, sh},
		"volumes:\n  - type: bind\n    source: ./docs/n.txt\n    target: /docker-entrypoint-initdb.d/a.sql\n":       {yaml, gate.LanguageSQL},
		"- copy:\n    src: docs/n.txt\n    dest: /etc/profile.d/a.sh\n":                                             {yaml, sh},
		"FROM postgres\nCOPY --chown=1 docs/n.txt /docker-entrypoint-initdb.d/a.sh\n":                               {gate.LanguageDockerfile, sh},
		"FROM alpine\nADD docs/n.txt /etc/profile.d/\n":                                                             {gate.LanguageDockerfile, sh},
		"install -m 755 docs/n.txt /etc/cron.daily/tidy":                                                            {sh, sh},
		"cat docs/n.txt >> ~/.bashrc":                                                                               {sh, sh},
		"cp docs/n.txt .git/hooks/pre-commit":                                                                       {sh, sh},
		"shutil.copy('docs/n.txt', '/etc/profile.d/a.sh')":                                                          {gate.LanguagePython, sh},
		"configMapGenerator:\n- name: c\n  files: [run.sh=docs/n.txt]\n":                                            {yaml, sh},
		"kubectl create configmap c --from-file=run.sh=docs/n.txt":                                                  {sh, sh},
		`command: [sh, -c, {{ .Files.Get "docs/n.txt" | quote }}]`:                                                  {yaml, sh},
		"command:\n  - sh\n  - -c\n  - |\n    {{- .Files.Get \"docs/n.txt\" | nindent 4 }}\n":                       {yaml, sh},
		"data:\n  run.sh: |\n    {{ .Files.Get \"docs/n.txt\" | nindent 4 }}\n":                                     {yaml, sh},
		`Vagrant.configure("2") { |c| c.vm.provision "shell", path: "docs/n.txt" }`:                                 {gate.LanguageRuby, sh},
		"c.vm.provision \"shell\" do |s|\n  s.privileged = true\n  s.path = \"docs/n.txt\"\nend":                    {gate.LanguageRuby, sh},
		`<exec executable="sh"><arg file="docs/n.txt"/></exec>`:                                                     {text, sh},
		"<exec executable=\"/usr/bin/python3\">\n  <arg value=\"-u\"/>\n  <arg value=\"${basedir}/docs/n.txt\"/>\n": {text, gate.LanguagePython},
		"<executable>sh</executable>\n<arguments>\n<argument>${project.basedir}/docs/n.txt</argument>\n":            {text, sh},
		"commands = sh {toxinidir}/docs/n.txt":                                                                      {gate.LanguageINI, sh},
		"- script: sh $(Build.SourcesDirectory)/docs/n.txt":                                                         {yaml, sh},
		"sh_binary(\n    name = \"a\",\n    srcs = [\"docs/n.txt\"],\n)":                                            {gate.LanguageStarlark, sh},
		`genrule(name = "a", cmd = "sh $(location docs/n.txt) > $@")`:                                               {gate.LanguageStarlark, sh},
		`{ pkgs }: pkgs.runCommand "a" { } (builtins.readFile ./docs/n.txt)`:                                        {gate.LanguageNix, sh},
		`{ A = { isa = PBXShellScriptBuildPhase; shellScript = "sh \"${SRCROOT}/docs/n.txt\"\n"; }; }`:              {gate.LanguageUnknown, sh},
		"resource \"aws_instance\" \"a\" {\n  user_data = file(\"${path.module}/docs/n.txt\")\n}":                   {gate.LanguageTerraform, sh},
		"provisioner \"remote-exec\" {\n  script = \"docs/n.txt\"\n}":                                               {gate.LanguageTerraform, sh},
	} {
		got := found("a", want.lang, content, "docs/n.txt")
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "docs/n.txt "+string(want.as)+":") }) {
			t.Errorf("%q: %v, want it as %s", content, got, want.as)
		}
	}
}

func TestFilesThatABuildOnlyShipsAreNoPrograms(t *testing.T) {
	text, yaml, sh := gate.LanguageText, gate.LanguageYAML, gate.LanguageShell
	for content, lang := range map[string]gate.Language{
		`volumes: ["./docs/n.txt:/usr/share/nginx/html/n.txt:ro"]`:                                yaml,
		`volumes: ["./docs/n.txt:/docker-entrypoint-initdb.d/README.txt"]`:                        yaml,
		"FROM nginx\nCOPY docs/n.txt /usr/share/doc/a/\n":                                         gate.LanguageDockerfile,
		"- copy:\n    src: docs/n.txt\n    dest: /etc/motd\n":                                     yaml,
		"echo docs/n.txt; ls /etc/profile.d/":                                                     sh,
		"diff docs/n.txt /etc/profile.d/a.sh":                                                     sh,
		"configMapGenerator:\n- name: c\n  files: [notes.txt=docs/n.txt]\n":                       yaml,
		"data:\n  notes.txt: |\n    {{ .Files.Get \"docs/n.txt\" }}\n":                            yaml,
		`c.vm.provision "file", source: "docs/n.txt", destination: "n.txt"`:                       gate.LanguageRuby,
		`<exec executable="wc"><arg file="docs/n.txt"/></exec>`:                                   text,
		`<exec executable="sh"><arg value="count.sh"/><arg file="docs/n.txt"/></exec>`:            text,
		`<exec executable="sh"><arg value="count.sh"/></exec><copy file="docs/n.txt" todir="b"/>`: text,
		"sh_binary(\n    name = \"a\",\n    srcs = [\"a.sh\"],\n    data = [\"docs/n.txt\"],\n)":  gate.LanguageStarlark,
		`genrule(name = "a", cmd = "wc $(location docs/n.txt) > $@")`:                             gate.LanguageStarlark,
		`pkgs.mkDerivation { meta.description = builtins.readFile ./docs/n.txt; }`:                gate.LanguageNix,
		"content = file(\"${path.module}/docs/n.txt\")":                                           gate.LanguageTerraform,
		"commands = python -m build {toxinidir}/docs/n.txt":                                       gate.LanguageINI,
	} {
		if got := found("a", lang, content, "docs/n.txt"); len(got) > 0 {
			t.Errorf("%q: %v", content, got)
		}
	}
}

func TestAFileThatIsPutWhereItDecidesWhatMayRunIsReadAsThat(t *testing.T) {
	for text, want := range map[string]string{
		"install -m 440 ops/sudo.txt /etc/sudoers.d/app": "etc/sudoers.d/app",
		"cp ops/sudo.txt /etc/sudoers.d/":                "etc/sudoers.d/file",
		"COPY ops/sudo.txt /etc/cron.d/tidy":             "crontab",
		"crontab -u root ops/sudo.txt":                   "crontab",
		"cp ops/sudo.txt /srv/":                          "",
		"grep x ops/sudo.txt /etc/sudoers.d/app":         "",
		"crontab -l > ops/sudo.txt":                      "",
	} {
		got := ""
		for _, u := range loads.Find("a", gate.LanguageShell, []byte(text), loads.NewIndex([]string{"ops/sudo.txt"})) {
			got = u.As
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestADocumentThatABlockIncludesIsReadAsPartOfTheOther(t *testing.T) {
	for text, want := range map[string]bool{
		"include: docs/ci.yml":                          true,
		"include:\n  - local: /docs/ci.yml\n":           true,
		"stages: [a]\ninclude:\n- docs/ci.yml\n":        true,
		"include: other.yml\na:\n  file: docs/ci.yml\n": false,
		"a:\n  paths: [docs/ci.yml]\n":                  false,
	} {
		if got := found(".gitlab-ci.yml", gate.LanguageYAML, text, "docs/ci.yml"); (len(got) > 0) != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
