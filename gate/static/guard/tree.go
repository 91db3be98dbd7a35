package guard

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of a document.
const (
	maxDocuments = 50
	maxNodes     = 100_000 // with those that aliases repeat
	maxDepth     = 40
	maxLeaves    = 500 // of one setting
)

// frame is a mapping or a list above a command.
type frame struct {
	node  *yaml.Node
	key   string // that leads on, in a mapping
	index int    // in a list
}

// tree reads the uses of a document.
type tree struct {
	form  Form
	root  *yaml.Node
	nodes int
	uses  []use
}

func readTree(form Form, text []byte) []use {
	var out []use
	dec := yaml.NewDecoder(bytes.NewReader(text))
	nodes := maxNodes
	for range maxDocuments {
		var doc yaml.Node
		if dec.Decode(&doc) != nil {
			return out
		}
		if len(doc.Content) > 0 {
			t := &tree{form: form, root: doc.Content[0], nodes: nodes}
			t.visit(t.root, nil)
			nodes = t.nodes
			out = append(out, t.uses...)
		}
	}
	return out
}

// spends counts a node that is visited, false where there were too many.
func (t *tree) spends(depth int) bool {
	t.nodes--
	return t.nodes >= 0 && depth <= maxDepth
}

func (t *tree) visit(n *yaml.Node, above []frame) {
	if !t.spends(len(above)) {
		return
	}
	n = deref(n)
	switch n.Kind {
	case yaml.SequenceNode:
		for i, c := range n.Content {
			t.visit(c, append(slices.Clip(above), frame{node: n, index: i}))
		}
	case yaml.MappingNode:
		for k, v := range pairs(n) {
			at := append(slices.Clip(above), frame{node: n, key: k.Value})
			if t.command(k.Value, deref(v), at) {
				continue
			}
			t.visit(v, at)
		}
	}
}

// prose are keys whose values are for people.
var prose = []string{"name", "description", "desc", "summary", "title", "help", "run-name", "if", "id"}

// afterwards are keys of commands whose failure doesn't count.
var afterwards = []string{"after_script", "after-script", "after_success", "after_failure", "after_deploy"}

// action matches an action, a workflow or a repository of hooks that is gate.
var action = regexp.MustCompile(`(?i)^(?:https?://|git@)?(?:\.\.?/)?((?:[\w.:-]+/)*gate(?:\.ya?ml|\.git)?)(?:@(\S+))?$`)

// command reads the value of a key as something that runs gate.
func (t *tree) command(key string, v *yaml.Node, at []frame) bool {
	if slices.Contains(prose, key) {
		return false
	}
	in := at[len(at)-1].node
	if m := action.FindStringSubmatch(v.Value); v.Kind == yaml.ScalarNode && m != nil && t.form == Settings && key == "uses" {
		u := use{action: strings.ToLower(m[1]), ref: m[2], inputs: t.scalars(value(in, "with")), line: v.Line, context: t.context(at)}
		t.uses = append(t.uses, u)
		return true
	}
	if t.form == PreCommit {
		return t.hook(key, v, at)
	}
	text, line, ok := script(v)
	if !ok || !mentions.MatchString(text) || len(t.uses) >= maxUses {
		return ok
	}
	c := context{}
	if t.form == Settings {
		c = t.context(at)
	}
	for _, u := range scriptUses(text, line, c) {
		if slices.Contains(afterwards, key) {
			u.weak = append(u.weak, "in "+key)
		}
		t.uses = append(t.uses, u)
	}
	return true
}

// hook reads the entry of a hook of pre-commit, or one of gate's own repository.
func (t *tree) hook(key string, v *yaml.Node, at []frame) bool {
	in := at[len(at)-1].node
	switch {
	case key == "entry" && v.Kind == yaml.ScalarNode && mentions.MatchString(v.Value):
		t.uses = append(t.uses, scriptUses(v.Value+" "+t.plain(value(in, "args")), v.Line, t.context(at))...)
		return true
	case key == "hooks":
		m := action.FindStringSubmatch(scalar(value(in, "repo")))
		for i, h := range items(v) {
			if m != nil && scalar(value(h, "id")) == "gate" {
				c := t.context(append(slices.Clip(at), frame{node: v, index: i}, frame{node: deref(h), key: "id"}))
				t.uses = append(t.uses, use{action: strings.ToLower(m[1]), ref: scalar(value(in, "rev")), args: strings.Fields(t.plain(value(h, "args"))), line: h.Line, context: c})
			}
		}
	}
	return false
}

