package gate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// Layer names one of the three layers that look at a target.
type Layer string

// The layers, in the order in which they run.
const (
	LayerStatic  Layer = "static"
	LayerJudge   Layer = "judge"
	LayerSandbox Layer = "sandbox"
)

// Layers returns all layers in the order in which they run.
func Layers() []Layer { return []Layer{LayerStatic, LayerJudge, LayerSandbox} }

// Language is what a file is written in, as far as rules and runners care.
type Language string

// The languages that gate knows. LanguageUnknown is a text file that nothing
// classified; LanguageBinary is not text.
const (
	LanguageUnknown    Language = ""
	LanguageBinary     Language = "binary"
	LanguageText       Language = "text"
	LanguagePython     Language = "python"
	LanguageJavaScript Language = "javascript"
	LanguageTypeScript Language = "typescript"
	LanguageShell      Language = "shell"
	LanguageGo         Language = "go"
	LanguagePowerShell Language = "powershell"
	LanguageRuby       Language = "ruby"
	LanguagePerl       Language = "perl"
	LanguagePHP        Language = "php"
	LanguageC          Language = "c"
	LanguageRust       Language = "rust"
	LanguageJava       Language = "java"
	LanguageDockerfile Language = "dockerfile"
	LanguageMakefile   Language = "makefile"
	LanguageYAML       Language = "yaml"
	LanguageWorkflow   Language = "workflow" // a GitHub Actions workflow or action.yml
	LanguageJSON       Language = "json"
	LanguageTOML       Language = "toml"
	LanguageINI        Language = "ini"
	LanguageNotebook   Language = "notebook"
	LanguageMarkdown   Language = "markdown"
	LanguageHTML       Language = "html"
	LanguageWasm       Language = "wasm"
)

// Role is what a file is for; rules weigh the same text differently by it.
type Role string

// The roles of the result document.
const (
	RoleSource    Role = "source"
	RoleTest      Role = "test"
	RoleCI        Role = "ci"
	RoleInfra     Role = "infra"
	RoleDocs      Role = "docs"
	RoleManifest  Role = "manifest"
	RoleLock      Role = "lock"
	RoleGenerated Role = "generated"
)

// ChangeKind is how a file came to be in the change.
type ChangeKind string

// The kinds of the result document. ChangeNone is a file of a plain folder
// scan, where nothing is known to have changed.
const (
	ChangeAdded    ChangeKind = "added"
	ChangeModified ChangeKind = "modified"
	ChangeRenamed  ChangeKind = "renamed"
	ChangeDeleted  ChangeKind = "deleted"
	ChangeMode     ChangeKind = "mode"
	ChangeType     ChangeKind = "type"
	ChangeNone     ChangeKind = "none"
)

// LineRange is a range of 1-based lines, both ends included. It is written
// [from, to] in the result document.
type LineRange [2]int

// LineSet is the set of changed lines of a file. The zero value holds every
// line: who forgets to fill it makes more findings decide, never fewer.
type LineSet struct {
	limited bool
	ranges  []LineRange
}

// OnlyLines returns a set of just these lines; without arguments, of none.
func OnlyLines(ranges ...LineRange) LineSet {
	return LineSet{limited: true, ranges: slices.Clone(ranges)}
}

// All reports whether the set holds every line.
func (s LineSet) All() bool { return !s.limited }

// Ranges returns the ranges of a limited set, nil for the set of every line.
func (s LineSet) Ranges() []LineRange { return slices.Clone(s.ranges) }

// Touches reports whether any line of from..to is in the set. Line 0 stands for
// the file as a whole and is touched by any change of it.
func (s LineSet) Touches(from, to int) bool {
	if !s.limited || from <= 0 {
		return true
	}
	return slices.ContainsFunc(s.ranges, func(r LineRange) bool { return from <= r[1] && r[0] <= max(to, from) })
}

// Attribution says who wrote a target, as far as can be known. The zero value
// means that no one looked, and counts as AI wherever it matters.
type Attribution struct {
	Basis      string      `json:"basis"` // "marked", "unmarked" or "unknown"
	AI         bool        `json:"ai"`
	Agents     []string    `json:"agents"`
	Confidence float64     `json:"confidence"` // 0..1
	Evidence   []Evidence  `json:"evidence"`
	Lines      []LineRange `json:"lines"`
}

