package execute

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/cache/ledger"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Why a run is reused or not is worked out beside the keys, from what the scan before
// has found. Nothing is decided by it.

// Bounds of what one scan leaves to the next.
const (
	maxRemembered = 20_000  // files of a tree
	maxPaths      = 200_000 // in all records of what runs looked at
)

// remembered is a file of a tree.
type remembered struct {
	Size int
	Sum  string
	Kind string // permissions and link target
}

// ranBefore is what one run was.
type ranBefore struct {
	World    sandbox.Identity
	Spec     map[string]string // digests of its fields
	Extra    string            // of the files beside it
	Inputs   *sandbox.Inputs
	AllFiles string // why Inputs does not count
	NotKept  string
}

// lastScan is what the last scan has left.
type lastScan struct {
	Day   string
	Files map[string]remembered // nil where there were too many
	Runs  map[string]ranBefore
}

func decodeLastScan(data []byte) (lastScan, error) {
	var b lastScan
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return lastScan{}, fmt.Errorf("read what the last scan ran: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return lastScan{}, errors.New("read what the last scan ran: something follows it")
	}
	if len(b.Files) > maxRemembered || len(b.Runs) > ledger.MaxRuns {
		return lastScan{}, errors.New("read what the last scan ran: it is too large")
	}
	return b, nil
}

func lastScanKey() string { return cache.Key("what the last scan ran") }

// reasons collects why the runs of one scan were reused or not.
type reasons struct {
	fresh string // why nothing is looked up
	day   string
	files map[string]remembered // nil where there are too many
	count int

	mu     sync.Mutex
	loaded bool
	last   lastScan
	known  bool // there is a last scan
	paths  int
	now    lastScan
	runs   []ledger.Run
}

func newReasons(fresh, day string, files []workspace.File) *reasons {
	r := &reasons{fresh: fresh, day: day, count: len(files), now: lastScan{Day: day, Runs: map[string]ranBefore{}}}
	if len(files) <= maxRemembered {
		r.files = make(map[string]remembered, len(files))
		for path, c := range contents(files) {
			r.files[path] = remembered{Size: c.size, Sum: hex.EncodeToString(c.sum[:])}
		}
		for _, f := range files {
			one := r.files[f.Path]
			one.Kind = fmt.Sprintf("%t %q", f.Exec, f.Link)
			r.files[f.Path] = one
		}
	}
	r.now.Files = r.files
	return r
}

// load reads what the last scan has left, once.
func (r *reasons) load(k cache.Keeper) {
	if !r.loaded {
		r.last, r.known = cache.Recall(k, lastScanKey(), decodeLastScan)
		r.loaded = true
	}
}

// tell writes down what was decided. It is the end of the scan.
func (r *reuse) tell() {
	if r == nil {
		return
	}
	w := r.reasons
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs) == 0 {
		return
	}
	if data, err := json.Marshal(w.now); err == nil {
		cache.Keep(r.cache, lastScanKey(), data)
	}
	slices.SortStableFunc(w.runs, func(a, b ledger.Run) int {
		return cmp.Or(slices.Compare(a.Targets, b.Targets), strings.Compare(a.Kind, b.Kind), strings.Compare(a.As, b.As))
	})
	ledger.Keep(r.cache, ledger.Scan{At: time.Now(), Files: w.count, Fresh: w.fresh, Runs: w.runs})
}

// decided is what happened to one run.
type decided struct {
	id      sandbox.Identity
	reused  bool
	viewed  bool // by what it looked at, not by all files
	kept    kept
	notKept string
}

