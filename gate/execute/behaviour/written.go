package behaviour

import (
	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleStartFile = Rule{
		ID: "persistence/observed-start-file", Severity: gate.SeveritySuspicious,
		Title:   "Startup file written",
		Message: "tried to write a file that runs by itself",
		Why:     "Shell profiles, cron tables, units and loader files run at every login or start. What is put there stays.",
		Instead: "Print the line and let the user add it.",
	}
	ruleLoginKey = Rule{
		ID: "persistence/observed-authorized-keys", Severity: gate.SeverityDangerous,
		Title:   "SSH key authorised",
		Message: "tried to add an authorised SSH key",
		Why:     "Anyone who holds the key can log in for ever after.",
		Instead: "Let an administrator add keys by hand.",
	}
	ruleGitHook = Rule{
		ID: "persistence/observed-git-hook", Severity: gate.SeveritySuspicious,
		Title:   "Git hooks or settings changed",
		Message: "changed hooks or settings of Git",
		Why:     "Hooks run at the next commit, merge or checkout of the person who uses the clone.",
		Instead: "Use a hook manager whose configuration is committed and reviewed.",
	}
	ruleToolFile = Rule{
		ID: "persistence/observed-tool-settings", Severity: gate.SeveritySuspicious,
		Title:   "Editor, agent or build settings changed",
		Message: "changed settings of an editor, an agent or a build system",
		Why:     "They hold commands that run when a user opens the folder or when the next build starts.",
		Instead: "Commit such files, so that they are reviewed.",
	}
	rulePackageFile = Rule{
		ID: "supply-chain/observed-package-files", Severity: gate.SeveritySuspicious,
		Title:   "Installed packages or their source changed",
		Message: "changed installed packages, or where they come from",
		Why:     "Every later program that uses them runs what was put there.",
		Instead: "Name dependencies and indexes in the manifest.",
	}
	ruleAccounts = Rule{
		ID: "privilege/observed-accounts", Severity: gate.SeverityDangerous,
		Title:   "Accounts or rights changed",
		Message: "tried to change accounts or rights of the machine",
		Why:     "An entry in these files makes everybody an administrator.",
		Instead: "There is no benign use in a code change.",
	}
	ruleHostFile = Rule{
		ID: "container-escape/observed-host-file", Severity: gate.SeverityDangerous,
		Title:   "Kernel control files written",
		Message: "tried to write to control files of the kernel",
		Why:     "These files start programs outside of a container, or stop the machine.",
		Instead: "There is no benign use in a code change.",
	}
	ruleSystemWrite = Rule{
		ID: "file-write/observed-system", Severity: gate.SeveritySuspicious,
		Title:   "System folders written",
		Message: "tried to write to folders of the system",
		Why:     "What lies there belongs to the machine and not to the project.",
		Instead: "Write into the workspace or a temporary folder.",
	}
	ruleOutside = Rule{
		ID: "file-write/observed-outside", Severity: gate.SeverityNote,
		Title:   "Write outside the workspace",
		Message: "tried to write outside of the workspace and of temporary folders",
		Why:     "In the sandbox it cannot. Most likely a path of the machine that it was written for.",
		Instead: "Take the path from a setting, relative to the project.",
	}
)

const home = `(?:/tmp|/root|/home/[^/]+)`

