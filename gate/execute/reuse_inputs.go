package execute

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// A run is known under two keys. The first names everything that the program finds. The
// second names, of the content of the tree, only what the recorder says the program
// looked at ([sandbox.Inputs]), and of all the rest of the tree the names, kinds,
// permissions and link targets. What the program looked at is not known before it has
// run, so a list of views is kept under what both runs have in common, and the content
// of each is looked up as it is now.
//
// A view is never believed for what it leaves out: the run that is found says itself
// what it looked at, and that has to be the view.

// maxViews bounds the views that are kept of one program.
const maxViews = 8

// views are what earlier runs of a program looked at, the last one first.
type views struct {
	Views []sandbox.Inputs
}

func decodeViews(data []byte) (views, error) {
	var v views
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return views{}, fmt.Errorf("read what runs looked at: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return views{}, errors.New("read what runs looked at: something follows it")
	}
	if len(v.Views) == 0 || len(v.Views) > maxViews {
		return views{}, fmt.Errorf("read what runs looked at: %d of them", len(v.Views))
	}
	for _, in := range v.Views {
		if err := in.Check(); err != nil {
			return views{}, fmt.Errorf("read what runs looked at: %w", err)
		}
	}
	return v, nil
}

// content is what a view may name of a file.
type content struct {
	size int
	sum  [sha256.Size]byte
}

// contents are those of the files of a tree, by path.
func contents(files []workspace.File) map[string]content {
	out := make(map[string]content, len(files))
	for _, f := range files {
		out[f.Path] = content{len(f.Data), sha256.Sum256(f.Data)}
	}
	return out
}

// shape names everything of files but what is in them.
func shape(files []workspace.File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %t %q\n", f.Path, f.Exec, f.Link)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// common is the key of the views of a program, "" where its inputs are not recorded.
func (r *reuse) common(id sandbox.Identity, p prepared) string {
	if p.noFiles || p.spec.Observe == nil || !p.spec.Observe.Inputs {
		return ""
	}
	return r.key(id, p.spec, "names "+r.shape+"+"+digest(p.unit.Extra), p.canaries)
}

// view is the key of a run that looked at so much, with what is there now.
func (r *reuse) view(common string, in sandbox.Inputs) string {
	type named struct {
		Path string
		Size int
		Sum  string
	}
	var sees []named
	for _, p := range in.Read {
		c, ok := r.files[p]
		if !ok {
			// One of the unit's own, which the key of the views names whole.
			sees = append(sees, named{p, -1, ""})
			continue
		}
		sees = append(sees, named{p, c.size, hex.EncodeToString(c.sum[:])})
	}
	sized := in.Sized
	if in.AllSizes {
		sized = r.paths
	}
	for _, p := range sized {
		sees = append(sees, named{p, r.files[p].size, ""})
	}
	var pages [3]int
	if in.Room {
		pages = r.pages()
	}
	return cache.Key(map[string]any{"pages": pages, "common": common, "view": in, "sees": sees})
}

// pages are how many pages of memory all files take together, for each size of pages
// that kernels have.
func (r *reuse) pages() (n [3]int) {
	for i, size := range []int{4 << 10, 16 << 10, 64 << 10} {
		for _, c := range r.files {
			n[i] += (c.size + size - 1) / size
		}
	}
	return n
}

// viewed returns a run that looked only at what is the same now.
func (r *reuse) viewed(id sandbox.Identity, p prepared) (kept, bool) {
	common := r.common(id, p)
	known, ok := cache.Recall(r.cache, common, decodeViews)
	if !ok {
		return kept{}, false
	}
	for _, in := range known.Views {
		k, ok := cache.Recall(r.cache, r.view(common, in), func(data []byte) (kept, error) {
			k, err := r.decodeKept(data, p.spec, id)
			if err == nil && (k.Result.Behaviour.Inputs == nil || !reflect.DeepEqual(*k.Result.Behaviour.Inputs, in)) {
				return kept{}, errors.New("read a kept run: it looked at something else")
			}
			return k, err
		})
		if ok {
			return k, true
		}
	}
	return kept{}, false
}

// keepViewed keeps a run under what it looked at.
func (r *reuse) keepViewed(id sandbox.Identity, p prepared, k kept, data []byte) {
	common := r.common(id, p)
	in := k.Result.Behaviour.Inputs
	if common == "" || in == nil {
		return
	}
	known, _ := cache.Recall(r.cache, common, decodeViews)
	known.Views = slices.DeleteFunc(known.Views, func(v sandbox.Inputs) bool { return reflect.DeepEqual(v, *in) })
	known.Views = slices.Insert(known.Views, 0, *in)
	known.Views = known.Views[:min(len(known.Views), maxViews)]
	list, err := json.Marshal(known)
	if err != nil {
		return
	}
	cache.Keep(r.cache, r.view(common, *in), data)
	cache.Keep(r.cache, common, list)
}
