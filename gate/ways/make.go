package ways

import (
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	makeRule     = regexp.MustCompile(`^([\w.%/ -]{1,300}?)\s*::?(?:[^=]|$)`)
	makeVariable = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][\w.-]{0,99})[ \t]*(?:\?|:{0,2})=[ \t]*(.*)$`)
	makeUse      = regexp.MustCompile(`\$[({]([A-Za-z_][\w.-]{0,99})[)}]`)
)

// testTargets are what Makefiles call the running of tests.
var testTargets = []string{"test", "tests", "check", "unit", "unittest", "unit-test", "unit-tests", "test-unit", "pytest", "gotest", "go-test", "test-go"}

// makefile are the rules of one.
type makefile struct {
	targets   []string
	needs     map[string][]string
	recipes   map[string]string
	variables map[string]string
	exported  []string
}

func readMakefile(text string) makefile {
	m := makefile{needs: map[string][]string{}, recipes: map[string]string{}, variables: map[string]string{}}
	var now []string
	for line := range strings.Lines(strings.ReplaceAll(clip(text), "\\\n", " ")) {
		line = strings.TrimRight(line, "\r\n")
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			for _, target := range now {
				m.recipes[target] += strings.TrimLeft(recipe, "@-+ \t") + "\n"
			}
			continue
		}
		if v := makeVariable.FindStringSubmatch(line); v != nil {
			if _, set := m.variables[v[1]]; !set && len(m.variables) < maxCommands {
				value, _, _ := strings.Cut(v[2], "#")
				m.variables[v[1]] = strings.TrimSpace(value)
				if strings.HasPrefix(line, "export") {
					m.exported = append(m.exported, v[1])
				}
			}
			continue
		}
		rule := makeRule.FindStringSubmatch(line)
		if rule == nil {
			if strings.TrimSpace(line) != "" && line[0] != '#' {
				now = nil
			}
			continue
		}
		now = nil
		_, needs, _ := strings.Cut(line, ":")
		needs, _, _ = strings.Cut(strings.TrimPrefix(needs, ":"), "#")
		needs, recipe, inline := strings.Cut(needs, ";")
		for target := range strings.FieldsSeq(rule[1]) {
			if len(m.needs) >= maxFollowed {
				break
			}
			m.targets = append(m.targets, target)
			m.needs[target] = append(m.needs[target], strings.Fields(needs)...)
			if inline {
				m.recipes[target] += recipe + "\n"
			}
			now = append(now, target)
		}
	}
	return m
}

// expanded puts variables in the place of their names, where they are plain texts.
func (m makefile) expanded(text string) string {
	for range maxDepth {
		next := makeUse.ReplaceAllStringFunc(here.Replace(text), func(use string) string {
			name := makeUse.FindStringSubmatch(use)[1]
			switch value, ok := m.variables[name]; {
			case name == "MAKE":
				return "make"
			case ok && len(value) <= 1000:
				return value
			}
			return use
		})
		if next == text || len(next) > maxScript {
			break
		}
		text = next
	}
	return strings.ReplaceAll(text, "$$", "$")
}

// makeCommands are the commands of the targets of a Makefile that run tests, with those of the
// targets that they need or call.
func makeCommands(read Read, dir string) (commands []Command, by string) {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		file := path.Join(dir, name)
		text := read(file)
		if text == "" {
			continue
		}
		m := readMakefile(text)
		r := making{makefile: m, dir: dir}
		for _, target := range testTargets {
			if slices.Contains(m.targets, target) {
				r.make(target, 0)
			}
		}
		return r.out, file
	}
	return nil, ""
}

type making struct {
	makefile
	dir  string
	done []string
	out  []Command
}

func (r *making) make(target string, depth int) {
	if depth > maxDepth || slices.Contains(r.done, target) || len(r.out) >= maxCommands || len(r.done) >= maxFollowed {
		return
	}
	r.done = append(r.done, target)
	for _, need := range r.needs[target] {
		r.make(need, depth+1)
	}
	var env []string
	for _, name := range r.exported {
		if value := r.expanded(r.variables[name]); !strings.Contains(value, "$") {
			env = append(env, name+"="+value)
		}
	}
	for line := range strings.Lines(r.recipes[target]) { // each has a shell of its own
		for _, c := range Split(r.expanded(line)) {
			if len(c.Words) > 1 && c.Words[0] == "make" && !slices.Contains(c.Words, "-C") {
				for _, w := range c.Words[1:] {
					if slices.Contains(r.targets, w) {
						r.make(w, depth+1)
					}
				}
				continue
			}
			if len(r.out) < maxCommands {
				c.Env, c.Dir = slices.Concat(env, c.Env), Below(r.dir, c.Dir)
				r.out = append(r.out, c)
			}
		}
	}
}
