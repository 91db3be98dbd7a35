package static

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/lookalike"
)

// registries are the names that dependencies are compared with.
type registries struct {
	npm, pypi, golang, crates *lookalike.Names
}

func newRegistries() registries {
	return registries{npm: lookalike.NPM(), pypi: lookalike.PyPI(), golang: lookalike.Go(), crates: lookalike.Crates()}
}

// dependencies reports names in a manifest that look like those of popular
// packages.
func (f *file) dependencies(chunk []byte, firstLine int) {
	var found []dependency
	var names *lookalike.Names
	var check string
	switch base := strings.ToLower(path.Base(f.view.Path)); {
	case f.view.Role == gate.RoleLock:
		f.lockHosts(chunk, firstLine)
		return
	case base == "package.json":
		found, names, check = npmDependencies(chunk), f.scanner.registries.npm, checkNPMLookalike
	case base == "go.mod":
		found, names, check = goDependencies(chunk), f.scanner.registries.golang, checkGoLookalike
		f.replacedOutside(chunk, firstLine)
	case base == "cargo.toml":
		found, names, check = cargoDependencies(chunk), f.scanner.registries.crates, checkCargoLookalike
	default:
		read := pythonManifest(f.view.Path, base)
		if read == nil {
			return
		}
		found, names, check = read(chunk), f.scanner.registries.pypi, checkPipLookalike
	}
	for _, d := range found {
		if d.unpinned {
			f.report(checkPipUnpinned, firstLine+bytes.Count(chunk[:d.at], []byte{'\n'}), d.name, d.name)
		}
		line := firstLine + bytes.Count(chunk[:d.at], []byte{'\n'})
		if popular := names.Like(d.name); popular != "" {
			f.report(check, line, d.name+" looks like "+popular, d.name)
		}
		if d.as != "" && names.Popular(d.as) && !names.Known(d.name) && !related(d.as, d.name) {
			f.report(checkNPMAlias, line, d.as+" is "+d.name, d.name)
		}
	}
}

// dependency is one name in a manifest.
type dependency struct {
	name     string
	as       string // the name that the code uses, where that is another one
	at       int    // offset
	unpinned bool   // any version will do
}

// maxDependencies bounds what one chunk is read for.
const maxDependencies = 5000

var (
	npmSection = regexp.MustCompile(`"(?:(?:dev|peer|optional)?[dD]ependencies|overrides|resolutions)"\s*:\s*\{`)
	npmEntry   = regexp.MustCompile(`"([^"\\\s]{1,214})"\s*:\s*"([^"\\]*)"`)
	npmAlias   = regexp.MustCompile(`^npm:((?:@[\w.-]+/)?[\w.-]+)`)
)

func npmDependencies(chunk []byte) []dependency {
	var out []dependency
	for _, s := range npmSection.FindAllIndex(chunk, 20) {
		end := len(chunk)
		if i := bytes.IndexByte(chunk[s[1]:], '}'); i >= 0 {
			end = s[1] + i
		}
		for _, m := range npmEntry.FindAllSubmatchIndex(chunk[s[1]:end], maxDependencies) {
			name, version := string(chunk[s[1]+m[2]:s[1]+m[3]]), string(chunk[s[1]+m[4]:s[1]+m[5]])
			d := dependency{name: name, at: s[1] + m[2]}
			if alias := npmAlias.FindStringSubmatch(version); alias != nil && alias[1] != name {
				d.name, d.as = alias[1], name
			}
			if local(version) || strings.HasPrefix(d.name, "@") && d.as == "" {
				continue
			}
			out = append(out, d)
		}
	}
	return out
}

// related reports whether a package that takes the place of another is one of
// its kin: a scope of that name, that name within a scope, or a build of it.
func related(as, name string) bool {
	scope, base, scoped := strings.Cut(strings.TrimPrefix(name, "@"), "/")
	if scoped {
		return scope == as || base == as || strings.HasPrefix(base, as+"-") || strings.HasSuffix(base, "-"+as)
	}
	return strings.HasSuffix(name, "-"+as)
}

