package execute

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func TestAListOfViewsIsReadAsStrictlyAsARun(t *testing.T) {
	for _, bad := range []string{
		``, `null`, `[]`, `{}`, `{"Views":[]}`, `{"Views":[{}],"More":1}`, `{"Views":[{}]} {}`,
		`{"Views":[{"Read":["../x"]}]}`, `{"Views":[{"Read":["/etc/passwd"]}]}`, `{"Views":[{"Sized":["a//b"]}]}`, `{"Views":[{"Read":[""]}]}`,
		`{"Views":[` + strings.Repeat(`{},`, maxViews) + `{}]}`,
		`{"Views":[{"Why":"` + strings.Repeat("x", 1000) + `"}]}`,
	} {
		if v, err := decodeViews([]byte(bad)); err == nil {
			t.Errorf("%.60s: %+v", bad, v)
		}
	}
	v, err := decodeViews([]byte(`{"Views":[{"Read":["a.py"],"Sized":["b"],"AllSizes":true,"Room":true,"Why":"w"}]}`))
	want := sandbox.Inputs{Read: []string{"a.py"}, Sized: []string{"b"}, AllSizes: true, Room: true, Why: "w"}
	if err != nil || !reflect.DeepEqual(v.Views[0], want) {
		t.Errorf("%+v, %v", v, err)
	}
}

func FuzzViews(f *testing.F) {
	f.Add([]byte(`{"Views":[{"Read":["a.py"],"AllSizes":true}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := decodeViews(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := decodeViews(again); err != nil || !reflect.DeepEqual(v, w) {
			t.Errorf("%+v, then %+v, %v", v, w, err)
		}
	})
}

// TestCacheKeyHasTheFilesThatAViewNames: of the content of the tree that and nothing else.
func TestCacheKeyHasTheFilesThatAViewNames(t *testing.T) {
	of := func(files ...workspace.File) *reuse {
		r := &reuse{files: contents(files), shape: shape(files)}
		for _, f := range files {
			r.paths = append(r.paths, f.Path)
		}
		return r
	}
	before := of(workspace.File{Path: "a", Data: []byte("one")}, workspace.File{Path: "b", Data: []byte("two")})
	same := of(workspace.File{Path: "a", Data: []byte("one")}, workspace.File{Path: "b", Data: []byte("owt")})
	longer := of(workspace.File{Path: "a", Data: []byte("one")}, workspace.File{Path: "b", Data: []byte("three")})
	larger := of(workspace.File{Path: "a", Data: []byte("one")}, workspace.File{Path: "b", Data: make([]byte, 5000)})
	for name, tt := range map[string]struct {
		in                   sandbox.Inputs
		same, longer, larger bool // whether the key stays
	}{
		"another file":   {sandbox.Inputs{Read: []string{"a"}}, true, true, true},
		"the file":       {sandbox.Inputs{Read: []string{"b"}}, false, false, false},
		"its size":       {sandbox.Inputs{Sized: []string{"b"}}, true, false, false},
		"all sizes":      {sandbox.Inputs{Read: []string{"a"}, AllSizes: true}, true, false, false},
		"the room":       {sandbox.Inputs{Read: []string{"a"}, Room: true}, true, true, false},
		"nothing of all": {sandbox.Inputs{}, true, true, true},
	} {
		key := before.view("common", tt.in)
		for tree, stays := range map[*reuse]bool{same: tt.same, longer: tt.longer, larger: tt.larger} {
			if got := tree.view("common", tt.in) == key; got != stays {
				t.Errorf("%s: the key stays %v, want %v", name, got, stays)
			}
		}
		if before.view("other", tt.in) == key {
			t.Errorf("%s: the key is that of another program", name)
		}
	}
	for name, f := range map[string]workspace.File{
		"name": {Path: "c"}, "permission": {Path: "b", Exec: true}, "link": {Path: "b", Link: "a"},
	} {
		if shape([]workspace.File{{Path: "b"}}) == shape([]workspace.File{f}) {
			t.Errorf("another %s leaves the shape", name)
		}
	}
}
