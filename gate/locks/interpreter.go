package locks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Interpreter says which version of an interpreter the code of a tree is made for. The
// zero value is that of the sandbox image.
type Interpreter struct {
	// Major is the version that is installed with the dependencies: "22". "" is the one
	// that the image has.
	Major string
	// Asked is the version that the tree asks for, and By what says so; "" where nothing does.
	Asked, By string
}

// Other says in a sentence that another version is used than the one that the tree asks
// for, "" where that is not so.
func (i Interpreter) Other() string {
	if i.Major == "" || i.Major == i.Asked {
		return ""
	}
	return fmt.Sprintf("%s asks for version %s; version %s was used", i.By, i.Asked, i.Major)
}

// nodeRelease is a line of releases of Node with long-term support, from the release
// schedule (https://github.com/nodejs/Release, schedule.json).
type nodeRelease struct {
	major       int
	name        string // of its long-term support
	begin, long time.Time
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// nodeReleases returns the lines, the newest last: what the sandbox image has.
func nodeReleases() []nodeRelease {
	return []nodeRelease{
		{18, "hydrogen", day(2022, 4, 19), day(2022, 10, 25)},
		{20, "iron", day(2023, 4, 18), day(2023, 10, 24)},
		{22, "jod", day(2024, 4, 24), day(2024, 10, 29)},
		{24, "krypton", day(2025, 5, 6), day(2025, 10, 28)},
		{26, "", day(2026, 4, 22), day(2026, 10, 28)},
	}
}

// OfferedNode are the versions of Node that can be installed with dependencies, the oldest
// first. Older ones lack what the recorder in them needs (module.registerHooks, Node 22.15).
func OfferedNode() []int { return []int{22, 24} }

// What is read of one tree to find the version.
const (
	maxWorkflows = 50
	maxWorkflow  = 1 << 20 // bytes of one
)

// nodeInterpreter finds the version of Node that a tree asks for: by a file for version
// managers, by its workflows, by its package.json, or as the long-term support of the time
// when it was committed.
func nodeInterpreter(tree fs.FS, when time.Time) Interpreter {
	n := nodeAsk{tree: tree, when: when}
	for _, ask := range []func() (int, string){n.pinned, n.tested, n.engines} {
		if major, by := ask(); major > 0 {
			return offeredNode(major, by)
		}
	}
	if when.IsZero() {
		return Interpreter{}
	}
	return offeredNode(n.longTerm(), "the time of the commit")
}

// offeredNode is the offered version that is nearest to one.
func offeredNode(major int, by string) Interpreter {
	releases := nodeReleases()
	own := releases[len(releases)-1].major
	out := Interpreter{Asked: strconv.Itoa(major), By: by}
	if major >= own {
		return out
	}
	for _, o := range OfferedNode() {
		if o >= major {
			out.Major = strconv.Itoa(o)
			return out
		}
	}
	return out
}

// nodeAsk looks for a version in one tree.
type nodeAsk struct {
	tree fs.FS
	when time.Time // of the commit, zero where that is not known
}

// latest and longTerm are the newest versions, and those with long-term support, at the
// time of the commit.
func (n nodeAsk) latest() int {
	return n.newest(func(r nodeRelease) time.Time { return r.begin })
}

func (n nodeAsk) longTerm() int {
	return n.newest(func(r nodeRelease) time.Time { return r.long })
}

func (n nodeAsk) newest(since func(nodeRelease) time.Time) int {
	releases := nodeReleases()
	major := releases[0].major
	for _, r := range releases {
		if n.when.IsZero() || !since(r).After(n.when) {
			major = r.major
		}
	}
	return major
}

// nodeVersion matches how version managers and actions name a version of Node.
var nodeVersion = regexp.MustCompile(`^[v^~]?(\d{1,2})(?:\.(?:\d+|[xX*])){0,2}$`)

// major reads such a name, 0 for what is none.
func (n nodeAsk) major(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "lts/*", "lts":
		return n.longTerm()
	case "latest", "current", "node", "stable":
		return n.latest()
	}
	if long, ok := strings.CutPrefix(name, "lts/"); ok && long != "" {
		for _, r := range nodeReleases() {
			if r.name == long {
				return r.major
			}
		}
		return 0
	}
	if m := nodeVersion.FindStringSubmatch(name); m != nil {
		major, _ := strconv.Atoi(m[1]) // two digits
		return major
	}
	return 0
}

// pinned is what version managers are told: nvm, fnm and others, asdf and mise, Volta.
func (n nodeAsk) pinned() (int, string) {
	for _, file := range []string{".nvmrc", ".node-version"} {
		if major := n.major(string(n.read(file))); major > 0 {
			return major, file
		}
	}
	for line := range strings.Lines(string(n.read(".tool-versions"))) {
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "nodejs" || f[0] == "node") {
			if major := n.major(f[1]); major > 0 {
				return major, ".tool-versions"
			}
		}
	}
	var manifest struct {
		Volta struct{ Node string }
	}
	if json.Unmarshal(n.read("package.json"), &manifest) == nil {
		if major := n.major(manifest.Volta.Node); major > 0 {
			return major, "package.json (volta)"
		}
	}
	return 0, ""
}

// tested is the newest version that a workflow names.
func (n nodeAsk) tested() (major int, by string) {
	const folder = ".github/workflows"
	entries, err := fs.ReadDir(n.tree, folder)
	if err != nil {
		return 0, ""
	}
	for _, e := range entries[:min(len(entries), maxWorkflows)] {
		if ext := path.Ext(e.Name()); !e.Type().IsRegular() || ext != ".yml" && ext != ".yaml" {
			continue
		}
		file := path.Join(folder, e.Name())
		var doc yaml.Node
		if yaml.Unmarshal(n.read(file), &doc) != nil {
			continue
		}
		if m := n.named(&doc, false); m > major {
			major, by = m, file
		}
	}
	return major, by
}

// named is the newest version below a key that is called like one. Aliases are not
// followed: what they lead to is there without them.
func (n nodeAsk) named(node *yaml.Node, below bool) (major int) {
	switch node.Kind {
	case yaml.ScalarNode:
		if below {
			return n.major(node.Value)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(node.Content[i].Value))
			is := slices.Contains([]string{"node", "nodeversion", "nodeversions", "nodejs", "nodejsversion"}, key)
			major = max(major, n.named(node.Content[i+1], is))
		}
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, c := range node.Content {
			major = max(major, n.named(c, below))
		}
	case yaml.AliasNode:
	}
	return major
}

// engines is the newest version that a package.json allows, where it does not allow any.
func (n nodeAsk) engines() (int, string) {
	var manifest struct {
		Engines struct{ Node string }
	}
	if json.Unmarshal(n.read("package.json"), &manifest) != nil || len(manifest.Engines.Node) > 200 {
		return 0, ""
	}
	allowed, err := semver.NewConstraint(cmp.Or(manifest.Engines.Node, "*"))
	if err != nil {
		return 0, ""
	}
	allows := func(major int) bool {
		return allowed.Check(semver.New(uint64(major), 99, 99, "", "")) // the last of that line
	}
	if allows(n.longTerm()) {
		return 0, ""
	}
	for _, r := range slices.Backward(nodeReleases()) {
		if allows(r.major) {
			return r.major, "package.json (engines)"
		}
	}
	return 0, ""
}

// read returns a file, nothing for one that is not there or too large to be one.
func (n nodeAsk) read(file string) []byte {
	data, err := bounded.ReadFile(n.tree, file, maxWorkflow)
	if err != nil {
		return nil
	}
	return data
}
