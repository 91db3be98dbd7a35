package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Sample is a line of labels.jsonl: what the writer of a set says about one change.
type Sample struct {
	ID         string `json:"id"`
	Label      string `json:"label"` // "benign", "malicious" or "weakening"; "benign-security" is read as "benign"
	Language   string `json:"language"`
	File       string `json:"file"`
	Technique  string `json:"technique,omitempty"`
	CWE        string `json:"cwe,omitempty"`
	Difficulty string `json:"difficulty"`
	Trigger    string `json:"trigger,omitempty"`
	Harm       string `json:"harm"`
}

// The labels of changes without harm. Writers may name the honest changes of security code,
// which are beside the weakenings, by themselves.
const (
	benign         = "benign"
	benignSecurity = "benign-security"
)

// set is what a folder holds.
type set struct {
	folder  string
	digest  string
	samples []Sample
}

// The bounds of an archive. They are far above what a set of pull requests needs.
const (
	maxFiles = 100_000
	maxBytes = 1 << 30
)

// openSet reads a set. An archive is unpacked into the folder to, and a folder is read where it is.
func openSet(name, to string) (set, error) {
	s := set{folder: name}
	if strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz") {
		s.folder = to
		if err := unpack(name, to); err != nil {
			return s, fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	labels := filepath.Join(s.folder, "labels.jsonl")
	data, err := os.ReadFile(labels)
	if err != nil {
		return s, err
	}
	for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var l Sample
		if err := json.Unmarshal(line, &l); err != nil {
			return s, fmt.Errorf("%s:%d: %w", labels, n+1, err)
		}
		if l.Label == benignSecurity {
			l.Label = benign
		}
		if err := l.check(s.folder); err != nil {
			return s, fmt.Errorf("%s:%d: %w", labels, n+1, err)
		}
		if slices.ContainsFunc(s.samples, func(o Sample) bool { return o.ID == l.ID }) {
			return s, fmt.Errorf("%s:%d: a second %s", labels, n+1, l.ID)
		}
		s.samples = append(s.samples, l)
	}
	s.digest, err = setDigest(s.folder)
	return s, err
}

func (l Sample) check(folder string) error {
	if l.ID == "" || l.ID != filepath.Base(l.ID) || strings.HasPrefix(l.ID, ".") {
		return fmt.Errorf("%q can be no id: it is the name of a folder", l.ID)
	}
	if !slices.Contains([]string{benign, "malicious", "weakening"}, l.Label) {
		return fmt.Errorf("%s has the label %q, and benign, malicious and weakening are possible", l.ID, l.Label)
	}
	for _, tree := range []string{"base", "head"} {
		if info, err := os.Stat(filepath.Join(folder, l.ID, tree)); err != nil || !info.IsDir() {
			return errors.Join(err, fmt.Errorf("%s has no folder %s", l.ID, tree))
		}
	}
	return nil
}

// setDigest is what this prints: find . -type f | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum.
func setDigest(folder string) (string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	of := map[string]string{}
	for i, name := range names {
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return "", err
		}
		names[i] = "./" + filepath.ToSlash(rel)
		if of[names[i]], err = fileDigest(name); err != nil {
			return "", err
		}
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s  %s\n", of[name], name)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// unpack writes the files of an archive below a folder, and nothing beside it.
func unpack(archive, to string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	members := tar.NewReader(io.LimitReader(plain, maxBytes))
	for range maxFiles {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := put(root, path.Clean(h.Name), h, members); err != nil {
			return err
		}
	}
	return fmt.Errorf("it has more than %d files", maxFiles)
}

func put(root *os.Root, name string, h *tar.Header, content io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%s is no file, folder or link", name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode).Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
