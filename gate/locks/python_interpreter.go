package locks

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// PythonAsk says for which versions of Python the code of a tree is made. The zero value is
// that nothing says so.
type PythonAsk struct {
	By string // what says so
	// Versions are specifiers, all of which have to hold (">=3.10,<4"); of several
	// alternatives one has to.
	Versions []string
}

// Other says in a sentence that the version that was used is none of those that the tree asks
// for, "" where that is not so or not known.
func (a PythonAsk) Other(used string) string {
	have := versionNumbers(used)
	if len(a.Versions) == 0 || len(have) < 2 {
		return ""
	}
	for _, v := range a.Versions {
		if ok, known := allowsPython(v, have); ok || !known {
			return ""
		}
	}
	const most = 6
	shown := a.Versions[:min(len(a.Versions), most)]
	return fmt.Sprintf("%s asks for Python %s; version %s was used", a.By, strings.Join(shown, " or "), used)
}

// maxVersion bounds a specifier, in bytes.
const maxVersion = 200

var (
	pythonPin     = regexp.MustCompile(`^(?:cpython-|python-?)?(3\.\d{1,2}(?:\.\d{1,3})?)t?$`)
	pythonClause  = regexp.MustCompile(`^(===?|!=|~=|>=|<=|>|<|\^|~)?\s*v?(\d{1,3}(?:\.\d{1,3}){0,3})(\.\*)?$`)
	requiresText  = regexp.MustCompile(`python_requires\s*=\s*["']([^"'\n]{1,200})["']`)
	toxVersion    = regexp.MustCompile(`\bpy(?:thon)?[-.]?3\.?(\d{1,2})t?\b`)
	classifier    = regexp.MustCompile(`Programming Language :: Python :: (3\.\d{1,2})\b`)
	envlistOf     = regexp.MustCompile(`(?m)^[ \t]*(?:envlist|env_list)[ \t]*=[ \t]*((?:[^\n]*)(?:\n[ \t]+[^\n]*)*)`)
	toxBraces     = regexp.MustCompile(`py3?\.?\{([\d,.\s-]{1,200})\}`)
	setupRequires = regexp.MustCompile(`(?m)^python_requires\s*=\s*(\S[^\n]{0,200})$`)
)

// PythonVersion finds the versions of Python that a tree asks for: by a file for version
// managers, by the versions that its manifest requires, by the environments of tox, or by its
// classifiers.
func PythonVersion(tree fs.FS) PythonAsk {
	read := func(file string) string {
		data, err := bounded.ReadFile(tree, file, maxManifest)
		if err != nil {
			return ""
		}
		return string(data)
	}
	for _, find := range []func(func(string) string) PythonAsk{pinnedPython, requiredPython, toxPython, classifiedPython} {
		if a := find(read); len(a.Versions) > 0 {
			return a
		}
	}
	return PythonAsk{}
}

// pinnedPython is what version managers are told; of several versions each is one.
func pinnedPython(read func(string) string) PythonAsk {
	var versions []string
	pin := func(name string) {
		if m := pythonPin.FindStringSubmatch(name); m != nil && len(versions) < maxIncludes {
			versions = append(versions, m[1])
		}
	}
	for line := range strings.Lines(read(".python-version")) {
		pin(strings.TrimSpace(line))
	}
	if len(versions) > 0 {
		return PythonAsk{By: ".python-version", Versions: versions}
	}
	for line := range strings.Lines(read(".tool-versions")) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "python" {
			for _, name := range f[1:] {
				pin(name)
			}
		}
	}
	return PythonAsk{By: ".tool-versions", Versions: versions}
}

