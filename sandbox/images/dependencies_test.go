package images

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
)

func secretsOfTests() Secrets {
	return Secrets{"NPM_TOKEN": "tok-123456789", "PIP_INDEX_URL": "pass-word1", ".netrc": "netrc-pass", ".npmrc": "npmrc-token-1", "SHORT": "no"}
}

func TestSecretsAreToldFromSettings(t *testing.T) {
	text := secretsOfTests().redact(`tok-123456789 pass-word1 netrc-pass npmrc-token-1 dG9rLTEyMzQ1Njc4OQ== | https://proxy.example.com/go no npm.example.com comment-is-none`)
	if want := "••• ••• ••• ••• ••• | https://proxy.example.com/go no npm.example.com comment-is-none"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestASecretIsFoundWhereverItLies(t *testing.T) {
	s := secretsOfTests()
	for name, c := range map[string]struct{ text, beside, want string }{
		"in a file":              {text: "x = 'tok-123456789'", want: "NPM_TOKEN"},
		"in base64":              {text: "dG9rLTEyMzQ1Njc4OQ==", want: "NPM_TOKEN"},
		"across two reads":       {text: strings.Repeat("a", 256<<10-5) + "tok-123456789", want: "NPM_TOKEN"},
		"in the name of a file":  {beside: "deps/0/tok-123456789", want: "NPM_TOKEN"},
		"an address without one": {text: "https://proxy.example.com/go"},
	} {
		var out bytes.Buffer
		found, err := s.copy(&out, strings.NewReader(c.text), c.beside)
		if err != nil || found != c.want {
			t.Errorf("%s: found %q, %v", name, found, err)
		}
		if c.want == "" && out.String() != c.text {
			t.Errorf("%s: %d bytes were copied of %d", name, out.Len(), len(c.text))
		}
	}
}

func TestSettingsThatCannotBeHandedOnAreRefused(t *testing.T) {
	for _, s := range []Settings{{Env: map[string]string{"A B": "x"}}, {Env: map[string]string{"A": "x\x00"}}, {Files: map[string][]byte{"../x": nil}}} {
		if s.check() == nil {
			t.Errorf("%+v was taken", s)
		}
	}
	if got := string(Settings{Env: map[string]string{"B": "x y", "A": "'1'\n"}}.environment()); got != "A='1'\n\x00B=x y\x00" {
		t.Errorf("%q", got)
	}
}

func installedTar(t *testing.T, headers ...tar.Header) io.Reader {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range headers {
		text := h.Linkname
		if h.Typeflag == tar.TypeReg {
			h.Size, h.Linkname = int64(len(text)), ""
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &buf
}

func TestInstalledFilesHaveNoRightsAndOnePlace(t *testing.T) {
	kept, report, err := spool(installedTar(t,
		tar.Header{Name: "deps/", Typeflag: tar.TypeDir, Mode: 0o700},
		tar.Header{Name: "deps/report", Typeflag: tar.TypeReg, Linkname: "0\tok\n"},
		tar.Header{Name: "deps/0/a.py", Typeflag: tar.TypeReg, Mode: 0o4755, Uid: 7, Linkname: "print()"},
		tar.Header{Name: "deps/0/pipe", Typeflag: tar.TypeFifo},
		tar.Header{Name: "deps/0/hard", Typeflag: tar.TypeLink, Linkname: "etc/shadow"},
	), Secrets{})
	if err != nil || string(report) != "0\tok\n" {
		t.Fatalf("%q, %v", report, err)
	}
	var got []string
	for in := tar.NewReader(parts{kept}.context([]byte("FROM x\n"))); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.Name+" "+h.FileInfo().Mode().String())
		if h.Uid != 0 {
			t.Errorf("%s belongs to %d", h.Name, h.Uid)
		}
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	if want := "Dockerfile -rw-r--r--|deps/ drwxr-xr-x|deps/0/a.py -rwxr-xr-x"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
	for _, name := range []string{"etc/passwd", "deps/../etc/passwd", "/deps/x", "depsx"} {
		if _, _, err := spool(installedTar(t, tar.Header{Name: name, Typeflag: tar.TypeReg}), Secrets{}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestTheReportOfTheInstallers(t *testing.T) {
	d := Dependencies{Language: "node", Interpreter: "22", Projects: []Project{{Dir: ""}, {Dir: "web"}}}
	got, err := readReport([]byte("0\tinterpreter\t22.23.3\t\n0\tfailed\t\tno\x1b[31m such package\n1\tmodules\tnode_modules\t\n1\tok\n"), d)
	if want := (installed{
		projects: []InstalledProject{{Dir: "web", At: DependencyRoot + "/1", Modules: []string{"node_modules"}}},
		problems: []string{".: nothing is installed: no [31m such package"}, version: "22.23.3",
	}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	for _, bad := range []string{
		"", "7\tok\n", "x\tok\n", "0\tfailed\t\twhy\n",
		"0\tok\n0\tinterpreter\t24.1.0\t\n", "0\tok\n0\tinterpreter\t22.1.0\"\nENV X=1\t\n", "0\tok\n0\tinterpreter\t\t\n",
	} {
		if _, err := readReport([]byte(bad), d); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestLabelsThatLeadElsewhereAreNotBelieved(t *testing.T) {
	labels := func(projects string) map[string]string {
		return map[string]string{labelDependencies: "node", labelDepsDigest: "ab", labelDepsProjects: projects, labelDepsCreated: time.Now().Format(time.RFC3339)}
	}
	for projects, want := range map[string]bool{
		`[{"dir": "web", "at": "/opt/aigate/deps/0", "modules": ["node_modules"]}]`: true,
		`[{"dir": "web", "at": "/etc"}]`:                                            false,
		`[{"dir": "web", "at": "/opt/aigate/deps/../../../etc"}]`:                   false,
		`[{"dir": "web", "at": "/opt/aigate/deps/0", "modules": ["../../etc"]}]`:    false,
		`nonsense`: false,
	} {
		if _, ok := ReadDependencies("ref", "id", labels(projects)); ok != want {
			t.Errorf("%s: %v", projects, ok)
		}
	}
	if _, ok := ReadDependencies("ref", "id", map[string]string{LabelLanguage: "python"}); ok {
		t.Error("a sandbox image is taken for one with dependencies")
	}
}

// keeper is an engine that has images and forgets those that it is told to.
type keeper struct {
	have    []image.Summary
	removed []string
}

func (k *keeper) ImageList(_ context.Context, o image.ListOptions) ([]image.Summary, error) {
	var out []image.Summary
	for _, i := range k.have {
		for label := range i.Labels {
			if o.Filters.Match("label", label) || o.Filters.ExactMatch("label", label) {
				out = append(out, i)
				break
			}
		}
	}
	return out, nil
}

func (k *keeper) ImageRemove(_ context.Context, ref string, o image.RemoveOptions) ([]image.DeleteResponse, error) {
	if o.Force {
		return nil, errors.New("an image that is in use must stay")
	}
	k.removed = append(k.removed, ref)
	return nil, nil
}

func TestImagesWithDependenciesArePrunedWhenOld(t *testing.T) {
	made := func(ref string, days int) image.Summary {
		return image.Summary{ID: "sha256:" + ref, RepoTags: []string{ref}, Labels: map[string]string{
			labelDependencies: "python", labelDepsDigest: "ab", labelDepsCreated: time.Now().AddDate(0, 0, -days).Format(time.RFC3339),
		}}
	}
	have := []image.Summary{
		made("gate-deps-python:old", 31), made("gate-deps-python:young", 2),
		{ID: "sha256:theirs", RepoTags: []string{"gate-deps-python:theirs"}, Labels: map[string]string{"made-by": "somebody"}},
		{ID: "sha256:base", RepoTags: []string{"gate-sandbox-python:dev"}, Labels: map[string]string{LabelLanguage: "python"}},
	}
	for all, want := range map[bool]string{false: "gate-deps-python:old", true: "gate-deps-python:young gate-deps-python:old"} {
		k := &keeper{have: have}
		removed, err := PruneDependencies(t.Context(), k, all)
		if err != nil || strings.Join(k.removed, " ") != want || len(removed) != len(k.removed) {
			t.Errorf("all %v: removed %q, want %q (%v)", all, k.removed, want, err)
		}
	}
}
