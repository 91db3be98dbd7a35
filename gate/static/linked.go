package static

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
)

// maxLinked bounds how many files of a folder are read by way of a link to it.
const maxLinked = 500

// readLinked reads the files that a link of the change leads to, by the names that it
// gives them: a link named Makefile makes a Makefile of any file.
func readLinked(ctx context.Context, f *file) error {
	to, ok := resolve(f.change.Head, f.target.Path)
	if !ok {
		return ctx.Err()
	}
	info, err := fs.Lstat(f.change.Head, to)
	if err != nil {
		return ctx.Err()
	}
	if info.Mode().IsRegular() {
		return readByLink(ctx, f, to, f.target.Path)
	}
	if !info.IsDir() {
		return ctx.Err()
	}
	n := 0
	for _, name := range f.change.Files {
		rest, below := strings.CutPrefix(name, to+"/")
		if !below {
			continue
		}
		if n++; n > maxLinked {
			f.gap("it leads to a folder with more than %d files: not all of them were read by the name that they have there", maxLinked)
			break
		}
		if err := readByLink(ctx, f, name, path.Join(f.target.Path, rest)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// readByLink reads a file of the tree by another name, where that makes something
// else of it. What is found is the link's.
func readByLink(ctx context.Context, f *file, name, as string) error {
	info, err := fs.Lstat(f.change.Head, name)
	if err != nil || !info.Mode().IsRegular() {
		return ctx.Err()
	}
	source := gate.Target{Path: name, Kind: gate.ChangeNone, Mode: info.Mode(), Size: info.Size()}
	head, err := f.change.Read(&source, maxNamer)
	if err != nil {
		head = nil // the names decide alone
	}
	own, ownRole := f.scanner.classify(name, source.Mode, head)
	language, role := f.scanner.classify(as, source.Mode, head)
	origin := fmt.Sprintf("of %s, to which it leads", gate.Clip(name, maxShownName))
	var readings []also
	same := language == own && role == ownRole && !namedByFolder(as) && (!embedded.IsInstructions(as) || embedded.IsInstructions(name))
	if !same && language != gate.LanguageUnknown && language != gate.LanguageBinary {
		readings = append(readings, also{path: as, language: language, role: role, origin: origin})
	}
	if as == f.target.Path {
		for _, a := range f.also { // what programs run the link as
			if a.language != own {
				readings = append(readings, also{path: as, language: a.language, role: a.role, origin: origin + ", " + a.origin})
			}
		}
	}
	if len(readings) == 0 {
		return ctx.Err()
	}
	sub := &file{
		scanner: f.scanner, change: f.change, target: &source, found: f.found, owner: f.target.Path, costs: f.costs, newHost: f.newHost, known: f.known, room: f.room,
	}
	sub.view = sub.target
	content, err := sub.take(ctx)
	if err != nil {
		f.gap("what it leads to can't be read: %v", err)
		return ctx.Err()
	}
	if sub.costs.match == nil {
		sub.costs = newCosts(content.stats.Size)
	}
	for _, a := range readings {
		if err = sub.readAlso(ctx, content, a); err != nil && ctx.Err() == nil {
			f.gap("what it leads to can't be read: %v", err)
		}
	}
	f.costs = sub.costs
	f.found.Add(f.target.Path, sub.union.findings...)
	sub.size(content.stats.Size)
	f.gaps = append(f.gaps, sub.gaps...)
	return ctx.Err()
}

// namedByFolder reports whether the folder that a file lies in has it run, though it is named
// and written the same elsewhere: scripts of package.json run what is in node_modules/.bin by
// its name, and editors run what a development container says.
func namedByFolder(name string) bool {
	return strings.Contains("/"+name, "/node_modules/.bin/") || slices.Contains(strings.Split(path.Dir(name), "/"), ".devcontainer")
}
