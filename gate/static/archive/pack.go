package archive

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git names its objects so
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Formats of git that carry files. See gitformat-bundle(5) and gitformat-pack(5).
const (
	formatBundle Kind = "git bundle"
	formatPack   Kind = "git pack"
)

// bundleMarks begin a bundle; its references follow, and behind an empty line its pack.
func bundleMarks() []string { return []string{"# v2 git bundle\n", "# v3 git bundle\n"} }

// Kinds of objects in a pack.
const (
	packCommit   = 1
	packTree     = 2
	packBlob     = 3
	packTag      = 4
	packOffDelta = 6
	packRefDelta = 7
)

// maxPackSteps bounds how many entries of trees are gone through for names.
const maxPackSteps = 100_000

// gitID is the name of an object.
type gitID [sha1.Size]byte

// packObject is an object of a pack.
type packObject struct {
	kind int
	data []byte
}

// packed is a pack as far as it was read.
type packed struct {
	into    *reader
	data    []byte
	at      map[int]packObject // by the place where it begins
	byID    map[gitID]packObject
	order   []gitID
	waiting int // objects whose base is not there
	grown   int // bytes of all objects
}

// bundle reads the files of all commits in a bundle.
func (r *reader) bundle(data []byte) {
	head, rest, ok := bytes.Cut(data, []byte("\n\n"))
	switch {
	case !ok:
		r.problem("it can't be read: it has no end of its references")
		return
	case bytes.Contains(head, []byte("@object-format=")) && !bytes.Contains(head, []byte("@object-format=sha1")):
		r.problem("it can't be opened: its objects are not named by SHA-1")
		return
	case bytes.Contains(head, []byte("@filter=")):
		r.problem("it holds a part of the files only, and git asks elsewhere for the others")
	}
	r.pack(rest)
}

// pack reads the files of a pack.
func (r *reader) pack(data []byte) {
	if len(data) < 12+sha1.Size || string(data[:4]) != "PACK" || binary.BigEndian.Uint32(data[4:]) != 2 && binary.BigEndian.Uint32(data[4:]) != 3 {
		r.problem("it can't be read: it holds no pack of version 2 or 3")
		return
	}
	p := &packed{into: r, data: data, at: map[int]packObject{}, byID: map[gitID]packObject{}}
	count := int(binary.BigEndian.Uint32(data[8:]))
	if count > 4*maxMembers {
		r.bounded("it has %d objects; at most %d are looked at", count, 4*maxMembers)
		count = 4 * maxMembers
	}
	at := 12
	for n := range count {
		next, err := p.object(at)
		if err != nil {
			r.problem("it can't be read to its end: object %d of %d: %v", n+1, count, err)
			break
		}
		at = next
	}
	if p.waiting > 0 {
		r.problem("%d of its objects are changes of objects that are not in it, and can't be opened", p.waiting)
	}
	p.files()
}

// object reads the object at a place and returns where the next one begins.
func (p *packed) object(at int) (int, error) {
	begin := at
	size, kind, at, err := p.header(at)
	if err != nil {
		return 0, err
	}
	var base packObject
	known := true
	switch kind {
	case packOffDelta:
		back, next, err := p.offset(at)
		if err != nil {
			return 0, err
		}
		base, known = p.at[begin-back]
		at = next
	case packRefDelta:
		if at+sha1.Size > len(p.data) {
			return 0, io.ErrUnexpectedEOF
		}
		base, known = p.byID[gitID(p.data[at:at+sha1.Size])]
		at += sha1.Size
	case packCommit, packTree, packBlob, packTag:
	default:
		return 0, fmt.Errorf("there is no kind %d", kind)
	}
	content, next, err := p.inflate(at, size)
	if err != nil {
		return 0, err
	}
	if kind == packOffDelta || kind == packRefDelta {
		if !known {
			p.waiting++
			return next, nil
		}
		if content, err = p.patched(base.data, content); err != nil {
			return 0, err
		}
		kind = base.kind
	}
	p.take(begin, packObject{kind, content})
	return next, nil
}

// take notes an object.
func (p *packed) take(begin int, o packObject) {
	name := map[int]string{packCommit: "commit", packTree: "tree", packBlob: "blob", packTag: "tag"}[o.kind]
	id := gitID(sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", name, len(o.data), o.data))) //nolint:gosec // git names its objects so
	p.at[begin] = o
	if _, ok := p.byID[id]; !ok {
		p.order = append(p.order, id)
	}
	p.byID[id] = o
}

// header is the kind of an object and its size.
func (p *packed) header(at int) (size, kind, next int, err error) {
	for shift := 4; ; shift += 7 {
		if at >= len(p.data) || shift > 40 {
			return 0, 0, 0, io.ErrUnexpectedEOF
		}
		c := int(p.data[at])
		at++
		if shift == 4 {
			kind, size = c>>4&7, c&15
		} else {
			size |= (c & 127) << (shift - 7)
		}
		if c&128 == 0 {
			return size, kind, at, nil
		}
	}
}

// offset is how far back the base of an object begins.
func (p *packed) offset(at int) (back, next int, err error) {
	for n := range 6 {
		if at >= len(p.data) {
			break
		}
		c := int(p.data[at])
		at++
		if n > 0 {
			back++
		}
		back = back<<7 | c&127
		if c&128 == 0 {
			return back, at, nil
		}
	}
	return 0, 0, io.ErrUnexpectedEOF
}

// inflate unpacks what begins at a place.
func (p *packed) inflate(at, size int) ([]byte, int, error) {
	if at > len(p.data) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	if size > maxMember {
		return nil, 0, fmt.Errorf("it is larger than the %d MiB that are read of one", maxMember>>20)
	}
	in := bytes.NewReader(p.data[at:])
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil, 0, err
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(size)+1))
	switch {
	case err != nil:
		return nil, 0, err
	case len(out) != size:
		return nil, 0, errors.New("it is not as long as it says")
	}
	if p.grown += len(out); p.grown > maxStream {
		return nil, 0, fmt.Errorf("all objects together are larger than %d MiB", maxStream>>20)
	}
	return out, len(p.data) - in.Len(), nil
}

