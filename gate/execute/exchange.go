package execute

import (
	"archive/tar"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Exchange is what a program that is run for its files is given, and what it hands
// out. Folders are slash-separated and relative to the root of the tree.
type Exchange struct {
	// Data is the folder whose files the program can read and not write to.
	Data string
	// Out is the folder that is there when a program starts, and whose files are
	// taken out of the container when it has ended.
	Out string
	// Bytes is how much is taken out of one run.
	Bytes int64
	// Take is called for each target that was run as a program, with what its
	// ordinary run left in Out, and what of it could not be taken out. The paths are
	// relative to Out, and hostile as the content is. What it returns goes through
	// the layers as well.
	Take func(target string, files []sandbox.File, refused []sandbox.Refusal) []gate.Child
}

// handsOut reports whether the files of a unit are asked for.
func (b *batch) handsOut(u unit) bool {
	return b.stage.o.Exchange != nil && u.kind == kindScript
}

// exchange asks for the files of a program.
func (b *batch) exchange(u unit, spec *sandbox.Spec) {
	if !b.handsOut(u) {
		return
	}
	spec.Output = append(spec.Output, b.stage.o.Exchange.Out)
	// Which lines ran is brought back as well, and is not to take their place.
	spec.Limits.Output = b.stage.o.Exchange.Bytes + coverOutput
}

// input is what a unit finds in its workspace.
func (b *batch) input(w *tar.Writer, u unit) error {
	if b.handsOut(u) {
		out := &tar.Header{Name: b.stage.o.Exchange.Out + "/", Typeflag: tar.TypeDir, Mode: 0o755, ModTime: workspace.Time}
		if err := w.WriteHeader(out); err != nil {
			return fmt.Errorf("put %s into the container: %w", out.Name, err)
		}
	}
	return b.tree.Write(w, u.extra)
}

// handOut gives the files of the programs to whoever asked for them.
func (b *batch) handOut() []gate.Child {
	var children []gate.Child
	for i, u := range b.units {
		r := b.results[i]
		if !b.handsOut(u) || r.lost != "" || len(r.runs) == 0 {
			continue
		}
		files, refused := b.handed(r.runs[0].res)
		for _, t := range u.targets {
			children = append(children, b.stage.o.Exchange.Take(t, files, refused)...)
		}
	}
	return children
}

// handed is what of a run's files was asked for by others than us.
func (b *batch) handed(res sandbox.Result) (files []sandbox.File, refused []sandbox.Refusal) {
	out := b.stage.o.Exchange.Out
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
