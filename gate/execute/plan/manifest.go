package plan

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Manifest is what matters of a package.json, as npm reads it: keys are taken
// literally, and of equal ones the last counts.
type Manifest struct {
	Name    string
	Main    string          // what is imported by the name of the package
	Bin     json.RawMessage // a path, or paths by name
	Scripts map[string]string
	runners map[string]json.RawMessage // settings of test runners
	Needs   []string                   // names of the packages that it depends on, sorted
	// Broken says that npm would refuse the file, "" where it would not. What is in
	// it is read all the same, as more lenient installers do.
	Broken string
}

// ReadManifest reads a package.json.
func ReadManifest(text string) Manifest {
	text = strings.TrimPrefix(text, "\uFEFF") // npm leaves it out as well
	var m Manifest
	if strings.TrimSpace(text) == "" {
		return m
	}
	keys, err := object(text)
	if err != nil {
		m.Broken = err.Error()
		if keys, err = object(lenient(text)); err != nil {
			return m
		}
	}
	_ = json.Unmarshal(keys["name"], &m.Name) // one of another type is none
	_ = json.Unmarshal(keys["main"], &m.Main)
	m.Bin = keys["bin"]
	m.runners = map[string]json.RawMessage{}
	for name := range settingsOf {
		if settings, ok := keys[name]; ok {
			m.runners[name] = settings
		}
	}
	for _, group := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		names, _ := object(string(keys[group]))
		m.Needs = append(m.Needs, slices.Collect(maps.Keys(names))...)
	}
	slices.Sort(m.Needs)
	scripts, _ := object(string(keys["scripts"]))
	m.Scripts = map[string]string{}
	for name, value := range scripts {
		var line string
		if json.Unmarshal(value, &line) == nil {
			m.Scripts[name] = line
		}
	}
	return m
}

// scriptsEdited reports whether a change edits lines of the scripts of a package.json, or
// may do so: where that cannot be told, it does.
func scriptsEdited(text string, changed gate.LineSet) bool {
	text = strings.TrimPrefix(text, "\uFEFF")
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return true
	}
	edited := false
	line := func(offset int64) int { return 1 + strings.Count(text[:min(int(offset), len(text))], "\n") }
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return true
		}
		from := line(dec.InputOffset())
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return true
		}
		edited = edited || key == "scripts" && changed.Touches(from, line(dec.InputOffset()))
	}
	return edited
}

// object reads the members of a JSON object. A map takes keys as they are, and of equal
// ones the last; the fields of a struct would not.
func object(text string) (map[string]json.RawMessage, error) {
	var out map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &out)
	return out, err
}

var (
	jsonText     = `"(?:[^"\\\n]|\\.)*"`
	jsonComments = regexp.MustCompile(`(?s)(` + jsonText + `)|//[^\n]*|/\*.*?\*/`)
	jsonTrailing = regexp.MustCompile(`(` + jsonText + `)|,(\s*[}\]])`)
)

// lenient is JSON without the comments and trailing commas that some installers allow.
func lenient(text string) string {
	return jsonTrailing.ReplaceAllString(jsonComments.ReplaceAllString(text, "$1"), "$1$2")
}

// manifestOf reads the package.json of a folder.
func manifestOf(t *workspace.Tree, dir string) Manifest {
	p := path.Join(dir, "package.json")
	if !t.Has(p) {
		return Manifest{}
	}
	return ReadManifest(t.Text(p))
}
