package gate_test

import (
	"sync"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAMemoryReadsATextOnce(t *testing.T) {
	var m gate.Memory
	reads := 0
	read := func() (int, bool) { reads++; return 7, true }
	for range 3 {
		if got := gate.Recall(&m, "a", 1, read); got != 7 {
			t.Fatalf("got %d, want what was read", got)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times, want once", reads)
	}
	gate.Recall(&m, "b", 1, read)
	if reads != 2 {
		t.Errorf("another text was taken for the first")
	}
}

func TestAMemoryKeepsOnlyWhatItMay(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *gate.Memory
		size int
		keep bool
		want int // reads of two
	}{
		{"kept", new(gate.Memory), 1, true, 1},
		{"no memory", nil, 1, true, 2},
		{"not to be kept", new(gate.Memory), 1, false, 2},
		{"a large text", new(gate.Memory), 3 << 20, true, 2},
	} {
		reads := 0
		for range 2 {
			gate.Recall(c.m, "a", c.size, func() (int, bool) { reads++; return 0, c.keep })
		}
		if reads != c.want {
			t.Errorf("%s: read %d times, want %d", c.name, reads, c.want)
		}
	}
}

func TestAMemoryForgetsWhatWasNotAskedForTheLongest(t *testing.T) {
	for _, c := range []struct {
		name        string
		texts, size int
	}{{"many texts", 250, 1}, {"much text", 12, 1 << 20}} {
		var m gate.Memory
		fresh := func() (bool, bool) { return true, true }
		known := func(key any) bool {
			was := true
			gate.Recall(&m, key, c.size, func() (bool, bool) { was = false; return true, true })
			return was
		}
		for i := range c.texts {
			gate.Recall(&m, i, c.size, fresh)
			gate.Recall(&m, 0, c.size, fresh)
		}
		if !known(0) || !known(c.texts-1) {
			t.Errorf("%s: what was asked for last is forgotten", c.name)
		}
		if known(1) {
			t.Errorf("%s: nothing is forgotten", c.name)
		}
	}
}

func TestAMemoryIsSafeForConcurrentUse(t *testing.T) {
	var m gate.Memory
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				if got := gate.Recall(&m, i%50, 1, func() (int, bool) { return i % 50, true }); got != i%50 {
					t.Errorf("got %d for %d", got, i%50)
				}
			}
		})
	}
	wg.Wait()
}
