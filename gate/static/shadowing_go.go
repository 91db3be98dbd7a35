package static

import (
	"bytes"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	goReplaceIn = regexp.MustCompile(`(?m)^[ \t]*(?:replace[ \t]+)?([\w.-]+(?:/[\w.~-]+)+)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+"?(\.\.?/[^\s"]*)`)
	goUse       = regexp.MustCompile(`(?m)^[ \t]*(?:use[ \t]+)?"?(\.\.?(?:/[^\s"]*)?)"?[ \t]*(?://.*)?\r?$`)
)

// requiredModules are those that a go.mod of the base requires.
func (s *shadowing) requiredModules() map[string]bool {
	out, read := map[string]bool{}, 0
	for _, file := range s.change.Files[:min(len(s.change.Files), maxIndexed)] {
		if path.Base(file) != "go.mod" || read >= maxManifests {
			continue
		}
		text, err := bounded.ReadFile(s.base, file, maxManifest)
		if err != nil {
			continue // it is new, or the layer says so where it reads the file
		}
		read++
		for _, m := range goRequire.FindAllSubmatch(text, maxDependencies) {
			out[string(m[1])] = true
		}
	}
	return out
}

// modules notes modules of Go that the base takes from elsewhere, and a new folder of the change
// from now on: by a replacement, a workspace or the vendor folder.
func (s *shadowing) modules(f *file) {
	name := f.target.Path
	switch base := path.Base(name); {
	case strings.HasPrefix(name, "vendor/") || strings.Contains(name, "/vendor/"):
		s.vendored(f)
	case base == "go.mod" || base == "go.work":
		text, err := bounded.ReadFile(s.change.Head, name, maxManifest)
		if err != nil {
			return // the layer says so where it reads the file
		}
		older, _ := bounded.ReadFile(s.base, olderPath(f.target), maxManifest) // none, if it is new
		for _, m := range goReplaceIn.FindAllSubmatchIndex(text, maxDependencies) {
			s.replaced(f, text, m[2], string(text[m[2]:m[3]]), string(text[m[4]:m[5]]))
		}
		for _, m := range goUse.FindAllSubmatchIndex(text, maxDependencies) {
			to := string(text[m[2]:m[3]])
			if base != "go.work" || bytes.Contains(older, text[m[0]:m[1]]) {
				continue
			}
			if manifest, err := bounded.ReadFile(s.change.Head, path.Join(path.Dir(name), to, "go.mod"), maxManifest); err == nil {
				if module := goModule.FindSubmatch(manifest); module != nil {
					s.replaced(f, text, m[2], string(module[1]), to)
				}
			}
		}
	}
}

// replaced notes a module that a new folder takes the place of.
func (s *shadowing) replaced(f *file, text []byte, at int, module, to string) {
	folder := path.Join(path.Dir(f.target.Path), to)
	if !s.goNames()[module] || !s.added().folders[folder] {
		return
	}
	f.report(checkShadowing, 1+bytes.Count(text[:at], []byte{'\n'}), module+" is now "+gate.Clip(folder, maxShownName)+", of this repository", module)
}

// vendored notes the first file of a module in a vendor folder that is new, or that changes while
// neither go.mod nor the list of what is in the folder does.
func (s *shadowing) vendored(f *file) {
	name := f.target.Path
	at := strings.Index("/"+name, "/vendor/")
	above := path.Clean("./" + name[:at])
	folder := path.Join(above, "vendor")
	if path.Ext(name) != ".go" && path.Ext(name) != ".s" && path.Ext(name) != ".c" {
		return
	}
	if _, err := bounded.ReadFile(s.change.Head, path.Join(folder, "modules.txt"), maxManifest); err != nil {
		return // no vendor folder of Go
	}
	module := vendoredModule(s.goNames(), strings.TrimPrefix(name, strings.TrimPrefix(folder+"/", "./")))
	if module == "" {
		return
	}
	for _, t := range s.change.Targets {
		if t.Path == name {
			break
		}
		if t.Kind != gate.ChangeNone && path.Ext(t.Path) == ".go" && strings.HasPrefix(t.Path, path.Join(folder, module)+"/") {
			return // it is said once
		}
	}
	if s.added().folders[folder] {
		f.report(checkShadowing, 0, module+", which "+gate.Clip(path.Join(above, "go.mod"), maxShownName)+" takes from a proxy with a checksum", module)
		return
	}
	for _, t := range s.change.Targets {
		if t.Kind != gate.ChangeNone && (t.Path == path.Join(above, "go.mod") || t.Path == path.Join(folder, "modules.txt")) {
			return
		}
	}
	f.report(checkShadowing, 0, module+", whose version does not change", module)
}

// vendoredModule is the module that the base requires and that has a file of a vendor folder.
func vendoredModule(names map[string]bool, file string) string {
	for d := path.Dir(file); d != "."; d = path.Dir(d) {
		if names[d] {
			return d
		}
	}
	return ""
}
