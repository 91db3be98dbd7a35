package locks

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// pythonLocks are the lock files of Python, the first that a folder has counts, and
// after them its requirement files.
var pythonLocks = []struct {
	name string
	read func([]byte) ([]requirement, error)
}{
	{"uv.lock", uvLock}, {"poetry.lock", poetryLock}, {"Pipfile.lock", pipfileLock},
}

var requirementsName = regexp.MustCompile(`^(?:.*[-_.])?requirements?(?:[-_.].*)?\.txt$`)

// isRequirements reports whether a file is called as requirement files are:
// requirements-dev.txt, or any .txt in a folder requirements.
func isRequirements(p string) bool {
	return requirementsName.MatchString(path.Base(p)) || path.Base(path.Dir(p)) == "requirements" && path.Ext(p) == ".txt"
}

// requirement is one package as a complete lock file names it.
type requirement struct {
	name, version string
	marker        string
	hashes        []string // "sha256:…"
	index         string   // where it comes from, "" for the usual place
	elsewhere     string   // what it is when it comes from no index
}

func (q requirement) line() string {
	text := q.name + "==" + q.version
	if q.marker != "" {
		text += " ; " + q.marker
	}
	for _, h := range q.hashes {
		text += " --hash=" + h
	}
	return text
}

func (r *reader) python() []Project {
	byDir := map[string]*Project{}
	var loose []Left // requirement files that are no lock files
	for _, l := range pythonLocks {
		for _, p := range r.paths {
			if path.Base(p) != l.name {
				continue
			}
			dir := parent(p)
			if byDir[dir] != nil {
				r.leave(p, "the folder has another lock file, which was taken")
				continue
			}
			all, err := l.read(r.text(p))
			if err != nil {
				r.leave(p, "it cannot be read: %v", err)
				continue
			}
			if text := r.export(p, all); text != nil {
				byDir[dir] = &Project{Dir: dir, Kind: KindExported, Files: map[string][]byte{l.name + ".txt": text}}
			}
		}
	}
	for _, p := range r.paths {
		if !isRequirements(p) {
			continue
		}
		dir := parent(p)
		if path.Base(dir) == "requirements" {
			dir = parent(dir)
		}
		at := byDir[dir]
		if at != nil && at.Kind != KindPython {
			r.leave(p, "the folder has a lock file, which was taken")
			continue
		}
		text, constraints, err := r.requirements(p)
		if err != nil {
			loose = append(loose, Left{Path: p, Reason: err.Error()})
			continue
		}
		if at == nil {
			at = &Project{Dir: dir, Kind: KindPython, Files: map[string][]byte{}}
			byDir[dir] = at
		}
		rel, _ := below(p, dir)
		at.Files[strings.ReplaceAll(rel, "/", "-")] = text
		if len(constraints) > 0 {
			at.Files["constraints.txt"] = append(at.Files["constraints.txt"], constraints...)
		}
	}
	r.pythonManifests(byDir)
	for _, l := range loose {
		dir := parent(l.Path)
		if path.Base(dir) == "requirements" {
			dir = parent(dir)
		}
		if at := byDir[dir]; at == nil || at.Kind != KindPythonManifest { // else it is resolved
			r.left = append(r.left, l)
		}
	}
	var out []Project
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		out = append(out, *byDir[dir])
	}
	return out
}

