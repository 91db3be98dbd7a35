package behaviour

import (
	"cmp"
	"slices"
)

// Rules returns all rules about what a program did, sorted by id.
func Rules() []Rule {
	all := []Rule{
		ruleSent, ruleUsed, ruleKept, rulePrinted, ruleAnswered,
		ruleCredential, ruleOtherHome, ruleEnviron, ruleCredentialWrite, ruleSystemFile, ruleAccountList, ruleMetadata,
		ruleConnection, ruleNewHost, ruleManyNames, ruleAddress, ruleScan, ruleListen, ruleEgress, ruleService, ruleDropHost, ruleMail, ruleDNS, rulePool,
		ruleReverseShell, ruleInteractive, ruleHiddenShell, ruleDownloadRun, ruleAnswerRun, ruleRequestRun, ruleDecodeRun, ruleInstall, ruleElevate, ruleProtection, ruleSetUser,
		rulePersistCommand, ruleDestroy, ruleKill, ruleMiner, ruleDropped, ruleMemory,
		ruleStartFile, ruleStartCode, ruleLoginKey, ruleGitHook, ruleToolFile, rulePackageFile, ruleAccounts, ruleHostFile, ruleSystemWrite, ruleOutside,
		ruleWipedInput, ruleRansom, ruleOwnSource, ruleWipedHome, ruleWipedSystem, ruleHistory,
		ruleTrace, ruleSignal, ruleNamespace, ruleMount, ruleModule, ruleRights, ruleKernel, ruleHide, ruleDevice, ruleEngine, ruleFacts, ruleLost,
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
