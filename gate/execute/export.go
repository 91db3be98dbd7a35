package execute

import (
	"archive/tar"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

// Exchange is what a program that is run for its files is given, and what it hands
// out. Folders are slash-separated and relative to the root of the tree.
type Exchange struct {
	// Out is the folder that is there when a program starts, and whose files are
	// taken out of the container when it has ended. [sandbox.OutputFolder] is that of every
	// container; then all units hand out, not only programs.
	Out string
	// Given writes what a unit finds in [sandbox.InputFolder], of so many bytes; nil is
	// nothing.
	Given      func(*tar.Writer) error
	GivenBytes int64
	// Bytes is how much is taken out of one run.
	Bytes int64
	// Take is called for each target that was run, with what its
	// ordinary run left in Out, and what of it could not be taken out. The paths are
	// relative to Out, and hostile as the content is. What it returns goes through
	// the layers as well.
	Take func(target string, files []sandbox.File, refused []sandbox.Refusal) []gate.Derived
}

// handsOut reports whether the files of a unit are asked for.
func handsOut(x *Exchange, u plan.Unit) bool {
	return x != nil && x.Out != "" && (u.Kind == plan.Script || x.Out == sandbox.OutputFolder)
}

// handOut gives the files of the programs to [Exchange.Take].
func handOut(x *Exchange, units []plan.Unit, results []result) []gate.Derived {
	var children []gate.Derived
	for i, u := range units {
		r := results[i]
		if !handsOut(x, u) || r.lost != "" || len(r.runs) == 0 {
			continue
		}
		files, refused := x.handed(r.runs[0].res)
		targets := u.Targets
		if x.Out == sandbox.OutputFolder {
			targets = targets[:1] // it belongs to the run
		}
		for _, t := range targets {
			children = append(children, x.Take(t, files, refused)...)
		}
	}
	return children
}

// handed is what of a run's files was asked for by others than us.
func (x *Exchange) handed(res sandbox.Result) (files []sandbox.File, refused []sandbox.Refusal) {
	out := x.Out
	for _, f := range res.Files {
		if name, ok := strings.CutPrefix(f.Path, out+"/"); ok {
			files = append(files, sandbox.File{Path: name, Data: f.Data})
		}
	}
	for _, r := range res.Refused {
		if name, ok := strings.CutPrefix(r.Path, out+"/"); ok {
			refused = append(refused, sandbox.Refusal{Path: name, Reason: r.Reason})
		} else if r.Path == out {
			refused = append(refused, sandbox.Refusal{Path: ".", Reason: r.Reason})
		}
	}
	if len(refused) == 0 && len(res.Files)+len(res.Refused) > sandbox.MaxFiles { // the one that was too many may lie elsewhere
		refused = append(refused, sandbox.Refusal{Path: ".", Reason: "too many files"})
	}
	return files, refused
}