// export writes a complete lock file as requirements. Only what an index has, by
// version and with a hash, can be taken over.
func (r *reader) export(p string, all []requirement) []byte {
	var lines []string
	var indexes []string
	for _, q := range all {
		switch {
		case q.elsewhere != "":
			r.leave(p, "%s is %s and comes from no index", q.name, q.elsewhere)
		case !packageName.MatchString(q.name) || !versionText.MatchString(q.version) || !safeMarker.MatchString(q.marker):
			r.leave(p, "%.100q is no name and version that can be taken over", q.name+" "+q.version)
		case len(q.hashes) == 0:
			r.leave(p, "%s has no hash", q.name)
		default:
			lines = append(lines, q.line())
			if q.index != "" && !slices.Contains(indexes, q.index) {
				indexes = append(indexes, q.index)
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	for i, x := range indexes {
		// Hashes say which file it must be, anyone who offers it.
		option := "--extra-index-url "
		if i == 0 && len(indexes) == 1 && !slices.ContainsFunc(all, func(q requirement) bool { return q.index == "" && q.elsewhere == "" }) {
			option = "--index-url "
		}
		lines = slices.Insert(lines, 0, option+x)
	}
	return []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
}

var (
	packageName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)
	versionText = regexp.MustCompile(`^[A-Za-z0-9.!+_-]{1,100}$`)
	safeMarker  = regexp.MustCompile(`^[\w\s.'"<>=!~(),+*-]{0,500}$`)
	sha256Hash  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	indexURL    = regexp.MustCompile(`^https?://[^\s'"]{1,500}$`)
	usualIndex  = regexp.MustCompile(`^https://(?:pypi\.org|pypi\.python\.org)/simple/?$`)
)

// The lines that uv and Poetry write. Other TOML with the same meaning is not what
// they write, and is not understood.
var (
	tomlPair   = regexp.MustCompile(`^(name|version|optional|markers)\s*=\s*(?:"((?:[^"\\]|\\["\\])*)"|(true|false))\s*$`)
	tomlHash   = regexp.MustCompile(`\bhash\s*=\s*"(sha256:[0-9a-f]{64})"`)
	uvSource   = regexp.MustCompile(`^source\s*=\s*\{\s*(\w+)\s*=\s*"([^"]*)"`)
	tomlHeader = regexp.MustCompile(`^\[`)
	oldFiles   = regexp.MustCompile(`^"?([A-Za-z0-9._-]+)"? = \[`)
	sourcePair = regexp.MustCompile(`^(type|url)\s*=\s*"([^"]*)"\s*$`)
)

func uvLock(data []byte) ([]requirement, error) { return tomlPackages(data) }

func poetryLock(data []byte) ([]requirement, error) { return tomlPackages(data) }

// tomlPackages reads the [[package]] tables of a lock file.
func tomlPackages(data []byte) ([]requirement, error) {
	var all []requirement
	var at *requirement
	section, old, skip := "", "", false
	hashes := map[string][]string{} // of Poetry before 1.3, by name
	flush := func() {
		if at != nil && !skip {
			all = append(all, *at)
		}
		at, skip = nil, false
	}
	sourceType := ""
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(string(raw), "\r\n")
		if tomlHeader.MatchString(line) {
			section = strings.TrimSpace(line)
			if section == "[[package]]" {
				flush()
				at, sourceType = &requirement{}, ""
			}
			continue
		}
		switch {
		case section == "[metadata.files]":
			if m := oldFiles.FindStringSubmatch(line); m != nil {
				old = m[1]
			}
			for _, h := range tomlHash.FindAllStringSubmatch(line, -1) {
				hashes[old] = append(hashes[old], h[1])
			}
		case at == nil:
		case section == "[package.source]":
			if m := sourcePair.FindStringSubmatch(line); m != nil && m[1] == "type" {
				sourceType = m[2]
				if sourceType != "legacy" {
					at.elsewhere = "a " + sourceType
				}
			} else if m != nil && sourceType == "legacy" && indexURL.MatchString(m[2]) {
				at.index = m[2]
			}
		case section == "[[package]]":
			if m := tomlPair.FindStringSubmatch(line); m != nil {
				value := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[2])
				switch m[1] {
				case "name":
					at.name = value
				case "version":
					at.version = value
				case "markers":
					at.marker = value
				case "optional":
					skip = m[3] == "true"
				}
			}
			if m := uvSource.FindStringSubmatch(line); m != nil {
				switch {
				case m[1] == "registry" && usualIndex.MatchString(m[2]):
				case m[1] == "virtual", m[1] == "editable":
					skip = true // the repository itself
				case m[1] == "registry" && indexURL.MatchString(m[2]):
					at.index = m[2]
				default:
					at.elsewhere = "a " + m[1] + " source"
				}
			}
			for _, h := range tomlHash.FindAllStringSubmatch(line, -1) {
				at.hashes = append(at.hashes, h[1])
			}
		}
	}
	flush()
	if len(all) == 0 && bytes.Contains(data, []byte("[[package]]")) {
		return nil, errors.New("its packages are not written as uv and Poetry write them")
	}
	for i := range all {
		all[i].hashes = append(all[i].hashes, hashes[all[i].name]...)
		slices.Sort(all[i].hashes)
		all[i].hashes = slices.Compact(all[i].hashes)
	}
	return all, nil
}

// pipfileEntry is a package in a Pipfile.lock.
type pipfileEntry struct {
	Version, Markers, Git, Path, File string
	Hashes                            []string
	Index                             string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *pipfileEntry) UnmarshalJSON(data []byte) error {
	type plain pipfileEntry // without this method
	return exact(data, (*plain)(e), "version", "markers", "git", "path", "file", "hashes", "index")
}

func pipfileLock(data []byte) ([]requirement, error) {
	var lock struct {
		Meta struct {
			Sources []struct{ Name, URL string }
		} `json:"_meta"`
		Default, Develop map[string]pipfileEntry
	}
	if err := exact(data, &lock, "_meta", "default", "develop"); err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for _, s := range lock.Meta.Sources {
		if indexURL.MatchString(s.URL) && !usualIndex.MatchString(s.URL) {
			sources[s.Name] = s.URL
		}
	}
	all := map[string]requirement{}
	for _, group := range []map[string]pipfileEntry{lock.Develop, lock.Default} {
		for name, e := range group {
			q := requirement{name: name, version: strings.TrimPrefix(e.Version, "=="), marker: e.Markers, index: sources[e.Index]}
			for _, h := range e.Hashes {
				if sha256Hash.MatchString(h) {
					q.hashes = append(q.hashes, h)
				}
			}
			slices.Sort(q.hashes)
			if e.Git+e.Path+e.File != "" {
				q.elsewhere = "a file or repository"
			}
			all[name] = q
		}
	}
	var out []requirement
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out, nil
}

// errorAt says where a requirement file is no lock file.
func errorAt(p string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p, line, fmt.Sprintf(format, args...))
}
