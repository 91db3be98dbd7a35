package behaviour

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleReverseShell = Rule{
		ID: "reverse-shell/observed", Severity: gate.SeverityDangerous,
		Title:   "Reverse shell",
		Message: "connected a shell to a remote host",
		Why:     "Anyone who is there types commands on this machine.",
		Instead: "There is no benign use in a code change.",
	}
	ruleInteractive = Rule{
		ID: "reverse-shell/observed-interactive", Severity: gate.SeveritySuspicious,
		Title:   "Interactive shell",
		Message: "started an interactive shell",
		Why:     "No one sits in front of it. Together with a connection it is a way in.",
		Instead: "Run the commands that are needed, one by one.",
	}
	ruleDownloadRun = Rule{
		ID: "download-execute/observed-pipe", Severity: gate.SeverityDangerous,
		Title:   "Download executed",
		Message: "ran what it downloaded",
		Why:     "What runs is decided by the person who has the server at that moment, and no one can review it.",
		Instead: "Put the script into the project, or download a named version and check its sum before it runs.",
	}
	ruleDecodeRun = Rule{
		ID: "obfuscation/observed-decode-run", Severity: gate.SeverityDangerous,
		Title:   "Decoded text executed",
		Message: "ran what it decoded",
		Why:     "Commands are encoded so that a reviewer cannot read what they do.",
		Instead: "Write the commands out.",
	}
	ruleInstall = Rule{
		ID: "package-install/observed", Severity: gate.SeveritySuspicious,
		Title:   "Packages installed",
		Message: "installed packages",
		Why:     "What is installed is in no lock file, was not reviewed, and runs its own install scripts.",
		Instead: "Name the dependency in the manifest, with its version.",
	}
	ruleElevate = Rule{
		ID: "privilege/observed-command", Severity: gate.SeveritySuspicious,
		Title:   "Rights of another user or account change",
		Message: "asked for the rights of another user, or changed accounts",
		Why:     "With them it may do everything on the machine of the person who runs it.",
		Instead: "Let the user run what needs more rights by hand.",
	}
	ruleProtection = Rule{
		ID: "privilege/observed-protection-off", Severity: gate.SeveritySuspicious,
		Title:   "Protection disabled or traces wiped",
		Message: "switched a protection off, or wiped traces",
		Why:     "What follows is not seen, or not stopped.",
		Instead: "There is no benign use in a code change.",
	}
	ruleSetUser = Rule{
		ID: "privilege/observed-set-user-id", Severity: gate.SeverityDangerous,
		Title:   "Setuid program made",
		Message: "made a program setuid",
		Why:     "Such a copy of a shell is a back door that stays.",
		Instead: "There is no benign use in a code change.",
	}
	rulePersistCommand = Rule{
		ID: "persistence/observed-command", Severity: gate.SeveritySuspicious,
		Title:   "Persistence",
		Message: "arranged to be started again",
		Why:     "Jobs, services and login keys outlive the program and run when no one looks.",
		Instead: "Let the user enable it by hand.",
	}
	ruleDestroy = Rule{
		ID: "deletion/observed-command", Severity: gate.SeverityDangerous,
		Title:   "Destructive command",
		Message: "ran a command that destroys data for good",
		Why:     "Formatting, overwriting and deleting from the root leave nothing to come back to.",
		Instead: "Delete only files that the program made, by name.",
	}
	ruleKill = Rule{
		ID: "process/observed-kill", Severity: gate.SeveritySuspicious,
		Title:   "Other programs' processes stopped",
		Message: "tried to stop programs of others",
		Why:     "Security tools, databases or the user's work are stopped.",
		Instead: "Stop only processes that the program itself started.",
	}
	ruleMiner = Rule{
		ID: "crypto-miner/observed-program", Severity: gate.SeverityDangerous,
		Title:   "Cryptocurrency miner",
		Message: "started a miner",
		Why:     "Mining on other people's machines is theft of what they cost.",
		Instead: "There is no benign use in a code change.",
	}
)

