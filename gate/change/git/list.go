package git

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Tree returns the files of a tree or commit, sorted by path.
func (r *Repo) Tree(ctx context.Context, oid OID) ([]Entry, error) {
	var out []Entry
	err := r.run(ctx, command{
		args: []string{"ls-tree", "-r", "-z", "--full-tree", "--end-of-options", string(oid)},
		read: func(rd io.Reader) error {
			return parseTree(rd, r.format, func(e Entry) { out = append(out, e) })
		},
	})
	return out, err
}

// Index returns the entries of the index, in the order of path and stage.
func (r *Repo) Index(ctx context.Context) ([]IndexEntry, error) {
	var out []IndexEntry
	err := r.run(ctx, command{
		args: []string{"ls-files", "-t", "-s", "-z", "--full-name"},
		read: func(rd io.Reader) error {
			return parseIndex(rd, r.format, func(e IndexEntry) { out = append(out, e) })
		},
	})
	return out, err
}

// Untracked returns the paths below any of the given ones that are neither
// tracked nor ignored. A path that ends in "/" is a repository of its own, of
// which git shows no more than the folder.
func (r *Repo) Untracked(ctx context.Context, paths []string) ([]string, error) {
	return r.others(ctx, paths, "--others", "--exclude-standard")
}

// Ignored returns the paths below any of the given ones that are ignored. A
// path that ends in "/" is a folder in which everything is.
func (r *Repo) Ignored(ctx context.Context, paths []string) ([]string, error) {
	flags := []string{"--others", "--ignored", "--exclude-standard"}
	out, err := r.others(ctx, paths, append(flags, "--directory")...)
	if err != nil && ctx.Err() == nil {
		// git's --directory gives up with an internal error on a path that lies
		// inside of an ignored folder (2.39: "directory entry not superset of
		// prefix"). File by file it works.
		return r.others(ctx, paths, flags...)
	}
	return out, err
}

// pathsPerCommand keeps a command line below the system's limit.
const pathsPerCommand = 200

// others runs ls-files for paths that are relative to the work tree; "." is all
// of it.
func (r *Repo) others(ctx context.Context, paths []string, flags ...string) ([]string, error) {
	var out []string
	for chunk := range slices.Chunk(paths, pathsPerCommand) {
		err := r.run(ctx, command{
			args: slices.Concat([]string{"ls-files", "-z", "--full-name"}, flags, []string{"--"}, chunk),
			read: func(rd io.Reader) error {
				return scanRecords(rd, func(rec string, _ func() (string, error)) error {
					p, err := parsePath(rec)
					out = append(out, p)
					return err
				})
			},
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// renameLimit is how many deleted and how many added files are compared for
// renames with changes. Beyond it git finds exact renames only, and the others
// are a deletion and an addition, which looks at more, not at less.
const renameLimit = 1000

func diffFlags() []string {
	return []string{
		"--raw", "-r", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-relative",
		"--ignore-submodules=none", "--find-renames=50%", "--find-copies=50%", "-l" + strconv.Itoa(renameLimit),
	}
}

// Diff returns what differs between two trees or commits, in order of path.
func (r *Repo) Diff(ctx context.Context, from, to OID) ([]Difference, error) {
	args := slices.Concat([]string{"diff-tree"}, diffFlags(), []string{"--end-of-options", string(from), string(to)})
	return r.differences(ctx, args)
}

// DiffIndex returns what differs between a tree or commit and the index.
func (r *Repo) DiffIndex(ctx context.Context, from OID) ([]Difference, error) {
	args := slices.Concat([]string{"diff-index", "--cached"}, diffFlags(), []string{"--end-of-options", string(from), "--"})
	return r.differences(ctx, args)
}

func (r *Repo) differences(ctx context.Context, args []string) ([]Difference, error) {
	var out []Difference
	err := r.run(ctx, command{args: args, read: func(rd io.Reader) error {
		return parseRaw(rd, r.format, func(d Difference) { out = append(out, d) })
	}})
	if err != nil {
		return nil, err
	}
	for _, d := range out {
		if d.Status == Unmerged {
			return nil, fmt.Errorf("%q has an unresolved conflict; resolve it and `git add` the file", printable(d.New.Path))
		}
	}
	return out, nil
}
