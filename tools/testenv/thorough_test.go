package testenv

import (
	"fmt"
	"slices"
	"testing"
)

func TestASampleIsThatOfItsCommitAndAllComeInTheEnd(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	seen := map[int]bool{}
	for commit := range 50 {
		t.Setenv(SampleVar, fmt.Sprintf("%040x", commit))
		some := Sample(t, all, 3)
		if len(some) < 3 || len(some) > 4 || !slices.Equal(some, Sample(t, all, 3)) {
			t.Errorf("commit %d: %v", commit, some)
		}
		for _, x := range some {
			seen[x] = true
		}
	}
	if len(seen) != len(all) {
		t.Errorf("50 commits took %d of %d", len(seen), len(all))
	}
	t.Setenv(ThoroughVar, "1")
	if got := Sample(t, all, 3); !slices.Equal(got, all) {
		t.Errorf("every night it takes %v", got)
	}
}
