package attack

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
)

// What a suite may have. A sample is small because it has to look like a change.
const (
	maxAttacks  = 2000
	maxMetadata = 16 << 10  // bytes of one attack.yaml
	maxFiles    = 64        // of one payload or twin
	maxFile     = 1 << 20   // bytes of one file of it
	maxSuite    = 256 << 20 // bytes of all files together
)

// metadataFile describes an attack; payload and twin lie beside it.
const metadataFile = "attack.yaml"

// Concern is something that containment has to hold.
type Concern string

// The concerns of attack.yaml.
const (
	Network   Concern = "network"
	Files     Concern = "files"
	Processes Concern = "processes"
	Kernel    Concern = "kernel"
	Resources Concern = "resources"
	None      Concern = "none"
)

// Concerns returns all concerns in the order of the tables.
func Concerns() []Concern { return []Concern{Network, Files, Processes, Kernel, Resources, None} }

// The languages of attack.yaml in which nothing is a program by itself.
const (
	languageManifest = "manifest"
	languageMarkdown = "markdown"
	languageText     = "text"
)

// Attack is one sample with its benign twin.
type Attack struct {
	ID        string
	Group     string
	Title     string
	Technique string // MITRE ATT&CK, such as T1048.003
	Language  string
	Tries     string
	Entry     string       // the file that runs or is read, relative to Payload
	Catch     []gate.Layer // of which at least one has to catch it
	Contain   []Concern
	Runtimes  []string
	Blind     bool // written by an author who had not seen the rules
	Generated bool // written by a model: that no one catches it says nothing

	Payload fs.FS // in memory, as a change would add it
	Twin    fs.FS
}

// Executes reports whether the attack has something that gate executes. A
// manifest that only an installer elsewhere obeys, and text, have not: what they
// would do is for the layers that read.
func (a *Attack) Executes() bool {
	switch a.Language {
	case languageMarkdown, languageText:
		return false
	case languageManifest:
		return !slices.Contains(a.Contain, None)
	}
	return true
}

// Tree is the payload, or the twin.
func (a *Attack) Tree(twin bool) fs.FS {
	if twin {
		return a.Twin
	}
	return a.Payload
}

// Suite is a set of attacks in order of group and id.
type Suite []*Attack

// Load reads a suite: folders GROUP/ID with attack.yaml, payload and twin. name is
// what errors call the folder. All mistakes are in the error, one a line.
func Load(tree fs.FS, name string) (Suite, error) {
	groups, err := folders(tree, ".")
	if err != nil {
		return nil, fmt.Errorf("read the attacks in %s: %w", name, err)
	}
	var suite Suite
	var errs []error
	seen := map[string]string{}
	room := int64(maxSuite)
	for _, group := range groups {
		ids, err := folders(tree, group)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path.Join(name, group), err))
			continue
		}
		for _, id := range ids {
			if len(suite) == maxAttacks {
				return nil, fmt.Errorf("%s holds more than %d attacks", name, maxAttacks)
			}
			a, err := load(tree, group, id, name, &room)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if other := seen[a.ID]; other != "" {
				errs = append(errs, fmt.Errorf("%s: another attack is called that: %s", path.Join(name, group, id), other))
			}
			seen[a.ID] = path.Join(group, id)
			suite = append(suite, a)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(suite) == 0 {
		return nil, fmt.Errorf("%s holds no attacks (want folders GROUP/ID with %s, payload and twin)", name, metadataFile)
	}
	slices.SortFunc(suite, func(a, b *Attack) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.ID, b.ID)) })
	return suite, nil
}

// folders lists the folders of a folder. Files beside them are documentation.
func folders(tree fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

func load(tree fs.FS, group, id, name string, room *int64) (*Attack, error) {
	dir := path.Join(group, id)
	at := path.Join(name, dir)
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{metadataFile, "payload", "twin"}, e.Name()) {
			return nil, fmt.Errorf("%s is not one of %s, payload and twin", path.Join(at, e.Name()), metadataFile)
		}
	}
	text, err := bounded.ReadFile(tree, path.Join(dir, metadataFile), maxMetadata)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	a, err := parse(path.Join(at, metadataFile), text)
	if err != nil {
		return nil, err
	}
	a.Group = group
	if a.ID != id {
		return nil, fmt.Errorf("%s: id %q is not the name of the folder, %q", path.Join(at, metadataFile), a.ID, id)
	}
	var payload, twin fstest.MapFS
	if payload, err = readTree(tree, path.Join(dir, "payload"), room); err == nil {
		twin, err = readTree(tree, path.Join(dir, "twin"), room)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	a.Payload, a.Twin = payload, twin
	if payload[a.Entry] == nil {
		return nil, fmt.Errorf("%s: entry: there is no file payload/%s", path.Join(at, metadataFile), a.Entry)
	}
	return a, nil
}

// disarmed is behind the names of files that editors and coding agents obey where
// they lie. A change would add them without it.
const disarmed = ".sample"

// readTree reads the files of a payload or a twin into memory.
func readTree(tree fs.FS, dir string, room *int64) (fstest.MapFS, error) {
	out := fstest.MapFS{}
	err := fs.WalkDir(tree, dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", p)
		}
		if len(out) == maxFiles {
			return fmt.Errorf("%s has more than %d files", dir, maxFiles)
		}
		data, err := bounded.ReadFile(tree, p, maxFile)
		if err != nil {
			return err
		}
		if *room -= int64(len(data)); *room < 0 {
			return fmt.Errorf("the attacks have more than %d MiB", maxSuite>>20)
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755 // the one bit that git keeps
		}
		out[strings.TrimSuffix(strings.TrimPrefix(p, dir+"/"), disarmed)] = &fstest.MapFile{Data: data, Mode: mode}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s holds no files", dir)
	}
	return out, err
}
