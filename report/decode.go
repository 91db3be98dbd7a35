package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
)

// The bounds of a document that [Decode] reads. They are far above what a run
// writes (3,000 files with 1,000 findings each would not fit any pull request)
// and low enough that a hostile document cannot take a machine down.
const (
	MaxDocument = 64 << 20  // bytes
	MaxString   = 1 << 20   // bytes of one string
	MaxValues   = 4_000_000 // strings, numbers, lists and objects together
	maxNesting  = 24        // levels; the schema needs 9
)

// Decode reads a result that the json format wrote. The document is taken as
// hostile: it is bounded in size, in nesting and in the number of its values;
// every member must be what [Schema] says; no member may appear twice or in
// another spelling; paths must stay inside of the tree; and no verdict may be
// better than the findings, files and gaps beside it.
//
// Members that the schema does not know are checked for the bounds and ignored,
// because within a schema version members are added: an older gate must be able
// to read what a newer one wrote, and ignoring one can not turn a block into a
// pass. What Decode returns is well-formed, not true: anyone who publishes a result
// that came from somewhere else has to scan for himself.
//
// Errors name the place in the document and what was expected there.
func Decode(r io.Reader) (gate.Result, error) {
	data, more, err := bounded.Head(r, MaxDocument)
	if err != nil {
		return gate.Result{}, fmt.Errorf("read the result: %w", err)
	}
	if more {
		return gate.Result{}, fmt.Errorf("read the result: the document is larger than %s", size(MaxDocument))
	}
	if err := checkVersion(data); err != nil {
		return gate.Result{}, err
	}
	root, err := parseSchema(resultSchema)
	if err != nil {
		return gate.Result{}, err
	}
	if err := root.check(data); err != nil {
		return gate.Result{}, fmt.Errorf("read the result: %w", err)
	}
	var res gate.Result
	if err := json.Unmarshal(data, &res); err != nil {
		return gate.Result{}, fmt.Errorf("read the result: %w", err)
	}
	res = canonical(withoutStories(res))
	if err := checkResult(res); err != nil {
		return gate.Result{}, fmt.Errorf("read the result: %w", err)
	}
	return res, nil
}

// withoutStories takes out what every report says anew: a document must not put sentences
// into gate's mouth.
func withoutStories(r gate.Result) gate.Result {
	for i := range r.Files {
		r.Files[i].Summary = ""
		for j := range r.Files[i].Findings {
			r.Files[i].Findings[j].Group, r.Files[i].Findings[j].Lead = 0, false
		}
	}
	return r
}

// checkVersion tells a document of a later schema, which is no mistake of the
// reader's, from one that is broken.
func checkVersion(data []byte) error {
	var doc struct {
		SchemaVersion *int `json:"schema_version"`
	}
	err := json.Unmarshal(data, &doc)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("read the result: this is not JSON: %w at byte %d", err, syntax.Offset)
	case err != nil || doc.SchemaVersion == nil:
		return errors.New("read the result: no schema_version; this is not a result that gate wrote with --format json or --save")
	case *doc.SchemaVersion > gate.SchemaVersion:
		return fmt.Errorf("read the result: schema_version %d is newer than %d, which this gate reads; update gate", *doc.SchemaVersion, gate.SchemaVersion)
	}
	return nil
}

// checkResult checks what a schema cannot say.
func checkResult(r gate.Result) error {
	layers := map[gate.Layer]bool{}
	for i, l := range r.Layers {
		if layers[l.Name] {
			return fmt.Errorf("layers[%d]: the layer %q is listed twice", i, l.Name)
		}
		layers[l.Name] = true
	}
	files := map[string]gate.Verdict{}
	for i, f := range r.Files {
		if err := checkFile(f, files); err != nil {
			return fmt.Errorf("files[%d].%w", i, err)
		}
		files[f.Path] = f.Verdict
	}
	for i, g := range r.Incomplete {
		if err := checkPlace(g.Path); err != nil {
			return fmt.Errorf("incomplete[%d].%w", i, err)
		}
		if v, ok := files[g.Path]; ok && v < gate.Incomplete {
			return fmt.Errorf("incomplete[%d]: %s is listed as incomplete and its verdict is %s", i, quoted(g.Path), v)
		}
	}
	for i, s := range r.Skipped {
		if err := checkPlace(s.Path); err != nil {
			return fmt.Errorf("skipped[%d].%w", i, err)
		}
	}
	return checkVerdict(r)
}

// checkVerdict holds the verdict of the run against what it is made of.
func checkVerdict(r gate.Result) error {
	worst := gate.Safe
	for _, f := range r.Files {
		worst = worst.Worst(f.Verdict)
	}
	if len(r.Incomplete) > 0 {
		worst = worst.Worst(gate.Incomplete)
	}
	decision, where := r.Decision, "decision"
	if r.Override != nil {
		if r.Decision != gate.DecisionPass {
			return fmt.Errorf("override: there is one, and the decision is %s, not pass", r.Decision)
		}
		decision, where = r.Override.Decision, "override.decision"
	}
	switch {
	case r.Verdict < worst:
		return fmt.Errorf("verdict: %s, but the worst of the files and gaps is %s", r.Verdict, worst)
	case decision == gate.DecisionPass && r.Verdict >= gate.Incomplete:
		return fmt.Errorf("%s: pass, but the verdict is %s", where, r.Verdict)
	case decision != gate.DecisionBlock && r.Verdict == gate.Dangerous:
		return fmt.Errorf("%s: %s, but the verdict is %s", where, decision, r.Verdict)
	}
	return nil
}

func checkFile(f gate.FileResult, before map[string]gate.Verdict) error {
	if err := checkPath(f.Path); err != nil {
		return err
	}
	if _, twice := before[f.Path]; twice {
		return fmt.Errorf("path: %s is listed twice", quoted(f.Path))
	}
	if f.OldPath != "" {
		if err := checkPath(f.OldPath); err != nil {
			return fmt.Errorf("old_%w", err)
		}
	}
	if _, known := before[f.Parent]; f.Parent != "" && (!known || !strings.HasPrefix(f.Path, f.Parent+"!")) {
		return fmt.Errorf("parent: %s is not a file before this one whose path this one's begins with", quoted(f.Parent))
	}
	for i, finding := range f.Findings {
		if finding.EndLine < finding.Line {
			return fmt.Errorf("findings[%d].end_line: %d is before line %d", i, finding.EndLine, finding.Line)
		}
	}
	for i, r := range f.Attribution.Lines {
		if r[1] < r[0] {
			return fmt.Errorf("attribution.lines[%d]: %d is before %d", i, r[1], r[0])
		}
	}
	if v := (gate.Policy{}).Decide(f.Findings, nil); f.Verdict < v {
		return fmt.Errorf("verdict: %s, but the findings say %s", f.Verdict, v)
	}
	return nil
}

// checkPath accepts the paths that a file of a tree can have.
func checkPath(p string) error {
	if !fs.ValidPath(p) || p == "." || strings.ContainsRune(p, 0) {
		return fmt.Errorf("path: %s is not a path inside of the tree (want slash-separated names, relative, without . and ..)", quoted(p))
	}
	return nil
}

// checkPlace also accepts a folder, the tree as a whole, and nothing in
// particular.
func checkPlace(p string) error {
	if p == "" || p == "." {
		return nil
	}
	return checkPath(strings.TrimSuffix(p, "/"))
}

// quoted shows hostile text in an error.
func quoted(s string) string { return fmt.Sprintf("%q", gate.Clip(s, 80)) }
