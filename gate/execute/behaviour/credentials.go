package behaviour

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleCredential = Rule{
		ID: "credentials/observed-read", Severity: gate.SeveritySuspicious,
		Title:   "Credentials or personal data in the home folder opened",
		Message: "opened credentials or personal data in the home folder",
		Why:     "Keys, tokens, wallets and what browsers keep belong to the tools that made them, mail and documents to a person. No one pointed the program to them.",
		Instead: "Let the tool do it (ssh, git, aws), or take the credential as a documented setting.",
	}
	ruleOtherHome = Rule{
		ID: "credentials/observed-other-home", Severity: gate.SeveritySuspicious,
		Title:   "Another user's home accessed",
		Message: "looked into the home of another user",
		Why:     "What lies there, above all in hidden folders, is not the program's to read.",
		Instead: "Take paths from settings, relative to the project.",
	}
	ruleEnviron = Rule{
		ID: "credentials/observed-process-environment", Severity: gate.SeveritySuspicious,
		Title:   "Other process's environment or memory read",
		Message: "read the environment or the memory of another process",
		Why:     "Secrets of other programs are there. This is how tokens of build machines are stolen.",
		Instead: "There is no benign use in a code change.",
	}
	ruleSystemFile = Rule{
		ID: "file-access/observed-system-file", Severity: gate.SeveritySuspicious,
		Title:   "Protected system file opened",
		Message: "opened a protected file of the system",
		Why:     "Password hashes, keys of the machine and its memory are of use to no one but its administrator and its attacker.",
		Instead: "Keep to the workspace.",
	}
	ruleMetadata = Rule{
		ID: "cloud-metadata/observed", Severity: gate.SeveritySuspicious,
		Title:   "Cloud metadata service query",
		Message: "asked the metadata service of a cloud",
		Why:     "It hands out the keys of the machine's role to the person who asks.",
		Instead: "Use the cloud's own library, in code that is started for that.",
	}
)

var (
	otherHome   = regexp.MustCompile(`^(/root|/home/[^/]+|/Users/[^/]+)(/.*)?$`)
	otherEnv    = regexp.MustCompile(`^/proc/(\d+|\*)/(environ|mem|maps|cmdline_args)$`)
	systemFiles = regexp.MustCompile(`^(/etc/(shadow|gshadow|sudoers|security/opasswd|krb5\.keytab|ssh/ssh_host_.*key|ssl/private|kubernetes|rancher)|` +
		`/etc/sudoers\.d|/proc/(kcore|kmem|1/root|sysrq-trigger)|/dev/(k?mem|port|sd[a-z]\d*|nvme\d.*|vd[a-z]\d*|dm-\d+)|` +
		`/var/log/(auth\.log|secure|audit.*|wtmp|btmp)|/var/lib/(docker|kubelet|cloud)|/var/run/secrets|/run/secrets)(/.*)?$`)
	hidden = regexp.MustCompile(`/\.[^/.]|/(AppData|Library)/|wallet|password|credential|secret|keychain`)
	// secretFile are names of credentials that no file of ours stands for.
	secretFile = regexp.MustCompile(`^/tmp/(\.ssh/(id_[a-z0-9_]+|identity)|\.gnupg/.*|\.aws/sso/.*|\.config/(chromium|google-chrome|BraveSoftware|microsoft-edge|vivaldi|opera)/.*|` +
		`\.mozilla/.*|\.thunderbird/.*|\.(electrum|monero|exodus|config/solana)/.*|\.local/share/keyrings/.*|\.password-store/.*|\.(zsh|python|node_repl|psql|mysql)_history|` +
		`\.vault-token|\.terraform\.d/credentials.*|\.pgpass|\.my\.cnf)$`)
)

