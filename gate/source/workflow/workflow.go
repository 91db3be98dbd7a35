package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The bounds of a workflow. GitHub itself takes at most 512 KiB.
const (
	MaxBytes = 1 << 20
	maxFacts = 4000
	maxDepth = 40
	maxNodes = 100_000 // that are visited, with those that aliases repeat
)

// Kind says what a fact is about.
type Kind string

// The kinds of facts.
const (
	Trigger    Kind = "trigger"    // Name is an event
	Permission Kind = "permission" // Name is a scope such as contents, Value a [Level]
	Action     Kind = "action"     // Name is an action, a reusable workflow or an image, Value its version
	Runner     Kind = "runner"     // Name is a label, or the group
	Secret     Kind = "secret"     // Name is a secret, or "*" for all; Value where it goes
	Command    Kind = "command"    // Name is the text of a run step
	Image      Kind = "image"      // Name is the image of a container or service, Value its version
	Setting    Kind = "setting"    // Name is another key, Value what it holds: of concurrency, environment, cache
)

// The levels of a permission.
const (
	LevelNone    = "none"
	LevelRead    = "read"
	LevelWrite   = "write"
	LevelDefault = "default" // nothing is said, so the repository's settings decide
)

// AllScopes is the name of a permission that is about every scope.
const AllScopes = "*"

// Fact is one thing that a workflow may do.
type Fact struct {
	Kind  Kind
	Job   string // "" for the whole workflow
	Name  string
	Value string
	Line  int // 1-based
}

// Workflow is what a file may do. The zero value may do nothing.
type Workflow struct {
	Facts []Fact
}

// Of returns the facts of a kind.
func (w Workflow) Of(k Kind) []Fact {
	var out []Fact
	for _, f := range w.Facts {
		if f.Kind == k {
			out = append(out, f)
		}
	}
	return out
}

// ErrTooMuch says that a workflow holds more than is read.
var ErrTooMuch = errors.New("more than a workflow can hold")

// Read reads a workflow, or the definition of an action.
func Read(text []byte) (Workflow, error) {
	if len(text) > MaxBytes {
		return Workflow{}, fmt.Errorf("%w: %d bytes", ErrTooMuch, len(text))
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return Workflow{}, err
	}
	if err := dec.Decode(&second); err == nil {
		return Workflow{}, errors.New("more than one document")
	}
	if len(doc.Content) == 0 {
		return Workflow{}, nil
	}
	r := &reader{budget: budget{nodes: maxNodes}}
	r.workflow(doc.Content[0])
	return r.w, r.err
}

// reader collects facts.
type reader struct {
	w   Workflow
	err error
	budget
}

func (r *reader) add(f Fact) {
	if len(r.w.Facts) >= maxFacts {
		r.err = ErrTooMuch
		return
	}
	r.w.Facts = append(r.w.Facts, f)
}

func (r *reader) workflow(root *yaml.Node) {
	top := ""
	if n := value(root, "permissions"); n != nil {
		r.permissions("", n)
		top = "said"
	}
	for key, n := range pairs(root) {
		switch key.Value {
		case "on":
			r.triggers(n)
		case "jobs":
			for name, job := range pairs(n) {
				r.job(name, job, top)
			}
		case "runs": // of an action
			r.action(n)
		case "permissions", "name", "run-name":
		default:
			r.other("", key, n)
		}
	}
}

func (r *reader) triggers(n *yaml.Node) {
	switch n = deref(n); n.Kind {
	case yaml.ScalarNode:
		r.add(Fact{Kind: Trigger, Name: n.Value, Line: n.Line})
	case yaml.SequenceNode:
		for _, c := range n.Content {
			r.add(Fact{Kind: Trigger, Name: deref(c).Value, Line: c.Line})
		}
	case yaml.MappingNode:
		for key, filter := range pairs(n) {
			r.add(Fact{Kind: Trigger, Name: key.Value, Value: r.flat(filter), Line: key.Line})
		}
	}
}

func (r *reader) permissions(job string, n *yaml.Node) {
	switch n = deref(n); n.Kind {
	case yaml.ScalarNode:
		level := strings.TrimSuffix(n.Value, "-all")
		if n.Value == "" {
			level = LevelNone
		}
		r.add(Fact{Kind: Permission, Job: job, Name: AllScopes, Value: level, Line: n.Line})
	case yaml.MappingNode:
		if len(n.Content) == 0 {
			r.add(Fact{Kind: Permission, Job: job, Name: AllScopes, Value: LevelNone, Line: n.Line})
		}
		for key, level := range pairs(n) {
			r.add(Fact{Kind: Permission, Job: job, Name: key.Value, Value: deref(level).Value, Line: key.Line})
		}
	}
}

func (r *reader) job(name, job *yaml.Node, top string) {
	job = deref(job)
	if value(job, "permissions") == nil && top == "" {
		r.add(Fact{Kind: Permission, Job: name.Value, Name: AllScopes, Value: LevelDefault, Line: name.Line})
	}
	reusable := value(job, "uses")
	for key, n := range pairs(job) {
		switch key.Value {
		case "permissions":
			r.permissions(name.Value, n)
		case "runs-on":
			r.runner(name.Value, n)
		case "uses":
			r.uses(name.Value, n)
		case "secrets":
			r.passedOn(name.Value, n, reusable)
		case "container":
			r.image(name.Value, n)
		case "services":
			for _, s := range pairs(n) {
				r.image(name.Value, s)
			}
		case "steps":
			r.steps(name.Value, n)
		case "name", "needs", "if", "timeout-minutes":
		default:
			r.other(name.Value, key, n)
		}
	}
}

