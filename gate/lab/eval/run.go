package eval

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
)

// Pipeline puts the files of one sample through the layers. head holds nothing
// but the sample, base what it was before, nil where the sample doesn't say. It is
// called from several goroutines where Options says so.
type Pipeline func(ctx context.Context, base, head fs.FS) (gate.Result, error)

// Options say how a corpus is run.
type Options struct {
	Pipeline Pipeline
	// Workers is how many samples are looked at side by side, at least one.
	Workers int
	// Progress, when set, is told how many samples are done; not concurrently.
	Progress func(done, total int)
}

// Outcome is what came of one sample.
type Outcome struct {
	Path     string        `json:"path"`
	Language gate.Language `json:"language"`
	Label    Label         `json:"label"`
	Category string        `json:"category"`
	Lines    []int         `json:"lines,omitempty"`
	// Layers holds an entry for every layer that ran, by name, and one for
	// all of them together.
	Layers map[string]Seen `json:"layers"`
	// Incomplete says what was not looked at. It is neither found nor clean.
	Incomplete []string `json:"incomplete,omitempty"`
	// Failed names the layers that should have looked at it and did not get
	// through, with the reason.
	Failed []string `json:"failed,omitempty"`
}

// All is the name under which the layers together are measured.
const All = "all"

// Seen is what one layer says about a sample.
type Seen struct {
	Severity Level `json:"severity"`
	// Rules are the rules with a finding that decides, each with its worst
	// severity, sorted by name.
	Rules []RuleSeen `json:"rules,omitempty"`
	// Located is the worst severity of a finding that touches an expected line.
	Located Level `json:"located,omitempty"`
	// Incomplete says that the layer did not look at all of the sample, so that
	// what it did not find is not known to be absent.
	Incomplete bool `json:"incomplete,omitempty"`
}

// RuleSeen is one rule that has found something.
type RuleSeen struct {
	Rule     string `json:"rule"`
	Severity Level  `json:"severity"`
	Line     int    `json:"line"` // of its first finding of that severity; 0 is the file as a whole
}

// Run puts every sample through the pipeline. Outcomes are in the order of the
// samples. An error means that the corpus could not be read or that ctx ended;
// there are no outcomes then.
func Run(ctx context.Context, c *Corpus, o Options) ([]Outcome, error) {
	out := make([]Outcome, len(c.Samples))
	done := make(chan struct{}, len(c.Samples))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for n := 1; ; n++ {
			if _, more := <-done; !more {
				return
			}
			if o.Progress != nil {
				o.Progress(n, len(c.Samples))
			}
		}
	}()
	err := gate.ForEach(ctx, o.Workers, len(c.Samples), func(ctx context.Context, i int) error {
		s := c.Samples[i]
		base, head, err := c.trees(s)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", CorpusFile, s.At.Line, err)
		}
		res, err := o.Pipeline(ctx, base, head)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		out[i] = outcome(s, res)
		done <- struct{}{}
		return nil
	})
	close(done)
	<-watched
	if err != nil {
		return nil, err
	}
	return out, nil
}

// trees reads a sample and what it was before, nil where it doesn't say.
func (c *Corpus) trees(s Sample) (base, head fs.FS, err error) {
	tree, err := c.tree(s)
	if err != nil || s.Base == "" {
		return nil, tree, err
	}
	older := s
	older.Path = s.Base
	if s.As == "" {
		older.As = stored(s.Path)
	}
	if info, err := c.root.Lstat(filepath.FromSlash(s.Base)); err == nil && info.IsDir() {
		older.As = ""
	}
	before, err := c.tree(older)
	return before, tree, err
}

// tree reads a sample into memory, so that what runs sees this sample and
// nothing beside it.
func (c *Corpus) tree(s Sample) (fstest.MapFS, error) {
	tree := fstest.MapFS{}
	info, err := c.root.Lstat(filepath.FromSlash(s.Path))
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		as := s.As
		if as == "" {
			as = stored(s.Path)
		}
		left := int64(MaxSampleBytes)
		return tree, c.read(tree, s.Path, as, info, &left)
	}
	left := int64(MaxSampleBytes)
	return tree, c.folder(tree, s.Path, "", 0, &left)
}

