package swapped

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"regexp"
	"strings"
)

// Bounds of the search for an owner in the base.
const (
	maxTotal = 128 << 20 // bytes of all files
	maxFile  = 2 << 20   // bytes of one file, from its beginning
)

// Named reports whether a tree has something of an owner already, or names it as the owner of
// something. A tree that can't be listed is read at the given paths only; where a bound is
// reached, what was not read names nothing.
func Named(ctx context.Context, tree fs.FS, paths []string, owner string) bool {
	form, err := regexp.Compile(`(?i)(?:(?:github|gitlab|bitbucket|codeberg|githubusercontent|ghcr|docker|quay|gcr|gitea|huggingface)(?:\.(?:com|org|io|co))?[/:](?:repos/)?|@|uses:\s*["']?|image:\s*["']?|from\s+|repo\w*["']?\s*[:=]\s*["']?|org\w*["']?\s*[:=]\s*["']?|owner["']?\s*[:=]\s*["']?|source\s*=\s*")` + regexp.QuoteMeta(owner) + `(?:[^\w-]|$)`)
	if err != nil {
		return false
	}
	literal := []byte(strings.ToLower(owner))
	left, found := int64(maxTotal), false
	read := func(name string) {
		f, err := tree.Open(name)
		if err != nil {
			return
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, min(maxFile, left)))
		left -= int64(len(text))
		found = found || err == nil && bytes.Contains(bytes.ToLower(text), literal) && form.Match(text)
	}
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || left <= 0 || found:
			return fs.SkipAll
		case err != nil && name == ".":
			return err
		case err == nil && entry.Type().IsRegular():
			read(name)
		}
		return nil
	})
	if err == nil {
		return found
	}
	for _, name := range paths {
		if ctx.Err() == nil && left > 0 && !found {
			read(name)
		}
	}
	return found
}