const (
	anyShell = `(?:/\S*/)?(?:ba|da|z|k|a)?sh`
	// runs is a program that takes its code from a pipe: a shell, or an interpreter
	// without anything else to run.
	runs       = `(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:` + anyShell + `(?:\s+-\w*)*(?:\s+--?\s.*)?|(?:python[\d.]*|node|perl|ruby|php)(?:\s+-)?)\s*(?:$|[;&|)"'\n])`
	downloader = `(?:curl|wget|fetch|aria2c|lwp-download)`
	protectors = `(?:auditd|fail2ban|clamd|clamav\S*|falcon\S*|crowdstrike\S*|osqueryd|ossec\S*|wazuh\S*|apparmor|firewalld|ufw|rsyslog\S*|syslog\S*|snort|suricata|sysmon|falco|tetragon)`
)

// commandRules are rules about the line that was executed: the program's name and
// its arguments. Every shell line that is handed over with -c is looked at as well.
var commandRules = []struct {
	rule    Rule
	at      gate.Severity // 0 is the rule's
	pattern *regexp.Regexp
	recipe  bool // it is the purpose of a recipe
}{
	{ruleReverseShell, 0, regexp.MustCompile(anyShell + `\b[^|;&]*-i\b[^|;]*(?:>&|<&|0>&1|/dev/(?:tcp|udp)/)`), false},
	{ruleReverseShell, 0, regexp.MustCompile(`/dev/(?:tcp|udp)/[^/\s]+/\d+`), false},
	{ruleReverseShell, 0, regexp.MustCompile(`\b(?:nc|ncat|netcat|nc\.(?:traditional|openbsd))\b.*\s(?:-\w*[ec]\w*|--exec|--sh-exec)\s*\S*\b` + anyShell + `\b`), false},
	{ruleReverseShell, 0, regexp.MustCompile(`\bsocat\b.*\b(?i:exec|system):`), false},
	{ruleReverseShell, 0, regexp.MustCompile(anyShell + `\s+-i\b.*\|\s*(?:nc|ncat|netcat|telnet|openssl)\b`), false},
	{ruleReverseShell, 0, regexp.MustCompile(`\b(?:telnet|nc|ncat|netcat)\b[^|]*\|\s*` + anyShell + `\b`), false},
	{ruleReverseShell, 0, regexp.MustCompile(`\bpty\.spawn\(.*sh\b|\bdup2\(.*\bfileno\(\).*sh\b`), false},
	{ruleInteractive, 0, interactive, false},
	{ruleDownloadRun, 0, regexp.MustCompile(`\b` + downloader + `\b[^|;\n]*\|\s*` + runs), false},
	{ruleDownloadRun, 0, regexp.MustCompile(`(?:(?:` + anyShell + `|python[\d.]*|node|perl)\s+(?:-\w+\s+)*(?:-\w*[ce]\s+)?|(?:^|[\s;])(?:eval|source|\.)\s+)["']?(?:<\(|\$\(|` + "`" + `)\s*` + downloader + `\s`), false},
	{ruleDecodeRun, 0, regexp.MustCompile(`(?:base64\s+(?:-d|-D|--decode)|base32\s+(?:-d|--decode)|xxd\s+-\w*r|openssl\s+(?:enc|base64|aes\S*)\s.*-d|uudecode|\brev|\btr\s+\S+\s+\S+)\b[^|;\n]*(?:\|[^|;\n]*){0,2}\|\s*` + runs), false},
	{ruleDecodeRun, 0, regexp.MustCompile(`(?:` + anyShell + `|eval)\b[^|;]*(?:<\(|\$\(|` + "`" + `)[^)]*base64\s+(?:-d|-D|--decode)`), false},
	{ruleInstall, 0, regexp.MustCompile(`^(?:python[\d.]*\s+(?:-\w\s+)*-m\s+)?(?:pip[\d.]*|pipx|uv\s+pip)\s+(?:\S+\s+)*install\b|^(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:install|i|add|ci)\b|^(?:npx|bunx)\s+(?:\S+\s+)*(?:-y|--yes|-p|--package)\b|^(?:npx|bunx)\s+(?:-\S+\s+)*@?[^\s@]+@\S|^(?:pnpm|yarn)\s+dlx\b|` +
		`^(?:apt|apt-get|aptitude|yum|dnf|apk|pacman|brew|zypper|snap|gem|cargo|conda|mamba)\s+(?:-\S+\s+)*(?:install|add|-S\w*)\b|^go\s+(?:install|get)\s+\S+@|^easy_install\b`), true},
	{ruleElevate, 0, regexp.MustCompile(`^(?:sudo|su|doas|pkexec|runuser|visudo|passwd|chpasswd|useradd|adduser|usermod|groupadd|groupmod|gpasswd|setcap|chroot|nsenter)(?:\s|$)`), true},
	{ruleProtection, 0, regexp.MustCompile(`^(?:setenforce\s+0|iptables\s+(?:-\S+\s+)*-F|nft\s+flush|ufw\s+disable|auditctl\s+-e\s*0|sysctl\s+.*(?:randomize_va_space|ptrace_scope)|mokutil|spctl\s+--master-disable|csrutil\s+disable)`), false},
	{ruleProtection, 0, regexp.MustCompile(`\bhistory\s+-\w*c|\bHISTFILE=/dev/null|\bunset\s+HISTFILE|\bHISTSIZE=0|(?:>|rm\s.*|shred\s.*|truncate\s.*)\s*\S*\.(?:bash|zsh|sh)_history\b|\b(?:rm|shred|truncate)\s.*(?:/var/log/|wtmp|btmp|lastlog)`), true},
	{ruleProtection, 0, regexp.MustCompile(`^(?:systemctl\s+(?:--\S+\s+)*(?:stop|disable|mask)|service|pkill|killall|rc-service)\s.*\b` + protectors + `\b`), false},
	{ruleSetUser, 0, regexp.MustCompile(`^(?:chmod\s+(?:-\S+\s+)*(?:[ugoa]*[+=]\w*s\w*|0?[4-7][0-7]{3})\s|setcap\s+\S*cap_(?:setuid|sys_admin|dac_override))`), false},
	{rulePersistCommand, 0, regexp.MustCompile(`^(?:crontab(?:\s+(?:-u\s+\S+|[^-\s]\S*|-e|-))?\s*$|systemctl\s+(?:--\S+\s+)*(?:enable|link|start)\b|loginctl\s+enable-linger|launchctl\s+(?:load|bootstrap|submit)|` +
		`schtasks\b|at\s+|batch\b|update-rc\.d\b|chkconfig\b|ssh-copy-id\b|systemd-run\b)`), true},
	{rulePersistCommand, 0, regexp.MustCompile(`\|\s*crontab\s+-|>>?\s*\S*(?:authorized_keys|/etc/cron\S*|\.ssh/config)\b`), false},
	{rulePersistCommand, 0, regexp.MustCompile(`^git\s+config\s+.*(?:core\.hooksPath|core\.fsmonitor|core\.sshCommand|alias\.|credential\.helper|url\..*insteadOf)`), false},
	{rulePersistCommand, 0, regexp.MustCompile(`^ssh-keygen\b`), true},
	{ruleDestroy, 0, regexp.MustCompile(`^(?:mkfs\S*|wipefs|blkdiscard|shred|sgdisk|fdisk|parted)\s.*/dev/(?:sd|nvme|vd|hd|mmcblk|dm-|loop)|^dd\s.*of=/dev/(?:sd|nvme|vd|hd|mmcblk|mem|dm-)|^hdparm\s.*--security-erase`), false},
	{ruleDestroy, 0, regexp.MustCompile(`^rm\s+(?:-\S+\s+)*(?:--no-preserve-root|/\*?(?:\s|$)|/(?:etc|usr|bin|boot|lib|home|root|var|srv|sys)/?\*?(?:\s|$)|(?:~|\$HOME)/?\*?(?:\s|$)|/tmp/?(?:\s|$))`), false},
	{ruleDestroy, gate.SeveritySuspicious, regexp.MustCompile(`^shred\b|^srm\b|^git\s+(?:-[cC]\s+\S+\s+|--\S+\s+)*(?:push\s+(?:.*\s)?(?:--(?:force|mirror|delete)|-[a-z]*[fd][a-z]*(?:\s|$)|[+:][\w/])|filter-branch\b|filter-repo\b|update-ref\s+-d|reflog\s+(?:delete\b|expire\s.*--expire(?:-unreachable)?=(?:now|all|0)))`), false},
	{ruleKill, 0, regexp.MustCompile(`^(?:pkill|killall)\s+(?:-\S+\s+)*\S|^kill\s+(?:-\S+\s+)*-1\b|^(?:shutdown|reboot|poweroff|halt|init\s+[06])\b`), true},
	{ruleMiner, 0, regexp.MustCompile(`(?i)^(?:xmrig|xmr-stak\S*|minerd|cpuminer\S*|cgminer|bfgminer|ethminer|t-rex|lolminer|nbminer|phoenixminer)\b|--donate-level|--(?:rig-id|randomx)\b`), false},
}

