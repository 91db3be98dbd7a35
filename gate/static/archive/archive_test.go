package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

const payload = "import os\nos.system('touch marker-file')\n"

// everything wants all members.
func everything(string, fs.FileMode, []byte, int64) bool { return true }

// entry is a file to pack.
type entry struct{ name, content string }

func zipped(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: 0o755, Size: int64(len(e.content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzip1(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arred is a Debian package with one member.
func arred(name, content string) []byte {
	header := func(name string, size int) string {
		return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", name, 0, 0, 0, 0o644, size)
	}
	return []byte("!<arch>\n" + header("debian-binary", 4) + "2.0\n" + header(name, len(content)) + content)
}

func names(a *Archive) []string {
	var out []string
	for _, m := range a.Members {
		out = append(out, m.Name)
	}
	return out
}

func TestMembersAreRead(t *testing.T) {
	packed := gzip1(t, []byte(payload))
	for _, c := range []struct {
		what, name string
		data       []byte
		want       []string
	}{
		{"a zip", "lib.zip", zipped(t, entry{"setup.py", payload}, entry{"a/b.py", payload}), []string{"setup.py", "a/b.py"}},
		{"a tar", "lib.tar", tarred(t, entry{"setup.py", payload}), []string{"setup.py"}},
		{"a tar in gzip", "lib.tgz", gzip1(t, tarred(t, entry{"p/package.json", payload})), []string{"p/package.json"}},
		{"a gzip file of one file", "run.sh.gz", packed, []string{"run.sh"}},
		{"two gzip streams", "run.sh.gz", slices.Concat(packed, packed), []string{"run.sh"}},
		{"a Debian package", "a.deb", arred("control.tar.gz", string(gzip1(t, tarred(t, entry{"postinst", payload})))), []string{"debian-binary", "control.tar.gz"}},
		{"two tars behind each other", "a.tar", slices.Concat(tarred(t, entry{"a", "x"}), tarred(t, entry{"b.sh", payload})), []string{"a", "b.sh"}},
		{"a zip that begins with a directory record", "a.zip", zipped(t, entry{"d/", ""}, entry{"d/x.py", payload}), []string{"d/x.py"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := Open(c.name, c.data, everything)
			if a == nil {
				t.Fatal("not an archive")
			}
			if got := names(a); !slices.Equal(got, c.want) || len(a.Problems)+len(a.Bounded) > 0 {
				t.Errorf("%q %q %q", got, a.Problems, a.Bounded)
			}
			last := a.Members[len(a.Members)-1]
			if !strings.Contains(string(last.Data), payload) && !strings.HasSuffix(last.Name, ".gz") {
				t.Errorf("%s holds %q", last.Name, last.Data)
			}
		})
	}
}

func TestAZipIsFoundBehindAnything(t *testing.T) {
	for _, before := range []string{"#!/usr/bin/env python3\n", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01", 999), strings.Repeat("#", 200_000)} {
		data := append([]byte(before), zipped(t, entry{"__main__.py", payload})...)
		a := OpenZip("a", data, everything)
		if a == nil || !slices.Equal(names(a), []string{"__main__.py"}) || len(a.Problems) > 0 {
			t.Errorf("behind %.10q: %+v", before, a)
		}
	}
	if EndsWithZip([]byte("a text about PK\x05\x06 and no archive at all, which is longer than the record")) {
		t.Error("a text that has the four bytes is taken for an archive")
	}
}

func TestMisleadingArchivesAreProblems(t *testing.T) {
	flags := func(data []byte, set byte) []byte {
		out := bytes.Clone(data)
		for _, at := range []struct {
			magic string
			off   int
		}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
			out[bytes.Index(out, []byte(at.magic))+at.off] |= set
		}
		return out
	}
	method := func(data []byte, n byte) []byte {
		out := bytes.Clone(data)
		out[bytes.Index(out, []byte("PK\x03\x04"))+8] = n
		out[bytes.Index(out, []byte("PK\x01\x02"))+10] = n
		return out
	}
	one := zipped(t, entry{"setup.py", payload})
	hidden := unlistedZip(t)
	link := func(to string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: "a/link", Linkname: to, Typeflag: tar.TypeSymlink}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	renamed := bytes.Clone(one)
	copy(renamed[bytes.Index(renamed, []byte("setup.py")):], "other.py")
	for _, c := range []struct {
		what string
		data []byte
		want string // in a problem
		has  string // a member that is read all the same
	}{
		{"an encrypted member", flags(one, 1), "is encrypted", ""},
		{"an unknown compression", method(one, 99), "method 99", ""},
		{"a zip that is cut short", one[:len(one)-30], "can't be opened", "setup.py"},
		{"a member that the directory leaves out", hidden, "leaves it out", "hidden.py"},
		{"one name twice", zipped(t, entry{"setup.py", "x = 1"}, entry{"setup.py", payload}), "more than once", "copy-2/setup.py"},
		{"two names of one member", renamed, "is named", ""},
		{"a name that climbs out", zipped(t, entry{"../../etc/cron.d/x", payload}), "leads out", "etc/cron.d/x"},
		{"an absolute name", tarred(t, entry{"/etc/cron.d/x", payload}), "leads out", "etc/cron.d/x"},
		{"a name with backslashes", zipped(t, entry{`..\..\x.py`, payload}), "leads out", "x.py"},
		{"a link that leads out", link("../../etc/passwd"), "outside of the archive", ""},
		{"an absolute link", link("/etc/passwd"), "outside of the archive", ""},
		{"a gzip file that is cut short", gzip1(t, []byte(strings.Repeat(payload, 99)))[:60], "can't be read to its end", ""},
		{"something behind a gzip file", append(gzip1(t, []byte(payload)), "curl"...), "follows its end", "a"},
		{"something behind a tar", append(tarred(t, entry{"a.py", payload}), "curl -s http://example.invalid"...), "follows its end", "a.py"},
		{"an xz file", []byte("\xfd7zXZ\x00 and so on"), "the xz file can't be opened", ""},
		{"an lzip file", []byte("LZIP\x01 and so on"), "an lzip file can't be opened", ""},
		{"a 7z archive", []byte("7z\xbc\xaf\x27\x1c and so on"), "a 7z archive can't be opened", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := Open("a", c.data, everything)
			if a == nil {
				t.Fatal("not an archive")
			}
			if !strings.Contains(strings.Join(a.Problems, "\n"), c.want) || c.has != "" && !slices.Contains(names(a), c.has) {
				t.Errorf("members %q, problems %q", names(a), a.Problems)
			}
		})
	}
	if a := Open("a", link("../b"), everything); len(a.Problems) > 0 {
		t.Errorf("a link within the archive: %q", a.Problems)
	}
}

// unlistedZip has a member in front of the others that the directory leaves out.
func unlistedZip(t testing.TB) []byte {
	t.Helper()
	header := make([]byte, localHeader)
	copy(header, "PK\x03\x04")
	sum := crc32.ChecksumIEEE([]byte(payload))
	for i := range 4 {
		header[14+i], header[18+i], header[22+i] = byte(sum>>(8*i)), byte(len(payload)>>(8*i)), byte(len(payload)>>(8*i))
	}
	header[26] = byte(len("hidden.py"))
	return slices.Concat(header, []byte("hidden.py"), []byte(payload), zipped(t, entry{"shown.py", "x = 1"}))
}

func TestDataIsAccountedForAndNotKept(t *testing.T) {
	a := Open("a.zip", zipped(t, entry{"a.png", "\x89PNG"}, entry{"b.py", payload}), func(name string, _ fs.FileMode, _ []byte, _ int64) bool {
		return strings.HasSuffix(name, ".py")
	})
	if !slices.Equal(names(a), []string{"b.py"}) || a.Others != 1 {
		t.Errorf("%+v", a)
	}
}

func TestBoundsAreSaid(t *testing.T) {
	var many []entry
	for i := range maxMembers + 3 {
		many = append(many, entry{fmt.Sprintf("f%d", i), "x"})
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"many members", zipped(t, many...), "more than 4000 members"},
		{"a large member", zipped(t, entry{"a.py", strings.Repeat("#", maxMember+1)}), "larger than the 16 MiB"},
		{"a bomb in gzip", gzip1(t, make([]byte, maxMember+1)), "larger than the 16 MiB"},
		{"many large members", tarred(t, slices.Repeat([]entry{{"a.py", strings.Repeat("#", 10<<20)}}, 8)...), "larger than the 64 MiB"},
	} {
		a := Open("a", c.data, everything)
		if !strings.Contains(strings.Join(a.Bounded, "\n"), c.want) {
			t.Errorf("%s: %q", c.what, a.Bounded)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(zipped(f, entry{"setup.py", payload}, entry{"../x", payload}))
	f.Add(unlistedZip(f))
	f.Add(tarred(f, entry{"a", payload}))
	f.Add(typed(tarred(f, entry{"a", payload}), 'S'))
	f.Add(gzip1(f, tarred(f, entry{"a", payload})))
	f.Add(arred("x", payload))
	f.Add(bundled(f))
	f.Add(missingBase(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		for _, a := range []*Archive{Open("a.gz", data, everything), OpenZip("a", data, everything)} {
			if a == nil {
				continue
			}
			seen := map[string]bool{}
			for _, m := range a.Members {
				if !fs.ValidPath(m.Name) || m.Name == "." || len(m.Data) == 0 || len(m.Data) > maxMember || seen[m.Name] {
					t.Fatalf("member %q of %d bytes", m.Name, len(m.Data))
				}
				seen[m.Name] = true
			}
			if len(a.Problems) > maxReasons+1 || len(a.Bounded) > maxReasons+1 {
				t.Fatalf("%d problems, %d bounds", len(a.Problems), len(a.Bounded))
			}
		}
	})
}

// header is one member of a tar archive, with its content, and no end.
func header(t *testing.T, name, content string) []byte {
	t.Helper()
	data := tarred(t, entry{name, content})
	return data[:tarBlock+(len(content)+tarBlock-1)/tarBlock*tarBlock]
}

// typed is a member with another type in its header.
func typed(member []byte, kind byte) []byte {
	member = bytes.Clone(member)
	member[156] = kind
	copy(member[148:156], "        ")
	sum := 0
	for _, c := range member[:tarBlock] {
		sum += int(c)
	}
	copy(member[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return member
}

func TestATarIsReadAsEveryProgramWould(t *testing.T) {
	one, evil, end := header(t, "a.js", "1;"), header(t, "package.json", payload), make([]byte, 2*tarBlock)
	bad := bytes.Clone(one)
	bad[150] = '7'
	sparse := typed(header(t, "b.js", "2;"), 'S')
	zero := make([]byte, tarBlock)
	noise := bytes.Repeat([]byte("x"), tarBlock)
	for name, data := range map[string][]byte{
		"a lone block of zeros":              slices.Concat(one, zero, evil, end),
		"zeros in front":                     slices.Concat(zero, evil, end),
		"a header with a wrong sum in front": slices.Concat(bad, evil, end),
		"a wrong sum in the middle":          slices.Concat(one, bad, evil, end),
		"noise in the middle":                slices.Concat(one, noise, evil, end),
		"noise behind the end":               slices.Concat(one, end, noise, evil, end),
		"another archive behind it":          slices.Concat(one, end, evil, end),
		"no end":                             slices.Concat(one, evil),
		"a type that its header has not":     slices.Concat(one, sparse, evil, end),
		"the same, empty":                    slices.Concat(typed(header(t, "b.js", ""), 'S'), evil, end),
		"the same, again and again":          slices.Concat(sparse, sparse, sparse, evil, end),
		"payload in such a member":           slices.Concat(typed(evil, 'S'), end),
	} {
		for _, packed := range []bool{false, true} {
			data := data
			if packed {
				data = gzip1(t, data)
			}
			a := Open("a", data, everything)
			if a == nil || !slices.Contains(names(a), "package.json") {
				t.Errorf("%s (packed: %t): %+v", name, packed, a)
			}
		}
	}
	if a := Open("a", slices.Concat(one, evil, end), everything); len(a.Problems) > 0 {
		t.Errorf("a good archive: %q", a.Problems)
	}
}

func TestALinkOfAnArchiveMakesAMemberOfItsTarget(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []*tar.Header{
		{Name: "p/notes.txt", Size: int64(len(payload)), Mode: 0o644},
		{Name: "p/setup.py", Linkname: "notes.txt", Typeflag: tar.TypeSymlink},
		{Name: "p/q/conftest.py", Linkname: "../notes.txt", Typeflag: tar.TypeSymlink},
		{Name: "gone.py", Linkname: "nothing", Typeflag: tar.TypeSymlink},
		{Name: "loop", Linkname: "loop", Typeflag: tar.TypeSymlink},
	} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(payload)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := names(Open("a", b.Bytes(), everything))
	if !slices.Contains(got, "p/setup.py") || !slices.Contains(got, "p/q/conftest.py") || slices.Contains(got, "gone.py") {
		t.Errorf("%q", got)
	}
}
