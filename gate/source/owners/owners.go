package owners

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

// The bounds of a file: GitHub takes at most 3 MB.
const (
	MaxBytes = 3 << 20
	MaxRules = 5000
)

// Places are where the file may be, the one that counts first.
func Places() []string {
	return []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}
}

// Owners says who owns which files. The zero value owns nothing.
type Owners struct {
	rules []rule
}

type rule struct {
	section string
	globs   []string
	owners  []string
}

// Read reads a CODEOWNERS file.
func Read(text []byte) (Owners, error) {
	if len(text) > MaxBytes {
		return Owners{}, fmt.Errorf("larger than %d bytes", MaxBytes)
	}
	var out Owners
	section, standard := "", []string(nil) // of GitLab: the owners of the section's patterns without any
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, MaxBytes+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if name, rest, ok := heading(line); ok {
			section, standard = strings.ToLower(name), names(strings.Fields(rest))
			continue
		}
		fields := words(line)
		if len(fields) == 0 {
			continue
		}
		globs := globsOf(fields[0])
		if len(globs) == 0 {
			continue
		}
		if len(out.rules) >= MaxRules {
			return Owners{}, fmt.Errorf("more than %d patterns", MaxRules)
		}
		r := rule{section, globs, names(fields[1:])}
		if len(r.owners) == 0 {
			r.owners = standard
		}
		out.rules = append(out.rules, r)
	}
	return out, lines.Err()
}

// heading reads the first line of a section of GitLab: [Name][2] @owner, ^[Optional].
func heading(line string) (name, owners string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "^"), "[")
	if !ok {
		return "", "", false
	}
	name, owners, ok = strings.Cut(rest, "]")
	if approvals, after, found := strings.Cut(owners, "]"); found && strings.HasPrefix(approvals, "[") {
		owners = after
	}
	return name, owners, ok
}

// words splits a line at white space, which a backslash makes part of a pattern, up to a
// comment.
func words(line string) []string {
	var out []string
	var word strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			if i++; line[i] != ' ' && line[i] != '#' {
				word.WriteByte(c)
			}
			word.WriteByte(line[i])
		case c == ' ' || c == '\t':
			if word.Len() > 0 {
				out = append(out, word.String())
				word.Reset()
			}
		case c == '#' && word.Len() == 0:
			return out
		default:
			word.WriteByte(c)
		}
	}
	if word.Len() > 0 {
		out = append(out, word.String())
	}
	return out
}

// names are the words that name an owner, up to a comment, in lower case: both forges
// ignore case.
func names(fields []string) []string {
	var out []string
	for _, f := range fields {
		if strings.HasPrefix(f, "#") {
			break
		}
		if strings.Contains(f, "@") {
			out = append(out, strings.ToLower(f))
		}
	}
	return out
}

// globsOf turns a pattern into globs. Where it has no slash but a last one it matches in
// every folder; a folder stands for all below, but not where the last part is a star.
func globsOf(pattern string) []string {
	folder := strings.HasSuffix(pattern, "/")
	p := strings.Trim(pattern, "/")
	if p == "" {
		return []string{"**"}
	}
	if strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
		p = "/" + p
	} else {
		p = "/**/" + p
	}
	var out []string
	for _, g := range []string{p, p + "/**"} {
		last := p[strings.LastIndexByte(p, '/')+1:]
		if (g == p && folder) || (g != p && last == "*" && p != "/**/*") {
			continue
		}
		if glob.Check(g) == nil {
			out = append(out, g)
		}
	}
	return out
}

// Of returns who owns a file, sorted; of a file without owners there are none.
func (o Owners) Of(path string) []string {
	last := map[string][]string{}
	for _, r := range o.rules {
		if glob.Any(r.globs, path) {
			last[r.section] = r.owners
		}
	}
	var out []string
	for _, of := range last {
		out = append(out, of...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// All returns everybody who owns anything, sorted.
func (o Owners) All() []string {
	var out []string
	for _, r := range o.rules {
		out = append(out, r.owners...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Len is how many patterns there are.
func (o Owners) Len() int { return len(o.rules) }
