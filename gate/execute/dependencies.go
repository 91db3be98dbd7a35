package execute

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// What the lock files of the base name may be installed in an image that a user
// built from them. The change has no part in which image that is: it is found by the
// digest of the base's files.

// An imager is a Runner that knows the images of its engine.
type imager interface {
	Image(ctx context.Context, ref string) (sandbox.Image, error)
}

// provided is what one run knows about dependencies.
type provided struct {
	locks  map[gate.Language]locks.Lock
	images map[gate.Language]images.DependencyInfo
	// failed says why the dependencies of a language are not installed.
	failed map[gate.Language]string
	// python is the version of Python that the base asks for, and version the one that the
	// image has.
	python  locks.PythonAsk
	version string
	// modules are those of Go, by folder, that are built with the versions of the base.
	modules map[string]pinned
	// old says of the images of languages that they are too old, "" where they are not.
	old map[gate.Language]string
	// unread says why the lock files are not known, or "".
	unread string
	// extended is what the change names beyond the locks.
	extended map[gate.Language]extension
}

// lockLanguages are the languages of units by what lock files call them.
var lockLanguages = map[string]gate.Language{locks.Python: gate.LanguagePython, locks.Node: gate.LanguageJavaScript, locks.Go: gate.LanguageGo}

// dependencies reads the lock files of the base; of the tree itself where nothing is
// known to have changed. What came out of a change runs with what the change had.
func (s *Stage) dependencies(c *gate.Change) *provided {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Base == nil && len(c.Targets) > 0 && !slices.ContainsFunc(c.Targets, func(t *gate.Target) bool { return t.Parent == "" }) && s.provided != nil {
		return s.provided
	}
	p := &provided{locks: map[gate.Language]locks.Lock{}, images: map[gate.Language]images.DependencyInfo{}, failed: map[gate.Language]string{}}
	s.provided = p
	tree, paths := c.Head, c.Files
	var err error
	if c.Base != nil {
		tree = c.Base
		paths, err = locks.Paths(tree)
	}
	if tree == nil {
		return p
	}
	p.python = locks.PythonVersion(tree)
	var all []locks.Lock
	if err == nil {
		all, _, err = locks.Read(tree, paths)
	}
	if err != nil {
		p.unread = err.Error()
		return p
	}
	for _, l := range all {
		if s.o.Locked {
			var ok bool
			if l, ok = l.Locked(); !ok {
				continue
			}
		}
		p.locks[lockLanguages[l.Language]] = l
	}
	s.extend(c, p)
	return p
}

// provide gives the units the dependencies of the base, where the engine has an image
// with them, and returns the images that they run in. An image that the policy names
// is taken as it is.
func (s *Stage) provide(ctx context.Context, runner Runner, p *provided, t *workspace.Tree, units []plan.Unit) map[gate.Language]string {
	chosen := maps.Clone(s.o.Images)
	engine, ok := runner.(imager)
	if !ok {
		return chosen
	}
	defer func() {
		p.readVersion(ctx, engine, chosen, units)
		p.readAges(ctx, engine, chosen, units, s.o)
	}()
	for _, language := range p.languages() {
		if s.o.Policy.Images[language] != "" || !slices.ContainsFunc(units, func(u plan.Unit) bool { return u.Job.Image == language }) {
			continue
		}
		if info, ok := s.provideExtended(ctx, engine, p, language); ok {
			p.images[language], chosen[language] = info, info.Ref
			continue
		}
		lock, ok := p.locks[language]
		if !ok {
			continue
		}
		info, ok, err := s.imageOf(ctx, engine, lock)
		if err != nil {
			p.failed[language] = err.Error()
			s.o.Log.say("the dependencies could not be installed", "language", language, "error", err)
		}
		if ok {
			p.images[language], chosen[language] = info, info.Ref
		}
	}
	p.into(units, t)
	return chosen
}

// languages are those of which the base or the change names dependencies, in order.
func (p *provided) languages() []gate.Language {
	all := slices.Concat(slices.Collect(maps.Keys(p.locks)), slices.Collect(maps.Keys(p.extended)))
	slices.Sort(all)
	return slices.Compact(all)
}

