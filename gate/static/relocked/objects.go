package relocked

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// object is an object of JSON, with keys as they are spelled.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }

func (o object) object(key string) object { m, _ := o[key].(map[string]any); return m }

// each calls a function for the objects in an object, by their keys.
func (o object) each(do func(key string, value object)) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if m, ok := o[key].(map[string]any); ok {
			do(key, m)
		}
	}
}

func parsed(data []byte) object {
	var o object
	if json.Unmarshal(data, &o) != nil {
		return nil // what isn't JSON locks nothing
	}
	return o
}

// registryPath matches the package of an address in a registry of npm.
var registryPath = regexp.MustCompile(`/((?:@[\w.~-]+(?:/|%2[fF]))?[\w.~-]+)/-/`)

// packageAt is the package that an address of a registry of npm has, "" for other addresses.
func packageAt(address string) string {
	m := registryPath.FindStringSubmatch(address)
	if m == nil {
		return ""
	}
	name, err := url.PathUnescape(m[1])
	if err != nil {
		return m[1]
	}
	return name
}

// maxDepth is how deep dependencies in dependencies of npm are read.
const maxDepth = 50

// npm reads package-lock.json, of all versions.
func npm(data []byte) []entry {
	o := parsed(data)
	var out []entry
	o.object("packages").each(func(key string, p object) {
		i := strings.LastIndex(key, "node_modules/")
		if link, _ := p["link"].(bool); i < 0 || link {
			return
		}
		e := npmEntry(key[i+len("node_modules/"):], p)
		e.mark = `"` + key + `"`
		if named := p.text("name"); named != "" && named == e.resolved {
			e.resolved = "" // an alias, often one of a dependency
		}
		out = append(out, e)
	})
	if len(out) > 0 {
		return out
	}
	var walk func(all object, depth int)
	walk = func(all object, depth int) {
		if depth > maxDepth {
			return
		}
		all.each(func(name string, p object) {
			e := npmEntry(name, p)
			e.mark = `"` + name + `"`
			if strings.HasPrefix(e.version, "npm:") {
				e.resolved = ""
			}
			out = append(out, e)
			walk(p.object("dependencies"), depth+1)
		})
	}
	walk(o.object("dependencies"), 0)
	return out
}

func npmEntry(name string, p object) entry {
	e := entry{name: name, version: p.text("version"), address: p.text("resolved"), digests: strings.Fields(p.text("integrity"))}
	e.resolved = packageAt(e.address)
	e.alias = "npm:" + e.resolved
	e.remote = strings.Contains(e.address, "://")
	if strings.HasPrefix(e.address, "file:") {
		e.digests = nil
	}
	return e
}

// pipenv reads Pipfile.lock.
func pipenv(data []byte) []entry {
	var out []entry
	parsed(data).each(func(section string, all object) {
		if section == "_meta" {
			return
		}
		all.each(func(name string, p object) {
			e := entry{name: name, version: p.text("version"), mark: `"` + name + `"`}
			hashes, _ := p["hashes"].([]any)
			for _, h := range hashes {
				if s, ok := h.(string); ok {
					e.digests = append(e.digests, s)
				}
			}
			out = append(out, e)
		})
	})
	return out
}

// repository comes before what a repository is called.
const repository = "repository "

// composer reads composer.lock.
func composer(data []byte) []entry {
	var out []entry
	o := parsed(data)
	for _, key := range []string{"packages", "packages-dev"} {
		all, _ := o[key].([]any)
		for _, one := range all {
			m, _ := one.(map[string]any)
			p := object(m)
			dist := p.object("dist")
			e := entry{name: p.text("name"), version: p.text("version"), address: dist.text("url"), mark: dist.text("url"), remote: true}
			if u, err := url.Parse(e.address); err == nil && u.Hostname() == "api.github.com" {
				if parts := strings.Split(strings.ToLower(u.Path), "/"); len(parts) > 3 {
					e.resolved = repository + parts[2] + "/" + parts[3]
					e.alias = parts[2] + "/" + parts[3]
				}
			}
			if strings.HasPrefix(e.version, "dev-") || strings.HasSuffix(e.version, "-dev") {
				out = append(out, entry{name: e.name, version: e.version, resolved: e.resolved, alias: e.alias, mark: e.mark})
				continue
			}
			if sum := dist.text("shasum"); sum != "" {
				e.digests = append(e.digests, "sha1:"+sum)
			}
			out = append(out, e)
		}
	}
	return out
}