// Evidence is one reason for an attribution.
type Evidence struct {
	Source string `json:"source"` // "trailer", "author", "branch", ...
	Text   string `json:"text"`
}

// Target is one file that the run looks at.
type Target struct {
	Path        string // slash-separated, relative to the root of the tree
	OldPath     string // for renames
	Language    Language
	Role        Role
	Kind        ChangeKind
	Mode        fs.FileMode // type and permission bits of the head file
	Size        int64       // bytes of the head file
	Lines       LineSet     // changed lines
	Attribution Attribution
	// Stub is the tool that keeps the content elsewhere, such as "Git LFS", where the file
	// only stands for it; empty for a file that is what it says.
	Stub string
	// StaticOnly restricts the target to the static layer (policy `changes: ai`
	// on a human change). The zero value gets every layer.
	StaticOnly bool
	// Parent is the path of the target that this one was decoded from, or that
	// produced it at run time; empty for files of the change.
	Parent string
	// Origin says how it came out of its parent: "base64 on line 12". It is for people.
	Origin string
	// Depth counts how often text had to be unwrapped to get here, 0..MaxDepth.
	Depth int
}

// Exists reports whether the target has content in the head tree.
func (t *Target) Exists() bool { return t.Kind != ChangeDeleted }

// Change is what one run looks at. Both trees may be nil; a tree is only ever
// read, and the file system behind it must not follow links out of itself
// (os.Root, git objects and in-memory trees do not).
type Change struct {
	Head    fs.FS
	Base    fs.FS
	Targets []*Target
	// OtherShards are the targets that other shards of the same run look at. The
	// static layer sees them too, so that no program of this shard is run beside a
	// file that would have been kept out of its container; what is found in them is
	// for their own shard to report.
	OtherShards []*Target
	// Files lists every file of the head tree that may enter a sandbox: tracked
	// files and the untracked sources that the user named, sorted; never .git,
	// never ignored files, never .env.
	Files []string
	// Remote says that each file of Head that the change does not touch costs a request, of
	// which only some are made: it is read where something points to it, and not searched.
	Remote bool
	// Memory, where it is set, keeps what was read from the base for the next change of the
	// same file. It is only for changes whose trees hold nothing but their one target: else
	// what a file means depends on more than its own text.
	Memory *Memory
	// Skipped lists what was not made a target, and why.
	Skipped []Skip
	// Incomplete lists what should have become a target and could not, such as
	// a folder that cannot be read. It makes the run incomplete.
	Incomplete []Gap
}

// ErrTooLarge is returned by [Change.Read] for a file above the limit.
var ErrTooLarge = errors.New("file is larger than the limit")

// Open opens the head version of a target. Only regular files are opened, so
// that a FIFO or a device in the tree cannot hang the run.
func (c *Change) Open(t *Target) (fs.File, error) {
	if c.Head == nil || !t.Exists() {
		return nil, &fs.PathError{Op: "open", Path: t.Path, Err: fs.ErrNotExist}
	}
	if !t.Mode.IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: t.Path, Err: fmt.Errorf("not a regular file (%s)", t.Mode.Type())}
	}
	return c.Head.Open(t.Path)
}

// Paths returns the paths of the targets, those that they had before among them.
func (c *Change) Paths() []string {
	var paths []string
	for _, t := range c.Targets {
		paths = append(paths, t.Path)
		if t.OldPath != "" {
			paths = append(paths, t.OldPath)
		}
	}
	return paths
}

// Read returns the head content of a target, at most limit bytes of it. A file
// that is larger, also one that grew since it was listed, gives its first limit
// bytes and ErrTooLarge.
func (c *Change) Read(t *Target, limit int64) ([]byte, error) {
	f, err := c.Open(t)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return data, fmt.Errorf("read %s: %w", t.Path, err)
	}
	if int64(len(data)) > limit {
		return data[:limit], fmt.Errorf("read %s: %w of %d bytes", t.Path, ErrTooLarge, limit)
	}
	return data, nil
}