// imageOf returns the image with what a lock names, which is made where it can be; ok is
// false where there is none, and what the programs lack shows. The error says why none
// could be made: there may still be one that is old.
func (s *Stage) imageOf(ctx context.Context, engine imager, lock locks.Lock) (info images.DependencyInfo, ok bool, err error) {
	if s.o.Install != nil {
		err = s.o.Install(ctx, lock)
	}
	ref := images.DependencyRef(lock.Language, lock.Digest)
	have, missing := engine.Image(ctx, ref)
	if missing != nil {
		if s.o.Install == nil && s.o.Uninstalled != nil && !lock.Changed {
			s.o.Uninstalled(lock)
		}
		return info, false, err
	}
	info, ok = images.ReadDependencies(ref, have.ID, have.Labels)
	if !ok || info.Digest != lock.Digest || info.Language != lock.Language {
		s.o.Log.say("an image that is called like one with dependencies is none", "image", ref)
		return info, false, err
	}
	if info.Old(time.Now()) {
		s.o.Log.say("the image with the dependencies is more than a month old", "image", ref, "renew", s.o.DependencyCommand)
	}
	return info, true, err
}

// into gives units the dependencies that are installed for their language.
func (p *provided) into(units []plan.Unit, t *workspace.Tree) {
	for i, u := range units {
		if info, ok := p.images[u.Job.Image]; ok {
			units[i] = withDependencies(u, info, p.locks[u.Job.Image], t)
		}
	}
}

// withDependencies returns how a unit finds what is installed for its project.
func withDependencies(u plan.Unit, info images.DependencyInfo, lock locks.Lock, t *workspace.Tree) plan.Unit {
	switch u.Job.Image {
	case gate.LanguagePython:
		if at := projectOf(info, workspace.Parent(u.Targets[0])); at != "" {
			u.Job = u.Job.WithInstalled(at)
		}
	case gate.LanguageJavaScript:
		u.Extra = nodeLinks(u.Extra, info, lock, t)
	}
	return u // of Go, the image says where the module cache is
}

// projectOf is where the dependencies of a folder's project are: those of the nearest
// folder upwards that has any.
func projectOf(info images.DependencyInfo, dir string) string {
	for {
		for _, p := range info.Projects {
			if p.Dir == dir {
				return p.At
			}
		}
		if dir == "" {
			return ""
		}
		dir = workspace.Parent(dir)
	}
}

// nodeLinks are the links that a unit of Node finds: to the folders that were
// installed, and to packages of the workspace that are newer than those. The
// others have their link in what was installed.
func nodeLinks(extra []workspace.File, info images.DependencyInfo, lock locks.Lock, t *workspace.Tree) []workspace.File {
	var out []workspace.File
	linked := map[string]bool{}
	for _, p := range info.Projects {
		for _, m := range p.Modules {
			if at := path.Join(p.Dir, m); !t.Dirs[at] && !t.Has(at) {
				linked[at] = true
				out = append(out, workspace.File{Path: at, Link: path.Join(p.At, m)})
			}
		}
	}
	members := map[string]bool{}
	for _, p := range lock.Projects {
		for _, m := range p.Members() {
			members[path.Join(p.Dir, m)] = true
		}
	}
	for _, f := range extra {
		name, isLink := strings.CutPrefix(f.Path, "node_modules/")
		if f.Link == "" || !isLink || !linked["node_modules"] {
			out = append(out, f)
			continue
		}
		at := path.Join(path.Dir(f.Path), f.Link)
		if folder := path.Join(workspace.Parent(at), "node_modules"); !members[at] && workspace.Parent(at) != "" && !linked[folder] && !t.Dirs[folder] {
			link := path.Join(folder, name)
			out = append(out, workspace.File{Path: link, Link: strings.Repeat("../", strings.Count(name, "/")+1) + path.Base(at)})
		}
	}
	return out
}

