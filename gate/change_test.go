package gate

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestLineSet(t *testing.T) {
	some := OnlyLines(LineRange{5, 7}, LineRange{20, 20})
	for _, c := range []struct {
		name     string
		set      LineSet
		from, to int
		want     bool
	}{
		{"the zero value holds every line", LineSet{}, 1, 1, true},
		{"the zero value holds every line, however far", LineSet{}, 1 << 30, 1 << 30, true},
		{"no lines hold none", OnlyLines(), 1, 100, false},
		{"a change of no line still touches the file as a whole", OnlyLines(), 0, 0, true},
		{"a negative line is the file as a whole", some, -1, -1, true},
		{"before", some, 4, 4, false},
		{"the first line", some, 5, 5, true},
		{"the last line", some, 7, 7, true},
		{"between", some, 8, 19, false},
		{"across", some, 1, 100, true},
		{"reaching in", some, 1, 5, true},
		{"reaching out", some, 7, 9, true},
		{"a range that ends before it starts is its first line", some, 20, 3, true},
	} {
		if got := c.set.Touches(c.from, c.to); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !(LineSet{}).All() || OnlyLines().All() || (LineSet{}).Ranges() != nil || len(some.Ranges()) != 2 {
		t.Error("All or Ranges is wrong")
	}
	some.Ranges()[0] = LineRange{1, 100}
	if some.Touches(1, 1) {
		t.Error("a caller changed the set")
	}
}

func TestReadIsBoundedAndOpensOnlyRegularFiles(t *testing.T) {
	c := &Change{Head: fstest.MapFS{"a": {Data: []byte("0123456789")}}}
	regular := &Target{Path: "a", Kind: ChangeModified}
	if data, err := c.Read(regular, 10); err != nil || string(data) != "0123456789" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := c.Read(regular, 9); !errors.Is(err, ErrTooLarge) || string(data) != "012345678" {
		t.Errorf("%q, %v", data, err)
	}
	for name, c := range map[string]struct {
		change *Change
		target *Target
	}{
		"a deleted file":  {c, &Target{Path: "a", Kind: ChangeDeleted}},
		"a symbolic link": {c, &Target{Path: "a", Mode: fs.ModeSymlink}},
		"a pipe":          {c, &Target{Path: "a", Mode: fs.ModeNamedPipe}},
		"no tree":         {&Change{}, regular},
		"no such file":    {c, &Target{Path: "b"}},
	} {
		if _, err := c.change.Read(c.target, 10); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
