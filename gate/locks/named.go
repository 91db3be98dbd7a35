package locks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Dependency is something that a lock file or manifest names.
type Dependency struct {
	Language string
	Name     string
	Version  string // "" where the file does not say
	// Elsewhere is where it comes from when that is not the usual registry, or "".
	Elsewhere string
	// Script says that installing it runs code of its own, as far as the file says.
	Script bool
	needle string // what is in its line
}

// Language returns whose dependencies a file names, "" for none.
func Language(p string) string {
	if !Reads(p) {
		return ""
	}
	switch path.Base(p) {
	case "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock":
		return Node
	case "go.mod":
		return Go
	case "poetry.lock", "uv.lock", "Pipfile.lock", "pyproject.toml":
		return Python
	}
	if isRequirements(p) {
		return Python
	}
	return ""
}

// Named returns the dependencies that a file names, in no order that means anything.
func Named(p string, data []byte) ([]Dependency, error) {
	switch path.Base(p) {
	case "package.json":
		return packageJSON(data)
	case "package-lock.json", "npm-shrinkwrap.json":
		return npmLock(data)
	case "pnpm-lock.yaml":
		return pnpmLock(data)
	case "yarn.lock":
		return yarnLock(data)
	case "bun.lock":
		return bunLock(data)
	case "go.mod":
		return goMod(data), nil
	case "poetry.lock", "uv.lock":
		all, err := tomlPackages(data)
		return fromRequirements(all), err
	case "pyproject.toml":
		return pyprojectNames(data)
	case "Pipfile.lock":
		all, err := pipfileLock(data)
		return fromRequirements(all), err
	}
	if isRequirements(p) {
		return requirementNames(data), nil
	}
	return nil, fmt.Errorf("%s is no lock file or manifest that is understood", p)
}

// Line is the line in which a file names a dependency, 0 where it cannot be told.
func (d Dependency) Line(data []byte) int {
	if d.needle == "" {
		return 0
	}
	i := bytes.Index(data, []byte(d.needle))
	if i < 0 {
		return 0
	}
	return 1 + bytes.Count(data[:i], []byte("\n"))
}

// npmRegistry is where npm, pnpm and Yarn get packages from unless they are told
// otherwise.
var npmRegistry = regexp.MustCompile(`^(?:https://registry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)/|$)`)

// fetched says where something comes from when it is no registry: a registry of a
// company has the same paths below another host.
func fetched(url string) string {
	if npmRegistry.MatchString(url) || strings.HasPrefix(url, "https://") && strings.Contains(url, "/-/") {
		return ""
	}
	return url
}

func quoted(name string) string {
	data, _ := json.Marshal(name) // a string: cannot fail
	return string(data)
}