// passedOn reads the secrets that a job gives to a reusable workflow.
func (r *reader) passedOn(job string, n, to *yaml.Node) {
	place := "a workflow"
	if to != nil {
		place, _ = version(deref(to).Value)
	}
	if n = deref(n); n.Kind == yaml.ScalarNode && n.Value == "inherit" {
		r.add(Fact{Kind: Secret, Job: job, Name: AllScopes, Value: place, Line: n.Line})
		return
	}
	r.secrets(job, n, place)
}

func (r *reader) action(n *yaml.Node) {
	for key, v := range pairs(n) {
		switch key.Value {
		case "steps":
			r.steps("", v)
		case "image":
			r.imageNamed("", strings.TrimPrefix(deref(v).Value, "docker://"), v.Line)
		default:
			r.other("", key, v)
		}
	}
}

func (r *reader) steps(job string, n *yaml.Node) {
	for _, s := range items(n) {
		place := "a command"
		if u := value(s, "uses"); u != nil {
			r.uses(job, u)
			place, _ = version(deref(u).Value)
		}
		if run := value(s, "run"); run != nil {
			r.add(Fact{Kind: Command, Job: job, Name: deref(run).Value, Line: run.Line})
		}
		r.secrets(job, s, place)
	}
}

func (r *reader) uses(job string, n *yaml.Node) {
	name, at := version(deref(n).Value)
	r.add(Fact{Kind: Action, Job: job, Name: name, Value: at, Line: n.Line})
}

// version splits what "uses" names.
func version(uses string) (name, at string) {
	uses = strings.TrimSpace(uses)
	if image, ok := strings.CutPrefix(uses, "docker://"); ok {
		name, at = tag(image)
		return "docker://" + name, at
	}
	if i := strings.LastIndexByte(uses, '@'); i > 0 {
		return uses[:i], uses[i+1:]
	}
	return uses, ""
}

// tag splits the name of an image.
func tag(image string) (name, at string) {
	if i := strings.IndexByte(image, '@'); i > 0 {
		return image[:i], image[i+1:]
	}
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		return image[:i], image[i+1:]
	}
	return image, ""
}

func (r *reader) image(job string, n *yaml.Node) {
	if n = deref(n); n.Kind == yaml.ScalarNode {
		r.imageNamed(job, n.Value, n.Line)
		return
	}
	if i := value(n, "image"); i != nil {
		r.imageNamed(job, deref(i).Value, i.Line)
	}
	name := "an image"
	if i := value(n, "image"); i != nil {
		name, _ = tag(deref(i).Value)
	}
	r.secrets(job, n, name)
	if o := value(n, "options"); o != nil {
		r.add(Fact{Kind: Setting, Job: job, Name: "options", Value: deref(o).Value, Line: o.Line})
	}
}

func (r *reader) imageNamed(job, image string, line int) {
	name, at := tag(strings.TrimSpace(image))
	r.add(Fact{Kind: Image, Job: job, Name: name, Value: at, Line: line})
}

func (r *reader) runner(job string, n *yaml.Node) {
	switch n = deref(n); n.Kind {
	case yaml.ScalarNode:
		r.add(Fact{Kind: Runner, Job: job, Name: n.Value, Line: n.Line})
	case yaml.SequenceNode:
		for _, c := range n.Content {
			r.add(Fact{Kind: Runner, Job: job, Name: deref(c).Value, Line: c.Line})
		}
	case yaml.MappingNode:
		for key, v := range pairs(n) {
			if key.Value == "group" {
				r.add(Fact{Kind: Runner, Job: job, Name: "group " + deref(v).Value, Line: v.Line})
				continue
			}
			r.runner(job, v)
		}
	}
}

// other reads a key that says where secrets go, or how jobs run.
func (r *reader) other(job string, key, n *yaml.Node) {
	place := "env"
	if key.Value != "env" {
		place = key.Value
		r.add(Fact{Kind: Setting, Job: job, Name: key.Value, Value: r.flat(n), Line: key.Line})
	}
	r.secrets(job, n, place)
}

// secretName matches the uses of secrets in expressions; a name that is worked out while
// it runs may be any of them.
var secretName = regexp.MustCompile(`\bsecrets\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*'([A-Za-z_]\w*)'\s*\]|\[|\s*\)|\s*\}\})|\btoJSON\s*\(\s*secrets\b`)

// secrets finds the secrets in a node and below.
func (r *reader) secrets(job string, n *yaml.Node, place string) {
	whole := r.walk(n, 0, func(scalar *yaml.Node) {
		for _, m := range secretName.FindAllStringSubmatch(scalar.Value, -1) {
			name := m[1] + m[2]
			if name == "" {
				name = AllScopes
			}
			f := Fact{Kind: Secret, Job: job, Name: strings.ToUpper(name), Value: place, Line: scalar.Line}
			if !slices.Contains(r.w.Facts, f) {
				r.add(f)
			}
		}
	})
	if !whole {
		r.err = ErrTooMuch
	}
}
