package guard

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// platform looks for commands of a forge's client, and of hook managers, that go past the
// checks of a project, or make public what only its user has.
func (c *checker) platform(program string, args []string) {
	if (program == "npx" || program == "pnpx" || program == "bunx") && len(args) > 0 {
		program, args = args[0], args[1:]
	}
	line := strings.Join(args, " ")
	switch program {
	case "gh", "glab", "hub", "tea":
		for _, t := range platformActs {
			if t.act.MatchString(line) && (!strings.HasPrefix(line, "api ") || apiWrites.MatchString(line)) {
				c.add(refuse(t.rule, "%s", t.what))
			}
		}
		if strings.HasPrefix(line, "gist create") || strings.HasPrefix(line, "release upload") || strings.HasPrefix(line, "snippet create") {
			if i := slices.IndexFunc(args, secretFile); i >= 0 {
				c.add(refuse(rulePlatform, "it publishes %s", args[i]))
			}
		}
	case "pre-commit", "lefthook", "husky", "overcommit":
		if slices.ContainsFunc(args, func(a string) bool { return a == "uninstall" || a == "--uninstall" || a == "uninit" }) {
			c.add(refuse(ruleGit, "it takes the hooks of git away"))
		}
	case "mount", "umount":
		if slices.ContainsFunc(args, func(a string) bool {
			return namesGate(a) || strings.Contains(a, "which gate") || strings.Contains(a, "command -v gate")
		}) {
			c.add(refuse(ruleEnd, "it puts something in the place of gate"))
		}
	}
}

// platformActs are subcommands with what they do.
var platformActs = []struct {
	act  *regexp.Regexp
	rule string
	what string
}{
	{regexp.MustCompile(`^(?:pr|mr) merge\b.*(?:^|\s)--admin\b`), ruleNoVerify, "it merges past the checks that the branch requires"},
	{regexp.MustCompile(`^api\b.*(?:/branches/[^\s/]+/protection|/rulesets|/protected_branches|/actions/(?:permissions|workflows/[^\s/]+/disable)|/required_status_checks)`), ruleNoVerify, "it changes the checks that the branch requires"},
	{regexp.MustCompile(`^workflow disable\b|^ruleset (?:delete|edit)\b|^run (?:cancel|delete)\b`), ruleNoVerify, "it stops the checks of CI"},
	{regexp.MustCompile(`^api\b.*/actions/runs/\d+(?:/(?:cancel|force-cancel))?(?:\s|$)`), ruleNoVerify, "it may stop the checks of CI"},
	{regexp.MustCompile(`^(?:pr|issue|mr) edit\b.*--add-label[ =]["']?\S*(?:gate|override)|^api\b.*/labels\b.*(?:gate|override)`), ruleAccept, "it sets the label that passes a blocked pull request"},
	{regexp.MustCompile(`^repo edit\b.*--visibility[ =]public|^repo (?:deploy-key add\b.*(?:--allow-write|-w\b)|delete\b|transfer\b)`), rulePlatform, "it opens the repository to others, or gives it away"},
	{regexp.MustCompile(`^(?:ssh-key|gpg-key) add\b`), rulePlatform, "it adds a key with which others can act as the user"},
}

// apiWrites matches arguments with which a request to the API of a forge changes something.
var apiWrites = regexp.MustCompile(`(?:^|\s)(?:-X\s*|--method[ =])(?i:delete|put|post|patch)\b|(?:^|\s)(?:-[fF]|--(?:raw-)?field|--input)(?:[\s=]|\w)`)

// secretFile reports whether a file is one that holds keys or logins.
func secretFile(a string) bool { return secretName.MatchString(a) }

var secretName = regexp.MustCompile(`(?:^|/)(?:\.env(?:\.(?:local|prod\w*|dev\w*))?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|ed25519|ecdsa)|credentials(?:\.json)?|.*\.pem|.*\.key|hosts\.yml|kubeconfig)$|/\.(?:ssh|aws|kube|gnupg)/`)

// printsSecret reports whether a command prints a login of its user.
func printsSecret(words []string) bool {
	line := strings.Join(words, " ")
	return strings.HasPrefix(line, "gh auth token") || strings.HasPrefix(line, "git credential fill") || strings.HasPrefix(line, "git credential-") && strings.HasSuffix(line, " get") ||
		strings.HasPrefix(line, "gcloud auth print-") || strings.HasPrefix(line, "aws configure export-credentials") || strings.HasPrefix(line, "az account get-access-token") ||
		strings.HasPrefix(line, "security find-") && strings.Contains(line, " -w")
}
