package workflow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	"github.com/aigate/gate/gate/source/lex"
)

// Forge is a CI system or a bot whose settings say what runs, where and with which
// secrets: a table of keys. GitHub's own workflows have a reader of their own, [Read].
type Forge struct {
	Name  string
	Files []string // globs of the files that it is configured by
	keys  []key
	own   []string // prefixes of what the maker of the forge provides: no code of strangers
}

// key says what the value of a key is. Its path is that of the mapping keys from the root
// where it begins with a slash, else the last ones; "*" is any one key, "[]" an element of
// a list.
type key struct {
	path string
	kind Kind
	name string // of the fact, where the value is not the name
	ref  string // the key beside it that holds the version
}

// Forges returns the table, in an order in which the first that takes a file is meant.
func Forges() []Forge {
	script := func(names ...string) []key {
		var out []key
		for _, n := range names {
			out = append(out, key{path: n, kind: Command}, key{path: n + "/[]", kind: Command})
		}
		return out
	}
	return []Forge{
		// https://docs.gitlab.com/ci/yaml/
		{Name: "GitLab CI", Files: []string{".gitlab-ci.yml", "*.gitlab-ci.yml", ".gitlab/**/*.yml", ".gitlab/**/*.yaml"},
			own: []string{"Security/", "Jobs/", "$CI_SERVER_FQDN/components/", "gitlab.com/components/"},
			keys: slices.Concat(script("script", "before_script", "after_script"), []key{
				{path: "/include", kind: Action}, {path: "/include/[]", kind: Action},
				{path: "/include/remote", kind: Action}, {path: "/include/[]/remote", kind: Action},
				{path: "/include/project", kind: Action, ref: "ref"}, {path: "/include/[]/project", kind: Action, ref: "ref"},
				{path: "/include/component", kind: Action}, {path: "/include/[]/component", kind: Action},
				{path: "/include/template", kind: Setting, name: "template"}, {path: "/include/[]/template", kind: Setting, name: "template"},
				{path: "image", kind: Image}, {path: "image/name", kind: Image}, {path: "services/[]", kind: Image}, {path: "services/[]/name", kind: Image},
				{path: "tags", kind: Runner}, {path: "id_tokens", kind: Permission, name: "id_tokens"},
				{path: "secrets", kind: Secret}, {path: "trigger/project", kind: Action},
			})},
		// https://circleci.com/docs/configuration-reference/
		{Name: "CircleCI", Files: []string{".circleci/*.yml", ".circleci/*.yaml"}, own: []string{"circleci/", "cimg/"},
			keys: []key{
				{path: "/orbs/*", kind: Action}, {path: "docker/[]/image", kind: Image}, {path: "context", kind: Secret}, {path: "context/[]", kind: Secret},
				{path: "resource_class", kind: Runner}, {path: "run", kind: Command}, {path: "run/command", kind: Command},
			}},
		// https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/
		{Name: "Azure Pipelines", Files: []string{"azure-pipelines*.yml", "azure-pipelines*.yaml", ".azure-pipelines/**/*.yml", ".azure-pipelines/**/*.yaml"},
			keys: slices.Concat(script("script", "bash", "pwsh", "powershell"), []key{
				{path: "/resources/repositories/[]/name", kind: Action, ref: "ref"}, {path: "container", kind: Image}, {path: "containers/[]/image", kind: Image},
				{path: "pool", kind: Runner}, {path: "pool/name", kind: Runner}, {path: "pool/vmImage", kind: Setting, name: "vmImage"},
				{path: "variables/[]/group", kind: Secret}, {path: "azureSubscription", kind: Secret}, {path: "task", kind: Setting, name: "task"},
			})},
		// https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/
		{Name: "Bitbucket Pipelines", Files: []string{"/bitbucket-pipelines.yml"}, own: []string{"atlassian/"},
			keys: slices.Concat(script("script", "after-script"), []key{
				{path: "image", kind: Image}, {path: "image/name", kind: Image}, {path: "pipe", kind: Action}, {path: "runs-on", kind: Runner},
				{path: "runs-on/[]", kind: Runner}, {path: "oidc", kind: Permission, name: "oidc"},
			})},
		// https://docs.drone.io/yaml/docker/ and https://woodpecker-ci.org/docs/usage/workflow-syntax
		{Name: "Drone or Woodpecker", Files: []string{".drone.yml", ".drone.yaml", ".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/*.yml", ".woodpecker/*.yaml"},
			own: []string{"plugins/", "woodpeckerci/"},
			keys: slices.Concat(script("commands"), []key{
				{path: "image", kind: Image}, {path: "privileged", kind: Permission, name: "privileged"}, {path: "from_secret", kind: Secret},
				{path: "secrets/[]", kind: Secret}, {path: "host/path", kind: Permission, name: "a folder of the host"},
			})},
		// https://buildkite.com/docs/pipelines/configure/defining-steps
		{Name: "Buildkite", Files: []string{".buildkite/*.yml", ".buildkite/*.yaml"},
			keys: slices.Concat(script("command", "commands"), []key{
				{path: "plugins/[]", kind: Action}, {path: "plugins", kind: Action}, {path: "agents/queue", kind: Runner}, {path: "secrets", kind: Secret},
			})},
		// https://docs.travis-ci.com/user/build-config-imports/
		{Name: "Travis CI", Files: []string{"/.travis.yml"},
			keys: slices.Concat(script("script", "before_install", "install", "before_script", "after_success", "after_script"), []key{
				{path: "/import", kind: Action}, {path: "/import/[]", kind: Action}, {path: "/import/[]/source", kind: Action},
			})},
		// https://docs.github.com/code-security/dependabot/working-with-dependabot/dependabot-options-reference
		{Name: "Dependabot", Files: []string{".github/dependabot.yml", ".github/dependabot.yaml"},
			keys: []key{
				{path: "insecure-external-code-execution", kind: Permission, name: "insecure-external-code-execution"},
				{path: "package-ecosystem", kind: Setting, name: "package-ecosystem"},
			}},
		// https://docs.renovatebot.com/configuration-options/
		{Name: "Renovate", Files: []string{"renovate.json", "renovate.json5", ".renovaterc", ".renovaterc.json", ".renovaterc.json5"},
			own: []string{"config:", ":", "group:", "default:", "helpers:", "docker:", "schedule:", "preview:", "replacements:", "workarounds:", "security:", "customManagers:"},
			keys: slices.Concat(script("postUpgradeTasks/commands"), []key{
				{path: "extends", kind: Action}, {path: "extends/[]", kind: Action},
				{path: "automerge", kind: Permission, name: "automerge"}, {path: "allowScripts", kind: Permission, name: "allowScripts"},
				{path: "exposeAllEnv", kind: Permission, name: "exposeAllEnv"}, {path: "allowPlugins", kind: Permission, name: "allowPlugins"},
			})},
	}
}

