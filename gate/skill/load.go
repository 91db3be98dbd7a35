package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/workspace"
)

// The bounds of skills.
const (
	MaxBytes  = 8 << 20 // of all files of a skill together
	MaxFiles  = 200     // of a skill
	MaxSkills = 200     // of all folders together
)

// File is the one that makes a folder a skill.
const File = "SKILL.md"

// maxText bounds a SKILL.md, in bytes.
const maxText = 256 << 10

// Skill is one skill with all of its files.
type Skill struct {
	Front
	Body  string          // of SKILL.md, behind the front matter
	Files *workspace.Tree // SKILL.md among them
}

// Listed is a skill that is there, or why it cannot be one.
type Listed struct {
	Front
	Err error // Name is that of the folder then
}

// Set is where skills are looked for. It is safe for concurrent use.
type Set struct{ roots []*os.Root }

// Open opens folders whose own folders are skills.
func Open(dirs []string) (*Set, error) {
	s := &Set{}
	for _, dir := range dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open the folder with skills: %w", err), s.Close())
		}
		s.roots = append(s.roots, root)
	}
	return s, nil
}

// Close lets go of the folders.
func (s *Set) Close() error {
	var errs []error
	for _, r := range s.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// List returns all skills in order of name. Of two with one name the first folder's counts.
func (s *Set) List() ([]Listed, error) {
	seen := map[string]bool{}
	var out []Listed
	for _, root := range s.roots {
		entries, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return nil, fmt.Errorf("list the skills: %w", err)
		}
		for _, e := range entries {
			if seen[e.Name()] || strings.HasPrefix(e.Name(), ".") || e.Type().IsRegular() {
				continue
			}
			if seen[e.Name()] = true; len(seen) > MaxSkills {
				return nil, fmt.Errorf("list the skills: there are more than %d", MaxSkills)
			}
			f, _, err := front(root, e.Name())
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if f.Name = e.Name(); err != nil {
				f.Description = ""
			}
			out = append(out, Listed{f, err})
		}
	}
	slices.SortFunc(out, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// front reads the SKILL.md of a folder.
func front(root *os.Root, dir string) (Front, string, error) {
	if err := folder(root, dir); err != nil {
		return Front{}, "", err
	}
	file := path.Join(dir, File)
	text, err := bounded.ReadRoot(root, file, maxText)
	if err != nil {
		return Front{}, "", err
	}
	f, body, err := Parse(file, text)
	if err == nil && f.Name != dir {
		err = fmt.Errorf("%s: name is %q, and its folder is %q; expected is one name", file, f.Name, dir)
	}
	return f, body, err
}

// folder refuses what is no folder itself.
func folder(root *os.Root, dir string) error {
	info, err := root.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is no folder (%s); links are not followed", dir, info.Mode().Type())
	}
	return err
}

// Load reads a skill with all of its files.
func (s *Set) Load(name string) (Skill, error) {
	if _, ok := strings.CutPrefix(name, "."); ok || workspace.CheckPath(name) != nil || strings.Contains(name, "/") {
		return Skill{}, fmt.Errorf("%+.80q is no name of a skill; call load_skill without a name for those that there are", name)
	}
	for _, root := range s.roots {
		f, body, err := front(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Skill{}, fmt.Errorf("read the skill: %w", err)
		}
		files, err := all(root, name)
		if err != nil {
			return Skill{}, fmt.Errorf("read the skill %s: %w", name, err)
		}
		return Skill{f, body, files}, nil
	}
	return Skill{}, fmt.Errorf("there is no skill %+.80q; call load_skill without a name for those that there are", name)
}

// all reads every file of a skill.
func all(root *os.Root, dir string) (*workspace.Tree, error) {
	t := workspace.NewTree()
	err := fs.WalkDir(root.FS(), dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%q is no regular file (%s); a skill has no links", p, e.Type())
		case t.Len() == MaxFiles:
			return fmt.Errorf("it has more than %d files", MaxFiles)
		}
		data, err := bounded.ReadRoot(root, p, MaxBytes-t.Bytes())
		if bounded.IsTooLarge(err) {
			return fmt.Errorf("its files have more than %d MiB together", MaxBytes>>20)
		}
		if err != nil {
			return err
		}
		return t.Put(strings.TrimPrefix(p, dir+"/"), data)
	})
	return t, err
}
