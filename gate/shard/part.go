package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Max is the largest number of shards: the jobs that one matrix of GitHub Actions
// may have (docs.github.com, "Usage limits").
const Max = 256

// Part is one shard of a run. The zero value is no shard: the whole run.
type Part struct {
	Index int // 1..Of
	Of    int
}

// Parse reads "2/4".
func Parse(s string) (Part, error) {
	i, n, ok := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || of < 1 || of > Max || index < 1 || index > of || s != (Part{index, of}).String() {
		return Part{}, fmt.Errorf("%.20q is not a shard (want I/N with 1 ≤ I ≤ N ≤ %d, such as 2/4)", s, Max)
	}
	return Part{index, of}, nil
}

// Whole reports whether nothing is split.
func (p Part) Whole() bool { return p.Of == 0 }

// String is what Parse reads.
func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Of) }

// Holds reports whether what has this key is for this shard.
func (p Part) Holds(key string) bool { return p.Whole() || Of(key, p.Of) == p.Index }

// Of returns the shard, 1..n, of a key. It is the jump consistent hash of Lamping
// and Veach (arXiv:1406.2294) over SHA-256: with one more shard, one in n+1 keys
// moves, and to no shard but the new one.
func Of(key string, n int) int {
	sum := sha256.Sum256([]byte(key))
	h := binary.BigEndian.Uint64(sum[:8])
	at, next := int64(0), int64(0)
	for next < int64(n) {
		at = next
		h = h*2862933555777941757 + 1
		next = int64(float64(at+1) * (float64(int64(1)<<31) / float64((h>>33)+1)))
	}
	return int(at) + 1
}
