package static

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is read of settings.
const (
	maxEntries   = 5000     // entries of one file
	maxSection   = 20 << 10 // bytes of a section that gives names places
	maxSetting   = 400      // bytes of the value of an entry
	maxAncestors = 30       // folders above a file
)

// settingFile matches files that tell tools of JavaScript and TypeScript what a name means.
var settingFile = regexp.MustCompile(`(?:^|/)(?:package\.json|[tj]sconfig[\w.-]*\.json|[\w.-]+\.config\.(?:[cm]?[jt]s|json)|\.babelrc(?:\.\w+)?|deno\.jsonc?|import[_-]?map[\w.-]*\.json)$`)

var (
	settingSection = regexp.MustCompile(`["']?\b(\w*[aA]lias(?:es)?|paths|moduleNameMapper|browser|imports|exports|fallback|overrides|resolutions|(?:dev|peer|optional)?[dD]ependencies)["']?\s*[:=]\s*[\[{(]`)
	settingKey     = regexp.MustCompile(`(?:["']([^"'\n]{1,200})["']|(?:^|[{,\s])([A-Za-z_$][\w$]*))\s*:`)
	settingFind    = regexp.MustCompile(`\bfind["']?\s*:\s*["'/]([^"'\n,]{1,200}?)["'/]\s*,\s*["']?replacement["']?\s*:`)
	quotedSetting  = regexp.MustCompile("[\"'`]([^\"'`\\n]{1,200})[\"'`]")
	baseURL        = regexp.MustCompile(`"baseUrl"\s*:\s*"([^"]{1,200})"`)
	anyName        = regexp.MustCompile(`"\*"\s*:\s*\[([^\]]{1,400})\]`)
)

// setting is an entry that says what a name means.
type setting struct {
	section, key string
	values       []string
	at           int // offset of the values
}

