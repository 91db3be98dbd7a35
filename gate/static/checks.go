package static

import (
	"github.com/aigate/gate/gate"
)

// The checks that this package decides itself. A rule with one of these names
// under "check" documents it and gives it an id and a severity.
const (
	checkTooLarge         = "too-large"
	checkLargeSource      = "large-source"
	checkUnfollowed       = "unfollowed-modules"
	checkBinary           = "binary"
	checkExecutableBinary = "executable-binary"
	checkNULBytes         = "nul-bytes"
	checkInvalidEncoding  = "invalid-encoding"
	checkUTF16            = "utf16"
	checkLongLine         = "long-line"
	checkUnknownType      = "unknown-type"
	checkSymlink          = "symlink"
	checkSymlinkOutside   = "symlink-outside"
	checkSpecial          = "special"
	checkSetuid           = "setuid"
	checkSubmodule        = "submodule"
	checkSubmoduleChanged = "submodule-changed"
	checkLFSPointer       = "lfs-pointer"
	checkStoredElsewhere  = "stored-elsewhere"
	checkProtectedFile    = "protected-file"
	checkImport           = "import-not-allowed"
	checkMixedScript      = "mixed-script"
	checkTwinNames        = "twin-names"
	checkLoneCR           = "lone-carriage-return"
	checkNPMLookalike     = "npm-lookalike"
	checkPipLookalike     = "pip-lookalike"
	checkGoLookalike      = "go-lookalike"
	checkPipUnpinned      = "pip-unpinned"
	checkCargoLookalike   = "cargo-lookalike"
	checkNPMAlias         = "npm-alias"
	checkGoReplaceOutside = "go-replace-outside"
	checkLockHost         = "lock-host"
	checkBrokenManifest   = "broken-manifest"
	checkDisguise         = "disguised-text"
	checkContradiction    = "contradictory-encoding"
	checkEncoding         = "unknown-encoding"

	checkArchive           = "archive"
	checkArchiveUnreadable = "archive-unreadable"
	checkArchiveProgram    = "archive-program"
	checkPickleDangerous   = "pickle-dangerous"
	checkPickleUnknown     = "pickle-unknown"
	checkPickleUnreadable  = "pickle-unreadable"

	checkWorkflowTrigger      = "workflow-trigger"
	checkWorkflowRights       = "workflow-rights"
	checkWorkflowAction       = "workflow-action"
	checkWorkflowRunner       = "workflow-runner"
	checkWorkflowSecret       = "workflow-secret"
	checkWorkflowCheckRemoved = "workflow-check-removed"
	checkOwnCheck             = "own-check"
	checkWorkflowUnread       = "workflow-unread"
	checkWorkflowChanged      = "workflow-changed"

	checkOwnersLost      = "owners-lost"
	checkOwnersNew       = "owners-new"
	checkOwnersChanged   = "owners-changed"
	checkSettingWeakened = "setting-weakened"
	checkCheckedOut      = "checked-out"
	checkTwin            = "twin-name"
	checkTestLost        = "test-lost"

	checkOwnerSwapped = "owner-swapped"
	checkHostSwapped  = "host-swapped"
	checkLockDigest   = "lock-digest"
	checkLockPackage  = "lock-package"
)

func checkNames() []string {
	return append([]string{checkTooLarge, checkLargeSource, checkUnfollowed, checkBinary, checkExecutableBinary, checkNULBytes, checkInvalidEncoding, checkUTF16,
		checkLongLine, checkUnknownType, checkSymlink, checkSymlinkOutside, checkSpecial, checkSetuid, checkSubmodule,
		checkSubmoduleChanged, checkLFSPointer, checkStoredElsewhere, checkProtectedFile, checkImport, checkMixedScript, checkTwinNames, checkLoneCR, checkCodeInComment, checkCodeInText,
		checkNPMLookalike, checkPipLookalike, checkGoLookalike, checkPipUnpinned,
		checkCargoLookalike, checkNPMAlias, checkGoReplaceOutside, checkLockHost, checkBrokenManifest,
		checkDisguise, checkContradiction, checkEncoding,
		checkArchive, checkArchiveUnreadable, checkArchiveProgram, checkPickleDangerous, checkPickleUnknown, checkPickleUnreadable,
		checkWorkflowTrigger, checkWorkflowRights, checkWorkflowAction, checkWorkflowRunner, checkWorkflowSecret, checkWorkflowCheckRemoved, checkOwnCheck,
		checkWorkflowUnread, checkWorkflowChanged,
		checkOwnersLost, checkOwnersNew, checkOwnersChanged, checkSettingWeakened, checkCheckedOut, checkTwin, checkShadowing, checkTestLost, checkOwnerSwapped, checkHostSwapped,
		checkLockDigest, checkLockPackage}, togetherChecks()...)
}

// report adds the finding of a check; detail says more than the rule's title
// and may be empty. A check that the policy or the file's role switched off
// reports nothing.
func (f *file) report(check string, line int, detail, evidence string) {
	if found, ok := findingOf(f, check, line, detail, evidence); ok {
		f.add(found)
	}
}

// findingOf is what [file.report] adds.
func findingOf(f *file, check string, line int, detail, evidence string) (gate.Finding, bool) {
	r, ok := f.scanner.checks[check]
	if !ok {
		return gate.Finding{}, false
	}
	effect := r.In(f.view.Role)
	if effect.Off {
		return gate.Finding{}, false
	}
	message := r.Message
	if detail != "" {
		message += ": " + detail
	}
	return gate.Finding{
		Rule: r.ID, Layer: gate.LayerStatic, Severity: effect.Severity, Line: line, Message: message, Evidence: evidence,
	}, true
}
