package static

import (
	"bytes"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var cargoSection = regexp.MustCompile(`^(?:(?:dev-|build-)?dependencies|workspace\.dependencies|target\..*\.(?:dev-|build-)?dependencies)(?:\.([A-Za-z0-9][\w-]*))?$`)

// cargoDependencies reads the tables of a Cargo.toml whose keys are crates.
func cargoDependencies(chunk []byte) []dependency {
	var out []dependency
	tables := tomlTable.FindAllSubmatchIndex(chunk, maxDependencies)
	for i, t := range tables {
		m := cargoSection.FindStringSubmatch(string(chunk[t[2]:t[3]]))
		if m == nil {
			continue
		}
		if m[1] != "" { // [dependencies.NAME]
			out = append(out, dependency{name: m[1], at: t[2]})
			continue
		}
		end := len(chunk)
		if i+1 < len(tables) {
			end = tables[i+1][0]
		}
		for _, d := range captured(tomlKey, chunk[t[1]:end], t[1]) {
			line, _, _ := bytes.Cut(chunk[d.at:end], []byte{'\n'})
			if p := cargoPackage.FindSubmatch(line); p != nil {
				d.name = string(p[1])
			}
			if !cargoLocal.Match(line) {
				out = append(out, d)
			}
		}
	}
	return out
}

var (
	cargoPackage = regexp.MustCompile(`\bpackage[ \t]*=[ \t]*"([^"]+)"`)
	cargoLocal   = regexp.MustCompile(`\bpath[ \t]*=|\bworkspace[ \t]*=`)
)
