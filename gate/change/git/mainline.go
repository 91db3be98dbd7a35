package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// MaxMainline is the most commits that [Mainline] lists.
const MaxMainline = 20_000

// MainlineOptions say which commits of the first-parent history are listed.
type MainlineOptions struct {
	Head  OID
	Since time.Time // by the committer's clock; zero is no bound
	Most  int       // 1 to [MaxMainline]
	// Merges leaves out what is no merge.
	Merges bool
}

// Mainline lists the first-parent history of a commit, newest first: what was merged, in
// the order in which it was. Commits without a parent, and those of whose parent a shallow
// clone knows nothing, are left out. Parents are as git sees them.
func Mainline(ctx context.Context, r *Repo, o *Objects, opts MainlineOptions) ([]Commit, error) {
	if opts.Most < 1 || opts.Most > MaxMainline {
		return nil, fmt.Errorf("list the history: %d commits are not 1 to %d", opts.Most, MaxMainline)
	}
	args := []string{"rev-list", "--first-parent", "--parents", fmt.Sprintf("--max-count=%d", opts.Most)}
	if opts.Merges {
		args = append(args, "--min-parents=2")
	} else {
		args = append(args, "--min-parents=1")
	}
	if !opts.Since.IsZero() {
		args = append(args, fmt.Sprintf("--since=@%d", opts.Since.Unix()))
	}
	var listed [][]OID
	err := r.run(ctx, command{args: append(args, string(opts.Head)), read: func(rd io.Reader) error {
		lines := bufio.NewScanner(rd)
		for lines.Scan() {
			var oids []OID
			for field := range strings.FieldsSeq(lines.Text()) {
				oid, err := r.format.parse(field)
				if err != nil {
					return err
				}
				oids = append(oids, oid)
			}
			if len(oids) > 1 {
				listed = append(listed, oids)
			}
		}
		return lines.Err()
	}})
	if err != nil {
		return nil, err
	}
	var out []Commit
	for _, oids := range listed {
		c, err := o.Commit(oids[0])
		if err != nil {
			return nil, err
		}
		c.Parents = oids[1:]
		out = append(out, c)
	}
	return out, nil
}