// writeRules are rules about where something was written to, renamed to, linked
// or made executable; the first that matches counts.
var writeRules = []struct {
	rule    Rule
	at      gate.Severity // 0 is the rule's
	pattern *regexp.Regexp
	recipe  bool
}{
	{ruleLoginKey, 0, regexp.MustCompile(`^` + home + `/\.ssh/(?:authorized_keys2?|rc|environment)$|^/etc/ssh/`), false},
	{ruleStartFile, gate.SeverityDangerous, regexp.MustCompile(`^/etc/ld\.so\.(?:preload|conf)|^/var/spool/cron/|^/etc/cron|^` + home + `/\.config/autostart/|/Library/Launch(?:Agents|Daemons)/|^/etc/(?:rc\.local|init\.d/|profile\.d/|update-motd\.d/)`), false},
	{ruleStartFile, gate.SeverityDangerous, regexp.MustCompile(`^(?:/etc|/usr/lib|/lib|/run)/systemd/|^` + home + `/\.config/systemd/user/`), false},
	{ruleStartFile, 0, regexp.MustCompile(`^` + home + `/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|xprofile|xinitrc|xsession|pam_environment|inputrc|config/fish/(?:config\.fish|conf\.d/.*))$|^/etc/(?:environment|profile|bash\.bashrc|zsh/.*)$`), true},
	{ruleAccounts, 0, regexp.MustCompile(`^/etc/(?:passwd|shadow|group|gshadow|sudoers(?:\.d/.*)?|pam\.d/.*|security/.*|doas\.conf|subuid|subgid)$`), true},
	{ruleHostFile, 0, regexp.MustCompile(`^/proc/(?:sysrq-trigger|sys/kernel/(?:core_pattern|modprobe|hotplug|uevent_helper)|sys/fs/binfmt_misc/.*|\d+/(?:mem|root/.*))$|^/sys/(?:kernel/uevent_helper|fs/cgroup/.*(?:release_agent|notify_on_release|devices\.allow)|firmware/.*|kernel/security/.*)$|^/dev/(?:k?mem|port|sd[a-z]\d*|nvme\d.*|vd[a-z]\d*|dm-\d+|kvm)$`), false},
	{ruleGitHook, 0, regexp.MustCompile(`^(?:` + regexp.QuoteMeta(canary.Clone) + `/\.git|` + regexp.QuoteMeta(canary.Remote) + `)/(?:hooks/[a-z-]+|config|info/attributes)$`), false},
	{ruleGitHook, 0, regexp.MustCompile(`^/workspace/(?:.*/)?\.git/(?:.*/)?(?:hooks/[a-z-]+|config|info/attributes)$|^` + home + `/\.(?:gitconfig|config/git/.*)$`), false},
	{ruleToolFile, 0, regexp.MustCompile(`^(?:/workspace/(?:.*/)?|` + home + `/)(?:\.vscode/(?:tasks|settings|launch)\.json|\.idea/.*|\.claude/.*|\.cursor/.*|\.mcp\.json|\.codex/.*|\.gemini/.*|\.aider\.conf\.yml|\.devcontainer/.*|\.envrc|\.github/(?:workflows/.*|copilot-instructions\.md)|\.gitlab-ci\.yml|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.gate\.yml)$`), false},
	{rulePackageFile, gate.SeverityDangerous, regexp.MustCompile(`^(?:/usr|/lib|` + home + `/\.local|/opt)/.*(?:/(?:site|user)customize\.py|\.pth|/(?:site|dist)-packages/[^/]+\.so)$`), true},
	{rulePackageFile, 0, regexp.MustCompile(`^/workspace/(?:.*/)?node_modules/\.bin/|^(?:/usr/(?:local/)?lib|` + home + `/\.local/lib)/(?:python[\d.]*|node_modules)/|^` + home + `/\.(?:npmrc|yarnrc|yarnrc\.yml|pypirc|pip/pip\.conf|config/pip/pip\.conf|cargo/config(?:\.toml)?|m2/settings\.xml|gemrc|condarc)$|^/etc/(?:apt|yum\.repos\.d|pip\.conf|npmrc)`), true},
	{ruleCredentialWrite, 0, regexp.MustCompile(`^` + home + `/\.(?:ssh/(?:config|known_hosts|id_.*)|aws/.*|kube/config|docker/config\.json|netrc|git-credentials|config/gh/.*)$`), false},
	{ruleOutside, 0, regexp.MustCompile(`^/(?:var/(?:log|tmp|run|cache|lib|lock|mail|opt|www)|run|data|srv|mnt|media|opt|home|root|Users|app|output|results?|logs?)(?:/|$)`), true},
	{ruleSystemWrite, 0, regexp.MustCompile(`^/(?:etc|usr|bin|sbin|lib\d*|boot|sys|proc|dev|\.gate)(?:/|$)`), true},
}

// ownUnit is a start file that concerns its user alone: a unit, or a program of the desktop.
var ownUnit = regexp.MustCompile(`^` + home + `/(?:\.config/(?:systemd/user|autostart)|Library/LaunchAgents)/`)

var ruleCredentialWrite = Rule{
	ID: "credentials/observed-write", Severity: gate.SeveritySuspicious,
	Title:   "Credential settings changed",
	Message: "changed settings of credentials",
	Why:     "A changed host, command or key there sends the next login to another host.",
	Instead: "Let the user change them by hand.",
}

// written are places that were written to, and rights that were given.
func written(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionWrite, sandbox.ActionRename, sandbox.ActionLink, sandbox.ActionMode, sandbox.ActionOwner) {
		if e.Action == sandbox.ActionMode {
			out = append(out, s.mode(e)...)
		}
		out = append(out, s.place(e)...)
	}
	return out
}

func (s *trace) place(e sandbox.Event) []hit {
	p := target(e)
	if ordinaryGit(s, p) {
		return nil
	}
	for _, r := range writeRules {
		if !r.pattern.MatchString(p) || (r.rule.ID == ruleSystemWrite.ID || r.rule.ID == ruleOutside.ID) && writable(p) {
			continue
		}
		at := r.rule.Severity
		if r.at != 0 {
			at = r.at
		}
		// An image has a home of its own; anyone who calls make has theirs.
		if r.recipe && (s.Image || r.rule.ID != ruleStartFile.ID) {
			at = s.inRecipe(at)
		}
		// A function that installs a service for its user does so when it is called, and here
		// everything is called.
		if s.Kind == Exercise && ownUnit.MatchString(p) {
			at = min(at, gate.SeveritySuspicious)
		}
		return hits(r.rule, at, e)
	}
	if !writable(p) && p[0] == '/' {
		return hits(ruleOutside, ruleOutside.Severity, e)
	}
	return nil
}

var setUser, setGroup = regexp.MustCompile(`^0*[4567][0-7]{3}$`), regexp.MustCompile(`^0*2[0-7]{3}$`)

// mode judges a change of permissions: Args is the mode in octal.
func (s *trace) mode(e sandbox.Event) []hit {
	switch {
	case len(e.Args) == 0:
	case setUser.MatchString(e.Args[0]):
		return hits(ruleSetUser, ruleSetUser.Severity, e)
	case setGroup.MatchString(e.Args[0]):
		return hits(ruleSetUser, gate.SeverityNote, e) // folders of a group have it
	}
	return nil
}