// uninstalled is the finding that a program lacked a module of the base's dependencies,
// because they, or that one, are not installed; ok is false where that is not so.
func (p *provided) uninstalled(u plan.Unit, r result, o Options) (f gate.Finding, ok bool) {
	lock, locked := p.locks[u.Job.Image]
	if !strings.HasPrefix(r.needs, "it needs the module") || (!locked && p.unread == "") || o.Policy.Images[u.Job.Image] != "" {
		return gate.Finding{}, false
	}
	info, installed := p.images[u.Job.Image]
	var why string
	switch {
	case !locked:
		why = "the lock files of the base cannot be read: " + p.unread
	case installed && len(info.Problems) == 0:
		return gate.Finding{}, false // what the base does not name is not gate's to install
	case installed:
		why = "the image " + info.Ref + " lacks: " + strings.Join(info.Problems[:min(len(info.Problems), maxProblems)], "; ")
	case p.failed[u.Job.Image] != "":
		why = "the dependencies of the base could not be installed: " + p.failed[u.Job.Image]
	default:
		why = fmt.Sprintf("the engine has no image %s; to build it: %s", images.DependencyRef(lock.Language, lock.Digest), o.DependencyCommand)
		if o.NotInstalled != "" {
			why += " (" + o.NotInstalled + ")"
		}
	}
	return gate.Finding{
		Rule: ruleUninstalled.ID, Layer: gate.LayerSandbox, Severity: ruleUninstalled.Severity,
		Message: "when it was run as " + u.Kind + ", it " + ruleUninstalled.Message, Evidence: r.needs + "; " + why, Origin: "what it did in the sandbox",
	}, true
}

// otherInterpreter is the finding that a program failed with another version of its
// interpreter than the base asks for; ok is false where that is not so.
func (p *provided) otherInterpreter(u plan.Unit, r result) (f gate.Finding, ok bool) {
	info, installed := p.images[u.Job.Image]
	asks := p.locks[u.Job.Image].Interpreter
	why := asks.Other()
	if u.Job.Image == gate.LanguagePython {
		installed, why = true, p.python.Other(p.version)
	}
	if asks.Major != "" && info.Version == "" {
		why = fmt.Sprintf("%s asks for version %s, which is not in the image; that of the sandbox image was used", asks.By, asks.Asked)
	}
	if !installed || why == "" || !slices.ContainsFunc(r.runs, func(r run) bool { return r.failure.Reason != "" }) {
		return gate.Finding{}, false
	}
	return gate.Finding{
		Rule: ruleInterpreter.ID, Layer: gate.LayerSandbox, Severity: ruleInterpreter.Severity,
		Message: "when it was run as " + u.Kind + ", it " + ruleInterpreter.Message, Evidence: why, Origin: "what it did in the sandbox",
	}, true
}

// readAges notes which images that units run in are too old, and the command that renews
// each. Of an image that says nothing about its age, nothing is known.
func (p *provided) readAges(ctx context.Context, engine imager, chosen map[gate.Language]string, units []plan.Unit, o Options) {
	p.old = map[gate.Language]string{}
	for _, u := range units {
		language := u.Job.Image
		if _, known := p.old[language]; known {
			continue
		}
		p.old[language] = ""
		have, err := engine.Image(ctx, chosen[language])
		if err != nil {
			continue // a run says that it is not there
		}
		made, err := time.Parse(time.RFC3339, have.Labels[images.LabelCreated])
		age := time.Since(made)
		if err != nil || age <= images.MaxAge {
			continue
		}
		renew := o.ImageHint(chosen[language])
		if _, dependencies := p.images[language]; dependencies {
			renew = o.DependencyCommand
		}
		p.old[language] = fmt.Sprintf("the image %s is %d days old; renew it: %s", chosen[language], int(age.Hours()/24), cmp.Or(renew, "build it anew"))
	}
}

// oldImage is the finding that a unit ran in an image that is too old, once for each image:
// the first unit has it.
func (p *provided) oldImage(u plan.Unit, r result) (f gate.Finding, ok bool) {
	why := p.old[u.Job.Image]
	if why == "" || len(r.runs) == 0 {
		return gate.Finding{}, false
	}
	p.old[u.Job.Image] = ""
	return gate.Finding{
		Rule: ruleOldImage.ID, Layer: gate.LayerSandbox, Severity: ruleOldImage.Severity,
		Message: "it " + ruleOldImage.Message, Evidence: why, Origin: "the container engine",
	}, true
}

// readVersion notes the version of Python in the image that units run in.
func (p *provided) readVersion(ctx context.Context, engine imager, chosen map[gate.Language]string, units []plan.Unit) {
	if len(p.python.Versions) == 0 || !slices.ContainsFunc(units, func(u plan.Unit) bool { return u.Job.Image == gate.LanguagePython }) {
		return
	}
	if have, err := engine.Image(ctx, chosen[gate.LanguagePython]); err == nil { // else the version is not known, and nothing is said
		p.version = locks.PythonIn(have.Labels[images.LabelVersions])
	}
}

// maxProblems is how many things that an image lacks a finding names.
const maxProblems = 5