// settingsOf are the entries of a file.
func settingsOf(text []byte) []setting {
	type section struct {
		name       string
		start, end int
	}
	var sections []section
	for _, m := range settingSection.FindAllSubmatchIndex(text, maxEntries) {
		sections = append(sections, section{string(text[m[2]:m[3]]), m[1], m[1] + closes(text[m[1]:])})
	}
	keys := settingKey.FindAllSubmatchIndex(text, maxEntries)
	for _, m := range settingFind.FindAllSubmatchIndex(text, maxEntries) {
		keys = append(keys, []int{m[0], m[1], m[2], m[3], -1, -1})
	}
	var out []setting
	for i, m := range keys {
		end := min(len(text), m[1]+maxSetting)
		if i+1 < len(keys) && keys[i+1][0] > m[1] {
			end = min(end, keys[i+1][0])
		}
		e := setting{at: m[1]}
		if m[2] >= 0 {
			e.key = string(text[m[2]:m[3]])
		} else {
			e.key = string(text[m[4]:m[5]])
		}
		for _, v := range quotedSetting.FindAllSubmatch(text[m[1]:end], 20) {
			e.values = append(e.values, string(v[1]))
		}
		for _, s := range sections {
			if s.start <= m[0] && m[0] < s.end {
				e.section = s.name // the innermost is the last
			}
		}
		if len(e.values) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// closes returns where the bracket before a text is closed.
func closes(text []byte) int {
	text = text[:min(len(text), maxSection)]
	quote := byte(0)
	for i, depth := 0, 1; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// settings notes new entries by which a name that programs of the base import means a new file.
func (s *shadowing) settings(f *file) {
	t := f.target
	if !settingFile.MatchString(t.Path) || strings.Contains(t.Path, "node_modules/") || t.Size > maxManifest {
		return
	}
	head, err := bounded.ReadFile(s.change.Head, t.Path, maxManifest)
	if err != nil {
		return // the layer says so where it reads the file
	}
	var before []setting
	if base, err := bounded.ReadFile(s.base, olderPath(t), maxManifest); err == nil {
		before = settingsOf(base)
	}
	folders := []string{path.Dir(t.Path)}
	if m := baseURL.FindSubmatch(head); m != nil {
		folders = append(folders, path.Join(folders[0], string(m[1])))
	}
	now := settingsOf(head)
	for _, e := range now {
		if slices.ContainsFunc(before, func(o setting) bool {
			return o.section == e.section && o.key == e.key && slices.Equal(o.values, e.values)
		}) {
			continue
		}
		to := s.newPlace(folders, e.values)
		if to == "" {
			continue
		}
		was, by := s.meant(t, e, before, now)
		if was == "" {
			continue
		}
		line := 1 + bytes.Count(head[:e.at], []byte{'\n'})
		f.report(checkShadowing, line, fmt.Sprintf("%s is now %s%s", was, gate.Clip(to, maxShownName), by), e.key)
	}
}

// newPlace is the new file or folder that the values of an entry name.
func (s *shadowing) newPlace(folders, values []string) string {
	for _, v := range append(slices.Clone(values), path.Join(values...)) {
		v = strings.TrimPrefix(v, "<rootDir>/")
		for _, scheme := range []string{"file:", "link:", "portal:", "workspace:"} {
			v = strings.TrimPrefix(v, scheme)
		}
		v = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(v, "$1"), "*"), "/")
		if v == "" || strings.ContainsAny(v, "*?\x00") {
			continue
		}
		for _, folder := range folders {
			if p := path.Join(folder, strings.TrimLeft(v, "/")); p != "." && p != ".." && !strings.HasPrefix(p, "../") {
				if to := s.added().means(p); to != "" {
					return to
				}
			}
		}
	}
	return ""
}

// meant returns what the name of an entry meant in the base, "" where nothing of it uses the name.
func (s *shadowing) meant(t *gate.Target, e setting, before, now []setting) (was, by string) {
	folder := path.Dir(t.Path)
	if entryPoint(t, e) {
		for _, o := range before {
			if o.section == e.section && o.key == e.key && !slices.ContainsFunc(now, func(n setting) bool {
				return n.section == o.section && n.key == o.key && slices.Equal(n.values, o.values)
			}) && s.stays(path.Join(folder, o.values[0])) {
				return path.Join(folder, o.values[0]), ""
			}
		}
	}
	if e.section == "" || e.section == "exports" {
		return "", ""
	}
	if strings.HasPrefix(e.key, "./") && s.stays(path.Join(folder, e.key)) {
		return path.Join(folder, e.key), " for browsers"
	}
	key := strings.TrimRight(strings.TrimPrefix(e.key, "^"), "$")
	key = strings.TrimSuffix(strings.TrimSuffix(key, "(.*)"), "*")
	name := packageOf(strings.TrimRight(strings.ReplaceAll(key, `\`, ""), "/"))
	if name == "" || !s.names().registry[name] && !builtinModules[name] {
		return "", ""
	}
	if strings.HasSuffix(strings.ToLower(e.section), "dependencies") || e.section == "overrides" || e.section == "resolutions" {
		return name, ", of this repository"
	}
	if importers := s.script().packages[name]; len(importers) > 0 {
		return name, ", for " + gate.Clip(importers[0].program, maxShownName) + " as well"
	}
	return "", ""
}

// entryPoint reports whether an entry of a package.json says which file an import of the package,
// or of a part of it, means.
func entryPoint(t *gate.Target, e setting) bool {
	if path.Base(t.Path) != "package.json" || len(e.values) != 1 {
		return false
	}
	switch e.section {
	case "":
		return e.key == "main" || e.key == "module" || e.key == "browser" || e.key == "exports"
	case "exports", "imports":
		return true
	}
	return false
}

// workspace notes a new package of a workspace with the name of one that the base takes from a
// registry: the workspace wins where its version fits.
func (s *shadowing) workspace(f *file) {
	text, err := bounded.ReadFile(s.change.Head, f.target.Path, maxManifest)
	if err != nil {
		return // the layer says so where it reads the file
	}
	var m struct{ Name string }
	if json.Unmarshal(text, &m) != nil || m.Name == "" || !s.names().registry[m.Name] {
		return
	}
	for _, pattern := range workspaces(s.change.Head) {
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
		if glob.Match(pattern, path.Dir(f.target.Path)) {
			f.report(checkShadowing, 0, m.Name+", which the base takes from a registry", m.Name)
			return
		}
	}
}

// workspaces are the folders that have packages, as the head names them.
func workspaces(head fs.FS) []string {
	var out []string
	if text, err := bounded.ReadFile(head, "package.json", maxManifest); err == nil {
		var m struct{ Workspaces any }
		if json.Unmarshal(text, &m) == nil {
			list, ok := m.Workspaces.([]any)
			if in, of := m.Workspaces.(map[string]any); of {
				list, ok = in["packages"].([]any)
			}
			for _, v := range list {
				if p, is := v.(string); ok && is {
					out = append(out, p)
				}
			}
		}
	}
	if text, err := bounded.ReadFile(head, "pnpm-workspace.yaml", maxManifest); err == nil {
		for _, m := range pnpmPackage.FindAllSubmatch(text, maxEntries) {
			out = append(out, cmp.Or(string(m[1]), string(m[2])))
		}
	}
	return out
}

var pnpmPackage = regexp.MustCompile(`(?m)^\s*-\s*(?:["']([^"'\n]+)["']|([^"'\s#]+))`)

// fromRoot notes a new file by the name of a package, in a folder that settings look into first.
func (s *shadowing) fromRoot(f *file, stem string) {
	stem = strings.TrimSuffix(stem, "/index")
	name := path.Base(stem)
	if scope := path.Base(path.Dir(stem)); strings.HasPrefix(scope, "@") {
		name = scope + "/" + name
	}
	if !s.names().registry[name] {
		return
	}
	folder := strings.TrimSuffix(strings.TrimSuffix(stem, name), "/")
	folder = cmp.Or(folder, ".")
	for d, n := folder, 0; n < maxAncestors; d, n = path.Dir(d), n+1 {
		for _, settings := range []string{"tsconfig.json", "jsconfig.json"} {
			text, err := bounded.ReadFile(s.change.Head, path.Join(d, settings), maxManifest)
			if err != nil || !looksInto(text, d, folder) {
				continue
			}
			if importers := s.script().packages[name]; len(importers) > 0 {
				f.report(checkShadowing, 0, fmt.Sprintf("%s, which %s imports", name, gate.Clip(importers[0].program, maxShownName)), importers[0].statement)
				return
			}
		}
		if d == "." {
			return
		}
	}
}

// looksInto reports whether settings of TypeScript in one folder look for packages in another.
func looksInto(text []byte, at, folder string) bool {
	base := at
	if m := baseURL.FindSubmatch(text); m != nil {
		if base = path.Join(at, string(m[1])); base == folder {
			return true
		}
	}
	for _, m := range anyName.FindAllSubmatch(text, 5) {
		for _, v := range quotedSetting.FindAllSubmatch(m[1], 20) {
			if p, any := strings.CutSuffix(string(v[1]), "*"); any && path.Join(base, p) == folder {
				return true
			}
		}
	}
	return false
}
