package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// fetchProtocols are the transports that a fetch may use. "file" is for mirrors
// on the same machine: what it runs there is git itself. No ssh: the program for
// it, and the options of that, come from the configuration.
const fetchProtocols = "https:file"

// Fetch asks the remote "origin" for history that a shallow clone lacks: n more
// commits, or all with n 0, and for those of revs that are full object names.
// Unlike everything else in this package it writes to the repository, and it
// trusts the remote's address and the HTTP headers in its configuration.
func (r *Repo) Fetch(ctx context.Context, n int, revs ...string) error {
	var want []string
	for _, rev := range revs {
		if _, err := r.format.parse(rev); err == nil {
			want = append(want, rev)
		}
	}
	shallow, err := r.Shallow(ctx)
	if err != nil {
		return err
	}
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc",
		"--upload-pack=git-upload-pack",
	}
	switch {
	case shallow && n > 0:
		args = append(args, "--deepen="+strconv.Itoa(n))
	case shallow:
		args = append(args, "--unshallow")
	}
	args = slices.Concat(args, []string{"--end-of-options", "origin"}, want)
	err = r.run(ctx, command{args: args, env: []string{"GIT_ALLOW_PROTOCOL=" + fetchProtocols}})
	if err != nil {
		return fmt.Errorf("fetch history that the shallow clone lacks: %w", err)
	}
	return nil
}
