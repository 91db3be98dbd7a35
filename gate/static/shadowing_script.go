package static

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is read of the base's packages of npm.
const (
	maxManifests = 500     // files
	maxManifest  = 1 << 20 // bytes of one
	maxNamedBy   = 200     // programs that are kept for one name
)

// additions are the files that a change adds, and the folders that the base has not.
type additions struct {
	files   map[string]bool
	folders map[string]bool
}

func (s *shadowing) additions() additions {
	out := additions{map[string]bool{}, map[string]bool{}}
	for _, t := range s.change.Targets {
		if t.Parent != "" || !t.Exists() || t.Kind != gate.ChangeAdded && t.Kind != gate.ChangeRenamed {
			continue
		}
		out.files[t.Path] = true
		for d := path.Dir(t.Path); d != "." && !out.folders[d]; d = path.Dir(d) {
			if _, err := fs.Stat(s.base, d); err == nil {
				break
			}
			out.folders[d] = true
		}
	}
	return out
}

// means returns the new file or folder that a path without extension means, "" where that is not new.
func (a additions) means(p string) string {
	if a.files[p] || a.folders[p] {
		return p
	}
	for _, end := range scriptEnds {
		for _, name := range []string{p + end, p + "/index" + end} {
			if a.files[name] {
				return name
			}
		}
	}
	return ""
}

// scriptEnds are the extensions that loaders of JavaScript and TypeScript try.
var scriptEnds = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".node"}

// namedBy is a program of the base, and the statement by which it imports.
type namedBy struct{ program, statement string }

// namedImports are the imports of the programs of the base in JavaScript and TypeScript.
type namedImports struct {
	paths    map[string]namedBy   // by the path without extension that one means
	packages map[string][]namedBy // by the name of the package
	full     bool                 // a bound kept programs from being read
}

// importedScript matches what an import, an export or a call of require names.
var importedScript = regexp.MustCompile("(?:\\bfrom|\\brequire(?:\\.resolve)?\\s*\\(|\\bimport\\s*\\(?)\\s*[\"'`]([^\"'`\\n]{1,300})[\"'`]")

func (s *shadowing) imported() namedImports {
	out := namedImports{paths: map[string]namedBy{}, packages: map[string][]namedBy{}}
	left, read := int64(maxShadowedTotal), 0
	for _, program := range s.change.Files[:min(len(s.change.Files), maxIndexed)] {
		if !slices.Contains(scriptEnds[:8], path.Ext(program)) || strings.Contains(program, "node_modules/") {
			continue
		}
		info, err := fs.Stat(s.base, program)
		if err != nil {
			continue
		}
		size := min(info.Size(), maxShadowedSource)
		if out.full = left < size || read >= maxShadowed; out.full {
			break
		}
		content, _, err := bounded.HeadFile(s.base, program, size)
		if err != nil {
			out.full = true
			continue
		}
		left, read = left-size, read+1
		for _, m := range importedScript.FindAllSubmatch(content, -1) {
			name, by := string(m[1]), namedBy{program, string(m[0])}
			if name[0] == '.' {
				p := path.Join(path.Dir(program), name)
				if _, known := out.paths[p]; !known && !slices.Contains(scriptEnds, path.Ext(p)) {
					out.paths[p] = by
				}
			} else if pkg := packageOf(name); len(out.packages[pkg]) < maxNamedBy {
				out.packages[pkg] = append(out.packages[pkg], by)
			}
		}
	}
	return out
}

// packageOf is the name of the package that an import takes something of.
func packageOf(name string) string {
	name = strings.TrimPrefix(name, "node:")
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") {
		return strings.Join(parts[:min(2, len(parts))], "/")
	}
	return parts[0]
}

// manifests are the dependencies that files package.json of the base name.
type manifests struct {
	registry map[string]bool            // those that a registry has, of all of them
	in       map[string]map[string]bool // by the folder of the manifest
}

func (s *shadowing) manifests() manifests {
	out := manifests{map[string]bool{}, map[string]map[string]bool{}}
	for _, file := range s.change.Files[:min(len(s.change.Files), maxIndexed)] {
		if path.Base(file) != "package.json" || strings.Contains(file, "node_modules/") || len(out.in) >= maxManifests {
			continue
		}
		text, err := bounded.ReadFile(s.base, file, maxManifest)
		if err != nil {
			continue // it is new, or the layer says so where it reads the file
		}
		var m struct {
			Dependencies         map[string]string `json:"dependencies"`
			DevDependencies      map[string]string `json:"devDependencies"`
			PeerDependencies     map[string]string `json:"peerDependencies"`
			OptionalDependencies map[string]string `json:"optionalDependencies"`
		}
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		here := map[string]bool{}
		for _, section := range []map[string]string{m.Dependencies, m.DevDependencies, m.PeerDependencies, m.OptionalDependencies} {
			for name, version := range section {
				if !local(version) && version != "*" {
					here[name], out.registry[name] = true, true
				}
			}
		}
		out.in[path.Dir(file)] = here
	}
	return out
}