// ForgeOf returns the forge that a file configures.
func ForgeOf(name string) (Forge, bool) {
	forges := Forges()
	i := slices.IndexFunc(forges, func(f Forge) bool { return glob.Any(f.Files, name) })
	if i < 0 {
		return Forge{}, false
	}
	return forges[i], true
}

// maxDocuments bounds the documents of one file: Drone and GitLab have several.
const maxDocuments = 50

// Read reads the settings of a forge. The name says whether they are JSON with comments.
func (f Forge) Read(name string, text []byte) (Workflow, error) {
	if len(text) > MaxBytes {
		return Workflow{}, fmt.Errorf("%w: %d bytes", ErrTooMuch, len(text))
	}
	if ext := path.Ext(name); strings.HasPrefix(ext, ".json") || ext == ".renovaterc" {
		text = lex.Scan(gate.LanguageJavaScript, text).View(text) // YAML takes all of JSON5 but its comments
	}
	r := &forgeReader{forge: f, reader: reader{budget: budget{nodes: maxNodes}}}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for range maxDocuments {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return r.w, r.err
		}
		if err != nil {
			return Workflow{}, err
		}
		if len(doc.Content) > 0 {
			r.visit(doc.Content[0], nil, nil)
		}
	}
	return Workflow{}, fmt.Errorf("%w: more than %d documents", ErrTooMuch, maxDocuments)
}

// forgeReader reads facts by the keys of a forge.
type forgeReader struct {
	forge Forge
	reader
}

