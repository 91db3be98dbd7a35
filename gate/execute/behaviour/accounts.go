package behaviour

import (
	"bytes"
	"path"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

var ruleAccountList = Rule{
	ID: "file-access/observed-account-list", Severity: gate.SeveritySuspicious,
	Title:   "Account list read",
	Message: "read the list of accounts",
	Why:     "It tells who works on the machine, and is what intruders read first. Looking up one's own name is no finding: the C library does that, and says so by reading how to look up names before.",
	Instead: "Ask the system for a single account (getpwuid, os.userInfo).",
}

const (
	accountList = "/etc/passwd"
	// nameSwitch says how names of accounts are looked up. The C library of glibc reads
	// it before the list, once in a process; a program that opens the list itself has no
	// use for it.
	nameSwitch = "/etc/nsswitch.conf"
)

// accountLines are how the list begins, in the forms in which it is given away.
var accountLines = [][]byte{
	[]byte("root:x:0:0:"),
	[]byte("cm9vdDp4OjA6MDpyb29"),    // base64
	[]byte("726f6f743a783a303a303a"), // hexadecimal
	[]byte("root%3Ax%3A0%3A0%3A"),
}

// HoldsAccounts reports whether a text holds the beginning of the list of accounts.
func HoldsAccounts(text []byte) bool {
	for _, line := range accountLines {
		if bytes.Contains(text, line) {
			return true
		}
	}
	return false
}

// accounts is the list of accounts, opened by the program itself, printed or sent.
// Programs of Go read it without the C library, so that only what they do with it
// tells.
func accounts(s *trace) []hit {
	var read, switched *sandbox.Event
	for _, e := range s.Seen.Events {
		if e.Action != sandbox.ActionRead {
			continue
		}
		switch path.Clean(e.Object) {
		case accountList:
			read = &e
		case nameSwitch:
			switched = &e
		}
	}
	at := s.inRecipe(ruleAccountList.Severity)
	var out []hit
	if read != nil && (s.Accounts || switched == nil && s.Language != gate.LanguageGo) {
		out = append(out, hits(ruleAccountList, at, *read)...)
	}
	for _, e := range s.of(sandbox.ActionRequest, sandbox.ActionTraffic, sandbox.ActionSend) {
		if HoldsAccounts(e.Data) || HoldsAccounts([]byte(e.Object)) {
			out = append(out, hits(ruleAccountList, at, e)...)
		}
	}
	return out
}
