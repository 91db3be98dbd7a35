package stub_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/source/stub"
)

const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 5\n"

func TestPointersToContentElsewhereAreRecognised(t *testing.T) {
	for name, c := range map[string]struct {
		path, head string
		want       stub.Tool
	}{
		"a pointer of Git LFS":                {"a.bin", lfs, stub.LFS},
		"one with an extension's line":        {"a.bin", strings.Replace(lfs, "oid", "ext-0-x sha256:00\noid", 1), stub.LFS},
		"one of a version before":             {"a.bin", strings.Replace(lfs, "https://git-lfs.github.com/spec/v1", "http://git-media.io/v/2", 1), stub.LFS},
		"one that is too long for Git LFS":    {"a.bin", lfs + strings.Repeat("x", 1024), ""},
		"a version without content":           {"a.bin", "version https://git-lfs.github.com/spec/v1\nsize 5\n", ""},
		"a text about pointers":               {"a.md", "A pointer:\n" + lfs, ""},
		"a pointer of git-annex":              {"tool", "/annex/objects/SHA256E-s31390--f50d7ac4.sh\n", stub.Annex},
		"a path of objects without a key":     {"tool", "/annex/objects/readme\n", ""},
		"a file of DVC":                       {"m.pkl.dvc", "outs:\n- md5: a3\n  path: m.pkl\n", stub.DVC},
		"the same text under another name":    {"m.yml", "outs:\n- md5: a3\n  path: m.pkl\n", ""},
		"nothing at all":                      {"a", "", ""},
		"a file of DVC that brings no output": {"m.dvc", "deps: []\n", ""},
	} {
		if got := stub.Of(c.path, []byte(c.head)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for to, want := range map[string]stub.Tool{
		".git/annex/objects/xx/yy/SHA256E-s3--ab.sh/SHA256E-s3--ab.sh": stub.Annex, "../../.git/annex/objects/k/k": stub.Annex,
		"releases/1": "", "annex/objects": "", ".github/annex/objects/k": "",
	} {
		if got := stub.OfLink(to); got != want {
			t.Errorf("a link to %s: %q, want %q", to, got, want)
		}
	}
}

func TestTheFilesOfDVCAreNamed(t *testing.T) {
	text := []byte("deps:\n- path: http://192.0.2.1/x.sh\nouts:\n- md5: a3\n  path: 'run me.sh'\n- path: m.pkl\n")
	if got := stub.Names("data/m.pkl.dvc", stub.DVC, text); !slices.Equal(got, []string{"data/m.pkl", "data/run me.sh"}) {
		t.Errorf("%q", got)
	}
	if got := stub.Names("data/a.bin", stub.LFS, text); !slices.Equal(got, []string{"data/a.bin"}) {
		t.Errorf("%q", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a.dvc", "outs:\n- path: x\n")
	f.Add("a", lfs)
	f.Add("a", "/annex/objects/SHA256E-s31390--f5.sh\n")
	f.Fuzz(func(t *testing.T, name, head string) {
		tool := stub.Of(name, []byte(head))
		if n := len(stub.Names(name, tool, []byte(head))); n < 1 || n > 101 {
			t.Errorf("%d names", n)
		}
		stub.OfLink(head)
	})
}
