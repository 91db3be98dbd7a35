package images

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// DependencyRoot is where an image has the dependencies. The module cache of Go is
// in "mod", a project of another language in a folder with its number.
const DependencyRoot = "/opt/aigate/deps"

// The labels of an image with dependencies, besides those of the image that it is
// built on.
const (
	labelDependencies   = "aigate.deps"          // the language
	labelDepsDigest     = "aigate.deps.digest"   // of everything that entered the build
	labelDepsSandbox    = "aigate.deps.sandbox"  // ID of the image that it is built on
	labelDepsCommit     = "aigate.deps.commit"   // whose lock files they are
	labelDepsCreated    = "aigate.deps.created"  // RFC 3339
	labelDepsProjects   = "aigate.deps.projects" // JSON of []InstalledProject
	labelDepsProblems   = "aigate.deps.problems" // JSON of []string
	labelDepsScripts    = "aigate.deps.scripts"  // "true" where code of packages was run
	labelDepsVersion    = "aigate.deps.version"  // of the interpreter that is in it
	labelDepsCompiled   = "aigate.deps.compiled" // JSON of Compiled
	maxDependencyLabels = 64 << 10               // bytes of one label that are read
	maxProblems         = 100
)

// Dependencies are what the lock files of one commit name for one language.
type Dependencies struct {
	Language string // "python", "node" or "go"
	Digest   string // of all that follows, in hexadecimal
	Projects []Project
	// Interpreter is the major version of the interpreter that is installed with them, one
	// of [Interpreters]; "" is that of the sandbox image.
	Interpreter string
	// Sources are the files of the commit; nil for none. Go compiles them, after everything
	// is installed and without a network. The digest does not follow from them.
	Sources fs.FS
	// Bun says that Bun is installed with them.
	Bun bool
	// Like is the reference of an image with nearly the same dependencies, whose compiled
	// packages are taken where the engine has it; "" is none.
	Like string
}

// Project is a folder with a lock file.
type Project struct {
	Dir   string // slash-separated, "" for the root of the repository
	Kind  string // those of package locks: "python", "npm-manifest" and so on
	Files map[string][]byte
	// Needed says that there is no image where nothing could be installed for it.
	Needed bool
}

// DependencyInfo is what the labels of an image with dependencies say.
type DependencyInfo struct {
	Ref      string
	ID       string
	Language string
	Digest   string
	Sandbox  string // ID of the image that it is built on
	Commit   string
	Created  time.Time
	Size     int64 // bytes, with the image that it is built on
	Scripts  bool
	Projects []InstalledProject
	Problems []string // what is not in it, and why
	Version  string   // of the interpreter that is in it, "" where it is that of the sandbox image
	Compiled Compiled
}

// Compiled says which packages of Go an image has compiled. The zero value is an image
// that was made before any were.
type Compiled struct {
	Packages int    `json:"packages"`
	Of       int    `json:"of"`            // that the base's packages and tests consist of
	Bytes    int64  `json:"bytes"`         // of the build cache
	Why      string `json:"why,omitempty"` // not all of them are there
}

// CompiledRoot is where an image has a build cache of Go.
const CompiledRoot = DependencyRoot + "/gocache"

// InstalledProject says where the dependencies of a project are.
type InstalledProject struct {
	Dir string `json:"dir"`
	At  string `json:"at"`
	// Modules are the folders below At that have to be found in the same place of
	// the project (node_modules).
	Modules []string `json:"modules,omitempty"`
	// Resolved are the versions, name@version, that were installed where no lock file names
	// them.
	Resolved []string `json:"resolved,omitempty"`
}

// Old reports whether an image is due to be built again.
func (i DependencyInfo) Old(now time.Time) bool { return now.Sub(i.Created) > MaxAge }

// DependencyRef is the reference of the image with the dependencies of that digest.
func DependencyRef(language, digest string) string {
	return "gate-deps-" + language + ":" + digest[:min(len(digest), 24)]
}

// DependencyLanguages are the languages whose dependencies can be installed.
func DependencyLanguages() []string { return []string{"python", "node", "go"} }

// ReadDependencies returns what labels say; ok is false where they are not those of
// an image with dependencies.
func ReadDependencies(ref, id string, labels map[string]string) (info DependencyInfo, ok bool) {
	info = DependencyInfo{
		Ref: ref, ID: id, Language: labels[labelDependencies], Digest: labels[labelDepsDigest], Sandbox: labels[labelDepsSandbox],
		Commit: labels[labelDepsCommit], Scripts: labels[labelDepsScripts] == "true",
		Version: plainLine(labels[labelDepsVersion]),
	}
	if !slices.Contains(DependencyLanguages(), info.Language) || info.Digest == "" {
		return DependencyInfo{}, false
	}
	if t, err := time.Parse(time.RFC3339, labels[labelDepsCreated]); err == nil {
		info.Created = t
	}
	for label, into := range map[string]any{labelDepsProjects: &info.Projects, labelDepsProblems: &info.Problems, labelDepsCompiled: &info.Compiled} {
		if text := labels[label]; len(text) > maxDependencyLabels || text != "" && json.Unmarshal([]byte(text), into) != nil {
			return DependencyInfo{}, false
		}
	}
	for _, p := range info.Projects {
		if !inside(p.At, DependencyRoot) || slices.ContainsFunc(p.Modules, func(m string) bool { return !inside(path.Join(p.At, m), p.At) }) {
			return DependencyInfo{}, false
		}
	}
	return info, true
}

// inside reports whether a clean absolute path lies below a folder.
func inside(p, dir string) bool { return path.Clean(p) == p && strings.HasPrefix(p, dir+"/") }

// imageStore is the part of an engine that lists and removes images.
type imageStore interface {
	ImageList(ctx context.Context, o image.ListOptions) ([]image.Summary, error)
	ImageRemove(ctx context.Context, ref string, o image.RemoveOptions) ([]image.DeleteResponse, error)
}

// ListDependencies returns the images with dependencies that an engine has, the
// newest first.
func ListDependencies(ctx context.Context, e imageStore) ([]DependencyInfo, error) {
	all, err := e.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelDependencies))})
	if err != nil {
		return nil, fmt.Errorf("list the images with dependencies: %w", err)
	}
	var out []DependencyInfo
	for _, i := range all {
		ref := ""
		if len(i.RepoTags) > 0 {
			ref = i.RepoTags[0]
		}
		if info, ok := ReadDependencies(ref, i.ID, i.Labels); ok {
			info.Size = i.Size
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b DependencyInfo) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Ref, b.Ref))
	})
	return out, nil
}

// PruneDependencies removes the images with dependencies that are older than a
// month, or all. One that a container uses stays. Other images are never touched.
func PruneDependencies(ctx context.Context, e imageStore, all bool) (removed []DependencyInfo, err error) {
	have, err := ListDependencies(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, i := range have {
		if !all && !i.Old(time.Now()) {
			continue
		}
		if err := removeImage(ctx, e, cmp.Or(i.Ref, i.ID)); err != nil {
			return removed, fmt.Errorf("remove %s: %w", cmp.Or(i.Ref, i.ID), err)
		}
		removed = append(removed, i)
	}
	return removed, nil
}

// removeWithin bounds the removal of one image: an engine in which any container
// hangs waits for that one.
const removeWithin = time.Minute

func removeImage(ctx context.Context, e imageStore, ref string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, removeWithin, fmt.Errorf("the engine did not do it within %s", removeWithin))
	defer cancel()
	_, err := e.ImageRemove(ctx, ref, image.RemoveOptions{PruneChildren: true})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
