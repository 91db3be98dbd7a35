package attribution

import (
	"context"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/glob"
)

// Pull is what surrounds the commits of a pull request. All of it is the
// author's to choose.
type Pull struct {
	Branch string // head branch
	Title  string
	Body   string
	Author string // account
	Labels []string
}

// Input is everything that an attribution depends on.
type Input struct {
	Change *gate.Change
	// History has the commits of the change; nil means that they are not known,
	// which makes every target without a mark unknown.
	History *git.History
	// Notes are the namespaces of git notes that are read besides the local ones
	// of git-ai and Agent Trace, such as fetched copies of them.
	Notes []string
	// Doubt says why marks may be missing, such as notes that could not be
	// fetched; "" if nothing is known to be.
	Doubt  string
	Pull   Pull
	Policy gate.Policy // changes and paths.overrides decide about StaticOnly
}

// Attribute fills in who wrote each target of the change, and which of them get
// the static layer only. What cannot be read makes targets unknown, not the call
// fail; the error is that of ctx, or of a policy with an invalid glob.
func Attribute(ctx context.Context, in Input) error {
	for _, o := range in.Policy.Paths.Overrides {
		if err := glob.Check(o.Match); err != nil {
			return fmt.Errorf("paths.overrides: %w", err)
		}
	}
	a := &attributor{Input: in, everywhere: in.Pull.claims()}
	if in.Doubt != "" {
		a.doubts = append(a.doubts, in.Doubt)
	}
	if err := a.read(ctx); err != nil {
		return err
	}
	for i, t := range in.Change.Targets {
		t.Attribution = a.of(i, t)
		t.StaticOnly = !t.Attribution.AI && allLayersFor(in.Policy, t.Path) == "ai"
	}
	return nil
}

// allLayersFor returns which changes of a path get all layers: "ai" or "all".
func allLayersFor(p gate.Policy, path string) string {
	changes := p.Changes
	for _, o := range p.Paths.Overrides {
		if glob.Match(o.Match, path) {
			changes = o.Changes
		}
	}
	return changes
}

// claims returns what the pull request says about all of its commits.
func (p Pull) claims() []claim {
	var out []claim
	if p.Author != "" {
		out = append(out, account(p.Author)...)
	}
	out = append(out, matching(PlaceBranch, "branch", p.Branch)...)
	for i := range out {
		if out[i].source == "branch" {
			out[i].text = p.Branch
		}
	}
	for _, l := range p.Labels {
		out = append(out, matching(PlaceLabel, "label", l)...)
	}
	out = append(out, inMessage(p.Title, "pull request")...)
	return append(out, inMessage(p.Body, "pull request")...)
}

// attributor holds what was read for one change.
type attributor struct {
	Input
	everywhere []claim  // about the whole change
	doubts     []string // about the whole change
	opinions   []opinion
	records    []map[string][]lines // by commit and path: lines of the version of that commit
	loose      map[string][]lines   // by path: records whose lines belong to no commit that is here
	files      []file
	blamed     []int // index into files and origins of each target, or -1
	origins    []map[int32]origin
}

// read looks at commits, records and contents. Its only error is that of ctx.
func (a *attributor) read(ctx context.Context) error {
	a.blamed = make([]int, len(a.Change.Targets))
	for i := range a.blamed {
		a.blamed[i] = -1
	}
	if a.History == nil {
		a.doubts = append(a.doubts, "the commits of the change are not known")
		return context.Cause(ctx)
	}
	noted := a.readRecords(ctx)
	for _, s := range a.History.Steps {
		a.opinions = append(a.opinions, judge(s.Commit, len(noted) > 0, noted[s.OID]))
	}
	a.readFiles(ctx)
	var err error
	a.origins, err = (&blame{history: a.History}).trace(ctx, a.files)
	return err
}

// byPath adds lines to a map, which may be nil.
func byPath(m map[string][]lines, more []lines) map[string][]lines {
	if m == nil {
		m = map[string][]lines{}
	}
	for _, l := range more {
		m[l.path] = append(m[l.path], l)
	}
	return m
}

// readFiles prepares the blame of the targets that have lines.
func (a *attributor) readFiles(ctx context.Context) {
	names := map[string]bool{}
	for _, t := range a.Change.Targets {
		names[t.Path], names[t.OldPath] = true, true
	}
	committed := map[string]git.OID{}
	entries, err := a.History.Files(ctx, func(p string) bool { return names[p] })
	if err != nil {
		a.doubts = append(a.doubts, fmt.Sprintf("the files of the head commit could not be read: %s", err))
	}
	for _, e := range entries {
		committed[e.Path] = e.OID
	}
	for i, t := range a.Change.Targets {
		if !t.Exists() || !t.Mode.IsRegular() {
			continue
		}
		text, err := a.Change.Read(t, git.MaxBuffered)
		if err != nil {
			continue // of makes it unknown
		}
		f := file{path: t.Path, text: text, head: committed[t.Path], want: wanted(t, text)}
		if f.head == "" && t.Kind == gate.ChangeRenamed {
			f.path, f.head = t.OldPath, committed[t.OldPath] // renamed, and not committed yet
		}
		a.blamed[i] = len(a.files)
		a.files = append(a.files, f)
	}
}

// wanted returns the changed lines of a target, 0-based.
func wanted(t *gate.Target, text []byte) []int {
	total := countLines(text)
	var out []int
	if t.Lines.All() {
		for l := range total {
			out = append(out, l)
		}
		return out
	}
	for _, r := range t.Lines.Ranges() {
		for l := r[0]; l <= min(r[1], total); l++ {
			out = append(out, l-1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