// decide notes what happened to a run, and why.
func (r *reuse) decide(p prepared, d decided) {
	w := r.reasons
	now := ranBefore{World: d.id, Spec: r.digests(p), NotKept: d.notKept}
	if !p.noFiles {
		now.Extra = digest(p.unit.Extra)
		now.Inputs = d.kept.Result.Behaviour.Inputs
		now.AllFiles = allFiles(p, d.kept.Result)
	}
	one := ledger.Run{Kind: p.unit.Kind, Targets: p.unit.Targets, As: p.as, NotKept: d.notKept, AllFiles: now.AllFiles}
	if p.noFiles {
		one.Kind, one.Targets, one.As = "an empty program of", []string{p.spec.Image}, ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.load(r.cache)
	name := cache.Key([]any{one.Kind, one.Targets, one.As, p.spec.Image})
	last, known := w.last.Runs[name]
	switch {
	case d.reused:
		one.Outcome, one.Why = ledger.Reused, w.reused(p, d, now)
	case w.fresh != "":
		one.Outcome, one.Why = ledger.RunAgain, w.fresh
	case !known:
		one.Outcome, one.Why = ledger.RunFirst, "nothing is known of it from the scan before"
	default:
		one.Outcome, one.Why = ledger.RunAgain, w.again(p, last, now)
	}
	w.runs = append(w.runs, one)
	if now.Inputs != nil {
		if w.paths += len(now.Inputs.Read) + len(now.Inputs.Sized); w.paths > maxPaths {
			now.Inputs = nil
		}
	}
	if len(w.now.Runs) < ledger.MaxRuns {
		w.now.Runs[name] = now
	}
}

// digests name the fields of what a container is started with.
func (r *reuse) digests(p prepared) map[string]string {
	out := map[string]string{}
	for name, v := range fields(plainly(p.spec, p.canaries)) {
		if name != "Image" { // the world names it
			out[name] = cache.Key(v)
		}
	}
	return out
}

// tracer is the recorder that does not see what a program reads of its input; see
// [sandbox.Behaviour].
const tracer = "ptrace"

// allFiles is why the content of all files counts for a run, "" where only that does at
// which it looked.
func allFiles(p prepared, res sandbox.Result) string {
	switch in := res.Behaviour.Inputs; {
	case in != nil:
		return ""
	case p.spec.Observe == nil || !p.spec.Observe.Inputs:
		return "what programs of this language read is not recorded"
	case res.Behaviour.Recorder == tracer && p.spec.FastForward:
		return "its clock was skipped forward, and then only whole trees are compared"
	case res.Behaviour.Recorder == tracer:
		return "under this runtime or kernel only whole trees are compared"
	}
	return "the record of what it read has holes (a moved folder, a lost watch, or too many files)"
}

// reused is why a run is reused.
func (w *reasons) reused(p prepared, d decided, now ranBefore) string {
	if p.noFiles {
		return "it finds no files, and nothing else has changed"
	}
	changed := w.changed()
	if !d.viewed || now.Inputs == nil {
		return "the files are those of an earlier run"
	}
	says := ledger.Count(len(now.Inputs.Read), "file") + " read"
	if n := len(now.Inputs.Sized); n > 0 {
		says += ", the size of " + ledger.Count(n, "more file") + " asked for"
	}
	if now.Inputs.AllSizes {
		says += ", all sizes count because " + now.Inputs.Why
	}
	if w.known && w.files != nil && w.last.Files != nil {
		says += fmt.Sprintf(", %d changed elsewhere", len(changed))
	}
	return "nothing that it looked at has changed (" + says + ")"
}

// again is why a run is not reused that the last scan had. The first reason counts.
func (w *reasons) again(p prepared, last, now ranBefore) string {
	if last.NotKept != "" {
		return "its last run was not kept: " + last.NotKept
	}
	if w.last.Day != w.day {
		return "it is another day, and programs can ask what day it is"
	}
	if f := differs(last.World, now.World); f != "" {
		return "what it runs on is another: " + f
	}
	if !p.noFiles {
		if why := w.named(); why != "" {
			return why
		}
		if last.Extra != now.Extra {
			return "the files that gate puts beside it are others"
		}
	}
	if f := unlike(last.Spec, now.Spec); f != "" {
		return "it is started otherwise: " + f
	}
	if p.noFiles {
		return "the earlier run is no longer in the cache"
	}
	return w.content(last)
}

// named is what changed in the names of the tree, "" for nothing that is known.
func (w *reasons) named() string {
	if w.files == nil || w.last.Files == nil {
		return ""
	}
	var added, gone, other []string
	for path, f := range w.files {
		if was, ok := w.last.Files[path]; !ok {
			added = append(added, path)
		} else if was.Kind != f.Kind {
			other = append(other, path)
		}
	}
	for path := range w.last.Files {
		if _, ok := w.files[path]; !ok {
			gone = append(gone, path)
		}
	}
	switch {
	case len(added) > 0 && len(gone) > 0:
		return "files were added (" + list(added) + ") and removed (" + list(gone) + ")"
	case len(added) > 0:
		return "files were added: " + list(added)
	case len(gone) > 0:
		return "files were removed: " + list(gone)
	case len(other) > 0:
		return "permissions or link targets changed: " + list(other)
	}
	return ""
}

// changed are the files with other content than at the last scan.
func (w *reasons) changed() (out []string) {
	for path, f := range w.files {
		if was, ok := w.last.Files[path]; ok && was.Sum != f.Sum {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// content is which changed file starts a run again.
func (w *reasons) content(last ranBefore) string {
	if w.files == nil || w.last.Files == nil {
		return fmt.Sprintf("a file changed, and which one is not known of a tree of more than %d files", maxRemembered)
	}
	changed := w.changed()
	if len(changed) == 0 {
		return "the earlier run is no longer in the cache"
	}
	in := last.Inputs
	if in == nil {
		return "changed: " + list(changed)
	}
	var resized []string
	for _, path := range changed {
		if w.files[path].Size != w.last.Files[path].Size {
			resized = append(resized, path)
		}
	}
	within := func(paths, of []string) (out []string) {
		for _, path := range paths {
			if slices.Contains(of, path) {
				out = append(out, path)
			}
		}
		return out
	}
	if read := within(changed, in.Read); len(read) > 0 {
		return "it read " + list(read) + ", which changed"
	}
	if sized := within(resized, in.Sized); len(sized) > 0 {
		return "it asked for the size of " + list(sized) + ", which changed"
	}
	if in.AllSizes && len(resized) > 0 {
		return "the sizes of all files count because " + in.Why + ", and changed: " + list(resized)
	}
	if in.Room {
		return "it may know how much room all files take, and changed: " + list(changed)
	}
	return "the earlier run is no longer in the cache"
}

// differs names the fields in which two structures differ.
func differs(a, b sandbox.Identity) string {
	var out []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for f := range x.Type().Fields() {
		if !reflect.DeepEqual(x.FieldByIndex(f.Index).Interface(), y.FieldByIndex(f.Index).Interface()) {
			out = append(out, strings.ToLower(strings.TrimSuffix(f.Name, "ID")))
		}
	}
	return strings.Join(out, ", ")
}

// unlike names the fields of which the digests differ.
func unlike(a, b map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			out = append(out, strings.ToLower(name))
		}
	}
	return strings.Join(out, ", ")
}

// maxListed is how many paths a reason names.
const maxListed = 3

// list names a few paths and counts the others.
func list(paths []string) string {
	slices.Sort(paths)
	if over := len(paths) - maxListed; over > 0 {
		return strings.Join(paths[:maxListed], ", ") + fmt.Sprintf(" and %d more", over)
	}
	return strings.Join(paths, ", ")
}
