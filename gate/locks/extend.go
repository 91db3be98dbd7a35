package locks

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Extend returns what the files of head name as an installer may get it where they name
// packages, or versions of packages, that base does not; ok is false where they name none,
// or where it cannot be told what they name. base is the zero value where the base names
// nothing for that language.
//
// The change decides about names and versions only. From where packages come is the base's
// to say: its registries are kept, options, addresses and replacements that only head has
// are left out, and so are folders that are projects in head only. added are the new
// packages as "name version", sorted.
func Extend(base, head Lock) (extended Lock, added []string, ok bool) {
	if head.Digest == base.Digest || base.Language != "" && base.Language != head.Language {
		return Lock{}, nil, false
	}
	extended = head
	extended.Projects, extended.Changed, extended.Base, extended.Tree = nil, true, base.Digest, nil
	if base.Language != "" {
		extended.Interpreter, extended.Bun = base.Interpreter, base.Bun
	}
	for _, p := range head.Projects {
		i := slices.IndexFunc(base.Projects, func(b Project) bool { return b.Dir == p.Dir })
		var was Project
		switch {
		case i >= 0:
			was = base.Projects[i]
		case base.Language != "":
			continue
		}
		files, names, fine := extendProject(head.Language, was, p)
		if !fine {
			return Lock{}, nil, false
		}
		added = append(added, names...)
		extended.Projects = append(extended.Projects, Project{Dir: p.Dir, Kind: p.Kind, Files: files, Changed: len(names) > 0})
	}
	if len(added) == 0 {
		return Lock{}, nil, false
	}
	if head.Language == Go && base.Tree != nil {
		extended.Tree = overlay(base.Tree, extended.Projects)
	}
	extended.Digest = digest(extended)
	slices.Sort(added)
	return extended, slices.Compact(added), true
}

// extendProject returns the files of a project of head as they may be installed, and what
// they add to those of the base.
func extendProject(language string, base, head Project) (files map[string][]byte, added []string, ok bool) {
	files = maps.Clone(head.Files)
	delete(files, ".npmrc")
	if rc := base.Files[".npmrc"]; rc != nil {
		files[".npmrc"] = rc
	}
	for name, data := range files {
		switch {
		case language == Python:
			files[name] = withoutOptions(base.Files[name], data)
		case path.Base(name) == "go.mod":
			if files[name], ok = withoutReplacements(base.Files[name], data); !ok {
				return nil, nil, false
			}
		case path.Base(name) == "go.work":
			return nil, nil, false // its modules are those of the tree, which the base's image is made for
		}
	}
	known := map[string]bool{}
	for name, data := range base.Files {
		for _, d := range namedByInstaller(language, name, data) {
			known[d] = true
		}
	}
	for name, data := range files {
		for _, d := range namedByInstaller(language, name, data) {
			if !known[d] {
				added = append(added, d)
			}
		}
	}
	return files, added, true
}

// namedByInstaller lists, as "name version", what a file of a project asks a registry for.
func namedByInstaller(language, file string, data []byte) []string {
	var all []Dependency
	switch {
	case language == Python:
		all = requirementNames(data)
	case Language(file) == language:
		all, _ = Named(file, data) // what cannot be read, the installer does not read either
	}
	var out []string
	for _, d := range all {
		if d.Elsewhere == "" {
			out = append(out, strings.TrimSpace(d.Name+" "+d.Version))
		}
	}
	return out
}

// withoutOptions leaves out the lines of requirements that are options, such as other
// indexes, unless the base has them.
func withoutOptions(base, head []byte) []byte {
	known := strings.Split(string(base), "\n")
	var out strings.Builder
	for line := range strings.Lines(string(head)) {
		if option := strings.HasPrefix(strings.TrimSpace(line), "-"); !option || slices.Contains(known, strings.TrimRight(line, "\n")) {
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

// withoutReplacements leaves out the replacements of a go.mod by other modules that the
// base does not have; those by folders of the tree fetch nothing. ok is false for what is
// no go.mod.
func withoutReplacements(base, head []byte) (out []byte, ok bool) {
	now, err := modfile.Parse("go.mod", head, nil)
	if err != nil {
		return nil, false
	}
	known := map[modfile.Replace]bool{}
	if was, err := modfile.Parse("go.mod", base, nil); err == nil {
		for _, r := range was.Replace {
			known[modfile.Replace{Old: r.Old, New: r.New}] = true
		}
	}
	for _, r := range slices.Clone(now.Replace) {
		if modfile.IsDirectoryPath(r.New.Path) || known[modfile.Replace{Old: r.Old, New: r.New}] {
			continue
		}
		if err := now.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, false
		}
	}
	now.Cleanup()
	out, err = now.Format()
	return out, err == nil
}

// overlaid is a tree in which some files have another content.
type overlaid struct {
	fs.FS
	files map[string][]byte
}

// overlay is a tree with the files of projects.
func overlay(tree fs.FS, projects []Project) fs.FS {
	o := overlaid{FS: tree, files: map[string][]byte{}}
	for _, p := range projects {
		for name, data := range p.Files {
			o.files[path.Join(p.Dir, name)] = data
		}
	}
	return o
}

// ReadFile implements [fs.ReadFileFS].
func (o overlaid) ReadFile(name string) ([]byte, error) {
	if data, ok := o.files[name]; ok {
		return data, nil
	}
	return fs.ReadFile(o.FS, name)
}
