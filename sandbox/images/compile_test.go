package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func TestTheCompilersGetTheSourcesAndWhatTheyDoNotGetIsSaid(t *testing.T) {
	tree := fstest.MapFS{
		"go.mod":                {Data: []byte("module example.com/m\n")},
		"a/a.go":                {Data: []byte("package a\n")},
		"a/huge.bin":            {Data: make([]byte, maxSource+1)},
		"b/link.go":             {Data: []byte("../a/a.go"), Mode: fs.ModeSymlink},
		"node_modules/x/x.go":   {Data: []byte("package x\n")},
		".git/objects/aa/bbbbb": {Data: []byte("x")},
	}
	files, end := sourcesOf(tree)
	var got []string
	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.Name)
	}
	if want := []string{"workspace/a/a.go", "workspace/go.mod"}; !slices.Equal(got, want) {
		t.Errorf("the compilers get %q", got)
	}
	if left := end(); left.String() != `the compilers did not get 2 files, among them "a/huge.bin"` {
		t.Errorf("left out: %s", left)
	}
}

func TestReadingTheSourcesEndsWithItsReader(t *testing.T) {
	files, end := sourcesOf(fstest.MapFS{"a.go": {Data: make([]byte, 1<<20)}, "b.go": {Data: make([]byte, 1<<20)}})
	if _, err := io.CopyN(io.Discard, files, 10); err != nil {
		t.Fatal(err)
	}
	if left := end(); left.String() != "" { // and it does not wait for ever
		t.Errorf("left out: %s", left)
	}
}

func TestAReportAboutWhatWasCompiledIsBelievedOnlyWhereItMeansSomething(t *testing.T) {
	for report, want := range map[string]Compiled{
		"12\t20\tits time was over\n": {Packages: 12, Of: 20, Why: "its time was over"},
		"0\t0\t":                      {},
		"20\t20\ta\tb\n":              {Packages: 20, Of: 20, Why: plainLine("a\tb")},
	} {
		if got, err := readCompiled([]byte(report)); err != nil || got != want {
			t.Errorf("%q is %+v, %v", report, got, err)
		}
	}
	for _, report := range []string{"", "\n", "1\t2", "21\t20\t", "-1\t2\t", "a\t2\t", "1\t99999999999999999999\t"} {
		if got, err := readCompiled([]byte(report)); err == nil {
			t.Errorf("%q is %+v", report, got)
		}
	}
}

func FuzzReadCompiled(f *testing.F) {
	f.Add([]byte("12\t20\tits time was over\n"))
	f.Fuzz(func(t *testing.T, report []byte) {
		c, err := readCompiled(report)
		if err == nil && (c.Packages < 0 || c.Of < c.Packages || bytes.ContainsAny([]byte(c.Why), "\n\x00")) {
			t.Errorf("%q is %+v", report, c)
		}
	})
}
