package behaviour

import (
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

func TestUsesOfPersonalDataAreClassified(t *testing.T) {
	const (
		contract = "/tmp/Documents/contract.txt"
		budget   = "/tmp/Documents/budget.csv"
		letter   = "/tmp/Documents/family/letter.txt"
		mail     = "/tmp/Maildir/cur/1735689600.M1P100.dev:2,S"
		ledger   = "/tmp/.local/share/ledger/ledger.db"
	)
	// sent is a request with canaries, which the text form of events has no words for.
	sent := func(ids ...string) sandbox.Event {
		return sandbox.Event{Action: sandbox.ActionRequest, Object: "POST http://example.com/in", Count: 1, Canaries: ids}
	}
	kept := func(ids ...string) sandbox.Event {
		return sandbox.Event{Action: sandbox.ActionLeak, Object: "/workspace/a.zip", Count: 1, Canaries: ids}
	}
	for _, tt := range []struct {
		name   string
		kind   Kind
		events string
		more   []sandbox.Event
		want   string // the severity of the rules of this subject
	}{
		{"a program reads documents", Script, "read " + contract + "\nread " + budget, nil, ruleCredential.ID + not},
		{"an import reads a document", Module, "read " + contract, nil, ruleCredential.ID + sus},
		{"a program reads whatever there is", Script, "read " + contract + "\nread " + mail, nil, ruleCredential.ID + sus},
		{"a program dumps the database of another and reads mail", Script, "read " + ledger + "\nread " + mail, nil, ruleCredential.ID + sus},
		{"a program queries the cookies of a browser", Script, "write /tmp/.config/google-chrome/Default/Cookies", nil, ruleCredential.ID + sus},
		{"a program queries the database of an application", Script, "write " + ledger, nil, ruleCredential.ID + not},

		{"a program uploads a document", Script, "read " + contract, []sandbox.Event{sent("document contract")}, ruleSent.ID + sus},
		{"an import uploads a document", Module, "read " + contract, []sandbox.Event{sent("document contract")}, ruleSent.ID + dan},
		{"a program sends the clipboard", Script, "read /tmp/.local/share/clipboard/text", []sandbox.Event{sent("clipboard text")}, ruleSent.ID + sus},
		{"mail and documents are sent", Script, "read " + contract + "\nread " + mail, []sandbox.Event{sent("mail message 1")}, ruleSent.ID + dan},
		{"a document is sent with a key", Script, "read " + contract, []sandbox.Event{sent("document contract", "aws key")}, ruleSent.ID + dan},

		{"a backup of documents", Script, "read " + contract, []sandbox.Event{kept("document contract (gzip)", "document budget (gzip)")}, ruleKept.ID + not},
		{"an archive of everything", Script, "read " + contract + "\nread " + mail, []sandbox.Event{kept("document contract", "mail message 1")}, ruleKept.ID + dan},

		{"documents are deleted", Script, "delete " + contract + "\ndelete " + budget + "\ndelete " + letter, nil, ruleWipedHome.ID + dan},
		{"documents get another ending", Script, "rename " + contract + " · " + contract + ".locked\nrename " + budget + " · " + budget + ".locked", nil, ruleWipedHome.ID + dan},
		{"documents are encrypted where they are", Script, "overwrite " + contract + " · scrambled\noverwrite " + budget + " · encrypted", nil, ruleWipedHome.ID + dan},
		{"documents are moved to a folder", Script, "rename " + contract + " · /tmp/Documents/text/contract.txt\nrename " + budget + " · /tmp/Documents/tables/budget.csv", nil, ""},
		{"downloads are deleted", Script, "delete /tmp/Downloads/manual.txt\ndelete /tmp/Downloads/timetable.csv", nil, ruleWipedHome.ID + dan},
		{"notes in the home folder are deleted", Module, "delete /tmp/ideas.md\ndelete /tmp/diary.md", nil, ruleWipedHome.ID + dan},
		{"notes in the home folder all get one text", Module, "overwrite /tmp/ideas.md · alike\noverwrite /tmp/diary.md · alike", nil, ruleWipedHome.ID + dan},
		{"downloads are sorted", Script, "rename /tmp/Downloads/manual.txt · /tmp/Downloads/text/manual.txt\nrename /tmp/Downloads/timetable.csv · /tmp/Downloads/tables/timetable.csv", nil, ""},
		{"downloads are read", Module, "read /tmp/Downloads/manual.txt", nil, ""},
		{"backups are deleted", Script, "delete /var/backups/ledger-2025-01-01.sql\ndelete /var/backups/ledger-2025-02-01.sql", nil, ruleWipedSystem.ID + dan},
		{"a shared file is emptied", Script, "overwrite /srv/shared/members.csv · emptied", nil, ruleWipedSystem.ID + sus},
		{"an archive is encrypted", Module, "overwrite /mnt/archive/letters/1998.txt · scrambled\noverwrite /mnt/archive/letters/1999.txt · scrambled", nil, ruleWipedSystem.ID + dan},
		{"a program removes its own files in a shared folder", Script, "write /srv/app/1.job\ndelete /srv/app/1.job\ndelete /srv/app", nil, ""},
		{"a program deletes a shared folder that it did not make", Script, "write /srv/app/1.job\ndelete /srv/site", nil, ruleWipedSystem.ID + sus},
		{"a message that was read", Script, "rename /tmp/Maildir/new/1735862400.M3P100.dev · /tmp/Maildir/cur/1735862400.M3P100.dev:2,S", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := runOf(t, tt.kind, tt.events)
			r.Seen.Events = append(r.Seen.Events, tt.more...)
			got := ""
			for _, f := range Findings(r) {
				if id := f.Rule; strings.HasPrefix(tt.want, id+" ") || tt.want == "" && (id == ruleWipedHome.ID || id == ruleWipedSystem.ID) {
					got = id + " " + f.Severity.String()
				}
			}
			if got != tt.want {
				t.Errorf("%q of %s, want %q", got, rulesOf(Findings(r)), tt.want)
			}
		})
	}
}
