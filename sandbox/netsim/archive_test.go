package netsim

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestAnArchiveHasMarkedProgramsToStart(t *testing.T) {
	unzipped, err := gzip.NewReader(strings.NewReader(byExtension[".gz"][1]))
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]bool{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		marked[h.Name] = strings.Contains(string(text), Answered)
	}
	for _, name := range []string{"setup.sh", "install.sh", "main.py", "index.js"} {
		if !marked[name] {
			t.Errorf("%s is not there, or has no mark", name)
		}
	}
}
