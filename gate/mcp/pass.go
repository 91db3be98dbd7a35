package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/workspace"
)

// passed remembers which workspaces may run, by their digest: the layer and its rules do not
// change while the server is there.
type passed struct {
	mu    sync.Mutex
	sums  map[[sha256.Size]byte]bool
	order [][sha256.Size]byte
}

// maxPassed bounds what is remembered.
const maxPassed = 256

func (p *passed) has(sum [sha256.Size]byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sums[sum]
}

func (p *passed) add(sum [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sums == nil {
		p.sums = map[[sha256.Size]byte]bool{}
	}
	if p.sums[sum] {
		return
	}
	if len(p.order) == maxPassed {
		delete(p.sums, p.order[0])
		p.order = p.order[1:]
	}
	p.sums[sum] = true
	p.order = append(p.order, sum)
}

// mayRun looks at a program and at all files that are beside it. The error is the story of
// why it must not run. note is what the client should know all the same, and res is what the
// layers say of the program.
func (s *Server) mayRun(ctx context.Context, files *workspace.Tree, name, code string, spent *Phases) (note string, res gate.Result, err error) {
	tree := mapFS(files)
	if sum := files.Sum(); files.Len() > 0 && !s.known.has(sum) {
		res, err := look(ctx, s.static, s.settings.Policy, tree, nil, gate.Discard{})
		if err != nil {
			return "", res, err
		}
		spent.add(res)
		if res.Decision != gate.DecisionPass {
			return "", res, s.refusal("a file of the workspace, which the program could use", res)
		}
		s.known.add(sum)
	}
	tree[name] = &fstest.MapFile{Data: []byte(code), Mode: 0o755}
	res, err = look(ctx, s.static, s.settings.Policy, tree, func(p string) bool { return p == name }, gate.Discard{})
	if err != nil {
		return "", res, err
	}
	spent.add(res)
	if res.Decision != gate.DecisionPass || len(res.Files) == 0 {
		return "", res, s.refusal("the program", res)
	}
	if res.Verdict != gate.Safe {
		out := s.scanned(res)
		note = "It ran, although gate calls it suspicious:\n" + out.text()
	}
	return note, res, nil
}

func mapFS(files *workspace.Tree) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, p := range files.Paths() {
		data, _ := files.Get(p)
		tree[p] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return tree
}

// refusal is the story of why something did not run.
func (s *Server) refusal(what string, res gate.Result) error {
	out := s.scanned(res)
	var deciding []Found
	for _, f := range out.Findings {
		if f.Decides {
			deciding = append(deciding, f)
		}
	}
	out.Findings = deciding
	return fmt.Errorf("Refused: nothing ran. gate does not let %s pass (%s).\n%s", what, layerNames(s.o.Before), strings.TrimSuffix(out.text(), "\n")) //nolint:staticcheck // it is read as a text of its own
}

// layerNames names layers in a sentence.
func layerNames(layers []gate.Layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, string(l))
	}
	return "layers: " + strings.Join(names, ", ")
}

// Phases are where the time of a call went, in milliseconds.
type Phases struct {
	Static int64 `json:"static_ms"`
	Judge  int64 `json:"judge_ms" jsonschema:"0 where the judge is not asked before a program runs"`
	Start  int64 `json:"start_ms" jsonschema:"until the program ran in its container, and until its files were back"`
	Run    int64 `json:"run_ms"`
}

// add counts what the layers took.
func (p *Phases) add(res gate.Result) {
	for _, l := range res.Layers {
		switch l.Name {
		case gate.LayerStatic:
			p.Static += l.DurationMS
		case gate.LayerJudge:
			p.Judge += l.DurationMS
		}
	}
}
