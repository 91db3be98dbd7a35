package behaviour

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

// Personal data is what people have in their home folder besides secrets: mail, documents,
// pictures, the data of an application. A program that someone starts for it may read, copy and
// even send it. What no one started for it may not, nor what takes data of several kinds: that is
// gathering whatever there is.

// kindsOpened is of how many kinds the personal data is that a program opened, or that is
// part of what it did. SQLite opens a database for writing, whatever it is asked.
func kindsOpened(events []sandbox.Event) int {
	kinds := map[string]bool{}
	for _, e := range events {
		ids := e.Canaries
		if e.Action == sandbox.ActionRead || e.Action == sandbox.ActionWrite {
			ids = slices.Concat(ids, canary.In(path.Clean(e.Object)))
		}
		for _, id := range ids {
			if kind := canary.Private(plainID(id)); kind != "" {
				kinds[kind] = true
			}
		}
	}
	return len(kinds)
}

// onlyPersonal reports whether the canaries of an event are those of personal data.
func onlyPersonal(e sandbox.Event) bool {
	return len(e.Canaries) > 0 && !slices.ContainsFunc(e.Canaries, func(c string) bool { return canary.Private(plainID(c)) == "" })
}

// withPersonal lowers what a program that was started for it may do with personal data.
func withPersonal(s *trace, e sandbox.Event, at, few gate.Severity) gate.Severity {
	if onlyPersonal(e) && !s.unasked() && s.personal < 2 {
		return few
	}
	return at
}

// inDataFolder reports whether a path is where machines keep data outside of any home. The sandbox
// has files there.
func inDataFolder(p string) bool { return below(p, "/srv", "/mnt", "/var/backups") }

// tidied reports whether a rename leaves personal or shared data what it is: in another folder, or
// under another name. A name with more behind it is what encrypting leaves.
func tidied(e sandbox.Event, f canary.File) bool {
	return e.Action == sandbox.ActionRename && (f.Use == canary.UsePrivate || ofAPerson(f) || inDataFolder(f.Path)) &&
		(below(target(e), canary.Home) || inDataFolder(target(e))) && !strings.HasPrefix(path.Base(target(e)), path.Base(f.Path)+".")
}

// ofAPerson reports whether a file lies where people keep what is theirs: in the home folder, and
// not among the hidden settings.
func ofAPerson(f canary.File) bool {
	in, ok := strings.CutPrefix(f.Path, canary.Home+"/")
	return ok && f.Use == canary.UsePublic && in[0] != '.' && !canary.InRepository(f.Path)
}
