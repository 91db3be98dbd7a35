package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/suppress"
)

// baseline reads the baseline from where the policy comes from, nil for none.
func (s settings) baseline() (*suppress.Baseline, error) {
	if s.tree == nil {
		return nil, nil
	}
	data, err := bounded.ReadFile(s.tree, suppress.BaselineFile, suppress.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("%s: %w", suppress.BaselineFile, err)
	}
	b, err := suppress.ParseBaseline(suppress.BaselineFile, data)
	if err != nil {
		return nil, usage("%w\nMend it, or write it anew with `gate baseline`", err)
	}
	return b, nil
}

// silencing is a run in which findings can be suppressed.
type silencing struct {
	change *gate.Change
	// againstBase says that only what the base commit has counts.
	againstBase bool
	baseline    *suppress.Baseline
	usage       []gate.Usage // of the policy
}

// suppressions puts comments, baseline and safe usages between the layers and the verdict.
func (l *layers) suppressions(s silencing) *suppress.Set {
	set := suppress.New(suppress.Options{
		Change: s.change, AgainstBase: s.againstBase, Rules: l.rules, Baseline: s.baseline, Usage: s.usage, Today: time.Now(),
	})
	for i, stage := range l.stages {
		if stage.Name() == gate.LayerStatic {
			l.stages[i] = set.Stage(stage)
		}
	}
	return set
}

// sayHowManyAreSuppressed tells who scans a tree that the tree itself silenced
// findings: it may be somebody else's.
func (a *app) sayHowManyAreSuppressed(res gate.Result) {
	n := 0
	for _, f := range res.Files {
		for _, finding := range f.Findings {
			if finding.Suppressed != nil {
				n++
			}
		}
	}
	if n > 0 {
		fmt.Fprintf(a.stderr, "gate: findings that the scanned tree's own comments and baseline suppress: %d (--no-suppressions lets them decide)\n", n)
	}
}

// protectItself adds what gate itself is told by to the protected files, whatever
// the policy's list says: changing one of them is a finding.
func protectItself(p *gate.Policy) {
	own := []string{policyFile, suppress.BaselineFile}
	for _, dir := range p.Rules.Dirs {
		own = append(own, strings.TrimSuffix(dir, "/")+"/**")
	}
	p.Protect = slices.Clone(p.Protect)
	for _, glob := range own {
		if !slices.Contains(p.Protect, glob) {
			p.Protect = append(p.Protect, glob)
		}
	}
}

// remoteTree is a commit of a repository that is not on this machine. Files are
// read one by one, when somebody opens them.
type remoteTree struct {
	open func(id string) ([]byte, error)
	ids  map[string]string // of regular files, by path
}

// Open implements [fs.FS].
func (t remoteTree) Open(name string) (fs.File, error) {
	id, ok := t.ids[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := t.open(id)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fstest.MapFS{name: {Data: data, Mode: 0o644}}.Open(name)
}
