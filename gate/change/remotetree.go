package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/aigate/gate/gate/change/git"
)

// The most that is read of files that a change of a remote does not touch. Each costs a
// request, of which a job has a thousand an hour.
const (
	maxUntouched      = 300      // files
	maxUntouchedBytes = 64 << 20 // of all of them
)

// errUntouched is what is left of such a file beyond these bounds.
var errUntouched = fmt.Errorf("more than %d files, or %d MiB, that the change does not touch are not read from a remote", maxUntouched, maxUntouchedBytes>>20)

// remoteFS is the head tree of a remote. What the change touches is there; any other file is
// read on demand.
type remoteFS struct {
	open  func(id string) ([]byte, error)
	files map[string]RemoteFile
	mu    *sync.Mutex
	read  map[string][]byte // by path
	left  *int              // files that may still be read
	bytes *int64
}

var _ fs.ReadLinkFS = remoteFS{}

func newRemoteFS(ctx context.Context, r Remote, files []RemoteFile) remoteFS {
	left, bytes := maxUntouched, int64(maxUntouchedBytes)
	t := remoteFS{files: map[string]RemoteFile{}, mu: &sync.Mutex{}, read: map[string][]byte{}, left: &left, bytes: &bytes,
		open: func(id string) ([]byte, error) { return r.Blob(ctx, id, maxRemoteFile) }}
	for _, f := range files {
		if mode := git.Mode(f.Mode).FS(); fs.ValidPath(f.Path) && (mode.IsRegular() || mode.Type() == fs.ModeSymlink) {
			t.files[f.Path] = f
		}
	}
	return t
}

// put adds a content that was read already.
func (t remoteFS) put(name string, data []byte) { t.read[name] = data }

// data returns the content of a file or a link.
func (t remoteFS) data(op, name string) ([]byte, RemoteFile, error) {
	f, ok := t.files[name]
	if !ok {
		return nil, f, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if data, ok := t.read[name]; ok {
		return data, f, nil
	}
	if *t.left <= 0 || f.Size > *t.bytes {
		return nil, f, &fs.PathError{Op: op, Path: name, Err: errUntouched}
	}
	*t.left--
	data, err := t.open(f.ID)
	if err != nil {
		return nil, f, &fs.PathError{Op: op, Path: name, Err: err}
	}
	*t.bytes -= int64(len(data))
	t.read[name] = data
	return data, f, nil
}

// Open implements [fs.FS]. Links are not followed.
func (t remoteFS) Open(name string) (fs.File, error) {
	if f, ok := t.files[name]; ok && !git.Mode(f.Mode).FS().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	data, f, err := t.data("open", name)
	if err != nil {
		return nil, err
	}
	return &remoteBlob{bytes.NewReader(data), remoteInfo{f}}, nil
}

// Stat implements [fs.StatFS], without reading anything.
func (t remoteFS) Stat(name string) (fs.FileInfo, error) { return t.Lstat(name) }

// Lstat implements [fs.ReadLinkFS].
func (t remoteFS) Lstat(name string) (fs.FileInfo, error) {
	f, ok := t.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return remoteInfo{f}, nil
}

// ReadLink implements [fs.ReadLinkFS].
func (t remoteFS) ReadLink(name string) (string, error) {
	if f, ok := t.files[name]; ok && git.Mode(f.Mode).FS().Type() != fs.ModeSymlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	data, _, err := t.data("readlink", name)
	return string(data), err
}

// remoteBlob is an open file.
type remoteBlob struct {
	io.Reader
	info remoteInfo
}

func (b *remoteBlob) Stat() (fs.FileInfo, error) { return b.info, nil }
func (*remoteBlob) Close() error                 { return nil }

// remoteInfo describes a file as the list of the remote does.
type remoteInfo struct{ file RemoteFile }

func (i remoteInfo) Name() string       { return path.Base(i.file.Path) }
func (i remoteInfo) Size() int64        { return i.file.Size }
func (i remoteInfo) Mode() fs.FileMode  { return git.Mode(i.file.Mode).FS() }
func (i remoteInfo) ModTime() time.Time { return time.Time{} }
func (i remoteInfo) IsDir() bool        { return false }
func (i remoteInfo) Sys() any           { return nil }
