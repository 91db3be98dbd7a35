package precedent

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/embedded"
)

// Bounds of what is read of a base.
const (
	maxTotal      = 64 << 20 // bytes of all files
	maxFile       = 1 << 20  // bytes of one file; a larger one has no precedents
	maxFiles      = 50000
	maxStatements = 1 << 20
)

// Classify says what a file of the base is, by its path and its first bytes.
type Classify func(name string, mode fs.FileMode, head []byte) (gate.Language, gate.Role)

// Known finds precedents. Its zero value knows none.
type Known struct{ index func() *index }

// index is what a base does.
type index struct {
	seed  maphash.Seed
	files []string
	at    map[uint64]place
	left  int64
}

// place is the location of a statement of the base.
type place struct{ file, line int32 }

// Of returns what a base does. The base is read when something is asked for the first time;
// paths are those of the change, for a base that can't be listed.
func Of(ctx context.Context, base fs.FS, paths []string, classify Classify) Known {
	if base == nil {
		return Known{}
	}
	return Known{sync.OnceValue(func() *index { return read(ctx, base, paths, classify) })}
}

// Any reports whether there is a base at all.
func (k Known) Any() bool { return k.index != nil }

// Where returns file and line of the base where it does what a statement does, for a text
// of that language and role; "" where it doesn't or where that isn't known.
func (k Known) Where(language gate.Language, role gate.Role, s Statement) string {
	if k.index == nil {
		return ""
	}
	ix := k.index()
	for _, scope := range scopesFor(role) {
		if p, ok := ix.at[ix.hash(scope, language, s.text)]; ok {
			return fmt.Sprintf("%s:%d", ix.files[p.file], p.line)
		}
	}
	return ""
}

// scope is where a statement runs.
type scope string

const (
	program scope = "program"
	build   scope = "build"   // of a container, or in CI: on a machine that is thrown away
	install scope = "install" // wherever the project is installed
)

// scopesFor are the scopes in which a text of that role has precedents.
func scopesFor(role gate.Role) []scope {
	switch role {
	case gate.RoleSource:
		return []scope{program}
	case gate.RoleCI, gate.RoleInfra:
		return []scope{build, program}
	case gate.RoleManifest:
		return []scope{install}
	default:
		return nil
	}
}

func (ix *index) hash(where scope, language gate.Language, statement string) uint64 {
	return maphash.String(ix.seed, string(where)+"\x00"+string(language)+"\x00"+statement)
}

var errUnlisted = errors.New("the files of the tree can't be listed")

func read(ctx context.Context, base fs.FS, paths []string, classify Classify) *index {
	ix := &index{seed: maphash.MakeSeed(), at: map[uint64]place{}, left: maxTotal}
	files := 0
	full := func() bool {
		return ctx.Err() != nil || ix.left <= 0 || files >= maxFiles || len(ix.at) >= maxStatements
	}
	err := fs.WalkDir(base, ".", func(name string, entry fs.DirEntry, err error) error {
		if full() {
			return fs.SkipAll
		}
		if err != nil {
			if name == "." {
				return errUnlisted
			}
			return nil // what can't be read does nothing
		}
		switch {
		case entry.IsDir() && notProgram(path.Base(name)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			files++
			ix.file(base, name, classify)
		}
		return nil
	})
	if !errors.Is(err, errUnlisted) {
		return ix
	}
	for _, name := range slices.Sorted(slices.Values(paths)) {
		if full() {
			break
		}
		if !slices.ContainsFunc(strings.Split(path.Dir(name), "/"), notProgram) {
			files++
			ix.file(base, name, classify)
		}
	}
	return ix
}

// notProgram reports whether a folder holds what the project doesn't execute, or what isn't its own.
func notProgram(folder string) bool {
	switch strings.ToLower(folder) {
	case ".git", "test", "tests", "testing", "testdata", "__tests__", "spec", "specs", "e2e", "fixtures", "fixture", "samples", "sample",
		"example", "examples", "demo", "demos", "doc", "docs", "vendor", "node_modules", "third_party", "third-party", "site-packages":
		return true
	}
	return false
}

// headBytes is how much of a file says what it is.
const headBytes = 8 << 10

// file adds what one file does.
func (ix *index) file(base fs.FS, name string, classify Classify) {
	info, err := fs.Stat(base, name)
	if err != nil || info.Size() > maxFile {
		return
	}
	// Most files of a tree are known by their name to be data.
	if _, role := classify(name, info.Mode(), nil); role == gate.RoleDocs || role == gate.RoleTest || role == gate.RoleLock {
		return
	}
	content, err := bounded.ReadFile(base, name, maxFile)
	ix.left -= int64(len(content))
	if err != nil {
		return
	}
	language, role := classify(name, info.Mode(), content[:min(len(content), headBytes)])
	ix.files = append(ix.files, name)
	ix.text(language, role, content, nil)
	for _, r := range embedded.Extract(language, name, content) {
		if r.Guessed || Compares(language) { // a call is compared with all that it is given
			continue
		}
		as := role
		if r.Role != "" && role == gate.RoleSource {
			as = r.Role
		}
		ix.text(r.Language, as, r.Text, r.Lines)
	}
}

// text adds the statements of a text of the last file. lines are those of the file, nil for the file itself.
func (ix *index) text(language gate.Language, role gate.Role, content []byte, lines []int) {
	scopes := scopesFor(role)
	if len(scopes) == 0 {
		return
	}
	var starts []int
	Read(language, content).All(func(offset int, statement string) {
		key := ix.hash(scopes[0], language, statement)
		if _, ok := ix.at[key]; ok || len(ix.at) >= maxStatements {
			return
		}
		if starts == nil {
			starts = lineStarts(content)
		}
		line := sort.SearchInts(starts, offset+1)
		if len(lines) > 0 {
			line = lines[min(line, len(lines))-1]
		}
		ix.at[key] = place{int32(len(ix.files) - 1), int32(line)}
	})
}

func lineStarts(content []byte) []int {
	starts := []int{0}
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