// visit reads a node and what is below. In is the mapping that holds it.
func (r *forgeReader) visit(n *yaml.Node, at []string, in *yaml.Node) {
	if r.nodes--; r.nodes < 0 || len(at) > maxDepth {
		r.err = ErrTooMuch
		return
	}
	n = deref(n)
	for _, k := range r.forge.keys {
		if k.matches(at) {
			r.fact(k, n, in)
		}
	}
	at = slices.Clip(at)
	for _, c := range items(n) {
		r.visit(c, append(at, "[]"), n)
	}
	for name, c := range pairs(n) {
		r.visit(c, append(at, name.Value), n)
	}
}

// matches compares the path of a key with where a node is.
func (k key) matches(at []string) bool {
	want, anchored := strings.CutPrefix(k.path, "/")
	parts := strings.Split(want, "/")
	if len(parts) > len(at) || anchored && len(parts) != len(at) {
		return false
	}
	for i, p := range parts {
		if got := at[len(at)-len(parts)+i]; p != got && (p != "*" || got == "[]") {
			return false
		}
	}
	return true
}

// fact reads the value of a key: one, the elements of a list, or the keys of a mapping.
// What keys of their own read further down is left to them.
func (r *forgeReader) fact(k key, n, in *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		r.one(k, n.Value, n.Line, in)
	case yaml.SequenceNode:
		if k.kind == Runner || k.kind == Secret {
			for _, c := range n.Content {
				if c = deref(c); c.Kind == yaml.ScalarNode {
					r.one(k, c.Value, c.Line, in)
				}
			}
		}
	case yaml.MappingNode:
		switch {
		case k.kind == Permission && len(n.Content) > 0:
			r.one(k, "true", n.Line, in)
		case k.kind == Secret, k.kind == Action && strings.HasPrefix(k.path, "plugins"):
			for name := range pairs(n) {
				r.one(k, name.Value, name.Line, in)
			}
		}
	}
}

func (r *forgeReader) one(k key, value string, line int, in *yaml.Node) {
	value = strings.TrimSpace(value)
	own := slices.ContainsFunc(r.forge.own, func(p string) bool { return strings.HasPrefix(value, p) })
	switch {
	case value == "":
	case k.kind == Permission:
		level := LevelWrite
		if slices.Contains([]string{"false", "deny", "no", "off", "none"}, strings.ToLower(value)) {
			level = LevelNone
		}
		r.add(Fact{Kind: Permission, Name: k.name, Value: level, Line: line})
	case k.kind == Runner && k.path == "resource_class" && !strings.Contains(value, "/"):
		r.add(Fact{Kind: Setting, Name: "resource_class", Value: value, Line: line}) // a size of CircleCI's own machines
	case k.kind == Setting, own && (k.kind == Action || k.kind == Image):
		r.add(Fact{Kind: Setting, Name: cmp.Or(k.name, string(k.kind)), Value: value, Line: line})
	case k.kind == Action && local(value):
		r.add(Fact{Kind: Setting, Name: "include", Value: value, Line: line})
	case k.kind == Action:
		name, at := value, ""
		if i := strings.LastIndexAny(value, "@#"); i > 0 && !strings.Contains(value, "://") {
			name, at = value[:i], value[i+1:]
		}
		if ref := valueOf(in, k.ref); ref != "" {
			at = ref
		}
		r.add(Fact{Kind: Action, Name: name, Value: at, Line: line})
	case k.kind == Image:
		r.imageNamed("", value, line)
	case k.kind == Secret:
		r.add(Fact{Kind: Secret, Name: value, Value: "a job", Line: line})
	default:
		r.add(Fact{Kind: k.kind, Name: value, Line: line})
	}
}

// local reports whether an include names a file of the repository.
func local(value string) bool {
	return !strings.Contains(value, "://") && !strings.ContainsAny(value, "@#>") &&
		(strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasSuffix(value, ".yml") || strings.HasSuffix(value, ".yaml"))
}

func valueOf(n *yaml.Node, name string) string {
	if n == nil || name == "" {
		return ""
	}
	if v := value(n, name); v != nil {
		return deref(v).Value
	}
	return ""
}
