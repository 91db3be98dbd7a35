package guard

import (
	"path"
	"strings"
)

// File is a file that a command writes, or a program that it hands to an interpreter.
type File struct {
	Path    string // as the command names it, in its folder; absolute where that is known
	Content string
}

// maxFiles is how many files of one command are told.
const maxFiles = 50

// Script returns what a command holds besides its own text: the commands in its
// substitutions, and the constant texts that it writes to files or hands to interpreters.
// What can't be read has none: [Command] refuses it.
func Script(text string, p Place) (commands []string, files []File) {
	all, inner, why := substitutions(text, p)
	if why != "" {
		return nil, nil
	}
	for _, s := range all {
		if len(s.words) == 0 || len(files) >= maxFiles {
			continue
		}
		content := printed(s)
		program := strings.ToLower(path.Base(s.words[0]))
		if program == "tee" {
			content = s.stdin
			for _, w := range s.words[1:] {
				if !strings.HasPrefix(w, "-") {
					files = append(files, File{join(s.dir, p.expand(w)), content})
				}
			}
		}
		for _, r := range s.redirects {
			if r.write && content != "" && r.to != "/dev/null" {
				files = append(files, File{join(s.dir, p.expand(r.to)), content})
			}
		}
		if ending := endingOf(program); ending != "" && s.stdin != "" {
			files = append(files, File{join(s.dir, "stdin"+ending), s.stdin})
		}
	}
	return inner, files
}

// endingOf is what files of an interpreter's language end with.
func endingOf(program string) string {
	switch strings.TrimRight(program, "0123456789.") {
	case "python", "pypy":
		return ".py"
	case "node", "nodejs", "deno", "bun":
		return ".js"
	case "perl":
		return ".pl"
	case "ruby":
		return ".rb"
	case "php":
		return ".php"
	}
	if isShell(program) {
		return ".sh"
	}
	return ""
}
