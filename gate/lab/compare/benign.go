package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Files outside of these sizes, in bytes, are left out: shorter ones hold
// nothing, larger ones are beyond gate's own limit and would be incomplete.
const (
	leastBytes = 100
	mostBytes  = 100 << 10
)

// standardLibrary is the category of the Go code.
const standardLibrary = "go-standard-library"

// origin is where benign code of a language lies on this machine. Code that a
// system ships is benign for what counts here: no one would want a pull
// request with it blocked.
type origin struct {
	language gate.Language
	category string
	folders  []string
	// take says by name and content whether a file is code of the language.
	take func(name string, data []byte) bool
	// whole takes all files of a folder, since a tool that needs the types of a
	// package can't do with one file of it.
	whole bool
}

// origins are asked for their folders when they are needed.
func origins(ctx context.Context) ([]origin, error) {
	goroot, err := answer(ctx, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	python, err := answer(ctx, "python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))")
	if err != nil {
		return nil, err
	}
	npm, err := answer(ctx, "npm", "root", "--global")
	if err != nil {
		return nil, err
	}
	shell := regexp.MustCompile(`^#! ?/(usr/)?bin/(env )?(ba|da|k)?sh\b`)
	named := func(ext string) func(string, []byte) bool {
		return func(name string, _ []byte) bool { return strings.HasSuffix(name, ext) }
	}
	return []origin{
		{gate.LanguageGo, standardLibrary, []string{filepath.Join(goroot, "src")}, named(".go"), true},
		{gate.LanguagePython, "python-standard-library", []string{python}, named(".py"), false},
		{gate.LanguageJavaScript, "npm", []string{filepath.Join(npm, "npm")}, named(".js"), false},
		{
			gate.LanguageShell, "debian",
			[]string{"/etc", "/usr/bin", "/usr/lib", "/usr/sbin", "/usr/share", "/var/lib/dpkg/info"},
			func(_ string, data []byte) bool { return shell.Match(data) }, false,
		},
	}, nil
}

func answer(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// benign copies at most n files of each language into a corpus.
func benign(ctx context.Context, to string, n int, log io.Writer) error {
	if to == "" {
		return errors.New("-to is needed")
	}
	all, err := origins(ctx)
	if err != nil {
		return err
	}
	var samples []eval.Sample
	for _, o := range all {
		files, total, err := o.find(ctx)
		if err != nil {
			return err
		}
		chosen := o.choose(files, n)
		fmt.Fprintf(log, "%s: %d of %d files\n", o.category, len(chosen), total)
		for _, f := range chosen {
			data, err := os.ReadFile(f.name)
			if err != nil {
				return err
			}
			s := eval.Sample{Path: path.Join(string(o.language), f.path), Language: o.language, Label: eval.Benign, Category: o.category}
			if err := put(filepath.Join(to, filepath.FromSlash(s.Path)), data); err != nil {
				return err
			}
			samples = append(samples, s)
		}
	}
	slices.SortFunc(samples, func(a, b eval.Sample) int { return cmp.Compare(a.Path, b.Path) })
	return writeCorpus(to, "benign code of this machine",
		"Code that the Go and Python installations, npm and Debian's packages bring, chosen by the hash of its path.", samples)
}

// found is one file: where it lies, and where below its origin.
type found struct{ name, path string }

// find lists the files of an origin. What is the same file under two names, or
// installed besides what the origin is, is left out.
func (o origin) find(ctx context.Context) (files []found, total int, err error) {
	seen := map[[sha256.Size]byte]bool{}
	for _, folder := range o.folders {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrPermission) || ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			if d.IsDir() {
				switch d.Name() {
				case "site-packages", "dist-packages", "testdata", "node_modules", "vendor":
					if o.language != gate.LanguageJavaScript {
						return fs.SkipDir
					}
				case "cmd": // Go's tools are no library
					if o.whole && filepath.Dir(name) == folder {
						return fs.SkipDir
					}
				}
				return nil
			}
			info, err := d.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() < leastBytes || info.Size() > mostBytes {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil || !o.take(name, data) || bytes.IndexByte(data, 0) >= 0 {
				return err
			}
			if sum := sha256.Sum256(data); !seen[sum] {
				seen[sum] = true
				rel, err := filepath.Rel(o.below(folder), name)
				if err != nil {
					return err
				}
				files = append(files, found{name, filepath.ToSlash(rel)})
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return files, len(files), nil
}

// below is the folder to which the path of a sample is relative: with several
// folders the root, so that none hides what lies in another.
func (o origin) below(folder string) string {
	if len(o.folders) > 1 {
		return filepath.VolumeName(folder) + string(filepath.Separator)
	}
	return folder
}

// choose takes n files in the order of the hashes of their paths, or of their
// folders' where whole folders are taken.
func (o origin) choose(files []found, n int) []found {
	key := func(f found) string {
		of := f.path
		if o.whole {
			of = path.Dir(of)
		}
		sum := sha256.Sum256([]byte(of))
		return hex.EncodeToString(sum[:])
	}
	slices.SortFunc(files, func(a, b found) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.path, b.path)) })
	return files[:min(n, len(files))]
}
