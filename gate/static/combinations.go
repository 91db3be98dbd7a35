package static

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
)

// The checks of what findings say together.
const (
	checkSecretsToNewHost = "secrets-to-new-host"
	checkCommandChannel   = "command-channel"
	checkInstallsFrom     = "installs-from-elsewhere"
	checkLookalikeFrom    = "lookalike-from-elsewhere"
	checkStartsEverywhere = "starts-everywhere"
	checkProtectionsGone  = "protections-gone"
	checkOrderedWay       = "ordered-way-out"
	checkUncheckedModule  = "unchecked-module"
	checkLoadedAndSends   = "loaded-and-sends"
	checkWaitsToHarm      = "waits-to-harm"
	checkForeignRights    = "foreign-image-with-rights"
	checkCallsToNewHost   = "calls-to-new-host"
	checkBuiltForm        = "built-form-copy"
	checkUnseenWayIn      = "unseen-way-in"
	checkForeignRelay     = "foreign-relay"
	checkTestsSendSecrets = "tests-send-secrets"
	checkUncheckedFrom    = "unchecked-from-new-host"
	checkKnownAccount     = "account-with-known-password"
)

func togetherChecks() []string {
	return []string{checkSecretsToNewHost, checkCommandChannel, checkInstallsFrom, checkLookalikeFrom, checkStartsEverywhere, checkProtectionsGone, checkOrderedWay,
		checkUncheckedModule, checkLoadedAndSends, checkWaitsToHarm, checkForeignRights, checkCallsToNewHost, checkBuiltForm, checkUnseenWayIn, checkForeignRelay, checkTestsSendSecrets,
		checkUncheckedFrom, checkKnownAccount}
}

// combination is signs that an honest change may have one of, and hardly all: each says
// another thing about the same harm, such as what is taken and who gets it.
type combination struct {
	check string
	// signs are globs on the rules of findings. There must be a finding of each, of different rules.
	signs [][]string
	// anywhere says that they may be in different files of the change.
	anywhere bool
	// tests says that it is about files of tests, where what made the signs may count less by its role.
	tests bool
}

// combinations are the signs that make each other dangerous. The last sign of each is where
// the harm is done, and the place of the finding.
func combinations() []combination {
	newHost := []string{"exfiltration/*new-host*"}
	return []combination{
		{check: checkSecretsToNewHost, signs: [][]string{{
			"credentials/*", "exfiltration/*-token-file-flow", "exfiltration/*-key-file-flow", "exfiltration/*-home-flow", "exfiltration/*-password-flow",
			"exfiltration/*-after-reading", "exfiltration/*-credentials", "exfiltration/*-token-flow", "exfiltration/*-secret-*", "exfiltration/*-cookies-flow",
			"exfiltration/*-copied-requests", "exfiltration/*-patched-sender", "exfiltration/python-replaced-function", "exfiltration/python-wrapped-arguments",
			"exfiltration/js-form*", "exfiltration/*-table-flow", "exfiltration/js-handed-key", "exfiltration/js-authorization-in-address",
			"exfiltration/python-customer-data", "exfiltration/python-system-file", "exfiltration/python-environment", "exfiltration/python-file-upload",
			"exfiltration/*-encoded-names", "exfiltration/shell-file", "exfiltration/shell-env-text", "exfiltration/shell-source", "exfiltration/shell-token-command",
			"exfiltration/test-environment", "exfiltration/python-locals-sent", "exfiltration/repository-*", "dynamic-code/*-patched-*",
		}, newHost}},
		{check: checkCommandChannel, signs: [][]string{
			{"exfiltration/*new-host*", "network/*stranger-host", "exfiltration/numbered-address"},
			{"download-execute/*-flow", "dynamic-code/*-flow", "shell-out/*-request", "deserialization/*-download*"},
		}},
		{check: checkCommandChannel, signs: [][]string{{"exfiltration/*new-host-c*", "exfiltration/*new-host-message"}, {"shell-out/*-shell-text", "shell-out/python-shell*"}}},
		{check: checkCommandChannel, signs: [][]string{newHost, {"dynamic-code/js-compiled-with-require"}}},
		{check: checkUncheckedModule, anywhere: true, signs: [][]string{{"supply-chain/go-toolexec"}, {"supply-chain/go-replace"}}},
		{check: checkLoadedAndSends, anywhere: true, signs: [][]string{{"workflow/environment-loads-file"}, newHost}},
		{check: checkInstallsFrom, signs: [][]string{
			{"supply-chain/*-unsafe-source", "supply-chain/index-*", "supply-chain/*-package-index", "download-execute/*-flow"}, {"package-install/python*", "package-install/js-*", "package-install/go-*"},
		}},
		{check: checkLookalikeFrom, anywhere: true, signs: [][]string{
			{"supply-chain/registry-new-host", "supply-chain/*-remote*", "supply-chain/pip-index", "supply-chain/npmrc", "supply-chain/npm-url-dependency", "supply-chain/lock-host"},
			{"supply-chain/*-lookalike"},
		}},
		{check: checkStartsEverywhere, anywhere: true, signs: [][]string{{"dynamic-code/*", "download-execute/*", "obfuscation/*"}, {"supply-chain/*-path-file"}}},
		{check: checkProtectionsGone, signs: [][]string{{"process/*stop*"}, {"deletion/*"}, {"privilege/*-protection-*"}}},
		{check: checkProtectionsGone, signs: [][]string{{"privilege/shell-recorder-stopped"}, {"privilege/shell-protection-off"}}},
		{check: checkWaitsToHarm, signs: [][]string{{"time-trigger/*"}, {
			"deletion/*", "download-execute/*", "dynamic-code/*", "exfiltration/*", "shell-out/*", "privilege/*", "persistence/*", "obfuscation/*", "reverse-shell/*", "supply-chain/*-import-*",
		}}},
		{check: checkForeignRights, signs: [][]string{{"container-escape/*"}, {"supply-chain/image-new-host", "supply-chain/container-in-code"}}},
		{check: checkCallsToNewHost, anywhere: true, signs: [][]string{{"exfiltration/*-arguments*"}, newHost}},
		{check: checkBuiltForm, signs: [][]string{{"supply-chain/built-code-appended"}, {"exfiltration/page-form", "exfiltration/written-code-new-host", "exfiltration/js-form*"}}},
		{check: checkUnseenWayIn, anywhere: true, signs: [][]string{{"weakening/audit-removed", "weakening/record-skipped"}, {
			"privilege/built-in-*", "privilege/recognised-text", "privilege/compared-with-built-in-value", "privilege/made-administrator",
		}}},
		{check: checkInstallsFrom, anywhere: true, signs: [][]string{{"supply-chain/registry-new-host"}, {"supply-chain/npm-remote-dependency", "supply-chain/npm-url-dependency", "supply-chain/lock-host"}}},
		{check: checkUncheckedFrom, anywhere: true, signs: [][]string{{"weakening/package-check-off"}, {"supply-chain/registry-new-host"}}},
		{check: checkKnownAccount, signs: [][]string{{"privilege/crypt-digest-in-code"}, {"privilege/shell-accounts", "privilege/sudoers-without-password", "privilege/*sudoers*"}}},
		{check: checkForeignRelay, signs: [][]string{{"network/*-relay"}, newHost}},
		{check: checkTestsSendSecrets, tests: true, signs: [][]string{secretFlows(), newHost}},
		{check: checkOrderedWay, signs: [][]string{{"credentials/*", "exfiltration/*"}, {"prompt-injection/*"}}},
	}
}

