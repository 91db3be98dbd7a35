package change

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// shelved are the folders of what is kept and not used: moved out of one, a file may
// run for the first time.
var shelved = []string{
	"doc", "docs", "documentation", "example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials",
	"template", "templates", "skeleton", "scaffold", "boilerplate", "fixture", "fixtures", "testdata", "test_data", "test-data",
	"test", "tests", "__tests__", "testing", "spec", "specs", "e2e", "golden", "snapshots", "__snapshots__", "mocks", "__mocks__", "stubs",
	"archive", "archived", "attic", "old", "legacy", "deprecated", "disabled", "inactive", "unused", "backup", "backups", "bak", "trash",
	"draft", "drafts", "wip", "playground", "vendor", "third_party", "third-party", "node_modules", "assets", "static", "data",
	"notes", "reference", "research", "proposals", "rfcs", "malware", "quarantine", "attacks", "corpora",
}

// started are the folders from which something is started by itself.
var started = []string{
	"bin", "sbin", "hooks", ".husky", ".githooks", "git-hooks", ".github", "workflows", "actions", ".gitlab", ".circleci", ".buildkite",
	".ci", "ci", ".devcontainer", ".vscode", ".idea", ".claude", ".cursor", ".cargo", "init.d", "cron.d", "cron.daily", "cron.hourly",
	"cron.weekly", "profile.d", "rc.d", "conf.d", "systemd", "autostart", "launchagents", "launchdaemons", "entrypoint.d",
	"docker-entrypoint-initdb.d", "site-packages", "initializers", "migrations", "autoload",
}

// otherPlace reports whether a move makes a file something else: out of a folder
// where things are kept, into one from which things are started, or, for what is
// read because of where it lies, up towards the root.
func otherPlace(before, after string, role gate.Role) bool {
	from, to := folders(before), folders(after)
	if slices.Equal(from, to) {
		return false
	}
	lost := func(f string) bool { return slices.Contains(shelved, f) && !slices.Contains(to, f) }
	gained := func(f string) bool { return slices.Contains(started, f) && !slices.Contains(from, f) }
	if slices.ContainsFunc(from, lost) || slices.ContainsFunc(to, gained) {
		return true
	}
	switch role {
	case gate.RoleCI, gate.RoleManifest, gate.RoleInfra:
		return len(to) < len(from)
	}
	return false
}

// folders are the names of the folders that a path leads through.
func folders(name string) []string {
	dir := strings.ToLower(path.Dir(name))
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}