// requiredPython is what installers check.
func requiredPython(read func(string) string) PythonAsk {
	var m struct {
		Project struct {
			Requires string `toml:"requires-python"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if toml.Unmarshal([]byte(read("pyproject.toml")), &m) == nil {
		if v := m.Project.Requires; v != "" && len(v) <= maxVersion {
			return PythonAsk{By: "pyproject.toml (requires-python)", Versions: []string{v}}
		}
		if v, ok := m.Tool.Poetry.Dependencies["python"].(string); ok && v != "" && len(v) <= maxVersion {
			return PythonAsk{By: "pyproject.toml (python)", Versions: strings.Split(v, "||")}
		}
	}
	if v := setupRequires.FindStringSubmatch(read("setup.cfg")); v != nil {
		return PythonAsk{By: "setup.cfg (python_requires)", Versions: []string{strings.TrimSpace(v[1])}}
	}
	if v := requiresText.FindStringSubmatch(read("setup.py")); v != nil {
		return PythonAsk{By: "setup.py (python_requires)", Versions: []string{v[1]}}
	}
	return PythonAsk{}
}

// toxPython are the versions of the environments of tox.
func toxPython(read func(string) string) PythonAsk {
	for _, file := range []string{"tox.ini", "setup.cfg", "tox.toml"} {
		m := envlistOf.FindStringSubmatch(read(file))
		if m == nil {
			continue
		}
		var versions []string
		add := func(minor string) {
			if v := "3." + minor; !slices.Contains(versions, v) && len(versions) < maxIncludes*2 {
				versions = append(versions, v)
			}
		}
		for _, braces := range toxBraces.FindAllStringSubmatch(m[1], maxIncludes) {
			for part := range strings.FieldsFuncSeq(braces[1], func(r rune) bool { return r == ',' || r == ' ' }) {
				part = strings.TrimPrefix(strings.ReplaceAll(part, ".", ""), "3")
				if _, err := strconv.Atoi(part); err == nil && len(part) <= 2 {
					add(part)
				}
			}
		}
		for _, one := range toxVersion.FindAllStringSubmatch(m[1], maxIncludes*2) {
			add(one[1])
		}
		if len(versions) > 0 {
			return PythonAsk{By: file + " (environments)", Versions: versions}
		}
	}
	return PythonAsk{}
}

// classifiedPython are the versions that a package says it is made for.
func classifiedPython(read func(string) string) PythonAsk {
	for _, file := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
		var versions []string
		for _, m := range classifier.FindAllStringSubmatch(read(file), maxIncludes*2) {
			versions = append(versions, m[1])
		}
		if len(versions) > 0 {
			return PythonAsk{By: file + " (classifiers)", Versions: versions}
		}
	}
	return PythonAsk{}
}

// versionNumbers are the numbers of a version, nil for what is none.
func versionNumbers(text string) []int {
	var out []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// allowsPython reports whether a version fulfils a specifier (PEP 440, and ^ and ~ of Poetry);
// known is false for one that is not understood.
func allowsPython(specifier string, have []int) (ok, known bool) {
	ok = true
	for clause := range strings.SplitSeq(specifier, ",") {
		if clause = strings.TrimSpace(clause); clause == "" || clause == "*" {
			continue
		}
		m := pythonClause.FindStringSubmatch(clause)
		if m == nil {
			return false, false
		}
		want := versionNumbers(m[2])
		c := compareVersions(have, want)
		prefix := compareVersions(have[:min(len(have), len(want))], want) == 0
		switch m[1] {
		case "", "==", "===":
			// A pin of a whole version is met by any of its line: they differ in mistakes only.
			ok = ok && compareVersions(have[:min(len(have), len(want), 2)], want[:min(len(want), 2)]) == 0
		case "!=":
			ok = ok && (m[3] == "" && c != 0 || m[3] != "" && !prefix)
		case ">=":
			ok = ok && c >= 0
		case "<=":
			ok = ok && c <= 0
		case ">":
			ok = ok && c > 0
		case "<":
			ok = ok && c < 0
		case "~=", "~":
			upto := max(len(want)-1, 1)
			if m[1] == "~" {
				upto = min(len(want), 2)
			}
			ok = ok && c >= 0 && compareVersions(have[:min(len(have), upto)], want[:upto]) == 0
		case "^":
			ok = ok && c >= 0 && have[0] == want[0]
		}
	}
	return ok, true
}

// compareVersions compares numbers; those that are not there are 0.
func compareVersions(a, b []int) int {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

// PythonIn is the version of Python among the versions that an image has
// ("python 3.11.2 numpy 1.24.2"), "" where it is not named.
func PythonIn(versions string) string {
	f := strings.Fields(versions)
	if i := slices.Index(f, "python"); i >= 0 && i+1 < len(f) && len(versionNumbers(f[i+1])) > 1 {
		return f[i+1]
	}
	return ""
}
