package static_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// lfs is what Git LFS leaves in place of a file.
const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

func TestContentThatIsKeptElsewhereIsNoSilentPass(t *testing.T) {
	const notRead, suspicious, neither = "INCOMPLETE", "file/stored-elsewhere:0 suspicious", ""
	for name, c := range map[string]struct {
		stub, text string
		mode       fs.FileMode
		by, does   string // a file of the base, and what is in it
		want       string
	}{
		"data that a recipe runs":                       {stub: "data.dat", by: "Makefile", does: "all:\n\tsh data.dat\n", want: notRead},
		"data that a hook runs":                         {stub: "scripts/data.txt", by: ".husky/pre-commit", does: "sh scripts/data.txt\n", want: notRead},
		"data that a program requires":                  {stub: "x.dat", by: "index.js", does: "require('./x.dat')\n", want: notRead},
		"a tool that a recipe starts":                   {stub: "tools/gen", by: "Makefile", does: "all:\n\t./tools/gen\n", want: notRead},
		"a pointer of git-annex that is started":        {stub: "tool", text: "/annex/objects/SHA256E-s3--f50d.sh\n", by: "run.sh", does: "./tool\n", want: notRead},
		"what DVC brings and a script runs":             {stub: "m.dvc", text: "outs:\n- md5: a3\n  path: x.sh\n", by: "run.sh", does: "dvc pull && sh x.sh\n", want: notRead},
		"an executable":                                 {stub: "bin/tool", mode: 0o755, want: suspicious},
		"an executable picture":                         {stub: "a.png", mode: 0o755, want: suspicious},
		"a wheel":                                       {stub: "lib.whl", want: suspicious},
		"the jar of a wrapper":                          {stub: "gradle/wrapper/gradle-wrapper.jar", want: suspicious},
		"a shared library with a version":               {stub: "lib/libx.so.1.2", want: suspicious},
		"a model":                                       {stub: "m.joblib", want: suspicious},
		"an archive that a manifest names":              {stub: "lib.tgz", by: "package.json", does: `{"name":"x","dependencies":{"e":"file:./lib.tgz"}}`, want: suspicious},
		"an archive that a script unpacks":              {stub: "t.zip", by: "run.sh", does: "unzip -o t.zip\nsh ./t/run\n", want: suspicious},
		"data that a program unpickles":                 {stub: "w.dat", by: "a.py", does: "import pickle\nw = pickle.load(open('w.dat', 'rb'))\n", want: suspicious},
		"a package in requirements":                     {stub: "lib.zip", by: "requirements.txt", does: "x @ file:./lib.zip\n", want: suspicious},
		"a picture":                                     {stub: "logo.png", by: "README.md", does: "![](logo.png)\n", want: neither},
		"a film that a page shows":                      {stub: "film.mp4", by: "index.html", does: "<video src=film.mp4>\n", want: neither},
		"an archive that nothing names":                 {stub: "data.zip", by: "run.sh", does: "unzip -o other.zip\n", want: neither},
		"a table that a program reads":                  {stub: "t.csv", by: "a.py", does: "rows = open('t.csv').read().split(',')\n", want: neither},
		"a model that is brought by DVC and not loaded": {stub: "m.pkl.dvc", text: "outs:\n- md5: a3\n  path: m.pkl\n", want: neither},
		"a page that tells how to run it":               {stub: "data.dat", by: "README.md", does: "Run `sh data.dat`.\n", want: neither},
	} {
		text := c.text
		if text == "" {
			text = lfs
		}
		base := fstest.MapFS{"LICENSE": &fstest.MapFile{Data: []byte("x\n")}}
		if c.by != "" {
			base[c.by] = &fstest.MapFile{Data: []byte(c.does)}
		}
		got := scanEdit(t, base, fstest.MapFS{c.stub: &fstest.MapFile{Data: []byte(text), Mode: c.mode}})
		gap := slices.ContainsFunc(got.gaps, func(g string) bool { return strings.Contains(g, "pointer is here") })
		found := slices.Contains(got.rulesOf(c.stub), suspicious)
		if gap != (c.want == notRead) || found != (c.want == suspicious) {
			t.Errorf("%s: gaps %q, found %v, want %q", name, got.gaps, got.rulesOf(c.stub), c.want)
		}
	}
}

func TestALineThatNewlyRunsContentKeptElsewhereIsSuspicious(t *testing.T) {
	base := fstest.MapFS{"data.dat": &fstest.MapFile{Data: []byte(lfs)}, "Makefile": &fstest.MapFile{Data: []byte("all:\n\techo x\n")}}
	got := scanEdit(t, base, fstest.MapFS{"Makefile": &fstest.MapFile{Data: []byte("all:\n\techo x\n\tsh data.dat\n")}})
	if !slices.Contains(got.rulesOf("Makefile"), "file/stored-elsewhere:3 suspicious") {
		t.Errorf("found %v", got.rulesOf("Makefile"))
	}
	base["Makefile"].Data = []byte("all:\n\tsh data.dat\n")
	got = scanEdit(t, base, fstest.MapFS{"Makefile": &fstest.MapFile{Data: []byte("all:\n\techo x\n\tsh data.dat\n")}})
	if found := got.rulesOf("Makefile"); len(found) > 0 {
		t.Errorf("a line that the base has: found %v", found)
	}
}
