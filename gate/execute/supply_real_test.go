package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// What a script does behind its arguments, its configuration and a tool that is not there is
// seen, and what its made-up values name is no evidence.
func TestScriptsRunPastWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	const harm = "mkdir -p ~/.config/autostart\necho '[Desktop Entry]' > ~/.config/autostart/x.desktop\n"
	base := map[string]string{
		"deploy.sh": "#!/bin/bash\necho deploying\n", "posts.sh": "#!/bin/bash\necho posts\n", "conf.sh": "#!/bin/bash\necho conf\n", "send.sh": "#!/bin/bash\necho send\n",
		"tool.sh": "#!/bin/bash\necho tool\n", "main.py": "print(1)\n", "run.sh": "#!/bin/bash\necho run\n", "bin/step.sh": "#!/bin/bash\necho step\n",
	}
	head := map[string]string{
		"deploy.sh": "#!/bin/bash\nset -euo pipefail\nhost=${1:?host}\nport=$2\n[ $# -gt 2 ] || { echo 'name the files' >&2; exit 2; }\necho \"$host $port\"\n" + harm,
		"posts.sh":  "#!/bin/bash\nset -e\necho new > posts/new.md\n" + harm,
		"conf.sh":   "#!/bin/bash\nset -e\n. /etc/some-machine.conf\necho conf\n",
		"send.sh":   "#!/bin/bash\nset -e\ncurl -sf -d \"$(date)\" \"https://${1:?host}/ping\" || true\necho sent\n",
		"tool.sh":   "#!/bin/bash\nset -euo pipefail\nhugo --minify\ntar c . | rclone rcat remote:x\n" + harm,
		"main.py":   "import os, pathlib, sys\nurl = os.environ['API_URL']\nname = sys.argv[1]\np = pathlib.Path.home() / '.config' / 'autostart'\np.mkdir(parents=True)\n(p / 'x.desktop').write_text(url + name)\n",
	}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions, o.Required = 0, true })
	change := changeOf(mapFS(head))
	change.Base = mapFS(base)
	out, found := executions(t, s, change)
	for file, want := range map[string]string{
		"deploy.sh": "persistence/observed-start-file", "posts.sh": "persistence/observed-start-file", "tool.sh": "persistence/observed-start-file", "main.py": "persistence/observed-start-file",
		"conf.sh": "", "send.sh": "",
	} {
		e := out.Executions[file]
		got := slices.DeleteFunc(rules(found, file), func(r string) bool { return strings.HasSuffix(r, " note") })
		if want == "" && len(got) > 0 || !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%s: %q, want %q; %s, %s", file, got, want, e.Status, e.Reason)
		}
		if gap := gapsOf(out, file); gap != "" {
			t.Errorf("%s: gap %q", file, gap)
		}
		if want != "" && e.Status != gate.ExecutionExited {
			t.Errorf("%s: %s %q", file, e.Status, e.Reason)
		}
	}
}

// A script starts others of its repository by the kernel, as it does outside.
func TestAScriptStartsOthersOfItsRepository(t *testing.T) {
	t.Parallel()
	tree := mapFS(map[string]string{"start.sh": "#!/bin/bash\nset -e\n\"$(dirname \"$0\")/bin/step\"\n", "bin/step": "#!/bin/sh\necho stepped\n"})
	for name := range tree {
		tree[name].Mode = 0o755
	}
	out, _ := executions(t, realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions = 0 }), changeOf(tree))
	if e := out.Executions["start.sh"]; len(e.Units) == 0 || !strings.Contains(e.Units[0].Stdout.Text, "stepped") {
		t.Errorf("%+v", e)
	}
}