// secretFlows are globs on the rules that follow a secret into what sends it. Tests have secrets, and they
// send, but what they send is made up.
func secretFlows() []string {
	return []string{
		"exfiltration/*-environment-flow", "exfiltration/*-token-file-flow", "exfiltration/*-key-file-flow", "exfiltration/*-token-flow",
		"exfiltration/*-clipboard-flow", "exfiltration/*-home-flow",
	}
}

// together reports what findings of a change say together. They come from different
// rules, are about different steps of one harm, and each asks for a review already: what an
// honest change does for one reason seldom has two of them.
func (s *Scanner) together(c *gate.Change, found *gate.Findings) {
	signs, tests := map[string][]gate.Finding{}, map[string][]gate.Finding{}
	for _, t := range c.Targets {
		switch t.Role {
		case gate.RoleTest:
			tests[t.Path] = signsIn(t.Path, found, gate.SeverityNote)
		case gate.RoleDocs, gate.RoleGenerated:
		default:
			signs[t.Path] = signsIn(t.Path, found, gate.SeveritySuspicious)
		}
	}
	for _, one := range combinations() {
		r, ok := s.checks[one.check]
		if !ok {
			continue
		}
		for _, t := range c.Targets {
			of := signs
			if one.tests {
				of = tests
			}
			steps, last := one.among(t.Path, of)
			effect := r.In(t.Role)
			if last == nil || effect.Off || found.Worst(t.Path) >= gate.SeverityDangerous {
				continue
			}
			found.AddNew(t.Path, gate.Finding{
				Rule: r.ID, Layer: gate.LayerStatic, Severity: effect.Severity, Line: last.Line, EndLine: last.EndLine,
				Message: r.Message, Evidence: last.Evidence, Flow: steps,
			})
		}
	}
}

// signsIn are the findings of a file that decide, of a severity or worse.
func signsIn(path string, found *gate.Findings, least gate.Severity) []gate.Finding {
	var signs []gate.Finding
	for _, f := range found.Of(path) {
		if f.Layer == gate.LayerStatic && f.Severity >= least && f.Decides() {
			signs = append(signs, f)
		}
	}
	return signs
}

// among looks for a finding of each sign, of which the last is in a file. It returns
// where they are, and the last; nil where one is missing.
func (one combination) among(path string, signs map[string][]gate.Finding) ([]gate.Step, *gate.Finding) {
	var steps []gate.Step
	used := map[string]bool{}
	var last *gate.Finding
	for i, globs := range slices.Backward(one.signs) {
		at, f := one.find(path, signs, globs, used, i < len(one.signs)-1)
		if f == nil {
			return nil, nil
		}
		if used[f.Rule] = true; last == nil {
			last = f
		}
		step := gate.Step{Line: f.Line, Text: f.Message}
		if at != path {
			step.Path = at
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps, last
}

func (one combination) find(path string, signs map[string][]gate.Finding, globs []string, used map[string]bool, other bool) (string, *gate.Finding) {
	in := func(at string) *gate.Finding {
		for i, f := range signs[at] {
			if !used[f.Rule] && glob.Any(globs, f.Rule) {
				return &signs[at][i]
			}
		}
		return nil
	}
	if f := in(path); f != nil {
		return path, f
	}
	if !other || !one.anywhere {
		return "", nil
	}
	paths := make([]string, 0, len(signs))
	for at := range signs {
		paths = append(paths, at)
	}
	slices.Sort(paths)
	for _, at := range paths {
		if f := in(at); f != nil {
			return at, f
		}
	}
	return "", nil
}
