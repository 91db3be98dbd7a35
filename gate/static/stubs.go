package static

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/source/stub"
	"github.com/aigate/gate/gate/static/loads"
)

// stubs are the targets that stand for content which is kept elsewhere, and what the
// tree does with that content.
type stubs struct {
	change   *gate.Change
	classify Classify
	files    []string       // that the targets stand for
	targets  []*gate.Target // of each
	index    *loads.Index
	run      map[string]string // by path of a target, what has it run, in words
	loaded   map[string]string // or loads it otherwise
	full     string            // the bound that kept something from being searched
}

// maxStub is how much of a file that stands for others is read.
const maxStub = 64 << 10 // bytes

// stubs looks for what the tree does with content that is kept elsewhere. It costs
// nothing where no target stands for any.
func (s *Scanner) stubs(ctx context.Context, c *gate.Change) *stubs {
	x := &stubs{change: c, classify: s.classify, run: map[string]string{}, loaded: map[string]string{}}
	for _, t := range c.Targets {
		if t.Stub == "" || !t.Exists() {
			continue
		}
		var content []byte
		if stub.Tool(t.Stub) == stub.DVC {
			content, _ = c.Read(t, maxStub) // what is beyond names nothing
		}
		for _, name := range stub.Names(t.Path, stub.Tool(t.Stub), content) {
			x.files, x.targets = append(x.files, name), append(x.targets, t)
		}
	}
	if len(x.files) > 0 && c.Head != nil {
		x.index = loads.NewIndex(x.files)
		x.search(ctx)
	}
	return x
}

// search reads the programs and manifests of the tree.
func (x *stubs) search(ctx context.Context) {
	modes := map[string]fs.FileMode{}
	for _, t := range x.change.Targets {
		modes[t.Path] = t.Mode
	}
	names := slices.Clone(x.change.Files)
	for _, t := range x.change.Targets {
		if t.Exists() {
			names = append(names, t.Path)
		}
	}
	slices.Sort(names)
	seen, left := 0, int64(maxNaming)
	for _, name := range slices.Compact(names) {
		if ctx.Err() != nil {
			return
		}
		lang, role := x.classify(name, modes[name], nil)
		if !namesFiles(lang) && role != gate.RoleManifest || isIgnoreList(name) || role == gate.RoleLock {
			continue
		}
		if seen++; seen > maxNamers || left <= 0 {
			x.full = fmt.Sprintf("at most %d programs with %d MiB were searched for what runs it", maxNamers, maxNaming>>20)
			return
		}
		if content, err := bounded.ReadFile(x.change.Head, name, maxNamer); err == nil {
			left -= int64(len(content))
			x.read(name, lang, content)
		}
	}
}

// read looks at what one file does with the content of targets.
func (x *stubs) read(by string, lang gate.Language, content []byte) {
	if !x.index.Quick(content) {
		return
	}
	look := func(lang gate.Language, text []byte) {
		for _, u := range loads.Find(by, lang, text, x.index) {
			x.note(x.run, by, u, fmt.Sprintf("%s runs it as %s", gate.Clip(by, maxShownName), u.Language))
		}
		for _, u := range loads.Loaded(lang, text, x.index) {
			x.note(x.loaded, by, u, gate.Clip(by, maxShownName)+" loads it")
		}
	}
	look(lang, content)
	for _, r := range embedded.Extract(lang, by, content) {
		look(r.Language, r.Text)
	}
}

func (x *stubs) note(in map[string]string, by string, u loads.Use, words string) {
	if t := x.targets[u.File]; t.Path != by && in[t.Path] == "" {
		in[t.Path] = words
	}
}

// report notes a target whose content is kept elsewhere and that runs, is loaded, or
// could be.
func (x *stubs) report(f *file) {
	t := f.target
	tool := stub.Tool(t.Stub)
	if tool == "" || x == nil || f.collected != nil {
		return
	}
	if why := x.run[t.Path]; why != "" {
		f.gap("only its %s pointer is here, and %s; run `%s` and scan the work tree", tool, why, tool.Fetch())
	} else if x.full != "" {
		f.gap("only its %s pointer is here, and %s", tool, x.full)
	}
	why := x.loaded[t.Path]
	switch {
	case t.Mode.IsRegular() && t.Mode&0o111 != 0:
		why = "it is executable"
	case tool != stub.DVC && runsWhenLoaded(t.Path):
		why = cmp.Or(why, "files of this kind run when they are loaded, opened or installed")
	}
	if why != "" && t.Kind != gate.ChangeNone {
		f.report(checkStoredElsewhere, 0, fmt.Sprintf("%s; in %s", why, tool), "")
	}
}

// versioned matches the version behind the name of a shared library.
var versioned = regexp.MustCompile(`\.so(?:\.\d+)+$`)

// runsWhenLoaded reports whether files of that name are compiled programs or libraries,
// packages that are installed, or objects whose loading can run code.
func runsWhenLoaded(name string) bool {
	base := strings.ToLower(path.Base(name))
	if versioned.MatchString(base) {
		return true
	}
	switch path.Ext(base) {
	case ".so", ".dll", ".dylib", ".exe", ".com", ".scr", ".sys", ".efi", ".ocx", ".cpl", ".ko", ".node", ".pyd", ".o", ".a", ".lib", ".xll", // native
		".pyc", ".pyo", ".class", ".dex", ".wasm", ".beam", ".luac", ".elc", ".swf", // compiled for a machine that is no processor
		".jar", ".war", ".ear", ".aar", ".whl", ".egg", ".gem", ".nupkg", ".vsix", ".crx", ".xpi", ".phar", ".pyz", ".hpi", ".jpi", // packages of languages and tools
		".deb", ".rpm", ".apk", ".aab", ".ipa", ".msi", ".msix", ".pkg", ".dmg", ".appimage", ".snap", ".flatpak", ".run", // of systems
		".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".ckpt", ".h5", ".keras", // objects and models
		".html", ".htm", ".xhtml", ".hta", ".mht", ".mhtml", // pages whose scripts run when they are opened
		".docm", ".dotm", ".xlsm", ".xltm", ".xlam", ".pptm", ".ppam": // documents with macros
		return true
	}
	return false
}
