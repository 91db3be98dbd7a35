package embedded

import (
	"cmp"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/placeholder"
)

// constant is what a name of a document holds.
type constant struct {
	path  []string // of keys, in lower case
	of    *setting
	value placeholder.Value
	scope bool // a variable of a shell has it, too
}

// constants are what the names of a document hold, by the last part of their path in
// lower case.
type constants struct {
	of map[string][]constant
	// matrix says that a text asked for a value of a matrix that has more than are tried.
	matrix bool
}

func newConstants() *constants {
	return &constants{of: map[string][]constant{}}
}

// Bounds of what is known of one document.
const (
	maxConstants = 5000 // names
	maxSame      = 64   // values of one name
	maxChoices   = 256  // values of one name that are tried: as many jobs as a matrix of GitHub has
)

// add takes over all names in a value.
func (c *constants) add(s *setting, path []string, scope bool) {
	if len(c.of) > maxConstants {
		return
	}
	if s.key != "" {
		path = append(slices.Clip(path), strings.ToLower(strings.Trim(s.key, " *&")))
	}
	if len(path) > 0 && s.kind != objectSetting {
		c.put(constant{path: path, of: s, value: valueOf(s, path), scope: scope})
	}
	scope = scope || slices.Contains(scopes, strings.ToLower(s.key))
	if s.kind == scalarSetting && scope {
		c.assignments(s, path)
	}
	c.steps(s)
	c.loops(s, path)
	if s.kind == objectSetting {
		c.named(s, path, scope)
	}
	for _, item := range s.items {
		c.add(item, path, scope)
	}
}

// put adds a constant. Parts of the path that only say that a value follows are left
// out.
func (c *constants) put(one constant) {
	last := len(one.path) - 1
	for last > 0 && slices.Contains([]string{"default", "value", "defaultvalue", "content", "initial", "sh"}, one.path[last]) {
		last--
		one.scope = true
	}
	one.path = one.path[:last+1]
	name := one.path[last]
	if len(c.of[name]) < maxSame {
		c.of[name] = append(c.of[name], one)
	}
}

// valueOf is the value of a setting. Numbers and versions stay texts.
func valueOf(s *setting, path []string) placeholder.Value {
	if s.kind == scalarSetting {
		return placeholder.Text(s.text)
	}
	out := placeholder.List()
	var items []placeholder.Value
	for _, item := range s.items {
		if item.kind != objectSetting {
			items = append(items, valueOf(item, path))
		}
	}
	if len(items) > 0 {
		out = placeholder.List(items...)
	}
	return out
}

// named adds what an object says of a name: {name: a, value: b}.
func (c *constants) named(s *setting, path []string, scope bool) {
	name := cmp.Or(s.member("name"), s.member("id"), s.member("key"), s.member("variable"))
	if name == nil || name.kind != scalarSetting {
		return
	}
	for _, key := range []string{"value", "default", "defaultvalue", "values"} {
		if v := s.member(key); v != nil && v.kind != objectSetting {
			full := append(slices.Clip(path), strings.ToLower(name.text))
			c.put(constant{path: full, of: v, value: valueOf(v, full), scope: true})
		}
	}
}

var assignment = regexp.MustCompile(`(?:^|[\s,])(?:"([A-Za-z_]\w*)=([^"\n]*)"|'([A-Za-z_]\w*)=([^'\n]*)'|([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,"']+)))`)

// assignments adds the variables of a text such as A=b C="d".
func (c *constants) assignments(s *setting, path []string) {
	if strings.IndexByte(s.text, '=') < 0 {
		return
	}
	found := assignment.FindAllStringSubmatch(s.text, maxConstants)
	for _, m := range found {
		full := append(slices.Clip(path), strings.ToLower(m[1]+m[3]+m[5]))
		c.put(constant{path: full, of: s, value: placeholder.Text(m[2] + m[4] + m[6] + m[7] + m[8]), scope: true})
	}
}

// handedOn matches how a step sets a variable for the steps behind it.
var handedOn = regexp.MustCompile(`(?:##vso\[task\.setvariable variable=(\w+)[^\]]*\]|::set-(?:output|env) name=(\w+)::|echo\s+(?:-\w+\s+)*["']?(?:export\s+)?(\w+)=)([^\n"'>]*?)\s*(?:["'\n]|$|>)`)

