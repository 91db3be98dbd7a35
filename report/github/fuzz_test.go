package github

import (
	"archive/zip"
	"bytes"
	"testing"
)

// FuzzSingleFile holds that an artifact gives one file of a bounded size, or an
// error.
func FuzzSingleFile(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"result.json", "../b"} {
		w, err := z.Create(name)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write(bytes.Repeat([]byte("{}"), 100)); err != nil {
			f.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(b.Bytes()))
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, archive []byte) {
		if data, err := singleFile(archive); err == nil && len(data) > maxArtifactFile {
			t.Fatalf("%d bytes", len(data))
		}
	})
}