// scripts notes a new file of JavaScript or TypeScript to which an import of the base leads that
// meant another file, or a package of a registry.
func (s *shadowing) scripts(f *file) {
	name := f.target.Path
	if s.installed(f) {
		return
	}
	if path.Base(name) == "package.json" {
		s.workspace(f)
		s.entry(f)
		return
	}
	end := path.Ext(name)
	if !slices.Contains(scriptEnds, end) || strings.HasSuffix(strings.TrimSuffix(name, end), ".d") {
		return
	}
	stem := strings.TrimSuffix(name, end)
	ends := s.before(end)
	stems := []string{stem}
	if path.Base(stem) == "index" {
		stems = append(stems, path.Dir(stem))
	}
	s.instead(f, stems, func() string {
		for _, e := range ends {
			if was := stem + e; s.stays(was) {
				return was
			}
		}
		for _, e := range scriptEnds[:4] {
			if was := stem + "/index" + e; path.Base(stem) != "index" && end != ".node" && s.stays(was) {
				return was
			}
		}
		return ""
	})
	s.fromRoot(f, stem)
}

// before are the extensions that some loader tries after another.
func (s *shadowing) before(end string) []string {
	switch end {
	case ".ts", ".tsx", ".js", ".jsx":
		return slices.DeleteFunc(slices.Clone(scriptEnds), func(e string) bool { return e == end || e == ".mjs" || e == ".cjs" || e == ".mts" || e == ".cts" })
	case ".mjs":
		for _, settings := range []string{"vite.config.js", "vite.config.ts", "vite.config.mjs", "vite.config.mts", "vitest.config.ts", "vitest.config.js", "vitest.config.mts"} {
			if _, err := fs.Stat(s.base, settings); err == nil {
				return []string{".js", ".ts", ".jsx", ".tsx", ".json"} // https://vite.dev/config/shared-options#resolve-extensions
			}
		}
	case ".json":
		return []string{".node"}
	}
	return nil
}

// stays reports whether base and head have a file.
func (s *shadowing) stays(name string) bool {
	was, err := fs.Stat(s.base, name)
	if err != nil || !was.Mode().IsRegular() {
		return false
	}
	_, err = fs.Stat(s.change.Head, name)
	return err == nil
}

// instead notes that an import of one of the paths meant another file, if was says one.
func (s *shadowing) instead(f *file, stems []string, was func() string) {
	other := was()
	if other == "" {
		return
	}
	for _, stem := range stems {
		if by, found := s.script().paths[stem]; found {
			f.report(checkShadowing, 0, fmt.Sprintf("%s, which %s imports", other, gate.Clip(by.program, maxShownName)), by.statement)
			return
		}
	}
	s.unread(f)
}

func (s *shadowing) unread(f *file) {
	if s.script().full {
		f.gap("not all programs that may import it were looked at: at most %d, of %d MiB together, are", maxShadowed, maxShadowedTotal>>20)
	}
}

// entry notes a new package.json that gives a folder with an index another entry point.
func (s *shadowing) entry(f *file) {
	folder := path.Dir(f.target.Path)
	text, err := bounded.ReadFile(s.change.Head, f.target.Path, maxManifest)
	if err != nil {
		return // the layer says so where it reads the file
	}
	var m struct{ Main, Module, Browser any }
	if json.Unmarshal(text, &m) != nil {
		return
	}
	s.instead(f, []string{folder}, func() string {
		for _, entry := range []any{m.Main, m.Module, m.Browser} {
			if to, ok := entry.(string); ok && s.added().means(path.Join(folder, to)) != "" {
				for _, end := range scriptEnds[:4] {
					if was := folder + "/index" + end; s.stays(was) {
						return was
					}
				}
			}
		}
		return ""
	})
}

// installed notes a package in node_modules that the base took from a registry.
func (s *shadowing) installed(f *file) bool {
	name := f.target.Path
	at := strings.LastIndex("/"+name, "/node_modules/")
	if at < 0 {
		return false
	}
	above := path.Clean("./" + name[:at])
	folder := path.Join(above, "node_modules")
	pkg := packageOf(strings.TrimPrefix(name, strings.TrimPrefix(folder+"/", "./")))
	if _, err := fs.Stat(s.base, folder); err == nil || builtinModules[pkg] {
		return true
	}
	if first := s.firstIn(path.Join(folder, pkg)); first != name {
		return true // it is said once
	}
	if s.names().in[above][pkg] {
		f.report(checkShadowing, 0, pkg+", which "+gate.Clip(path.Join(above, "package.json"), maxShownName)+" takes from a registry", pkg)
		return true
	}
	for _, by := range s.script().packages[pkg] {
		if above == "." || strings.HasPrefix(by.program, above+"/") {
			f.report(checkShadowing, 0, fmt.Sprintf("%s, which %s imports", pkg, gate.Clip(by.program, maxShownName)), by.statement)
			return true
		}
	}
	s.unread(f)
	return true
}

// firstIn is the first file that the change adds to a folder.
func (s *shadowing) firstIn(folder string) string {
	for _, t := range s.change.Targets {
		if s.added().files[t.Path] && strings.HasPrefix(t.Path, folder+"/") {
			return t.Path
		}
	}
	return ""
}

// builtinModules are modules of Node.js itself, which no folder takes the place of, but aliases
// do: https://nodejs.org/api/modules.html#built-in-modules.
var builtinModules = map[string]bool{
	"assert": true, "buffer": true, "child_process": true, "cluster": true, "console": true, "crypto": true, "dgram": true, "dns": true, "events": true,
	"fs": true, "http": true, "http2": true, "https": true, "module": true, "net": true, "os": true, "path": true, "perf_hooks": true, "process": true,
	"punycode": true, "querystring": true, "readline": true, "stream": true, "string_decoder": true, "timers": true, "tls": true, "tty": true, "url": true,
	"util": true, "v8": true, "vm": true, "worker_threads": true, "zlib": true,
}
