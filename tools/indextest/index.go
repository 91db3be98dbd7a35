// Package indextest plays a private package index for Python on loopback, with
// packages that tests make, so that what installs from an index can be tested where
// no public one can be reached.
//
// It promises to answer only those who have its token, and to end with the test. It
// is no complete index: it knows the simple API as pip asks it, and nothing else.
package indextest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// Token is what the index wants as a password, anyone who asks.
const Token = "tok-6f1d5ae2c94b47d08f3e"

// Wheel is a built package with one module of the same name, as a file of the index:
// its name and its content. It may require others, as "name>=1".
func Wheel(t testing.TB, name, version, code string, requires ...string) (file string, content []byte) {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	info := fmt.Sprintf("%s-%s.dist-info/", name, version)
	metadata := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", name, version)
	for _, r := range requires {
		metadata += "Requires-Dist: " + r + "\n"
	}
	for _, f := range []struct{ path, text string }{
		{name + ".py", code},
		{info + "METADATA", metadata},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", ""},
	} {
		w, err := z.Create(f.path)
		if err == nil {
			_, err = io.WriteString(w, f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s-%s-py3-none-any.whl", name, version), buf.Bytes()
}

// Start returns the address of an index with these files, with the token in it, as
// PIP_INDEX_URL wants it.
func Start(t testing.TB, files map[string][]byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != Token {
			w.Header().Set("WWW-Authenticate", `Basic realm="index"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if data, ok := files[strings.TrimPrefix(r.URL.Path, "/files/")]; ok {
			_, _ = w.Write(data)
			return
		}
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/simple/"), "/")
		found := false
		for _, f := range slices.Sorted(maps.Keys(files)) {
			if strings.HasPrefix(strings.ReplaceAll(f, "_", "-"), name+"-") {
				found = true
				fmt.Fprintf(w, "<a href=\"/files/%s\">%s</a>\n", f, f)
			}
		}
		if !found {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http://", "http://reader:"+Token+"@", 1) + "/simple/"
}

// Authorities are the certificates that this machine trusts: a proxy between it and
// the registries may have one of its own.
func Authorities() []byte {
	data, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		return nil
	}
	return data
}
