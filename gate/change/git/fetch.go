package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// FetchNotes fetches notes from the remote "origin", which a clone does not do
// by itself, into a namespace of gate's own, so that the user's notes stay as
// they are; it returns that namespace. A remote without such notes is no error.
func (r *Repo) FetchNotes(ctx context.Context, ref string) (string, error) {
	transport := []string{"GIT_ALLOW_PROTOCOL=" + fetchProtocols}
	name, ok := strings.CutPrefix(ref, "refs/notes/")
	if !ok {
		return "", fmt.Errorf("%q is no namespace of notes", ref)
	}
	own := "refs/notes/gate/" + name
	// Exit code 2: the remote answered, and has no such ref.
	err := r.run(ctx, command{args: []string{"ls-remote", "--quiet", "--exit-code", "--upload-pack=git-upload-pack", "origin", ref}, env: transport})
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 2 {
		return own, nil
	}
	if err == nil {
		err = r.run(ctx, command{args: []string{
			"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc",
			"--upload-pack=git-upload-pack", "--end-of-options", "origin", "+" + ref + ":" + own,
		}, env: transport})
	}
	if err != nil {
		return "", fmt.Errorf("fetch the notes %s: %w", ref, err)
	}
	return own, nil
}