// script is the text of a command, or of a list of them.
func script(v *yaml.Node) (text string, line int, ok bool) {
	if v.Kind == yaml.ScalarNode {
		if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return v.Value, v.Line + 1, true
		}
		return v.Value, v.Line, true
	}
	var all []string
	for _, c := range items(v) {
		if c = deref(c); c.Kind != yaml.ScalarNode {
			return "", 0, false
		}
		all = append(all, c.Value)
	}
	return strings.Join(all, "\n"), v.Line, len(all) > 0
}

// context reads what is above a command, from the inside out.
func (t *tree) context(at []frame) context {
	c := context{settings: map[string][]string{}, env: map[string]string{}}
	frames := slices.Clone(at)
	slices.Reverse(frames)
	for _, f := range frames {
		if f.node.Kind == yaml.SequenceNode {
			t.earlier(f, &c)
			continue
		}
		t.level(f.node, f.key, &c)
	}
	job := at[0].key
	if workflows := value(t.root, "workflows"); job == "jobs" && workflows != nil && len(at) > 1 {
		c.hidden = !t.started(workflows, at[1].key, &c)
		return c
	}
	c.hidden = strings.HasPrefix(job, ".")
	for name, other := range pairs(t.root) {
		extends := t.leaves("", value(other, "extends"), nil)
		if name.Value != job && slices.Contains(extends, "="+job) {
			c.hidden = c.hidden && strings.HasPrefix(name.Value, ".")
			t.level(other, "", &c)
		}
	}
	if own := value(t.root, job); own != nil {
		for _, name := range t.leaves("", value(own, "extends"), nil) {
			if other := value(t.root, strings.TrimPrefix(name, "=")); other != nil {
				t.level(other, "", &c)
			}
		}
	}
	return c
}

// started reports whether a workflow of CircleCI runs a job, and reads the conditions.
func (t *tree) started(workflows *yaml.Node, job string, c *context) bool {
	found := false
	for _, w := range pairs(workflows) {
		for _, j := range items(value(w, "jobs")) {
			if scalar(j) == job {
				found = true
			}
			if options := value(j, job); options != nil {
				found = true
				t.level(options, "", c)
			}
		}
		if found {
			t.level(w, "jobs", c)
		}
	}
	return found
}

// level reads the keys of one mapping above a command. On is the key that leads to it.
func (t *tree) level(n *yaml.Node, on string, c *context) {
	for k, v := range pairs(n) {
		switch name := k.Value; {
		case name == on:
		case name == "env" || name == "variables" || name == "environment":
			for key, text := range t.scalars(v) {
				if _, inner := c.env[key]; !inner {
					c.env[key] = text
				}
			}
		case name == "before_script" || name == "before_install" || name == "install" || name == "setup":
			t.watch(v, c)
		case name == "defaults":
			run := value(v, "run")
			for _, key := range []string{"shell", "working-directory"} {
				if s := value(run, key); s != nil && c.settings[key] == nil {
					c.settings[key] = []string{"=" + scalar(s)}
				}
			}
		case name == "ci": // of pre-commit.ci
			if slices.Contains(t.leaves("", value(v, "skip"), nil), "=gate") {
				c.settings[name] = []string{"skips gate"}
			}
		case name == "workflow":
			c.settings[name] = append(c.settings[name], t.leaves("", value(v, "rules"), nil)...)
		case name == "needs":
			c.settings[name] = append(c.settings[name], t.needed(v, 0)...)
		case kinds()[name] == first:
			if c.settings[name] == nil {
				c.settings[name] = t.leaves("", v, nil)
			}
		case kinds()[name] != unknown:
			c.settings[name] = append(c.settings[name], t.leaves("", v, nil)...)
		}
	}
}

// needed are the jobs that come first, and the conditions of them.
func (t *tree) needed(v *yaml.Node, depth int) []string {
	var out []string
	for _, l := range t.leaves("", v, nil) {
		out = append(out, l)
		_, name, _ := strings.Cut(l, "=")
		job := value(value(t.root, "jobs"), name)
		if job == nil || depth > 5 {
			continue
		}
		if cond := value(job, "if"); cond != nil {
			out = append(out, name+" if="+scalar(cond))
		}
		if more := value(job, "needs"); more != nil {
			out = append(out, t.needed(more, depth+1)...)
		}
	}
	return out
}

