package netsim

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
)

// unpacked are what is in an archive that a program downloads: programs of the names by which
// people start what they have unpacked, each as inert as a download of its kind.
var unpacked = []struct{ name, text string }{
	{"setup.sh", "#!/bin/sh\n" + statement}, {"install.sh", "#!/bin/sh\n" + statement}, {"install", "#!/bin/sh\n" + statement},
	{"run.sh", "#!/bin/sh\n" + statement}, {"configure", "#!/bin/sh\n" + statement}, {"main.py", statement}, {"setup.py", statement},
	{"index.js", "var " + statement}, {"package.json", "{\"name\":\"package\",\"version\":\"1.0.0\"}\n"}, {"README.md", "ok\n"},
}

// archive is them as a tar.
func archive() string {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range unpacked {
		_ = w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(f.text))}) // to memory
		_, _ = w.Write([]byte(f.text))
	}
	_ = w.Close()
	return out.String()
}

// compressed is a text as gzip has it, unless it is one already.
func compressed(text string) string {
	var out strings.Builder
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text)) // to memory
	_ = w.Close()
	return out.String()
}
