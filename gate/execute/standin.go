package execute

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// maxStandIns is how many modules are replaced for one unit. Each is found out by
// a run that fails.
const maxStandIns = 6

//go:embed bootstrap/standin.mjs
var nodeStandIn string

// needsModule is how a diagnosis says that a module is missing.
var needsModule = regexp.MustCompile(`^it needs the module (@?[\w.-]+(?:/[\w.-]+)?)$`)

// missingModule returns the module that a program lacks, "" for none. A folder of
// the repository is none: what it lacks there cannot be made up.
func (b *batch) missingModule(needs string) string {
	m := needsModule.FindStringSubmatch(needs)
	if m == nil || b.tree.Dirs[m[1]] {
		return ""
	}
	return m[1]
}

// standIn runs a unit again with something in place of each module that is not
// there, so that the rest of it runs: what it does with them is not seen, and what
// it does besides is.
func (b *batch) standIn(ctx context.Context, u unit, r *result) {
	var names []string
	var last *run
	for needs := r.needs; len(names) < maxStandIns; {
		name := b.missingModule(needs)
		if name == "" || slices.Contains(names, name) {
			break
		}
		v, ok := withStandIns(u, append(names, name), b.imported)
		if !ok {
			break
		}
		names = append(names, name)
		b.expect(ctx, v, v.argv)
		one, err := b.once(ctx, v, v.argv)
		if err != nil {
			r.unseen = cmp.Or(r.unseen, "it was not run with stand-ins for "+strings.Join(names, ", ")+": "+err.Error())
			return
		}
		r.unseen = cmp.Or(r.unseen, unseen(one.res.Behaviour))
		d := diagnose(u, one.res, b.tree.Withheld)
		one.note, one.standIns = d.note, slices.Clone(names)
		last, needs = &one, d.needs
	}
	if last != nil {
		r.runs = append(r.runs, *last)
	}
}

// withStandIns returns how a unit runs with stand-ins; ok is false where that is
// not possible. imported returns what sources import from a module.
func withStandIns(u unit, names []string, imported func(module string) []string) (unit, bool) {
	u.argv, u.env = slices.Clone(u.argv), slices.Clone(u.env)
	switch u.image {
	case gate.LanguagePython:
		code := slices.Index(u.argv, pythonBootstrap)
		var job pythonJob
		if code < 0 || code+1 >= len(u.argv) || json.Unmarshal([]byte(u.argv[code+1]), &job) != nil {
			return unit{}, false
		}
		job.StandIns = names
		data, _ := json.Marshal(job) // strings: cannot fail
		u.argv[code+1] = string(data)
		return u, true
	case gate.LanguageJavaScript:
		wanted := map[string][]string{}
		for _, n := range names {
			wanted[n] = imported(n)
		}
		data, _ := json.Marshal(wanted) // strings: cannot fail
		hook := "--import=data:text/javascript;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Replace(nodeStandIn, "= NAMES;", "= "+string(data)+";", 1)))
		u.env = nodeOption(u.env, hook)
		return u, true
	}
	return unit{}, false
}

// nodeOption adds an option for Node to an environment.
func nodeOption(env []string, option string) []string {
	for i, e := range env {
		if strings.HasPrefix(e, "NODE_OPTIONS=") {
			env[i] += " " + option
			return env
		}
	}
	return append(env, "NODE_OPTIONS="+option)
}

var (
	nodeImports    = regexp.MustCompile(`import\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"\n]{1,200})['"]`)
	nodeIdentifier = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
)

// maxImported bounds the names that a stand-in has.
const maxImported = 200

// imported returns the names that the sources of the change import from a module
// of Node: those it has to have before anything runs.
func (b *batch) imported(module string) []string {
	var names []string
	if module == "react" || module == "preact" {
		names = append(names, "Fragment", "jsx", "jsxDEV", "jsxs") // what JSX is translated to
	}
	for _, f := range b.tree.Files {
		if len(f.Data) > workspace.MaxSource {
			continue
		}
		for _, m := range nodeImports.FindAllSubmatch(f.Data, maxImported) {
			if from := string(m[2]); from != module && !strings.HasPrefix(from, module+"/") {
				continue
			}
			for item := range strings.SplitSeq(string(m[1]), ",") {
				name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(item), "type "), " ")
				if nodeIdentifier.MatchString(name) && name != "default" {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxImported)]
}