// programs whose options end in a shell line.
var shellNames = regexp.MustCompile(`^(?:(?:ba|da|z|k|a)?sh|busybox)$`)

// lines are the texts in which an exec event is looked at: the line itself and,
// for a shell with -c, each command of what it is given. The second form is what
// finds commands that the image does not have: a shell looks for them itself and
// executes nothing.
func lines(e sandbox.Event) []string {
	out := []string{command(e)}
	args := arguments(e)
	if !shellNames.MatchString(path.Base(e.Object)) {
		return out
	}
	for i, a := range args {
		if strings.HasPrefix(a, "-") && strings.Contains(a, "c") && i+1 < len(args) {
			out = append(out, args[i+1])
			for _, part := range commandBorder.Split(args[i+1], maxParts) {
				out = append(out, strings.TrimSpace(part))
			}
			break
		}
	}
	return out
}

// maxParts bounds the commands that are looked at in one shell line.
const maxParts = 200

var commandBorder = regexp.MustCompile(`\s*(?:&&|\|\||[;\n|(])\s*`)

// commands are programs that were started.
func commands(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionExec) {
		texts := lines(e)
		for _, r := range commandRules {
			if !slices.ContainsFunc(texts, r.pattern.MatchString) {
				continue
			}
			at := r.rule.Severity
			if r.at != 0 {
				at = r.at
			}
			if r.recipe {
				at = s.inRecipe(at)
			}
			if r.rule.ID == ruleInstall.ID && s.Kind == Policy {
				at = gate.SeverityNote // the policy's own command
			}
			out = append(out, hits(r.rule, at, e)...)
		}
	}
	return out
}

