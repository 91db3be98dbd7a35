package hosts

import (
	"context"
	"io/fs"
	"sync"
)

// NewTo returns what tells whether a host, as a program writes it, is new to a
// repository: one that its base doesn't name. The base is read when the first host is
// asked for, once; paths are those of the change, for a base that can't be listed.
//
// Without a base, and with an empty one, there is nothing that a host could be new
// to: every client of a service would be a finding. Nothing is new then, and nil says
// so for no base.
func NewTo(ctx context.Context, base fs.FS, paths []string) func(host string) bool {
	isNew, _ := Compare(ctx, base, paths)
	return isNew
}

// Compare is NewTo with a second answer: what tells whether the base names a host, which
// is not the opposite. Both are nil for no base.
func Compare(ctx context.Context, base fs.FS, paths []string) (isNew, isNamed func(host string) bool) {
	if base == nil {
		return nil, nil
	}
	known := sync.OnceValue(func() *Set { return Read(ctx, base, paths) })
	isNew = func(written string) bool {
		host, foreign := Name(written)
		return foreign && !known().Empty() && !known().Has(host) && !known().HasSibling(host)
	}
	isNamed = func(written string) bool {
		host, foreign := Name(written)
		return foreign && known().Has(host)
	}
	return isNew, isNamed
}
