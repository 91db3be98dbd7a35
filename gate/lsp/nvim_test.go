package lsp

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/aigate/gate/tools/testenv"
)

var update = flag.Bool("update", false, "rewrite what is wanted in testdata/nvim")

// Each file of testdata/nvim is a commit, and what a user does in Neovim then.
func TestNeovimShowsWhatGateSays(t *testing.T) {
	nvim := testenv.Neovim(t)
	gate := testenv.Gate(t)
	harness, err := filepath.Abs("testdata/nvim/harness.lua")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/nvim/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, scratch := map[string]string{}, t.TempDir()
			script := filepath.Join(scratch, "steps.lua")
			want := -1
			for i, f := range a.Files {
				switch f.Name {
				case "steps.lua":
					put(t, scratch, map[string]string{f.Name: string(f.Data)})
				case "want":
					want = i
				default:
					tree[f.Name] = string(f.Data)
				}
			}
			out := filepath.Join(scratch, "out")
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+harness, "-c", "luafile "+script, "-c", "cquit")
			cmd.Dir = project(t, tree).Dir
			cmd.Env = append(os.Environ(), "GATE="+gate, "OUT="+out, "HOME="+scratch, "XDG_CONFIG_HOME="+scratch, "XDG_STATE_HOME="+scratch, "XDG_DATA_HOME="+scratch, "XDG_CACHE_HOME="+scratch)
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			if bytes.Equal(got, a.Files[want].Data) {
				return
			}
			if !*update {
				t.Errorf("-want +got:\n%s\n%s", cmp.Diff(string(a.Files[want].Data), string(got)), said)
				return
			}
			a.Files[want].Data = got
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What docs/editors.md has for older versions is pasted into an empty configuration.
func TestTheSettingsOfThePageWorkInNeovim(t *testing.T) {
	nvim := testenv.Neovim(t)
	gate := testenv.Gate(t) // before the time of Neovim begins: it may have to be built
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "Older ones (0.7 to 0.10):\n\n```lua\n")
	settings, _, ok2 := strings.Cut(rest, "```")
	if !ok || !ok2 {
		t.Fatal("the page has no settings for older versions")
	}
	home := t.TempDir()
	put(t, home, map[string]string{
		"nvim/init.lua": settings,
		"wait.lua": `if not vim.wait(90000, function() return #vim.diagnostic.get(0) > 0 end, 20) then
  io.stdout:write('no diagnostics came\n')
end
for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write(d.source .. ' ' .. d.lnum .. '\n') end
vim.cmd('qa!')
`,
	})
	dir := project(t, map[string]string{"a.py": "print(1)\n"}).Dir
	put(t, dir, map[string]string{"sub/new.py": "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-i", "NONE", "-n", "sub/new.py", "-c", "luafile "+filepath.Join(home, "wait.lua"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(gate)+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home)
	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "gate 1") {
		t.Errorf("%v: %s", err, said)
	}
}
