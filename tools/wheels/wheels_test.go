package wheels

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// deb is a package with these files, as dpkg-deb --build -Znone writes one.
func deb(t testing.TB, files ...string) []byte {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: "./" + modules + files[i], Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ar := "!<arch>\n"
	for _, m := range []struct{ name, data string }{{"debian-binary", "2.0\n"}, {"control.tar", "odd"}, {"data.tar", data.String()}} {
		ar += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", m.name, 0, 0, 0, "100644", len(m.data), m.data)
		if len(m.data)%2 == 1 {
			ar += "\n"
		}
	}
	return []byte(ar)
}

func serve(t testing.TB, files map[string][]byte) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestASuiteListsItsPackagesOfPython(t *testing.T) {
	list, err := os.ReadFile("testdata/Packages.xz")
	if err != nil {
		t.Fatal(err)
	}
	mirror := serve(t, map[string][]byte{"/debian/dists/bookworm/main/binary-amd64/Packages.xz": list}).URL + "/debian/"
	got, err := List(t.Context(), http.DefaultClient, mirror, "bookworm", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	want := []Package{{Name: "python3-greeting", URL: mirror + "pool/main/g/greeting/python3-greeting_1.2-3_all.deb", SHA256: strings.Repeat("a", 64)}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := List(t.Context(), http.DefaultClient, mirror, "sid", "amd64"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a suite that is not there: %v", err)
	}
}

func TestAWheelHasWhatThePackageHas(t *testing.T) {
	const metadata = "Metadata-Version: 2.1\nName: Greet.ing\nVersion: 1.2\nRequires-Python: >=3.8\n"
	for _, c := range []struct {
		name, project string
		files         []string
		file          string
		has           map[string]string
	}{
		{
			"metadata of today", "greet-ing",
			[]string{"greeting/__init__.py", "hello", "Greet.ing-1.2.dist-info/METADATA", metadata + "Requires-Dist: click\n", "Greet.ing-1.2.dist-info/entry_points.txt", "[console_scripts]", "Greet.ing-1.2.dist-info/RECORD", "odd"},
			"greet_ing-1.2-py3-none-any.whl",
			map[string]string{
				"greeting/__init__.py": "hello", "greet_ing-1.2.dist-info/entry_points.txt": "[console_scripts]",
				"greet_ing-1.2.dist-info/METADATA": metadata + "Requires-Dist: click\n\n\n", "greet_ing-1.2.dist-info/RECORD": "",
			},
		}, {
			"metadata of setuptools, with requirements beside it", "greet-ing",
			[]string{"greeting.py", "hello", "Greet.ing-1.2.egg-info/PKG-INFO", metadata + "\nLong\n", "Greet.ing-1.2.egg-info/requires.txt", "click>=8\nrich\n\n[docs]\nsphinx\n"},
			"greet_ing-1.2-py3-none-any.whl",
			map[string]string{"greeting.py": "hello", "greet_ing-1.2.dist-info/METADATA": metadata[:len(metadata)-1] + "\nRequires-Dist: click>=8\nRequires-Dist: rich\n\nLong\n"},
		}, {
			"metadata of distutils, one file", "greet-ing",
			[]string{"greeting.py", "hello", "Greet.ing-1.2.egg-info", metadata},
			"greet_ing-1.2-py3-none-any.whl", map[string]string{"greeting.py": "hello"},
		}, {
			"a compiled module fits one version of Python", "greet-ing",
			[]string{"greeting.cpython-311-x86_64-linux-gnu.so", "ELF", "Greet.ing-1.2.dist-info/METADATA", metadata},
			"greet_ing-1.2-cp311-cp311-linux_x86_64.whl", map[string]string{"greeting.cpython-311-x86_64-linux-gnu.so": "ELF"},
		}, {
			"of two projects in a package the one that was asked for", "second",
			[]string{"first.py", "1", "first-1.dist-info/METADATA", "Name: first\nVersion: 1\n", "second.py", "2", "second-2.dist-info/METADATA", "Name: second\nVersion: 2\n"},
			"second-2-py3-none-any.whl", map[string]string{"first.py": "1", "second.py": "2", "second-2.dist-info/METADATA": "Name: second\nVersion: 2\n\n\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := unpack(deb(t, c.files...))
			if err != nil {
				t.Fatal(err)
			}
			w, err := build(c.project, files)
			if err != nil {
				t.Fatal(err)
			}
			if w.File != c.file {
				t.Errorf("file %s, want %s", w.File, c.file)
			}
			z, err := zip.NewReader(bytes.NewReader(w.Data), int64(len(w.Data)))
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range c.has {
				f, err := z.Open(name)
				if err != nil {
					t.Error(err)
					continue
				}
				if got, _ := io.ReadAll(f); string(got) != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestInvalidPackagesAreErrors(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing": nil, "another archive": []byte("PK\x03\x04"), "no data": []byte("!<arch>\n"),
		"a size that is not there": []byte("!<arch>\n" + fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", "data.tar", 0, 0, 0, "100644", 1<<30)),
		"a negative size":          []byte("!<arch>\n" + fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", "data.tar", 0, 0, 0, "100644", -5)),
	} {
		if files, err := unpack(data); err == nil {
			t.Errorf("%s was unpacked: %v", name, files)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(deb(f, "a.py", "1", "a-1.dist-info/METADATA", "Name: a\nVersion: 1\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if files, err := unpack(data); err == nil {
			_, _ = build("a", files)
		}
	})
}

func TestTheIndexListsAWheelAndServesIt(t *testing.T) {
	good := deb(t, "yaml/__init__.py", "hello", "PyYAML-6.0.dist-info/METADATA", "Name: PyYAML\nVersion: 6.0\nRequires-Python: >=3.8\n")
	pool := serve(t, map[string][]byte{"/yaml.deb": good, "/changed.deb": good})
	sum := sha256.Sum256(good)
	var failed []string
	s := httptest.NewServer(New(http.DefaultClient, []Package{
		{Name: "python3-yaml", URL: pool.URL + "/yaml.deb", SHA256: hex.EncodeToString(sum[:])},
		{Name: "python3-changed", URL: pool.URL + "/changed.deb", SHA256: strings.Repeat("0", 64)},
	}, func(_ string, err error) { failed = append(failed, err.Error()) }))
	defer s.Close()
	ask := func(path string) (int, string) {
		body, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(body)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const link = `<a href="/files/pyyaml/pyyaml-6.0-py3-none-any.whl" data-requires-python="&gt;=3.8">pyyaml-6.0-py3-none-any.whl</a>` + "\n"
	if code, text := ask("/simple/pyyaml/"); code != http.StatusOK || text != link {
		t.Errorf("got %d %q", code, text)
	}
	if code, text := ask("/files/pyyaml/pyyaml-6.0-py3-none-any.whl"); code != http.StatusOK || !strings.HasPrefix(text, "PK") {
		t.Errorf("got %d %q", code, text)
	}
	for _, path := range []string{"/simple/changed/", "/simple/unknown/", "/files/pyyaml/other.whl", "/"} {
		if code, _ := ask(path); code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, code)
		}
	}
	if !slices.ContainsFunc(failed, func(s string) bool { return strings.Contains(s, "python3-changed: its sum is") }) {
		t.Errorf("failures: %v", failed)
	}
}