// steps adds the variables that the commands of a text set for the steps behind it.
func (c *constants) steps(s *setting) {
	if !strings.Contains(s.text, "_ENV") && !strings.Contains(s.text, "_OUTPUT") && !strings.Contains(s.text, "setvariable") && !strings.Contains(s.text, "::set-") {
		return
	}
	found := handedOn.FindAllStringSubmatch(s.text, maxConstants)
	for _, m := range found {
		c.put(constant{path: []string{"outputs", strings.ToLower(m[1] + m[2] + m[3])}, of: s, value: placeholder.Text(m[4]), scope: true})
	}
}

// loopKeys are keys, in lower case, of lists over which a tool goes, with each element
// as "item".
var loopKeys = []string{"loop", "with_items", "with_list", "with_flattened", "with_together", "withitems", "withparam", "for"}

var each = regexp.MustCompile(`\$\{\{\s*each\s+(\w+)\s+in\s+([\w.-]+)\s*\}\}`)

// loops adds the names that the elements of a list have in a loop.
func (c *constants) loops(s *setting, path []string) {
	if s.kind == listSetting && slices.Contains(loopKeys, strings.ToLower(s.key)) {
		copied := *s
		copied.key = ""
		c.put(constant{path: []string{"matrix", "item"}, of: &copied, value: valueOf(s, path), scope: true})
		for _, item := range s.items {
			c.add(item, []string{"item"}, true)
		}
	}
}

// aliases adds the names of elements that a template of Azure goes over: all names of
// the list are known by then.
func (c *constants) aliases(s *setting) {
	if m := each.FindStringSubmatch(s.key); m != nil {
		list := m[2][strings.LastIndexByte(m[2], '.')+1:]
		for _, one := range c.of[strings.ToLower(list)] {
			one.path = []string{"matrix", strings.ToLower(m[1])}
			c.put(one)
		}
	}
	for _, item := range s.items {
		c.aliases(item)
	}
}

// names returns what names hold for a text on a line: the values that share most of
// the path come first, of those the nearest.
func (c *constants) names(line int) placeholder.Names {
	return func(path string, shell bool) []placeholder.Value {
		parts := strings.Split(strings.ToLower(path), ".")
		name := parts[len(parts)-1]
		found := c.of[name]
		if len(found) == 0 {
			return nil
		}
		best := 0
		var fitting []constant
		for _, one := range found {
			if shell && !one.scope {
				continue
			}
			switch n := shared(one.path, parts); {
			case n > best:
				best, fitting = n, []constant{one}
			case n == best:
				fitting = append(fitting, one)
			}
		}
		slices.SortStableFunc(fitting, func(a, b constant) int { return cmp.Compare(distance(a.of.line, line), distance(b.of.line, line)) })
		out, more := choices(fitting)
		c.matrix = c.matrix || more && parts[0] == "matrix"
		return out
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// shared is how many parts two paths have in common at their ends.
func shared(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// harmless matches values that are tried once for all: versions and systems.
var harmless = regexp.MustCompile(`^(?:v?\d[\w.+-]*|(?:ubuntu|macos|windows|linux|alpine|debian)(?:-[\w.]+)?|true|false|x64|x86|arm64|amd64|stable|nightly|beta|latest)$`)

// choices are the values to try, the elements of a matrix each by itself, and whether
// there are more.
func choices(of []constant) (out []placeholder.Value, more bool) {
	seen := map[string]bool{}
	add := func(v placeholder.Value) {
		text, ok := v.String()
		if harmless.MatchString(text) {
			text = "harmless"
		}
		switch {
		case !ok || seen[text]:
		case len(out) >= maxChoices:
			more = true
		default:
			seen[text] = true
			out = append(out, v)
		}
	}
	for _, one := range of {
		if one.of.kind == listSetting && slices.Contains(one.path, "matrix") {
			for _, item := range one.of.items {
				add(valueOf(item, nil))
			}
			continue
		}
		add(one.value)
	}
	return out, more
}
