package build

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Makefile is what a Makefile runs.
type Makefile struct {
	Recipes []Line // the lines of recipes and definitions, as they are written
	// Expanded are the lines of the rules in which something was worked out, as the shell
	// gets them.
	Expanded []Line
	Read     []Line // commands that run as soon as the file is read
	Shells   []Line // what SHELL and .SHELLFLAGS say, as a command line
	// Unread are the bounds that kept something from being worked out.
	Unread []string
}

// ReadMakefile evaluates a Makefile.
func ReadMakefile(content []byte) Makefile {
	m := newMaker()
	r := makeReader{maker: m, prefix: "\t"}
	at := 0
	for line := range strings.SplitSeq(withoutSigns(string(content)), "\n") {
		at++
		r.lines = append(r.lines, Line{strings.TrimSuffix(line, "\r"), at})
	}
	r.all()
	m.recipes()
	m.shells()
	if m.budget.spent {
		m.out.Expanded = append(m.out.Expanded, Line{Computed + "more than gate works out}}", 1})
	}
	m.out.Unread = m.budget.unread
	return m.out
}

// maker is the state of a make that only reads.
type maker struct {
	budget    *budget
	functions map[string]makeFunction
	vars      map[string][]makeValue
	exported  map[string]bool
	exports   bool // all variables
	rules     []*makeRule
	ways      *ways
	active    map[string]bool // variables that are worked out just now
	at        int             // the line that is worked out
	nested    int             // evals
	out       Makefile
	shellAt   int // the line that sets SHELL or its flags
}

// makeValue is one value that a variable may have.
type makeValue struct {
	text   string
	simple bool // it is not expanded where it is used
}

// makeRule is a rule with its recipe.
type makeRule struct {
	targets, needs string
	recipe         []Line // one logical line each; line ends within stay
	made           bool   // by eval: no file holds it
}

func newMaker() *maker {
	m := &maker{budget: newBudget(), functions: makeFunctions(), vars: map[string][]makeValue{}, exported: map[string]bool{}, active: map[string]bool{}, ways: &ways{choice: map[string]int{}, among: map[string]int{}}}
	for name, value := range map[string]string{"SHELL": "/bin/sh", ".SHELLFLAGS": "-c", "RM": "rm -f", "MAKE": "make", "comma": ",", "empty": "", "space": " "} {
		m.vars[name] = []makeValue{{value, true}}
	}
	return m
}

// makeReader reads the lines of a Makefile, or of a text that becomes part of one.
type makeReader struct {
	*maker
	lines      []Line
	next       int
	prefix     string    // of a recipe's lines
	conditions int       // that are open
	rule       *makeRule // that recipe lines belong to
}

var (
	makeAssign = regexp.MustCompile(`^ *((?:(?:export|override|private|unexport|undefine)\s+)*)((?:[^\s:#=!?+$]|\$\([^()]*\)|\$\{[^{}]*\})+)\s*(\?|\+|!|:{0,3})=\s*(.*)$`)
	makeDefine = regexp.MustCompile(`^ *((?:(?:export|override|private)\s+)*)define\s+([^\s:#=!?+]+)\s*(\?|\+|!|:{0,3})=?\s*$`)
	makeTarget = regexp.MustCompile(`^[^=]*?:\s*(?:(?:export|override|private)\s+)*([^\s:#=!?+$]+)\s*(\?|\+|!|:{0,3})=\s*(.*)$`)
	makeCall   = regexp.MustCompile(`\$[({](shell|eval|guile)\s`)
	makeExport = regexp.MustCompile(`^ *export(?:\s+([^=]*))?$`)
	makeIf     = regexp.MustCompile(`^ *(ifeq|ifneq|ifdef|ifndef|else|endif)\b`)
)

func (r *makeReader) all() {
	for r.next < len(r.lines) && !r.budget.full(len(r.out.Recipes), 4*maxLines, "lines of recipes") {
		r.one()
	}
}

// one reads one line, with those that it goes on over.
func (r *makeReader) one() {
	first := r.next
	line := r.lines[first]
	r.at = line.At
	if strings.HasPrefix(line.Text, r.prefix) && (r.prefix != " " || r.rule != nil) {
		r.recipe()
		return
	}
	logical := r.logical()
	r.calls(logical)
	if m := makeDefine.FindStringSubmatch(logical); m != nil {
		r.define(m[2], m[3], strings.Contains(m[1], "export"))
		return
	}
	if m := makeIf.FindStringSubmatch(logical); m != nil {
		switch m[1] {
		case "endif":
			r.conditions = max(0, r.conditions-1)
		case "else":
		default:
			r.conditions++
		}
		r.once(logical)
		return
	}
	if m := makeAssign.FindStringSubmatch(logical); m != nil {
		r.assign(r.once(m[2]), m[3], withoutComment(m[4]), r.conditions > 0)
		if strings.Contains(m[1], "export") {
			r.exported[m[2]] = true
		}
		return
	}
	if m := makeExport.FindStringSubmatch(logical); m != nil {
		names := strings.Fields(r.once(withoutComment(m[1])))
		r.exports = r.exports || len(names) == 0
		for _, name := range names {
			r.exported[name] = true
		}
		return
	}
	r.dependency(logical, line.At)
}

