package git

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// refNames looks up the short names of a repository.
type refNames struct{ repo *Repo }

// fullName replaces the short name of a branch or tag at the beginning of a revision by
// its full one. Git itself takes the first that it finds, a file in the git directory
// before a tag before a branch, so anyone who can push a tag named like the base branch would
// choose what a change is compared with. Here several commits of one name are
// [ErrAmbiguous], with their full names. A revision that begins with no branch or tag is
// returned as it is.
func (n refNames) fullName(ctx context.Context, rev string) (string, error) {
	name, suffix := rev, ""
	if i := strings.IndexAny(rev, "^~@:"); i >= 0 {
		name, suffix = rev[:i], rev[i:]
	}
	if name == "" || strings.HasSuffix(name, "HEAD") && strings.ToUpper(name) == name || strings.ContainsAny(name, "*?[\\ ") || n.isOID(name) {
		return rev, nil // none of them can be, or may be taken for, a branch
	}
	refs, err := n.named(ctx, name)
	if err != nil || len(refs) == 0 {
		return rev, err
	}
	if _, exact := refs[name]; exact {
		return rev, nil // "refs/heads/main" in full
	}
	if abbreviated, err := n.abbreviates(ctx, name); err != nil {
		return "", err
	} else if abbreviated {
		return "", fmt.Errorf("%q: %w: it is the beginning of a commit's id and %s; use the whole id or the full name of the ref",
			printable(clip(rev)), ErrAmbiguous, listed(refs))
	}
	commits := map[string]bool{}
	for _, commit := range refs {
		commits[commit] = true
	}
	if len(commits) > 1 {
		return "", fmt.Errorf("%q: %w: it is %s, which are different commits; use one of these names in full",
			printable(clip(rev)), ErrAmbiguous, listed(refs))
	}
	return slices.Min(slices.Collect(maps.Keys(refs))) + suffix, nil
}

// named returns the refs that git would look up under a short name, with the commits
// (or whatever else they point to) that they mean.
func (n refNames) named(ctx context.Context, name string) (map[string]string, error) {
	candidates := []string{"refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"}
	if strings.HasPrefix(name, "refs/") {
		candidates = append(candidates, name)
	}
	args := append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"}, candidates...)
	out, err := n.repo.text(ctx, args...)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		// A pattern also lists what lies below a folder of its name.
		if len(fields) >= 2 && slices.Contains(candidates, fields[0]) {
			refs[fields[0]] = fields[len(fields)-1] // what an annotated tag points to comes last
		}
	}
	return refs, nil
}

// isOID reports whether a name is an id in full, which git takes for nothing else.
func (n refNames) isOID(name string) bool {
	_, err := n.repo.format.parse(name)
	return err == nil
}

// abbreviates reports whether a name is also the beginning of the id of an object.
func (n refNames) abbreviates(ctx context.Context, name string) (bool, error) {
	if len(name) < 4 || strings.Trim(name, "0123456789abcdefABCDEF") != "" {
		return false, nil
	}
	out, err := n.repo.text(ctx, "rev-parse", "--disambiguate="+name)
	return out != "", err
}

// listed joins the names of refs.
func listed(refs map[string]string) string {
	names := slices.Sorted(maps.Keys(refs))
	for i, name := range names {
		names[i] = printable(clip(name)) + " (" + refs[name][:min(len(refs[name]), 12)] + ")"
	}
	return strings.Join(names, " and ")
}
