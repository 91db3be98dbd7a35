package locks

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// bunLock reads what Bun writes: JSON in which a comma may be the last in its list, which
// YAML allows as well. Of each package it has a list that begins with its name and version
// (https://bun.com/docs/pm/lockfile).
func bunLock(data []byte) ([]Dependency, error) {
	var lock struct {
		Packages map[string][]any `yaml:"packages"`
	}
	if err := yaml.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("it is not what Bun writes: %w", err)
	}
	var out []Dependency
	for key, entry := range lock.Packages {
		if len(entry) == 0 {
			continue
		}
		text, _ := entry[0].(string)
		i := strings.IndexByte(text[min(1, len(text)):], '@') + 1 // "@scope/name@version"
		if i < 1 {
			return nil, fmt.Errorf("%q begins with no name and version", key)
		}
		d := Dependency{Language: Node, Name: text[:i], Version: text[i+1:], needle: quoted(text)}
		switch scheme, _, ok := strings.Cut(d.Version, ":"); {
		case ok && slices.Contains([]string{"workspace", "link", "file", "root"}, scheme):
			continue // of the repository itself
		case ok, strings.Contains(d.Version, "/"):
			d.Elsewhere = d.Version
		case len(entry) > 1:
			if registry, _ := entry[1].(string); registry != "" {
				d.Elsewhere = fetched(registry)
			}
		}
		out = append(out, d)
	}
	return out, nil
}
