package shard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/shard"
)

func TestAShardIsWrittenInOneWay(t *testing.T) {
	for text, want := range map[string]shard.Part{"1/1": {1, 1}, "2/4": {2, 4}, "256/256": {256, 256}} {
		if got, err := shard.Parse(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "/", "0/1", "2/1", "1/0", "-1/2", "1/257", "+1/2", "01/2", "1/2/3", "1/ 2", "1/2\n", "a/b", "9999999999999999999/2"} {
		if got, err := shard.Parse(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func FuzzAShardThatIsReadIsOne(f *testing.F) {
	f.Add("2/4")
	f.Add("0/0")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := shard.Parse(text); err == nil && (p.String() != text || p.Index < 1 || p.Index > p.Of || p.Of > shard.Max) {
			t.Errorf("%q: %v", text, p)
		}
	})
}

func TestShardsAreEvenAndMoveLittle(t *testing.T) {
	const keys = 4000
	counts := map[int]int{}
	moved := 0
	for i := range keys {
		key := fmt.Sprintf("src/file%d.go", i)
		before, after := shard.Of(key, 8), shard.Of(key, 9)
		counts[before]++
		if before != after {
			moved++
			if after != 9 {
				t.Fatalf("%s moves from shard %d to %d, which is not the new one", key, before, after)
			}
		}
	}
	for i := 1; i <= 8; i++ {
		if n := counts[i]; n < keys/8*8/10 || n > keys/8*12/10 {
			t.Errorf("shard %d has %d of %d keys", i, n, keys)
		}
	}
	if moved > keys/9*13/10 {
		t.Errorf("%d of %d keys move to a ninth shard", moved, keys)
	}
}

func TestOneMoreFileMovesNoOther(t *testing.T) {
	c := tree(rand.New(rand.NewPCG(1, 1)), 50)
	before := assigned(t, c)
	c.Targets = append(c.Targets, &gate.Target{Path: "another/file.py"})
	after := assigned(t, c)
	for p, i := range before {
		if after[p] != i {
			t.Errorf("%s moves from shard %d to %d", p, i, after[p])
		}
	}
	if len(after) != len(before)+1 {
		t.Errorf("%d targets became %d", len(before), len(after))
	}
}

// assigned says which shard every target is in, each in exactly one.
func assigned(t *testing.T, c *gate.Change) map[string]int {
	t.Helper()
	out := map[string]int{}
	for i := 1; i <= 5; i++ {
		mine, _, err := shard.Split(c, shard.Part{Index: i, Of: 5}, gate.DefaultPolicy(), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range mine.Targets {
			if out[target.Path] != 0 {
				t.Errorf("%s is in two shards", target.Path)
			}
			out[target.Path] = i
		}
	}
	return out
}
