package attribution

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate/change/git"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// opinion is what is known of one commit. Without claims and doubt nothing marks
// it, and everything about it was looked at.
type opinion struct {
	claims []claim
	doubt  string // why marks may be missing, or ""
}

// judge looks at what a commit says about itself. notes reports whether the
// repository keeps notes about who wrote what, and noted whether this commit has
// one.
func judge(c git.Commit, notes, noted bool) opinion {
	var o opinion
	o.claims = append(o.claims, person(c.Author, "author")...)
	o.claims = append(o.claims, person(c.Committer, "committer")...)
	o.claims = append(o.claims, inMessage(c.Message, "message")...)
	for i := range o.claims {
		o.claims[i].text = short(c.OID) + ": " + o.claims[i].text
	}
	switch {
	case squashed(c):
		o.doubt = "a squash of commits that are not here"
	case !readable(c.Encoding):
		o.doubt = "its message is in an encoding that gate does not read"
	case len(c.Message) > maxMessage:
		o.doubt = "its message is not read as a whole"
	case unknownBot(c.Author):
		o.doubt = "the author is automation that gate does not know"
	case notes && !noted && rewritten(c):
		o.doubt = "the commit was rewritten, and its notes may have been lost"
	}
	if o.doubt != "" {
		o.doubt = short(c.OID) + ": " + o.doubt
	}
	return o
}

// readable reports whether the marks of a message in that encoding can be read: those that keep
// ASCII as it is.
func readable(encoding string) bool {
	if encoding == "" {
		return true
	}
	name := strings.ReplaceAll(strings.ToLower(encoding), "_", "-")
	return slices.ContainsFunc([]string{"utf-8", "utf8", "ascii", "us-ascii", "iso-8859-", "iso8859-", "latin", "windows-125", "cp125", "koi8-", "gb2312", "gbk", "gb18030", "big5", "euc-", "shift-jis", "sjis", "cp932"},
		func(known string) bool { return strings.HasPrefix(name, known) })
}

func short(oid git.OID) string { return string(oid[:min(len(oid), 10)]) }

var squashSubject = regexp.MustCompile(`\A[^\n]*\(#\d+\)\s*(\n|\z)`)

// squashed reports whether a commit is the result of "Squash and merge": its
// message is what was left of those of the single commits.
func squashed(c git.Commit) bool {
	return len(c.Parents) == 1 && strings.EqualFold(c.Committer.Email, "noreply@github.com") && squashSubject.MatchString(c.Message)
}

// rewritten reports whether a commit was rebased, amended or taken over.
func rewritten(c git.Commit) bool {
	return !c.Author.When.Equal(c.Committer.When) || !strings.EqualFold(c.Author.Email, c.Committer.Email)
}

// unknownBot reports whether an identity is an automation of which nothing is
// known: it may well be an agent.
func unknownBot(p git.Person) bool {
	if !strings.HasSuffix(strings.ToLower(p.Name), "[bot]") && !strings.HasSuffix(strings.ToLower(p.Email), "[bot]"+githubNoreply) {
		return false
	}
	return len(person(p, "")) == 0 && !isNotAI(p)
}

func isNotAI(p git.Person) bool {
	return slices.ContainsFunc(notAI(), func(login string) bool { return isLogin(p, login) }) ||
		slices.ContainsFunc(notAIEmails(), func(email string) bool { return strings.EqualFold(email, p.Email) })
}
