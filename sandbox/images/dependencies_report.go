package images

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// installed is what the installers say they have done.
type installed struct {
	projects []InstalledProject
	problems []string // what is not there, and why
	version  string   // of the interpreter that is there
	bun      bool     // it is there
}

// versionOf matches the version of an interpreter.
var versionOf = regexp.MustCompile(`^\d{1,3}(\.\d{1,4}){1,2}$`)

// readReport reads what the installers say, which is for people and for finding the
// folders again: lines of number, word, name and reason.
func readReport(report []byte, d Dependencies) (out installed, err error) {
	modules, resolved := map[int][]string{}, map[int][]string{}
	done := map[int]bool{}
	problem := func(n int, format string, args ...any) {
		if len(out.problems) < maxProblems {
			where := d.Projects[n].Dir
			if where == "" {
				where = "."
			}
			out.problems = append(out.problems, where+": "+plainLine(fmt.Sprintf(format, args...)))
		}
	}
	for line := range strings.Lines(string(report)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) < 2 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil || n < 0 || n >= len(d.Projects) {
			return installed{}, fmt.Errorf("the installers' report has a line that means nothing: %.200q", line)
		}
		f = append(f, "", "")
		switch f[1] {
		case "ok":
			done[n] = true
		case "failed":
			problem(n, "nothing is installed: %s", f[3])
		case "missing":
			problem(n, "%s is not installed: %s", f[2], f[3])
		case "note":
			problem(n, "%s", f[3])
		case "interpreter":
			if !versionOf.MatchString(f[2]) || !strings.HasPrefix(f[2], d.Interpreter+".") {
				return installed{}, fmt.Errorf("the installers' report names an interpreter that was not asked for: %.200q", line)
			}
			out.version = f[2]
		case "bun":
			out.bun = true
		case "modules":
			modules[n] = append(modules[n], f[2])
		case "resolved":
			resolved[n] = append(resolved[n], plainLine(f[2]))
		}
	}
	for n, p := range d.Projects {
		if !done[n] {
			continue
		}
		at := path.Join(DependencyRoot, strconv.Itoa(n))
		if d.Language == "go" {
			at = DependencyRoot + "/mod"
		}
		in := InstalledProject{Dir: p.Dir, At: at, Modules: modules[n]}
		slices.Sort(in.Modules)
		in.Resolved = shortened(resolved[n], maxResolved/len(d.Projects))
		out.projects = append(out.projects, in)
	}
	for n, p := range d.Projects {
		if p.Needed && !done[n] {
			return installed{}, errors.New("not all could be installed:\n" + strings.Join(out.problems, "\n"))
		}
	}
	if len(out.projects) == 0 {
		return installed{}, errors.New("nothing could be installed:\n" + strings.Join(out.problems, "\n"))
	}
	return out, nil
}

// maxResolved bounds what the labels say of versions that no lock file names, in bytes.
const maxResolved = 24 << 10

// shortened is the sorted beginning of a list that is as long as a label may be, and how
// many are left out.
func shortened(list []string, bytes int) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	for i, text := range list {
		if bytes -= len(text) + 3; bytes < 0 {
			return append(list[:i:i], fmt.Sprintf("and %d more", len(list)-i))
		}
	}
	return list
}

// plainLine is one line of printable text of a bounded length.
func plainLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "") + "…"
	}
	return strings.TrimSpace(text)
}

// HasInterpreter reports whether a major version of a language's interpreter can be
// installed with dependencies.
func HasInterpreter(language, major string) bool {
	pins, err := buildContext.ReadFile("deps-" + language + "/interpreters")
	return err == nil && strings.Contains(string(pins), "-x64-"+major+".")
}
