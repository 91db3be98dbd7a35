package sandbox

import (
	"slices"
	"testing"
)

func TestAnImageWithoutANameHasNoReference(t *testing.T) {
	for _, c := range []struct{ tags, want []string }{
		{[]string{"<none>:<none>"}, nil},
		{nil, nil},
		{[]string{"b:1", "<none>:<none>", "a:1"}, []string{"a:1", "b:1"}},
	} {
		if got := references(c.tags); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.tags, got, c.want)
		}
	}
}
