package execute

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Not every condition has lines of its own. A table holds a command for each platform, an
// expression has one of two texts: such a line ran, and what it would have given elsewhere did not.

// changedTexts are the texts of a change, with what it changed in them.
type changedTexts struct {
	changed map[string]gate.LineSet
	sources coverage.Sources
}

func (r *rounds) texts() changedTexts {
	return changedTexts{changed: r.changed, sources: r.life.observe.sources}
}

// guarded are the changed lines of a file of which a part may not have run: a condition with what it
// guards, and a choice in front of harm.
func (t changedTexts) guarded(file string) [][2]int {
	text, changed := t.sources[file], t.changed[file]
	return slices.Concat(guarded(text, changed, harmful(file, t.changed, t.sources)), t.chosen(file))
}

// chosen are the changed lines of a file that choose a value by what they find, where the change
// has lines that can do harm.
func (t changedTexts) chosen(file string) [][2]int {
	text, changed := t.sources[file], t.changed[file]
	out := choices(text, changed)
	if len(out) == 0 || !t.mayHarm(path.Dir(file)) {
		return nil
	}
	return out
}

// mayHarm reports whether a changed line of a file of a folder can do harm.
func (t changedTexts) mayHarm(folder string) bool {
	for file, changed := range t.changed {
		if path.Dir(file) != folder {
			continue
		}
		n := 0
		for line := range strings.Lines(t.sources[file]) {
			if n++; changed.Touches(n, n) && harms.MatchString(line) && !imports.MatchString(line) {
				return true
			}
		}
	}
	return false
}

// chosenElsewhere adds the choices of the other changed files in the folders of those that are
// there: a file is asked for what a table of another one holds.
func (t changedTexts) chosenElsewhere(force map[string][][2]int) {
	folders := map[string]bool{}
	for file := range force {
		folders[path.Dir(file)] = true
	}
	for file := range t.changed {
		switch path.Ext(file) {
		case ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		default:
			continue
		}
		if _, has := force[file]; !has && folders[path.Dir(file)] {
			if lines := t.chosen(file); len(lines) > 0 {
				force[file] = lines
			}
		}
	}
}

// choices are the changed lines of Python and JavaScript that look a table of their file up by what
// is no constant, or have one of two values, by line.
func choices(text string, changed gate.LineSet) [][2]int {
	if !awaits.MatchString(text) {
		return nil
	}
	tables := map[string]bool{}
	for _, m := range tableOf.FindAllStringSubmatch(text, -1) {
		tables[m[1]+m[2]] = true
	}
	var out [][2]int
	n := 0
	for line := range strings.Lines(text) {
		if n++; !changed.Touches(n, n) {
			continue
		}
		looksUp := lookUpHere.MatchString(line) || slices.ContainsFunc(lookUp.FindAllStringSubmatch(line, -1), func(m []string) bool { return tables[m[1]] })
		if looksUp || either.MatchString(line) {
			out = append(out, [2]int{n, n})
		}
	}
	return out
}

var (
	// tableOf is a table at the top of a file, written there or read from another file.
	tableOf = regexp.MustCompile(`(?m)^(?:(?:export\s+)?(?:const\s+|let\s+|var\s+)?([A-Za-z_]\w*)(?:\s*:[^=\n]+)?\s*=\s*(?:[\[{]|Object\.freeze\(|new Map\(|require\([^)]*\.json|JSON\.parse|\w+\.(?:safe_)?loads?\(|dict\()|import\s+(\w+)\s+from\s+['"][^'"]+\.json)`)
	// lookUp is a table that is looked up, lookUpHere one that is written in place.
	lookUp     = regexp.MustCompile(`\b([A-Za-z_]\w*)(?:\[["'][^"']*["']\])?(?:\.get\(|\[)[A-Za-z_$` + "`" + `]`)
	lookUpHere = regexp.MustCompile(`^\s*\}(?:\.get\(|\[)[A-Za-z_]`)
	// either is an expression with one of two values, or the value of a condition.
	either  = regexp.MustCompile(`\S\s+if\s+\S.*\selse\s|\S\s\?\s[^?].*\s:\s|^\s*\w[\w, ]*\s=\s[^=].*\sand\s|^\s*(?:const|let|var)\s+\w+\s=\s.*\s&&\s`)
	imports = regexp.MustCompile(`^\s*(?:import|from)\b|\brequire\(`)
)
