package plan

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// Together says which targets must be looked at by one process, because a unit
// runs them all and what it does is charged to all of them: it returns the name of
// the group for every target that is in one, the folder that its targets have in
// common. Targets in no group, or alone in theirs, are not in the map. The same tree
// gives the same groups.
func Together(t *workspace.Tree, targets []*gate.Target, commands map[string]string, base fs.FS) map[string]string {
	p := planned(t, targets, commands, base)
	var sets [][]string
	for _, u := range p.plan.Units {
		sets = append(sets, u.Targets)
	}
	// Which test files share a run depends on all that the runner gets.
	runner := map[string][]string{}
	for _, k := range p.order {
		name := strings.TrimRight(k, "\x00+")
		runner[name] = append(runner[name], p.tests[k].unit.Targets...)
	}
	for _, targets := range runner {
		sets = append(sets, targets)
	}
	return groups(sets)
}

// groups joins sets that share an element, and names each of what comes out.
func groups(sets [][]string) map[string]string {
	leader := map[string]string{}
	find := func(p string) string {
		for leader[p] != p {
			leader[p] = leader[cmp.Or(leader[p], p)]
			p = leader[p]
		}
		return p
	}
	for _, set := range sets {
		for _, p := range set {
			if leader[p] == "" {
				leader[p] = p
			}
			leader[find(p)] = find(set[0])
		}
	}
	members := map[string][]string{}
	for p := range leader {
		members[find(p)] = append(members[find(p)], p)
	}
	out := map[string]string{}
	for _, paths := range members {
		if len(paths) < 2 {
			continue
		}
		slices.Sort(paths)
		common := workspace.Parent(paths[0])
		for last := paths[len(paths)-1]; common != "" && !strings.HasPrefix(last, common+"/"); {
			common = workspace.Parent(common)
		}
		for _, p := range paths {
			out[p] = common + "/"
		}
	}
	return out
}