// folder reads what lies below dir, which is below the root, as if it lay below
// the folder as.
func (c *Corpus) folder(tree fstest.MapFS, dir, as string, depth int, left *int64) error {
	if depth > maxSampleDepth {
		return fmt.Errorf("%s: folders are nested more than %d deep", dir, maxSampleDepth)
	}
	entries, err := fs.ReadDir(c.root.FS(), dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, seen := path.Join(dir, e.Name()), path.Join(as, stored(e.Name()))
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case len(tree) >= MaxSampleFiles:
			return fmt.Errorf("%s: a sample has at most %d files", dir, MaxSampleFiles)
		case e.IsDir():
			err = c.folder(tree, name, seen, depth+1, left)
		case info.Mode().IsRegular():
			err = c.read(tree, name, seen, info, left)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder (%s)", name, info.Mode().Type())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stored is the name of a file that is kept under another one, so that no editor
// or agent obeys it where it lies.
func stored(name string) string { return strings.TrimSuffix(name, ".sample") }

func (c *Corpus) read(tree fstest.MapFS, name, as string, info fs.FileInfo, left *int64) error {
	data, err := bounded.ReadFile(c.root.FS(), name, *left)
	if bounded.IsTooLarge(err) {
		return fmt.Errorf("%s: a sample has at most %d bytes", name, MaxSampleBytes)
	}
	if err != nil {
		return err
	}
	*left -= int64(len(data))
	tree[as] = &fstest.MapFile{Data: data, Mode: info.Mode().Perm()}
	return nil
}

// outcome sums up what the layers said about a sample, over all of its files and
// what was decoded from them.
func outcome(s Sample, res gate.Result) Outcome {
	out := Outcome{Path: s.Path, Language: s.Language, Label: s.Label, Category: s.Category, Lines: s.Lines, Layers: map[string]Seen{}}
	for _, l := range res.Layers {
		switch {
		case l.Status == gate.LayerFailed:
			out.Failed = append(out.Failed, fmt.Sprintf("%s: %s", l.Name, l.Reason))
		case l.Status.Completed():
			by := seen(s, res, func(f gate.Finding) bool { return f.Layer == l.Name }, false)
			by.Incomplete = slices.ContainsFunc(res.Incomplete, func(g gate.Gap) bool { return g.Layer == l.Name })
			out.Layers[string(l.Name)] = by
		}
	}
	together := seen(s, res, func(gate.Finding) bool { return true }, true)
	together.Incomplete = len(res.Incomplete) > 0
	out.Layers[All] = together
	for _, g := range res.Incomplete {
		out.Incomplete = append(out.Incomplete, fmt.Sprintf("%s: %s", g.Layer, g.Reason))
	}
	out.Incomplete = slices.Compact(out.Incomplete)
	return out
}

// seen is the level of the findings that count. What two layers say about the
// same thing counts as dangerous where they are looked at together.
func seen(s Sample, res gate.Result, counts func(gate.Finding) bool, together bool) Seen {
	var out Seen
	rules := map[string]RuleSeen{}
	for _, file := range res.Files {
		for _, f := range file.Findings {
			if !f.Decides() || !counts(f) {
				continue
			}
			level := levelOf(f.Severity)
			if together && f.CorroboratedBy != "" {
				level = Dangerous
			}
			hit := slices.ContainsFunc(s.Lines, func(n int) bool { return file.Parent == "" && f.Line <= n && n <= f.EndLine })
			out.Severity = max(out.Severity, level)
			if hit {
				out.Located = max(out.Located, level)
			}
			if have, ok := rules[f.Rule]; !ok || level > have.Severity {
				rules[f.Rule] = RuleSeen{Rule: f.Rule, Severity: level, Line: f.Line}
			}
		}
	}
	for _, r := range rules {
		out.Rules = append(out.Rules, r)
	}
	slices.SortFunc(out.Rules, byName)
	return out
}