// flake reads flake.lock: what is locked is the repository that was asked for.
func flake(data []byte) []entry {
	var out []entry
	place := func(o object) string { return strings.ToLower(o.text("owner") + "/" + o.text("repo")) }
	parsed(data).object("nodes").each(func(name string, node object) {
		locked, original := node.object("locked"), node.object("original")
		if locked.text("owner") == "" {
			return
		}
		e := entry{name: name, resolved: repository + place(locked), alias: place(locked), mark: `"` + locked.text("owner") + `"`}
		e.asked = original.text("owner") != ""
		e.right = e.asked && place(original) == place(locked)
		out = append(out, e)
	})
	return out
}

// nuget reads packages.lock.json.
func nuget(data []byte) []entry {
	var out []entry
	parsed(data).object("dependencies").each(func(_ string, framework object) {
		framework.each(func(name string, p object) {
			if sum := p.text("contentHash"); sum != "" {
				out = append(out, entry{name: name, version: p.text("resolved"), digests: []string{"sha512:" + sum}, mark: `"` + name + `"`})
			}
		})
	})
	return out
}

// deno reads deno.lock.
func deno(data []byte) []entry {
	var out []entry
	o := parsed(data)
	for _, key := range []string{"npm", "jsr"} {
		o.object(key).each(func(name string, p object) {
			if sum := p.text("integrity"); sum != "" {
				out = append(out, entry{name: key + ":" + name, digests: []string{sum}, mark: `"` + name + `"`})
			}
		})
	}
	return out
}

var (
	pnpmKey   = regexp.MustCompile(`^/?((?:@[^@/]+/)?[^@/]+)[@/]([^(_]+)`)
	pnpmAlias = regexp.MustCompile(`^/?((?:@[^@/]+/)?[A-Za-z][^@/:(]*)[@/]\d`)
)

// pnpm reads pnpm-lock.yaml.
func pnpm(data []byte) []entry {
	type asked struct{ Specifier, Version string }
	type importer struct {
		Dependencies    map[string]asked `yaml:"dependencies"`
		DevDependencies map[string]asked `yaml:"devDependencies"`
		Optional        map[string]asked `yaml:"optionalDependencies"`
	}
	var lock struct {
		Overrides map[string]string
		Importers map[string]importer
		Packages  map[string]struct {
			Resolution struct{ Integrity, Tarball, Repo string }
		}
	}
	if yaml.Unmarshal(data, &lock) != nil {
		return nil // an older form, or none that pnpm reads
	}
	var out []entry
	for _, path := range slices.Sorted(maps.Keys(lock.Importers)) {
		i := lock.Importers[path]
		for _, group := range []map[string]asked{i.Dependencies, i.DevDependencies, i.Optional} {
			for _, name := range slices.Sorted(maps.Keys(group)) {
				a := group[name]
				m := pnpmAlias.FindStringSubmatch(a.Version)
				if m == nil || strings.Contains(a.Specifier, ":") || lock.Overrides[name] != "" {
					continue
				}
				out = append(out, entry{name: name, resolved: m[1], alias: "npm:" + m[1], mark: "version: " + a.Version})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lock.Packages)) {
		r := lock.Packages[key].Resolution
		m := pnpmKey.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		out = append(out, entry{name: m[1], version: m[2], address: r.Tarball + r.Repo, digests: strings.Fields(r.Integrity), remote: r.Integrity == "" && r.Tarball+r.Repo != "", mark: key})
	}
	return out
}