// dependency reads the line of a rule, a variable of one target, or a call that stands alone.
func (r *makeReader) dependency(logical string, at int) {
	trimmed := strings.TrimSpace(logical)
	if trimmed == "" || strings.HasPrefix(trimmed, "#") {
		return
	}
	if m := makeTarget.FindStringSubmatch(logical); m != nil && !strings.Contains(m[1], ";") {
		r.assign(m[1], m[2], withoutComment(m[3]), true)
		return
	}
	head, inline, hasInline := strings.Cut(logical, ";")
	if strings.Contains(head, "$") {
		head = r.once(withoutComment(head))
	}
	targets, needs, isRule := strings.Cut(head, ":")
	if !isRule {
		return
	}
	if strings.TrimSpace(targets) == ".EXPORT_ALL_VARIABLES" {
		r.exports = true
	}
	r.rule = &makeRule{targets: targets, needs: strings.TrimLeft(needs, ":"), made: r.nested > 0}
	if !r.budget.full(len(r.rules), maxLines, "rules") {
		r.rules = append(r.rules, r.rule)
	}
	if hasInline {
		r.raw(inline, at, true)
		r.rule.recipe = append(r.rule.recipe, Line{inline, at})
	}
}

// recipe reads a line of a recipe with those that it goes on over, which need no prefix.
func (r *makeReader) recipe() {
	whole := Line{At: r.lines[r.next].At}
	for n := 0; r.next < len(r.lines); n++ {
		line := r.lines[r.next]
		text := strings.TrimPrefix(line.Text, r.prefix)
		r.next++
		r.raw(text, line.At, n == 0)
		r.calls(text)
		if n > 0 {
			whole.Text += "\n"
		}
		whole.Text += text
		if !backslashed(line.Text) {
			break
		}
	}
	if r.rule == nil { // of a definition that is not closed, or below a conditional
		r.rule = &makeRule{}
		if !r.budget.full(len(r.rules), maxLines, "rules") {
			r.rules = append(r.rules, r.rule)
		}
	}
	r.rule.recipe = append(r.rule.recipe, whole)
}

// define reads a definition up to its end.
func (r *makeReader) define(name, kind string, exported bool) {
	var body []string
	for depth := 1; r.next < len(r.lines); {
		line := r.lines[r.next]
		r.next++
		words := strings.Fields(line.Text)
		if len(words) > 0 && (words[0] == "endef" || strings.HasPrefix(words[0], "endef#")) {
			if depth--; depth == 0 {
				break
			}
		} else if len(words) > 0 && words[0] == "define" {
			depth++
		}
		r.raw(line.Text, line.At, true)
		r.calls(line.Text)
		body = append(body, line.Text)
	}
	r.assign(name, kind, strings.Join(body, "\n"), r.conditions > 0)
	if exported {
		r.exported[name] = true
	}
}

// logical is a line with those that it goes on over.
func (r *makeReader) logical() string {
	var out strings.Builder
	for r.next < len(r.lines) {
		line := r.lines[r.next].Text
		r.next++
		if !backslashed(line) {
			out.WriteString(line)
			break
		}
		out.WriteString(strings.TrimSuffix(line, `\`) + " ")
	}
	return out.String()
}

// assign takes over a variable. maybe says that it need not have that value: the assignment
// is in a conditional or is for one target.
func (r *makeReader) assign(name, kind, value string, maybe bool) {
	name = strings.TrimSpace(name)
	before := r.vars[name]
	var values []makeValue
	switch kind {
	case "!":
		r.read(value)
		values = []makeValue{{r.output(value), true}}
	case ":", "::", ":::":
		values = r.variants(value)
	case "+":
		values = added(before, value)
	case "?":
		values = []makeValue{{value, false}}
		if len(before) > 0 {
			values = append(append(values[:0], before...), makeValue{value, false})
		}
	default:
		values = []makeValue{{value, false}}
	}
	if name == "SHELL" || name == ".SHELLFLAGS" {
		r.shellAt = r.at
	}
	if name == ".RECIPEPREFIX" {
		r.prefix = "\t"
		if text := r.once(value); text != "" {
			r.prefix = string([]rune(strings.ReplaceAll(text, fromElsewhere("$(.RECIPEPREFIX)"), ""))[:1])
		}
	}
	if maybe {
		values = append(append([]makeValue(nil), before...), values...)
	}
	values = variants(values, anyValue)
	if (before != nil || !r.budget.full(len(r.vars), maxVariables, "variables")) && r.budget.take(len(value)) {
		r.vars[name] = values
	}
}

// added appends a text to each of the values.
func added(before []makeValue, text string) []makeValue {
	if len(before) == 0 {
		return []makeValue{{text, false}}
	}
	out := make([]makeValue, len(before))
	for i, v := range before {
		if v.simple {
			v.text = strings.ReplaceAll(v.text, "$", "$$")
		}
		out[i] = makeValue{v.text + " " + text, false}
		if len(out[i].text) > maxValue {
			out[i] = makeValue{tooMuch(maxValue, "bytes"), true}
		}
	}
	return out
}

// anyValue stands for one of several values.
func anyValue(values []makeValue) makeValue {
	return makeValue{oneOf(textsOf(values), maxVariants, "values"), true}
}

// backslashed reports whether a line goes on with the next one.
func backslashed(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// withoutComment cuts off a comment behind a value. A sign within a call is none.
func withoutComment(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case '#':
			if depth <= 0 && (i == 0 || s[i-1] != '\\') {
				return strings.TrimRight(s[:i], " \t")
			}
		}
	}
	return s
}
