package swapped

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"sync"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of the search for owners in the base.
const (
	maxTotal  = 64 << 20 // bytes of all files
	maxFile   = 1 << 20  // bytes of one file, from its beginning
	maxOwners = 100_000
)

// naming matches an account at a forge or a registry, and what is named as the owner of something.
var naming = regexp.MustCompile(`(?i)(?:(?:github|gitlab|bitbucket|codeberg|githubusercontent|ghcr|docker|quay|gcr|gitea|huggingface)(?:\.(?:com|org|io|co))?[/:](?:repos/)?|@|uses:\s*["']?|image:\s*["']?|from\s+|repo\w*["']?\s*[:=]\s*["']?|org\w*["']?\s*[:=]\s*["']?|owner["']?\s*[:=]\s*["']?|source\s*=\s*")(?:[\w-]+(?:\.[\w-]+)+[/:])?([a-z0-9][\w-]*)`)

// NamedIn returns what tells whether a tree has something of an owner already, or names it as
// the owner of something. The tree is read when the first is asked for, once. One that can't be
// listed is read at the given paths only; where a bound is reached, what was not read names
// nothing.
func NamedIn(ctx context.Context, tree fs.FS, paths []string) func(owner string) bool {
	known := sync.OnceValue(func() map[string]bool { return ownersOf(ctx, tree, paths) })
	return func(owner string) bool { return tree != nil && known()[strings.ToLower(owner)] }
}

func ownersOf(ctx context.Context, tree fs.FS, paths []string) map[string]bool {
	out, left := map[string]bool{}, int64(maxTotal)
	full := func() bool { return ctx.Err() != nil || left <= 0 || len(out) >= maxOwners }
	read := func(name string) {
		f, err := tree.Open(name)
		if err != nil {
			return // what can't be read names nothing
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, min(maxFile, left)))
		left -= int64(len(text))
		if err != nil {
			return
		}
		for _, m := range naming.FindAllSubmatch(text, -1) {
			out[strings.ToLower(string(m[1]))] = true
		}
	}
	for _, name := range paths {
		if !full() {
			read(name) // what the change itself touches comes first
		}
	}
	// A tree that can't be listed gives nothing more.
	_ = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if full() {
			return fs.SkipAll
		}
		if err == nil && entry.Type().IsRegular() {
			read(name)
		}
		return nil
	})
	return out
}
