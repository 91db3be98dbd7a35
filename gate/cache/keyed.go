package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Keeper keeps content under keys from one run of gate to the next. A [Space] is one; a
// layer that is given none remembers nothing.
type Keeper interface {
	// Has reports whether there is something under a key, good or not.
	Has(key string) bool
	// Get hands what is under a key to read and reports whether read took it.
	Get(key string, read func(content []byte) error) bool
	// Put keeps content under a key, if it can.
	Put(key string, content []byte)
}

var _ Keeper = (*Space)(nil)

// Key names a result by everything that it depends on, which is written as JSON: what
// JSON leaves out tells no two results apart. It is "" for what cannot be written, and
// nothing is kept under that.
func Key(dependsOn any) string {
	data, err := json.Marshal(dependsOn)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Has reports whether k has something under a key. A nil Keeper has nothing.
func Has(k Keeper, key string) bool { return k != nil && key != "" && k.Has(key) }

// Recall returns the value that decode reads from what k has under a key. Content that
// decode refuses is a miss, and k may drop it: what is kept is as little trusted as what
// it was made from.
func Recall[T any](k Keeper, key string, decode func(content []byte) (T, error)) (v T, ok bool) {
	if k == nil || key == "" {
		return v, false
	}
	ok = k.Get(key, func(content []byte) error {
		decoded, err := decode(content)
		if err == nil {
			v = decoded
		}
		return err
	})
	return v, ok
}

// Keep puts content under a key of k, where there is a Keeper and a key.
func Keep(k Keeper, key string, content []byte) {
	if k != nil && key != "" {
		k.Put(key, content)
	}
}
