package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Removed is what became of one edit.
type Removed struct {
	Edit
	Gone bool   // nothing of it is left
	Kept string // why something is
	User string // the repository that it stays for, "" for none
}

// Remove takes back what was written, the last first: a file that gate made and that is unchanged
// goes, with the folders that are empty then; what was added to a file is taken out of it, and
// what others wrote since stays. What can't be taken back is kept in the record and said.
// What is in the home folder and another repository uses too stays for that one.
func (r *Record) Remove(places Places) ([]Removed, error) {
	var out []Removed
	var keep []Edit
	for _, e := range slices.Backward(r.Edits) {
		done := Removed{Edit: e}
		user, err := r.handOver(e)
		if err == nil && user != "" {
			done.User = user
			out = append(out, done)
			continue
		}
		var why string
		if err == nil {
			why, err = takeBack(places[e.In], e)
		}
		if err != nil {
			why = said(err)
		}
		if done.Kept = why; why == "" {
			done.Gone = true
		} else {
			keep = append(keep, e)
		}
		out = append(out, done)
	}
	slices.Reverse(keep)
	r.Edits, r.Uses = keep, nil
	return out, r.save()
}

// takeBack returns why something of an edit is left, "" where nothing is.
func takeBack(root *os.Root, e Edit) (string, error) {
	if root == nil {
		return "there is no such folder", nil
	}
	now, err := readPlain(root.FS(), e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was removed by hand, or never written
		removeFolders(root, e)
		return "", nil
	case err != nil:
		return "", err
	case bytes.Equal(now, e.After) && !e.Existed:
		return "", removeFile(root, e)
	case bytes.Equal(now, e.After):
		return "", write(root, e.Path, e.Before, e.Mode)
	case e.Existed && bytes.Equal(now, e.Before):
		return "", nil
	case e.Added != nil:
		rest, err := subtractJSON(now, e.Added, e.Pieces)
		if err != nil {
			return "", err
		}
		if left, err := objectIn(rest); err == nil && len(left) == 0 && !e.Existed {
			return "", removeFile(root, e)
		}
		return "", write(root, e.Path, rest, e.Mode)
	case e.Block != "":
		rest, ok := cut(now, e.Block)
		if !ok && !bytes.Contains(now, []byte(firstLine(e.Block))) {
			return "", nil // it was taken out by hand
		}
		if !ok {
			return "its lines were changed since; take them out by hand", nil
		}
		return "", write(root, e.Path, rest, e.Mode)
	}
	return "it was changed since; remove it by hand", nil
}

// removeFile removes a file that was made, and the folders that were made for it.
func removeFile(root *os.Root, e Edit) error {
	if err := root.Remove(e.Path); err != nil {
		return err
	}
	removeFolders(root, e)
	return nil
}

// removeFolders removes the folders that were made for a file, as far as nothing is in them.
func removeFolders(root *os.Root, e Edit) {
	for _, dir := range e.Folders {
		if !strings.HasPrefix(e.Path, dir+"/") || root.Remove(dir) != nil {
			return
		}
	}
}

// cut takes a block out of a text in which it is exactly once, with the line ends that it has now.
func cut(text []byte, block string) ([]byte, bool) {
	unix := strings.ReplaceAll(block, "\r\n", "\n")
	for _, one := range []string{block, unix, strings.ReplaceAll(unix, "\n", "\r\n")} {
		if one == "" || bytes.Count(text, []byte(one)) != 1 {
			continue
		}
		before, after, _ := bytes.Cut(text, []byte(one))
		if len(before) > 0 && len(after) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
			// The block began with the end of the line before it, which others have built upon.
			before = append(bytes.Clone(before), lineEnd([]byte(one))...)
		}
		return slices.Concat(before, after), true
	}
	return text, false
}

// firstLine is the first line of a block that has something in it.
func firstLine(block string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(block), "\n")
	return strings.TrimSpace(line)
}

// lineEnd is how lines of a text end.
func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// readPlain reads a file that no link leads to: what a link names is not gate's to write to.
func readPlain(in fs.FS, name string) ([]byte, error) {
	parts := strings.Split(name, "/")
	for i := range parts {
		at := path.Join(parts[:i+1]...)
		info, err := fs.Lstat(in, at)
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link, and gate writes to no file that a link leads to", at)
		}
	}
	return readText(in, name)
}
