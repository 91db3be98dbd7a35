package supervisor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// collector brings requested files out of the workspace. It runs when every
// other process is dead, so nothing changes under its hands.
type collector struct {
	root  *os.Root
	at    string // in front of every path that is sent; "" for the workspace
	bytes int64  // what is left to bring back
	files int
	send  func(wire.File) error
	data  func([]byte) error
}

// handOut sends the output that the job names: that of the workspace first, so that a
// program cannot keep back what it is measured by with what it hands out.
func (r *run) handOut(root *os.Root) error {
	c := collector{
		root: root, bytes: r.job.OutputBytes, files: r.job.OutputFiles,
		send: func(f wire.File) error { return r.out.message(wire.KindFile, f) },
		data: func(b []byte) error { return r.out.send(wire.KindFileData, b) },
	}
	inside := slices.DeleteFunc(slices.Clone(r.job.Output), func(p string) bool { return p == OutputFolder })
	if err := c.collect(inside); err != nil || len(inside) == len(r.job.Output) {
		return err
	}
	out, err := os.OpenRoot(OutputFolder)
	if err != nil {
		return fmt.Errorf("open the folder for output: %w", err)
	}
	defer out.Close()
	c.root, c.at = out, OutputFolder
	return c.collect([]string{"."})
}

// collect sends the regular files that paths name, a folder standing for all
// files below it, in the order of their paths, each once. What cannot be brought
// back is announced as refused; an error means that sending failed.
func (c *collector) collect(paths []string) error {
	var names []string
	for _, p := range paths {
		name := path.Clean(p)
		if !filepath.IsLocal(name) {
			if err := c.refuse(p, "the path leaves the workspace"); err != nil {
				return err
			}
			continue
		}
		if link := c.link(path.Dir(name)); link != "" {
			if err := c.refuse(p, fmt.Sprintf("%q is a link or not there", link)); err != nil {
				return err
			}
			continue
		}
		names = append(names, c.expand(name)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := c.file(name); err != nil {
			return err
		}
	}
	return nil
}

// link returns the first part of a path that is not a real folder, "" where all
// are. os.Root keeps links from leading out, but not on every kernel: gVisor of
// 2022 follows them where it must not.
func (c *collector) link(dir string) string {
	if dir == "." {
		return ""
	}
	if link := c.link(path.Dir(dir)); link != "" {
		return link
	}
	if info, err := c.root.Lstat(dir); err != nil || !info.IsDir() {
		return dir
	}
	return ""
}

// maxDepth is how many folders deep requested folders are searched. A program can
// nest far more, and each level makes every path below it dearer.
const maxDepth = 64

// expand returns the paths below a folder, or the path itself. Links are not
// followed. One path too many is returned, so that it is refused for all to see.
func (c *collector) expand(name string) []string {
	info, err := c.root.Lstat(name)
	if err != nil || !info.IsDir() {
		return []string{name}
	}
	var names []string
	_ = fs.WalkDir(c.root.FS(), name, func(p string, e fs.DirEntry, err error) error {
		if len(names) > c.files {
			return fs.SkipAll
		}
		tooDeep := e != nil && e.IsDir() && strings.Count(p, "/") >= maxDepth
		if err != nil || tooDeep || !e.IsDir() { // such a folder is refused by its name
			names = append(names, p)
		}
		if tooDeep {
			return fs.SkipDir
		}
		return nil
	})
	return names
}

func (c *collector) refuse(name, why string) error {
	return c.send(wire.File{Path: path.Join(c.at, name), Refused: why})
}

func (c *collector) file(name string) error {
	if c.files--; c.files < 0 {
		if c.files == -1 {
			return c.refuse(name, "too many files: this one and all after it stay behind")
		}
		return nil
	}
	info, err := c.root.Lstat(name)
	switch {
	case err != nil:
		return c.refuse(name, reason(err))
	case !info.Mode().IsRegular():
		return c.refuse(name, fmt.Sprintf("not a regular file (%s)", info.Mode().Type()))
	case info.Size() > c.bytes:
		return c.refuse(name, fmt.Sprintf("%d bytes are more than the %d that may still be brought back", info.Size(), c.bytes))
	}
	// Neither a link nor a FIFO can be there any more; the flags say so once more.
	f, err := c.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return c.refuse(name, reason(err))
	}
	defer f.Close()
	c.bytes -= info.Size()
	if err := c.send(wire.File{Path: path.Join(c.at, name), Size: info.Size()}); err != nil {
		return err
	}
	return c.content(f, info.Size())
}

// content sends exactly size bytes.
func (c *collector) content(f io.Reader, size int64) error {
	buf := make([]byte, wire.MaxChunk)
	for size > 0 {
		n, err := io.ReadFull(f, buf[:min(size, int64(len(buf)))])
		if err != nil {
			return fmt.Errorf("read a file that was announced already: %w", err)
		}
		if err := c.data(buf[:n]); err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// reason is the message of err without the path, which is reported beside it.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}