// local reports whether a version is a place in the same repository.
func local(version string) bool {
	for _, p := range []string{"file:", "link:", "workspace:", "portal:", "./", "../"} {
		if strings.HasPrefix(version, p) {
			return true
		}
	}
	return false
}

// pythonManifest returns how dependencies are in a file of that name, nil for
// one that has none.
func pythonManifest(name, base string) func([]byte) []dependency {
	switch {
	case strings.Contains(base, "requirements") && (strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, ".in")),
		strings.HasPrefix(base, "constraints") && strings.HasSuffix(base, ".txt"),
		path.Base(path.Dir(name)) == "requirements" && strings.HasSuffix(base, ".txt"):
		return pipLines
	case base == "pyproject.toml", base == "pipfile":
		return tomlDependencies
	case base == "setup.py":
		return listedDependencies
	}
	return nil
}

var pipLine = regexp.MustCompile(`(?m)^[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*([=<>~!;@#]|\r?$)`)

// pipLines reads one requirement a line.
func pipLines(chunk []byte) []dependency {
	var out []dependency
	for _, m := range pipLine.FindAllSubmatchIndex(chunk, maxDependencies) {
		d := dependency{name: string(chunk[m[2]:m[3]]), at: m[2]}
		d.unpinned = m[5] == m[4] || chunk[m[4]] == ';' || chunk[m[4]] == '#' || chunk[m[4]] == '\r'
		out = append(out, d)
	}
	return out
}

func captured(re *regexp.Regexp, chunk []byte, base int) []dependency {
	var out []dependency
	for _, m := range re.FindAllSubmatchIndex(chunk, maxDependencies) {
		if m[2] >= 0 {
			out = append(out, dependency{name: string(chunk[m[2]:m[3]]), at: base + m[2]})
		}
	}
	return out
}

var (
	tomlTable  = regexp.MustCompile(`(?m)^[ \t]*\[([^\]\n]+)\]`)
	tomlKey    = regexp.MustCompile(`(?m)^[ \t]*"?([A-Za-z0-9][A-Za-z0-9._-]*)"?[ \t]*=`)
	listStart  = regexp.MustCompile(`\b(?:install_requires|setup_requires|tests_require|extras_require|dependencies|requires|dev|test|docs|optional-dependencies)["']?[ \t]*[=:][ \t]*[\[{(]`)
	listedName = regexp.MustCompile(`["']([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(?:[=<>~!;@ ][^"'\n]*)?["']`)
)

// tomlDependencies reads tables whose keys are names, and lists of requirements.
func tomlDependencies(chunk []byte) []dependency {
	out := listedDependencies(chunk)
	tables := tomlTable.FindAllSubmatchIndex(chunk, maxDependencies)
	for i, t := range tables {
		title := strings.ToLower(string(chunk[t[2]:t[3]]))
		if !strings.HasSuffix(title, "dependencies") && title != "packages" && title != "dev-packages" {
			continue
		}
		end := len(chunk)
		if i+1 < len(tables) {
			end = tables[i+1][0]
		}
		out = append(out, captured(tomlKey, chunk[t[1]:end], t[1])...)
	}
	// The version of the language is among the dependencies.
	return slices.DeleteFunc(out, func(d dependency) bool { return d.name == "python" || d.name == "python_version" })
}

// maxListed is how long a list of requirements may be.
const maxListed = 16 << 10 // bytes

// listedDependencies reads lists of quoted requirements.
func listedDependencies(chunk []byte) []dependency {
	var out []dependency
	for _, s := range listStart.FindAllIndex(chunk, 50) {
		rest := chunk[s[1]:min(len(chunk), s[1]+maxListed)]
		end := len(rest)
		for i, depth := 0, 1; i < len(rest); i++ {
			switch rest[i] {
			case '[', '{', '(':
				depth++
			case ']', '}', ')':
				depth--
			}
			if depth == 0 {
				end = i
				break
			}
		}
		out = append(out, captured(listedName, rest[:end], s[1])...)
	}
	return out
}