func packageJSON(data []byte) ([]Dependency, error) {
	var m struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]string
	}
	if err := exact(data, &m, "dependencies", "devDependencies", "optionalDependencies", "peerDependencies"); err != nil {
		return nil, err
	}
	var out []Dependency
	for _, group := range []map[string]string{m.Dependencies, m.DevDependencies, m.OptionalDependencies, m.PeerDependencies} {
		for name, version := range group {
			d := Dependency{Language: Node, Name: name, Version: version, needle: quoted(name) + ":"}
			switch scheme, _, _ := strings.Cut(version, ":"); {
			case scheme == "workspace" || scheme == "link" || scheme == "file" || scheme == "portal":
				continue // of the repository itself
			case scheme != version && scheme != "npm" && scheme != "catalog", strings.Contains(version, "/") && scheme == version:
				d.Elsewhere = version
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// npmEntry is a package in a lock of npm.
type npmEntry struct {
	Version, Resolved string
	Link, InBundle    bool
	HasInstallScript  bool
	Dependencies      json.RawMessage
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *npmEntry) UnmarshalJSON(data []byte) error {
	type plain npmEntry // without this method
	return exact(data, (*plain)(e), "version", "resolved", "link", "inBundle", "hasInstallScript", "dependencies")
}

func npmLock(data []byte) ([]Dependency, error) {
	var lock struct {
		Packages     map[string]npmEntry
		Dependencies json.RawMessage
	}
	if err := exact(data, &lock, "packages", "dependencies"); err != nil {
		return nil, err
	}
	var out []Dependency
	for key, e := range lock.Packages {
		i := strings.LastIndex(key, "node_modules/")
		if i < 0 || e.Link {
			continue
		}
		out = append(out, Dependency{Language: Node, Name: key[i+len("node_modules/"):], Version: e.Version, Elsewhere: fetched(e.Resolved),
			Script: e.HasInstallScript, needle: quoted(key) + ":"})
	}
	if lock.Packages != nil {
		return out, nil
	}
	// Version 1, where dependencies hold dependencies.
	var walk func(raw json.RawMessage, depth int) error
	walk = func(raw json.RawMessage, depth int) error {
		var all map[string]npmEntry
		if len(raw) == 0 || depth > 100 {
			return nil
		}
		if err := json.Unmarshal(raw, &all); err != nil {
			return err
		}
		for name, e := range all {
			out = append(out, Dependency{Language: Node, Name: name, Version: e.Version, Elsewhere: fetched(e.Resolved), needle: quoted(name) + ": {"})
			if err := walk(e.Dependencies, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return out, walk(lock.Dependencies, 0)
}

// pnpmKey is a package in pnpm's lock file: "/name@1.0.0", "name@1.0.0(peer@1)", or
// "/name/1.0.0" of old.
var pnpmKey = regexp.MustCompile(`^/?((?:@[^@/]+/)?[^@/]+)[@/]([^(_]+)`)

func pnpmLock(data []byte) ([]Dependency, error) {
	var lock struct {
		Packages map[string]struct {
			Resolution    struct{ Tarball, Type, Repo string }
			RequiresBuild bool `yaml:"requiresBuild"`
		}
	}
	if err := yaml.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	var out []Dependency
	for key, e := range lock.Packages {
		m := pnpmKey.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		out = append(out, Dependency{Language: Node, Name: m[1], Version: m[2], Script: e.RequiresBuild, needle: key,
			Elsewhere: fetched(e.Resolution.Tarball) + e.Resolution.Repo})
	}
	return out, nil
}

var (
	yarnHeader   = regexp.MustCompile(`^"?((?:@[^@/"]+/)?[^@"/]+)@[^:]`)
	yarnVersion  = regexp.MustCompile(`^\s+version:?\s+"?([^"\s]+)`)
	yarnResolved = regexp.MustCompile(`^\s+(?:resolved|resolution:)\s+"([^"]+)"`)
)

func yarnLock(data []byte) ([]Dependency, error) {
	var out []Dependency
	local := false
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line[0] != ' ':
			m := yarnHeader.FindStringSubmatch(line)
			local = m == nil || strings.Contains(line, "@workspace:")
			if !local {
				out = append(out, Dependency{Language: Node, Name: m[1], needle: line})
			}
		case local || len(out) == 0:
		default:
			at := &out[len(out)-1]
			if m := yarnVersion.FindStringSubmatch(line); m != nil && at.Version == "" {
				at.Version = m[1]
			} else if m := yarnResolved.FindStringSubmatch(line); m != nil {
				if strings.Contains(m[1], "://") && !strings.Contains(m[1], "@npm:") {
					at.Elsewhere = fetched(m[1])
				}
			}
		}
	}
	if len(out) == 0 && len(bytes.TrimSpace(data)) > 0 && !bytes.Contains(data, []byte("yarn lockfile")) && !bytes.Contains(data, []byte("__metadata")) {
		return nil, fmt.Errorf("it is not written as Yarn writes it")
	}
	return out, nil
}

var (
	goRequire = regexp.MustCompile(`^(?:require\s+)?([A-Za-z0-9][\w.~/-]*)\s+(v[\w.+-]+)(?:\s*//.*)?$`)
	goReplace = regexp.MustCompile(`^(?:replace\s+)?([A-Za-z0-9][\w.~/-]*)(?:\s+v[\w.+-]+)?\s+=>\s+([A-Za-z0-9][\w.~/-]*)\s+(v[\w.+-]+)`)
)

// goMod reads the require and replace lines. Those in other blocks look different.
func goMod(data []byte) []Dependency {
	var out []Dependency
	for raw := range bytes.Lines(data) {
		line := strings.TrimSpace(string(raw))
		if m := goRequire.FindStringSubmatch(line); m != nil {
			out = append(out, Dependency{Language: Go, Name: m[1], Version: m[2], needle: line})
		} else if m := goReplace.FindStringSubmatch(line); m != nil {
			out = append(out, Dependency{Language: Go, Name: m[2], Version: m[3], Elsewhere: "another module in the place of " + m[1], needle: line})
		}
	}
	return out
}

func fromRequirements(all []requirement) []Dependency {
	var out []Dependency
	for _, q := range all {
		out = append(out, Dependency{Language: Python, Name: pythonName(q.name), Version: q.version, Elsewhere: q.elsewhere, needle: `"` + q.name + `"`})
	}
	return out
}

// urlLine is a requirement that is fetched from an address.
var urlLine = regexp.MustCompile(`^(?:-e\s+|--editable[\s=]+)?((?:(?:git|hg|svn|bzr)\+|https?://|ftp://|file:)\S+)`)

func requirementNames(data []byte) []Dependency {
	var out []Dependency
	for _, line := range logicalLines(string(data)) {
		if u := urlLine.FindStringSubmatch(line); u != nil {
			name := u[1]
			if _, egg, ok := strings.Cut(name, "#egg="); ok {
				name = pythonName(egg)
			}
			out = append(out, Dependency{Language: Python, Name: name, Elsewhere: u[1], needle: u[1]})
			continue
		}
		m := nameStart.FindString(line)
		if m == "" {
			continue
		}
		d := Dependency{Language: Python, Name: pythonName(m), needle: m}
		if p := pinnedLine.FindStringSubmatch(line); p != nil {
			d.Version = p[4]
		} else if _, url, ok := strings.Cut(line, " @ "); ok {
			d.Elsewhere = url
		}
		out = append(out, d)
	}
	return out
}

var pythonSeparators = regexp.MustCompile(`[-_.]+`)

// pythonName is a name as an index compares it.
func pythonName(name string) string {
	return strings.ToLower(pythonSeparators.ReplaceAllString(name, "-"))
}

// Added returns the dependencies of head that base does not name in any version,
// each once, sorted by name. Of several entries the worst is kept.
func Added(base, head []Dependency) []Dependency {
	known := map[string]bool{}
	for _, d := range base {
		known[d.Language+" "+d.Name] = true
	}
	var out []Dependency
	for _, d := range head {
		if !known[d.Language+" "+d.Name] {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Dependency) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		worse := func(d Dependency) bool { return d.Script || d.Elsewhere != "" }
		if worse(a) != worse(b) {
			return map[bool]int{true: -1, false: 1}[worse(a)]
		}
		return strings.Compare(a.Version+a.Elsewhere+a.needle, b.Version+b.Elsewhere+b.needle)
	})
	return slices.CompactFunc(out, func(a, b Dependency) bool { return a.Name == b.Name })
}
