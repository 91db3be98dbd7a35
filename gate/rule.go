package gate

import "strings"

// Rule describes one kind of finding to the people who read findings. Every layer
// describes its rules with it, whatever else it knows about them.
type Rule struct {
	ID       string   // "category/name"
	Severity Severity // the usual one; a finding can have another
	Layer    Layer    // that makes the findings
	Title    string   // a noun phrase, such as "SSH keys read or copied"
	// Message is what a finding says that the file does or the program did: "reads or
	// copies SSH keys". It is the title where a rule has none of its own.
	Message string
	Why     string // why it is dangerous, in a paragraph or two
	Instead string // what to do instead; may be empty
	// Languages are those of the files in which the rule looks; empty is every file.
	Languages []Language
	Refs      []string // "CWE-78", "T1059"
	// From is the file and line of a rule that a team wrote itself, "" for gate's own.
	From string
}

// Category is the part of the id before the slash: findings of several layers that share
// it corroborate each other.
func (r Rule) Category() string {
	category, _, _ := strings.Cut(r.ID, "/")
	return category
}
