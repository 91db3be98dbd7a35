package canary

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// TestThePlantedRepositoriesAreWholeOnes asks git itself.
func TestThePlantedRepositoriesAreWholeOnes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		testenv.Missing(t, "git is not installed", "apt-get install git")
	}
	root := t.TempDir()
	for _, f := range New(nothing).Plants() {
		if !InRepository(f.Path) {
			continue
		}
		name := filepath.Join(root, f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/alternates") || strings.HasSuffix(name, ".git/config") {
			f.Data = []byte(strings.ReplaceAll(string(f.Data), Remote, root+Remote))
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ in, line, want string }{
		{Remote, "fsck --strict", ""},
		{Clone, "fsck --strict", ""},
		{Clone, "status --short --branch", "## main...origin/main\n"},
		{Clone, "log --format=%s", "Add a style\nAdd the dates\nFirst page\n"},
		{Clone, "ls-remote --exit-code origin refs/heads/release", "refs/heads/release\n"},
		{Clone, "push origin main", ""},
	} {
		cmd := exec.CommandContext(t.Context(), git, strings.Fields(tt.line)...)
		cmd.Dir = filepath.Join(root, tt.in)
		cmd.Env = []string{"HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		if err != nil || !strings.HasSuffix(string(out), tt.want) {
			t.Errorf("git %s: %v %q, want %q", tt.line, err, out, tt.want)
		}
	}
}
