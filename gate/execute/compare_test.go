package execute

import (
	"context"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// Compare does nothing but to compare capabilities.
func (s *Stage) Compare(ctx context.Context, c *gate.Change, found *gate.Findings) []gate.Gap {
	runner, err := s.open(ctx)
	if err != nil {
		panic(err)
	}
	tree := workspace.Load(c, nil, s.limits())
	x := comparison{
		prepare: preparer{policy: s.o.Policy, imports: s.o.Imports, images: s.provide(ctx, runner, s.dependencies(c), tree, nil), tree: tree},
		engine:  func(*workspace.Tree) engine { return engine{runner: runner} }, limits: s.limits(), parallel: s.o.Parallel, on: s.o.On, found: found, progress: &progress{found: found},
	}
	return x.capabilities(c, x.ask(ctx, c, nil))
}
