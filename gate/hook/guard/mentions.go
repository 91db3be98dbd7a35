package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// spelled leaves of a text what stays when a shell has taken quotes, braces and case away: a
// flag that is put together reads like the flag.
var spelled = strings.NewReplacer(`"`, "", "'", "", "`", "", `\`, "", "$", "", "{", "", "}", "", "+", "", ",", " ")

// mentions counts how often a text names the flag that leaves out hooks, however it is spelled.
// --no-verify-ssl and the like are other flags.
func mentions(text string) int {
	n := 0
	for rest := spelled.Replace(strings.ToLower(text)); ; {
		_, after, found := strings.Cut(rest, "--no-verif")
		if !found {
			return n
		}
		if rest = after; !strings.HasPrefix(after, "y-") {
			n++
		}
	}
}

// quotedDocument is a text that nothing expands, as messages of commits are written.
var quotedDocument = regexp.MustCompile(`\$\(cat <<-?\s*['"\\](\w+)['"]?\n(?s:.*?)\n\s*(\w+)\s*\)`)

// mentioned refuses a command that names --no-verify where it can't be said that nothing runs
// with it. What reads commands knows many ways to put one together, and never all: variables,
// arrays, references, a history, programs that run their argument. So a mention has to be in a
// place that is known to be text: what a program prints or searches for, a message, a comment.
func (c *checker) mentioned(text string, commands []simple) {
	left := mentions(text)
	for i, s := range commands {
		if left == 0 {
			return
		}
		if s.source != "" && isText(s, commands[i+1:]) {
			left -= mentions(s.source) + mentions(s.document)
		}
	}
	if left > 0 {
		c.add(refuse(ruleNoVerify, "it names `--no-verify` where it may be run"))
	}
}

// isText reports whether all words of a command are text. next are the commands behind it.
func isText(s simple, next []simple) bool {
	if len(s.words) == 0 {
		return strings.HasPrefix(s.source, "#")
	}
	rest := quotedDocument.ReplaceAllStringFunc(s.source, func(m string) string {
		if names := quotedDocument.FindStringSubmatch(m); names[1] != names[2] {
			return m
		}
		return ""
	})
	if len(s.assigns) > 0 || strings.Contains(rest, "$(") || strings.Contains(rest, "`") || strings.Contains(rest, "<(") || strings.Contains(rest, ">(") {
		return false
	}
	if s.piped {
		i := slices.IndexFunc(next, func(n simple) bool { return n.source != "" })
		if i < 0 || !keepsText(next[i]) || next[i].piped && !isText(next[i], next[i+1:]) {
			return false
		}
	}
	return keepsText(s)
}

// keepsText reports whether a program prints, stores or searches for its words and its input.
func keepsText(s simple) bool {
	if len(s.words) == 0 {
		return false
	}
	args := s.words[1:]
	switch program := path.Base(s.words[0]); program {
	case "echo", "printf", "cat", "grep", "egrep", "fgrep", "rg", "ag", "head", "tail", "wc", "less", "tee", "sort", "uniq", "jq", "sed", "gsed", "test", "[", "[[", "pbcopy", "xclip":
		return true
	case "awk", "gawk", "mawk":
		return !slices.ContainsFunc(args, func(a string) bool {
			return strings.Contains(a, "system") || strings.Contains(a, "|") || strings.Contains(a, "getline")
		})
	case "gh", "glab":
		return len(args) > 0 && slices.Contains([]string{"pr", "mr", "issue", "release", "search"}, args[0])
	case "git":
		return len(args) > 0 && slices.Contains([]string{"commit", "grep", "log", "tag", "notes", "diff", "show"}, args[0]) && !slices.ContainsFunc(args, isNoVerify)
	}
	return false
}