// earlier reads the elements of a list in front of the one that leads to a command.
func (t *tree) earlier(f frame, c *context) {
	for _, e := range f.node.Content[:f.index] {
		uses := scalar(value(e, "uses"))
		if name, _, _ := strings.Cut(uses, "@"); name == "actions/checkout" {
			for _, key := range []string{"ref", "repository", "path", "sparse-checkout"} {
				if s := scalar(value(value(e, "with"), key)); s != "" && !ofTheChange.MatchString(s) {
					c.checkout = append(c.checkout, key+" "+s)
				}
			}
			continue
		}
		t.watch(e, c)
	}
}

// ofTheChange matches the names of the commit that is looked at.
var ofTheChange = regexp.MustCompile(`^\$\{\{\s*(?:github\.(?:sha|ref|head_ref|event\.(?:pull_request\.head|after)[\w.]*)|inputs\.[\w-]+)\s*\}\}$`)

// brings matches lines that put another gate where the right one is looked for.
var brings = regexp.MustCompile(`(?:^|\s)(?:cp|mv|ln|install|tee)\s.*\bgate["']?\s*$|>\s*\S*\bgate["']?\s*$|\s-o\s*\S*\bgate\b|\bgate-result\.json`)

var installs = regexp.MustCompile(`\baigate/gate\S*@([^\s"']+)`)

// watch keeps those lines of earlier steps that decide what "gate" is later.
func (t *tree) watch(n *yaml.Node, c *context) {
	for _, l := range t.leaves("", n, nil) {
		_, text, _ := strings.Cut(l, "=")
		c.before = append(c.before, pathsOf(text)...)
		for line := range strings.Lines(text) {
			m := installs.FindStringSubmatch(line)
			if brings.MatchString(line) || otherCommit.MatchString(line) || m != nil && !released.MatchString(m[1]) {
				c.before = append(c.before, strings.TrimSpace(line))
			}
		}
	}
}

// leaves are the scalars below a node, each with the keys that lead to it.
func (t *tree) leaves(at string, n *yaml.Node, out []string) []string {
	if n == nil || !t.spends(strings.Count(at, ".")) || len(out) >= maxLeaves {
		return out
	}
	n = deref(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return append(out, at+"="+n.Value)
	case yaml.SequenceNode:
		if len(n.Content) == 0 {
			return append(out, at+"=[]")
		}
		for _, c := range n.Content {
			out = t.leaves(at, c, out)
		}
	case yaml.MappingNode:
		for k, v := range pairs(n) {
			out = t.leaves(at+"."+k.Value, v, out)
		}
		if len(n.Content) == 0 {
			return append(out, at+"={}")
		}
	}
	return out
}

// scalars are the keys of a mapping whose values are scalars.
func (t *tree) scalars(n *yaml.Node) map[string]string {
	out := map[string]string{}
	for k, v := range pairs(n) {
		if v = deref(v); v.Kind == yaml.ScalarNode {
			out[k.Value] = v.Value
		} else {
			out[k.Value] = strings.Join(t.leaves("", v, nil), " ")
		}
	}
	return out
}

// plain is a list as words.
func (t *tree) plain(n *yaml.Node) string {
	var out []string
	for _, c := range items(n) {
		out = append(out, scalar(c))
	}
	return strings.Join(out, " ")
}

func deref(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// pairs are the keys and values of a mapping, with those that it merges.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		if n == nil {
			return
		}
		if n = deref(n); n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Value != "<<" {
				if !yield(k, v) {
					return
				}
				continue
			}
			v = deref(v)
			for j := 0; v.Kind == yaml.MappingNode && j+1 < len(v.Content); j += 2 {
				if !yield(v.Content[j], v.Content[j+1]) {
					return
				}
			}
		}
	}
}

func value(n *yaml.Node, key string) *yaml.Node {
	var out *yaml.Node
	for k, v := range pairs(n) {
		if k.Value == key {
			out = v
		}
	}
	return out
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n = deref(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return nil
}

func scalar(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n = deref(n); n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}
