package evalrun

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/eval"
)

// injections returns those that are tried.
func (o *JudgeOptions) injections() ([]eval.Injection, error) {
	table, err := eval.Injections()
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.Injections) == 0 || slices.Equal(o.Injections, []string{All}):
		return table, nil
	case slices.Equal(o.Injections, []string{None}):
		return nil, nil
	}
	var out []eval.Injection
	for _, name := range o.Injections {
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			more, err := readInjections(name)
			if err != nil {
				return nil, exit.Usagef("--injections: %w", err)
			}
			out = append(out, more...)
			continue
		}
		i := slices.IndexFunc(table, func(in eval.Injection) bool { return in.Name == name })
		if i < 0 {
			var names []string
			for _, in := range table {
				names = append(names, in.Name)
			}
			return nil, exit.Usagef("--injections: there is no %q (%s; none; or a file *.yaml)", name, strings.Join(names, ", "))
		}
		out = append(out, table[i])
	}
	names := map[string]bool{}
	for _, in := range out {
		if names[in.Name] {
			return nil, exit.Usagef("--injections: %q is there twice", in.Name)
		}
		names[in.Name] = true
	}
	return out, nil
}

func readInjections(name string) ([]eval.Injection, error) {
	data, err := bounded.ReadPath(name, eval.MaxInjectionFile)
	if err != nil {
		return nil, err
	}
	return eval.ParseInjections(name, data)
}
