package placeholder

import (
	"fmt"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Names says which values a name may have, the likeliest first. The name is a path as
// it is written: matrix.tool. shell says that it is in a place for a shell's variable.
type Names func(path string, shell bool) []Value

// Bounds of one text.
const (
	maxRuns  = 32   // ways to choose values of a text
	maxLine  = 512  // of one line
	maxHops  = 6    // of names in the values of names
	maxWork  = 4000 // placeholders that are looked at
	maxInput = 64 << 10
)

// shortLine is the length up to which a line is worked out in more ways.
const shortLine = 500 // bytes

// Expansion is what a text may become.
type Expansion struct {
	Texts []string // the likeliest first; none that is equal to the text
	Runs  []string // commands that the placeholders themselves run
	// Unread are the bounds that kept something from being written out.
	Unread []string
}

// Expand returns what a text may become once its placeholders are written out.
func Expand(text string, names Names) Expansion {
	var out Expansion
	if !May(text) {
		return out
	}
	r := &run{names: names, work: maxWork, choice: choices{shell: map[string]bool{}}}
	runs, oneLine := maxRuns, strings.IndexByte(text, '\n') < 0
	if len(text) < shortLine && oneLine {
		runs = maxLine
	}
	if len(text) > maxInput {
		if oneLine {
			r.reach(maxInput, "bytes of one text are")
		}
		return Expansion{Unread: r.unread}
	}
	for n := range runs {
		r.begin()
		if plain := r.text(text); plain != text && !slices.Contains(out.Texts, plain) {
			out.Texts = append(out.Texts, plain)
		}
		if r.work < 0 && n == 0 && oneLine {
			r.reach(maxWork, "placeholders of one text are")
		}
		if !r.choice.advance() {
			break
		}
		// The lines of a longer text are written out one by one, in more ways.
		if oneLine && (n == runs-1 || r.work < 0) {
			if r.choice.choosesMore() {
				r.reach(runs, "ways to choose values are")
			}
			break
		}
	}
	out.Runs = r.started
	if oneLine {
		out.Unread = r.unread
	}
	return out
}

// Evaluate returns the values that an expression may have.
func Evaluate(expression string, names Names) []Value {
	if len(expression) > maxInput {
		return nil
	}
	var out []Value
	r := &run{names: names, work: maxWork, choice: choices{shell: map[string]bool{}}}
	for range maxRuns {
		r.begin()
		if v := r.evaluate(expression); v.Known() {
			out = append(out, v)
		}
		if !r.choice.advance() {
			break
		}
	}
	return out
}

// May reports whether a text may hold a placeholder.
func May(text string) bool {
	return strings.IndexByte(text, '$') >= 0 || strings.IndexByte(text, '%') >= 0 || strings.IndexByte(text, '{') >= 0 ||
		strings.Contains(text, "((") || strings.Contains(text, "<<")
}

// run works a text out for one way to choose among the values of names.
type run struct {
	names   Names
	local   map[string]Value // that the text itself sets
	hops    int
	work    int
	started []string
	within  []string // the names whose values are being written out
	unread  []string
	choice  choices
}

// choices are one way to choose among the values of names.
type choices struct {
	chosen map[string]int  // what was chosen, by name
	order  []string        // of choosing
	of     map[string]int  // how many there were to choose from
	preset []int           // what is to be chosen first, in order
	shell  map[string]bool // names of a shell's variables, which are read in the script as well
}

// reach notes a bound that kept something from being written out.
func (r *run) reach(n int, of string) {
	if bound := fmt.Sprintf("%d %s", n, of); !slices.Contains(r.unread, bound) {
		r.unread = append(r.unread, bound)
	}
}

func (r *run) begin() {
	r.local, r.hops = map[string]Value{}, 0
	r.choice.chosen, r.choice.of, r.choice.order = map[string]int{}, map[string]int{}, nil
}

// pick chooses one of n, the same for the same name.
func (c *choices) pick(name string, n int) int {
	if i, ok := c.chosen[name]; ok {
		return min(i, n-1)
	}
	i := 0
	if len(c.order) < len(c.preset) {
		i = min(c.preset[len(c.order)], n-1)
	}
	c.chosen[name], c.of[name] = i, n
	c.order = append(c.order, name)
	return i
}

// choosesMore reports whether there is something to choose besides the variables of a
// shell.
func (c *choices) choosesMore() bool {
	return slices.ContainsFunc(c.order, func(name string) bool { return c.of[name] > 1 && !c.shell[name] })
}

// advance goes to the next way to choose. It reports false when there is none.
func (c *choices) advance() bool {
	for i, name := range slices.Backward(c.order) {
		if c.chosen[name]+1 < c.of[name] {
			c.preset = c.preset[:0]
			for _, before := range c.order[:i] {
				c.preset = append(c.preset, c.chosen[before])
			}
			c.preset = append(c.preset, c.chosen[name]+1)
			return true
		}
	}
	return false
}

// cyclic reports whether a name or one of those around it is within its own value:
// such a value has no end, and nothing is hidden behind the bound.
func (r *run) cyclic(path string) bool {
	seen := map[string]bool{path: true}
	for _, name := range r.within {
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// member takes one step of a path.
func (r *run) member(v Value, path, name string) (Value, string) {
	if path == "" {
		return v.member(name), ""
	}
	return v, path + "." + name
}

// resolve is the value of a path, or the value that is no path.
func (r *run) resolve(v Value, path string) Value {
	if path == "" {
		return v
	}
	return r.name(path, false)
}

// name is a value of a name, with the placeholders in it written out. The last
// parts of the path may be fields of its value.
func (r *run) name(path string, shell bool) Value {
	if v, ok := r.local[path]; ok {
		return v
	}
	if r.names == nil {
		return Value{}
	}
	if r.hops >= maxHops {
		if !r.cyclic(path) {
			r.reach(maxHops, "names in the values of others are")
		}
		return Value{}
	}
	values := r.names(path, shell)
	if len(values) == 0 {
		at := strings.LastIndexByte(path, '.')
		if at <= 0 {
			return Value{}
		}
		of := r.name(path[:at], shell)
		if of.kind == isText {
			return Value{}
		}
		return of.member(path[at+1:])
	}
	r.choice.shell[path] = r.choice.shell[path] || shell
	v := values[r.choice.pick(path, len(values))]
	if v.kind == isText && May(v.text) {
		r.hops++
		r.within = append(r.within, path)
		v = r.written(v.text)
		r.within = r.within[:len(r.within)-1]
		r.hops--
		if shell && strings.Contains(v.text, "${{") {
			return Value{} // a variable hands on what others write; a placeholder would make a command of it
		}
	}
	return v
}

// written is a text with its placeholders written out. One that is a placeholder and
// nothing else may hold a list or an object.
func (r *run) written(text string) Value {
	for _, open := range []string{"${{", "$[", "{{", "${"} {
		body, ok := strings.CutPrefix(strings.TrimSpace(text), open)
		shut := strings.Repeat("}", strings.Count(open, "{"))
		if open == "$[" {
			shut = "]"
		}
		if !ok || !strings.HasSuffix(body, shut) || strings.Count(text, open) != 1 {
			continue
		}
		if v := r.evaluate(strings.TrimSuffix(body, shut)); v.Known() {
			return v
		}
	}
	return r.held(bounded(r.text(text)))
}

// Starts matches text that may hold a call that starts a program as it is
// worked out.
var Starts = regexp.MustCompile(`\b(?:lookup|query|q|run_cmd|exec|output|outputList|plugin|shell|popen|system)\b[ \t]*["'(` + "`" + `]`)

// starts notes a call that starts a program as it is worked out: a look-up of Ansible, or
// a function of a template that takes the words of a command.
func (r *run) starts(c call) {
	words := c.concat().list
	switch c.name {
	case "lookup", "query", "q":
		plugin := ""
		if len(words) > 1 {
			plugin, _ = words[0].String()
		}
		if !strings.HasSuffix(plugin, "pipe") {
			return
		}
		words = words[1:]
	case "run_cmd", "exec", "output", "outputList", "plugin", "shell", "popen", "system":
	default:
		return
	}
	command, ok := joined(words, " ")
	switch {
	case !ok || command == "" || slices.Contains(r.started, command):
	case len(r.started) >= maxStarted:
		r.reach(maxStarted, "commands that placeholders run are")
	default:
		r.started = append(r.started, command)
	}
}

// maxStarted bounds how many commands one text starts.
const maxStarted = 32
