package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Bounds of a commit.
const (
	maxCommit  = 4 << 20 // bytes of the object
	maxParents = 64      // an octopus of more is no merge that anybody made
)

// Person is who a commit names as its author or committer. It is whatever the
// commit says.
type Person struct {
	Name  string
	Email string
	When  time.Time
}

// Commit is one commit. All text in it is hostile.
type Commit struct {
	OID       OID
	Tree      OID
	Parents   []OID
	Author    Person
	Committer Person
	Message   string
	Encoding  string // that the commit names for its message, "" for none
}

// parseCommit reads a commit object: header lines, of which some continue on
// lines that begin with a space, an empty line, the message.
func parseCommit(oid OID, data []byte, f Format) (Commit, error) {
	c := Commit{OID: oid}
	if len(data) > maxCommit {
		return c, fmt.Errorf("commit %.12s has %d bytes (at most %d are read)", oid, len(data), maxCommit)
	}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	c.Message = string(message)
	var err error
	seen := map[string]bool{}
	for line := range strings.SplitSeq(string(head), "\n") {
		if strings.HasPrefix(line, " ") {
			continue // the rest of a signature or of a merged tag
		}
		key, value, ok := strings.Cut(line, " ")
		if !ok {
			return c, fmt.Errorf("commit %.12s: not a header: %q", oid, printable(clip(line)))
		}
		switch key {
		case "tree", "author", "committer":
			if seen[key] {
				return c, fmt.Errorf("commit %.12s has two headers %q", oid, key)
			}
			seen[key] = true
		}
		switch key {
		case "tree":
			c.Tree, err = f.parse(value)
		case "parent":
			var p OID
			p, err = f.parse(value)
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author = parsePerson(value)
		case "committer":
			c.Committer = parsePerson(value)
		case "encoding":
			c.Encoding = strings.TrimSpace(value)
		}
		if err != nil {
			return c, fmt.Errorf("commit %.12s: %w", oid, err)
		}
	}
	if !seen["tree"] || !seen["author"] || !seen["committer"] {
		return c, fmt.Errorf("commit %.12s lacks a header", oid)
	}
	if len(c.Parents) > maxParents {
		return c, fmt.Errorf("commit %.12s has %d parents (at most %d)", oid, len(c.Parents), maxParents)
	}
	return c, nil
}

// parsePerson reads "NAME <EMAIL> SECONDS ZONE" as far as it goes; what people's
// tools write there is seldom checked.
func parsePerson(s string) Person {
	open, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Person{Name: strings.TrimSpace(s)}
	}
	p := Person{Name: strings.TrimSpace(s[:open]), Email: strings.TrimSpace(s[open+1 : end])}
	if when := strings.Fields(s[end+1:]); len(when) > 0 {
		if sec, err := strconv.ParseInt(when[0], 10, 64); err == nil {
			p.When = time.Unix(sec, 0).UTC()
		}
	}
	return p
}

// Commit reads a commit.
func (o *Objects) Commit(oid OID) (Commit, error) {
	data, err := o.content(oid, "commit")
	if err != nil {
		return Commit{}, err
	}
	return parseCommit(oid, data, o.repo.format)
}