// patched applies a delta to its base.
func (p *packed) patched(base, delta []byte) ([]byte, error) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != len(base) {
		return nil, errors.New("its base has another length")
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxMember {
		return nil, fmt.Errorf("it is larger than the %d MiB that are read of one", maxMember>>20)
	}
	if p.grown += size; p.grown > maxStream {
		return nil, fmt.Errorf("all objects together are larger than %d MiB", maxStream>>20)
	}
	var out []byte
	for len(delta) > 0 {
		c := delta[0]
		delta = delta[1:]
		if c&128 == 0 {
			if c == 0 || int(c) > len(delta) {
				return nil, io.ErrUnexpectedEOF
			}
			out, delta = append(out, delta[:c]...), delta[c:]
		} else {
			var parts [7]int
			for i := range parts {
				if c>>i&1 == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, io.ErrUnexpectedEOF
				}
				parts[i], delta = int(delta[0]), delta[1:]
			}
			start, n := parts[0]|parts[1]<<8|parts[2]<<16|parts[3]<<24, parts[4]|parts[5]<<8|parts[6]<<16
			if n == 0 {
				n = 1 << 16
			}
			if start+n > len(base) {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, base[start:start+n]...)
		}
		if len(out) > size {
			break
		}
	}
	if len(out) != size {
		return nil, errors.New("it is not as long as it says")
	}
	return out, nil
}

func deltaSize(delta []byte) (size int, rest []byte, ok bool) {
	for shift := 0; len(delta) > 0 && shift <= 35; shift += 7 {
		c := int(delta[0])
		delta = delta[1:]
		size |= c & 127 << shift
		if c&128 == 0 {
			return size, delta, true
		}
	}
	return 0, nil, false
}

// packName is what a tree calls a file.
type packName struct {
	name string
	mode fs.FileMode
}

// files makes a member of every file, by the first name that a tree has for it. Other
// versions of a file of that name have their id in front of it.
func (p *packed) files() {
	names := p.names()
	used := map[string]bool{}
	for _, id := range slices.Clone(p.order) {
		o := p.byID[id]
		if o.kind != packBlob || len(o.data) == 0 {
			continue
		}
		if p.into.full() {
			return
		}
		n, ok := names[id]
		if !ok {
			n = packName{fmt.Sprintf("%x", id), 0o644}
		}
		if used[n.name] {
			n.name = fmt.Sprintf("%x/%s", id[:4], n.name)
		}
		used[n.name] = true
		p.into.file(n.name, n.mode, bytes.NewReader(o.data), int64(len(o.data)))
	}
}

// names are what the trees of all commits call their files.
func (p *packed) names() map[gitID]packName {
	out := map[gitID]packName{}
	type folder struct {
		id   gitID
		path string
	}
	var todo []folder
	for _, id := range p.order {
		if o := p.byID[id]; o.kind == packCommit {
			var tree gitID
			if line, _, _ := strings.Cut(string(o.data[:min(len(o.data), 100)]), "\n"); hexID(strings.TrimPrefix(line, "tree "), &tree) {
				todo = append(todo, folder{id: tree})
			}
		}
	}
	seen := map[gitID]bool{}
	for steps := 0; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		if seen[at.id] || p.byID[at.id].kind != packTree {
			continue
		}
		seen[at.id] = true
		for rest := p.byID[at.id].data; len(rest) > 0; steps++ {
			head, more, ok := bytes.Cut(rest, []byte{0})
			if !ok || len(more) < sha1.Size || steps > maxPackSteps {
				break
			}
			id := gitID(more[:sha1.Size])
			rest = more[sha1.Size:]
			mode, name, _ := strings.Cut(string(head), " ")
			path := at.path + name
			if mode == "40000" && len(path) < 4<<10 {
				todo = append(todo, folder{id, path + "/"})
			} else if _, known := out[id]; !known {
				n := packName{path, 0o644}
				if mode == "100755" {
					n.mode = 0o755
				}
				out[id] = n
			}
		}
	}
	return out
}

// hexID reads the name of an object.
func hexID(text string, id *gitID) bool {
	if len(text) != 2*sha1.Size {
		return false
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return false
	}
	copy(id[:], raw)
	return true
}
