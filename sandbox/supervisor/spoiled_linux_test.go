package supervisor

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func encrypted(b []byte) []byte {
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(b))
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(out, b)
	return out
}

func xored(b []byte, key byte) []byte {
	out := bytes.Clone(b)
	for i := range out {
		out[i] ^= key
	}
	return out
}

func zipped(b []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(b)
	_ = w.Close()
	return buf.Bytes()
}

func TestSpoiledFilesAreClassified(t *testing.T) {
	prose := []byte(strings.Repeat("The files of a project hold words, numbers and lines.\n", 12))
	numbers := []byte(strings.Repeat("1,2,3,40\n", 60))
	png := append([]byte("\x89PNG\r\n\x1a\n"), encrypted(prose)...)
	latin := bytes.ReplaceAll(prose, []byte("o"), []byte{0xf6})
	for _, tt := range []struct {
		name        string
		before, now []byte
		want        string
	}{
		{"nothing is left", prose, nil, "emptied"},
		{"a line end is left", prose, []byte("\n"), "emptied"},
		{"zeros of the same size", prose, make([]byte, len(prose)), "filled"},
		{"one byte", prose, []byte("x"), "filled"},
		{"a small part", prose, prose[:20], "cut"},
		{"encrypted text", prose, encrypted(prose), "scrambled"},
		{"encrypted numbers", numbers, encrypted(numbers), "scrambled"},
		{"a small encrypted file", []byte("hello\n"), encrypted([]byte("hello\n")), "scrambled"},
		{"each byte by one high key", prose, xored(prose, 0xa5), "scrambled"},
		{"each byte by one low key", prose, xored(prose, 0x42), "scrambled"},
		{"an encrypted image", png, encrypted(png), "scrambled"},
		{"encrypted and in base64", prose, []byte(base64.StdEncoding.EncodeToString(encrypted(prose))), "scrambled"},
		{"encrypted by a tool", prose, append([]byte("Salted__"), encrypted(prose)...), "encrypted"},
		{"encrypted with armour", prose, []byte("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"), "encrypted"},
		{"text whose second half is encrypted", slices.Concat(prose, prose), slices.Concat(prose, encrypted(prose)), "scrambled"},
		{"packed", prose, zipped(prose), "packed"},

		{"the same", prose, prose, ""},
		{"formatted", prose, bytes.ReplaceAll(prose, []byte(", "), []byte(",\n\t")), ""},
		{"rewritten", prose, []byte(strings.Repeat("something else entirely\n", 9)), ""},
		{"longer", prose, append(bytes.Clone(prose), prose...), ""},
		{"numbers instead of numbers", numbers, []byte(strings.Repeat("7;8\n", 80)), ""},
		{"in another language", prose, []byte(strings.Repeat("Проект состоит из файлов.\n", 12)), ""},
		{"in an old encoding", prose, latin, ""},
		{"another image", png, append(bytes.Clone(png[:8]), prose...), ""},
		{"data instead of data", encrypted(prose), encrypted(numbers), ""},
		{"a picture with a head of text", slices.Concat(prose, encrypted(prose)), slices.Concat(prose, encrypted(numbers)), ""},
		{"letters of several bytes on a border", []byte(strings.Repeat("ö", 700)), []byte("x" + strings.Repeat("ö", 700)), ""},
		{"what was empty", []byte("\n"), nil, ""},
		{"what a pointer of LFS stands for", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n"), encrypted(prose), ""},
		{"room that is used", make([]byte, 4096), encrypted(prose), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := became(held(tt.before), seenNow(tt.now), false); got != tt.want {
				t.Errorf("%q, want %q (%s, then %s)", got, tt.want, held(tt.before).kind(), seenNow(tt.now).kind())
			}
		})
	}
}

func held(data []byte) content {
	p := newProbe(testSeed, textHead)
	_, _ = p.Write(data)
	return p.content()
}

// seenNow is a second look, which keeps more.
func seenNow(data []byte) content {
	p := newProbe(testSeed, maxSpoiledHead)
	_, _ = p.Write(data)
	c := p.content()
	c.read = c.size
	return c
}

var testSeed = newRemembered().seed

func TestFilesThatWereWrittenToAreLookedAtOnceMore(t *testing.T) {
	dir := t.TempDir()
	r := newRemembered()
	var written []string
	put := func(name, before, now string) {
		full := filepath.Join(dir, name)
		p := newProbe(r.seed, textHead)
		_, _ = io.WriteString(p, before)
		r.files[full] = p.content()
		if err := os.WriteFile(full, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		written = append(written, full)
	}
	put("emptied", "words", "")
	put("kept", "words", "words")
	put("changed", "some words", "other words")
	for i := range 3 {
		put(fmt.Sprintf("alike%d", i), fmt.Sprintf("words number %d", i), "gone")
	}
	for i := range 3 {
		put(fmt.Sprintf("version%d", i), "1.0", "1.1")
	}
	put("linked", "words", "")
	if err := os.Remove(filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("emptied", filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	put("removed", "words", "")
	if err := os.Remove(filepath.Join(dir, "removed")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "untouched"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	written = append(written, filepath.Join(dir, "untouched")) // nothing is remembered of it

	log := newJournal()
	r.spoiled(written, log)
	var got []string
	events, _ := log.all(nil)
	for _, e := range events {
		got = append(got, e.Action+" "+filepath.Base(e.Object)+" "+strings.Join(e.Args, " "))
	}
	want := "overwrite emptied emptied\noverwrite alike0 alike\noverwrite alike1 alike\noverwrite alike2 alike"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
}

func TestAFloodOfEmptiedFilesIsBounded(t *testing.T) {
	dir := t.TempDir()
	r := newRemembered()
	var written []string
	for i := range 2 * maxSpoiled {
		full := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.files[full] = content{size: 5, head: []byte("words"), text: true}
		written = append(written, full)
	}
	log := newJournal()
	r.spoiled(written, log)
	if events, _ := log.all(nil); len(events) != maxSpoiled {
		t.Errorf("%d events, want %d", len(events), maxSpoiled)
	}
}

func TestContentOfPlantedFilesIsRemembered(t *testing.T) {
	r := newRemembered()
	r.files["/workspace/.npmrc"] = content{size: 1}
	r.plants([]wire.Plant{{Path: "/workspace/.npmrc", Data: []byte("planted")}, {Path: "/tmp/.ssh/id_rsa", Data: []byte("a key")}})
	if got := r.files["/workspace/.npmrc"].size; got != 1 {
		t.Errorf("%d bytes of a file of the input, want what the input had", got)
	}
	if got := r.files["/tmp/.ssh/id_rsa"].size; got != 5 {
		t.Errorf("%d bytes of a planted file, want 5", got)
	}
}

func FuzzKindOfContent(f *testing.F) {
	f.Add([]byte("words\n"))
	f.Add(encrypted(make([]byte, 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := held(data)
		if how := became(c, c, false); how != "" {
			t.Errorf("the same content is %q", how)
		}
		if c.size != int64(len(data)) || c.kind() == "" {
			t.Errorf("%+v of %d bytes", c, len(data))
		}
	})
}

func BenchmarkRemember(b *testing.B) {
	data := bytes.Repeat([]byte("a line of a source file\n"), 400)
	b.SetBytes(int64(len(data)))
	r := newRemembered()
	for b.Loop() {
		if err := r.copy(io.Discard, bytes.NewReader(data), "a"); err != nil {
			b.Fatal(err)
		}
	}
}
