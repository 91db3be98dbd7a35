package archive

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// packBuilder writes a pack as git does.
type packBuilder struct {
	bytes.Buffer
	t     testing.TB
	count int
}

// add writes an object and returns its id and where it begins.
func (p *packBuilder) add(kind int, before, content []byte) ([]byte, int) {
	p.t.Helper()
	at := 12 + p.Len()
	p.count++
	size := len(content)
	first := byte(kind<<4 | size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.WriteByte(first | 128)
		first = byte(size & 127)
	}
	p.WriteByte(first)
	p.Write(before)
	z := zlib.NewWriter(p)
	if _, err := z.Write(content); err != nil {
		p.t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		p.t.Fatal(err)
	}
	name := map[int]string{packCommit: "commit", packTree: "tree", packBlob: "blob"}[kind]
	id := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", name, len(content), content))
	return id[:], at
}

// bundled is a bundle with two versions of a file, of which the second is a change of the
// first, and a script in a folder.
func bundled(t testing.TB) []byte {
	t.Helper()
	p := &packBuilder{t: t}
	first, at := p.add(packBlob, nil, []byte(payload))
	delta := append([]byte{byte(len(payload)), byte(len(payload) + 2), 0x90, byte(len(payload))}, "\x02#\n"...)
	p.add(packOffDelta, []byte{byte(12 + p.Len() - at)}, delta)
	script, _ := p.add(packBlob, nil, []byte("touch marker-file\n"))
	folder, _ := p.add(packTree, nil, slices.Concat([]byte("100755 run.sh\x00"), script))
	tree, _ := p.add(packTree, nil, slices.Concat([]byte("100644 setup.py\x00"), first, []byte("40000 tools\x00"), folder))
	p.add(packCommit, nil, fmt.Appendf(nil, "tree %x\nauthor a <a@example.com> 0 +0000\n\nx\n", tree))
	head := binary.BigEndian.AppendUint32(append([]byte("# v2 git bundle\n"+strings.Repeat("0", 40)+" refs/heads/main\n\nPACK"), 0, 0, 0, 2), uint32(p.count))
	return slices.Concat(head, p.Bytes(), make([]byte, sha1.Size))
}

func TestTheFilesOfAGitBundleAreRead(t *testing.T) {
	data := bundled(t)
	for _, data := range [][]byte{data, data[bytes.Index(data, []byte("PACK")):]} {
		a := Open("x.bundle", data, everything)
		if a == nil || len(a.Problems)+len(a.Bounded) > 0 {
			t.Fatalf("got %+v", a)
		}
		got := map[string]string{}
		for _, m := range a.Members {
			got[m.Name] = string(m.Data)
		}
		if got["setup.py"] != payload || got["tools/run.sh"] != "touch marker-file\n" || len(got) != 3 {
			t.Errorf("got %q", got)
		}
		if !slices.ContainsFunc(a.Members, func(m Member) bool { return string(m.Data) == payload+"#\n" }) {
			t.Errorf("the version that is a change is missing: %q", got)
		}
	}
}

func TestGitBundlesNameTheirMissingObjects(t *testing.T) {
	data := bundled(t)
	for name, broken := range map[string][]byte{
		"its pack is cut off":              data[:len(data)-80],
		"it has no pack":                   []byte("# v2 git bundle\nx\n\n"),
		"it has no end of its references":  []byte("# v2 git bundle\nx\n"),
		"its objects have other names":     bytes.Replace(data, []byte("# v2 git bundle\n"), []byte("# v3 git bundle\n@object-format=sha256\n"), 1),
		"it holds a part of the files":     bytes.Replace(data, []byte("# v2 git bundle\n"), []byte("# v3 git bundle\n@filter=blob:none\n"), 1),
		"a change of what is not in there": missingBase(t),
	} {
		if a := Open("x.bundle", broken, everything); a == nil || len(a.Problems) == 0 {
			t.Errorf("%s, and nothing is said: %+v", name, a)
		}
	}
}

// missingBase is a pack with a change of an object that is not in it.
func missingBase(t testing.TB) []byte {
	t.Helper()
	p := &packBuilder{t: t}
	p.add(packRefDelta, make([]byte, sha1.Size), []byte{1, 1, 1, 'x'})
	return slices.Concat([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), p.Bytes(), make([]byte, sha1.Size))
}