// credentials are files that hold secrets of a user.
func credentials(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionRead, sandbox.ActionWrite, sandbox.ActionList, sandbox.ActionRename, sandbox.ActionLink) {
		p := path.Clean(e.Object)
		if f, _ := canary.Planted(p); e.Action == sandbox.ActionWrite && !f.Database {
			continue
		}
		if e.Action == sandbox.ActionLink && len(e.Args) > 0 {
			p = path.Clean(e.Args[0]) // a link to a key is a way to it
		}
		list := e.Action == sandbox.ActionList
		switch f, planted := canary.Planted(p); {
		case planted && !list:
			if at := s.readOf(f); at != gate.SeverityUnknown {
				out = append(out, hits(ruleCredential, at, e)...)
			}
		case secretFile.MatchString(p) && !list:
			out = append(out, hits(ruleCredential, ruleCredential.Severity, e)...)
		case otherEnv.MatchString(p):
			out = append(out, hits(ruleEnviron, ruleEnviron.Severity, e)...)
		case systemFiles.MatchString(p):
			out = append(out, hits(ruleSystemFile, s.inRecipe(ruleSystemFile.Severity), e)...)
		case otherHome.MatchString(p):
			at := gate.SeverityNote // a path of the author's machine, most likely
			if list && len(otherHome.FindStringSubmatch(p)[2]) == 0 || hidden.MatchString(p) {
				at = s.inRecipe(ruleOtherHome.Severity)
			}
			out = append(out, hits(ruleOtherHome, at, e)...)
		case list && (p == "/home" || p == "/Users"):
			out = append(out, hits(ruleOtherHome, s.inRecipe(ruleOtherHome.Severity), e)...)
		}
	}
	return out
}

// readOf says what it means to read a planted file; nothing for some.
func (s *trace) readOf(f canary.File) gate.Severity {
	switch f.Use {
	case canary.UsePublic:
		return gate.SeverityUnknown
	case canary.UseClients:
		if len(s.of(sandbox.ActionRequest, sandbox.ActionConnect, sandbox.ActionResolve)) > 0 {
			return gate.SeverityNote // HTTP clients look for a password of their own accord
		}
	case canary.UsePrivate:
		if !s.unasked() && s.personal < 2 {
			return gate.SeverityNote // a program for documents reads documents
		}
	case canary.UseGit:
		if runsGit(s) {
			return gate.SeverityNote
		}
	case canary.UseOwn:
		if s.Kind != Hook {
			return gate.SeverityNote // that is what it is for
		}
	}
	return ruleCredential.Severity
}

var (
	metadataHost = regexp.MustCompile(`^(\[?fd00:ec2::254\]?|169\.254\.(169\.254|170\.2|170\.23)|100\.100\.100\.200)(:|$)`)
	metadataName = regexp.MustCompile(`(?i)(^|\.)(metadata\.google\.internal|metadata\.goog|instance-data(\.ec2\.internal)?)$`)
	metadataKeys = regexp.MustCompile(`(?i)security-credentials|/token\b|/identity|oauth2|service-accounts|/credentials|user-data|/v2/|ssh-keys|attributes`)
)

// metadata are questions to the service that knows the keys of a machine.
func metadata(s *trace) []hit {
	var out []hit
	for _, e := range s.of(sandbox.ActionMetadata, sandbox.ActionConnect, sandbox.ActionResolve, sandbox.ActionRequest) {
		at := ruleMetadata.Severity
		switch e.Action {
		case sandbox.ActionConnect:
			if !metadataHost.MatchString(e.Object) {
				continue
			}
		case sandbox.ActionResolve:
			if !metadataName.MatchString(lookedUp(e)) {
				continue
			}
		case sandbox.ActionRequest:
			host := requestHost(e)
			if !metadataHost.MatchString(host) && !metadataName.MatchString(host) {
				continue
			}
		}
		// The token of the newer protocol is asked for by every client; it opens nothing.
		asked := strings.ReplaceAll(e.Object, "/latest/api/token", "")
		if e.Action != sandbox.ActionConnect && e.Action != sandbox.ActionResolve && metadataKeys.MatchString(asked) {
			at = gate.SeverityDangerous
		}
		out = append(out, hits(ruleMetadata, at, e)...)
	}
	return out
}