var (
	interactive = regexp.MustCompile(`^(?:(?:ba|da|z|k|a)?sh)\s+(?:-\w+\s+)*-\w*i\w*\s*$`)
	bareShell   = regexp.MustCompile(`^(?:ba|da|z|k|a)?sh(?:\s+-s?)?$`)
	downloads   = regexp.MustCompile(`^` + downloader + `\s`)
	decodesText = regexp.MustCompile(`^(?:base64|base32)\s+.*(?:-d|-D|--decode)|^xxd\s+-\w*r|^openssl\s+(?:enc|base64)\s.*-d`)
)

// shells are shells that read their commands from somewhere else: a pipe is not
// seen, but both of its ends are.
func shells(s *trace) []hit {
	var out []hit
	var downloaded, decoded bool
	for _, e := range s.of(sandbox.ActionExec) {
		line := command(e)
		downloaded = downloaded || downloads.MatchString(line)
		decoded = decoded || decodesText.MatchString(line)
	}
	for _, e := range s.of(sandbox.ActionExec) {
		line := command(e)
		if bareShell.MatchString(line) {
			switch {
			case downloaded:
				out = append(out, hits(ruleDownloadRun, ruleDownloadRun.Severity, e)...)
			case decoded:
				out = append(out, hits(ruleDecodeRun, ruleDecodeRun.Severity, e)...)
			}
		}
		if s.spoke >= 0 && s.spoke <= e.First && interactive.MatchString(line) {
			out = append(out, hits(ruleReverseShell, ruleReverseShell.Severity, e)...)
		}
	}
	return out
}
