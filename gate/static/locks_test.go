package static_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestALockFileThatFetchesFromANewHostIsSuspicious(t *testing.T) {
	base := fstest.MapFS{"README.md": file("see https://registry.example.com/")}
	for name, text := range map[string]string{
		"Cargo.lock":            "[[package]]\nname = \"serde\"\nsource = \"git+https://HOST/s.git#0123\"\n",
		"pdm.lock":              "[[package]]\nname = \"requests\"\nurl = \"https://HOST/r.whl\"\n",
		"uv.lock":               "source = { registry = \"http://HOST/simple\" }\n",
		"Pipfile.lock":          "{\"_meta\":{\"sources\":[{\"name\":\"p\",\"url\":\"http://HOST/simple\"}]}}",
		"pixi.lock":             "packages:\n- conda: https://HOST/x.conda\n",
		"conda-lock.yml":        "package:\n- name: x\n  url: https://HOST/x.conda\n",
		"Package.resolved":      "{\"pins\":[{\"location\":\"https://HOST/x.git\"}]}",
		"pubspec.lock":          "description: {name: http, url: \"https://HOST\"}\n",
		"mix.lock":              "%{\n  \"jason\": {:git, \"https://HOST/j.git\", \"01\", []},\n}\n",
		"flake.lock":            "{\"nodes\":{\"n\":{\"locked\":{\"type\":\"tarball\",\"url\":\"https://HOST/n.tgz\"}}}}",
		"deno.lock":             "{\"redirects\":{\"https://deno.land/std/x.ts\":\"https://HOST/x.ts\"}}",
		"bun.lock":              "{\"packages\":{\"a\":[\"a@http://HOST/a.tgz\",{},\"sha\"]}}",
		"jsonnetfile.lock.json": "{\"dependencies\":[{\"source\":{\"git\":{\"remote\":\"https://HOST/x.git\"}}}]}",
	} {
		t.Run(name, func(t *testing.T) {
			for host, want := range map[string]gate.Severity{"pkg.example.net": gate.SeveritySuspicious, "192.0.2.1": gate.SeveritySuspicious, "github.com": gate.SeverityUnknown} {
				head := fstest.MapFS{name: file(strings.ReplaceAll(text, "HOST", host))}
				got := gate.SeverityUnknown
				for _, f := range scanEdit(t, base, head).found[name] {
					if f.Rule == "supply-chain/lock-host" {
						got = max(got, f.Severity)
					}
				}
				if got != want {
					t.Errorf("%s: %v, want %v", host, got, want)
				}
			}
		})
	}
}

func TestAnAddressOfASponsorInALockFileIsNone(t *testing.T) {
	base := fstest.MapFS{"README.md": file("x")}
	for name, text := range map[string]string{
		"package-lock.json": "{\"packages\":{\"a\":{\"resolved\":\"https://registry.npmjs.org/a.tgz\",\"funding\":{\"url\":\"https://sponsor.example.net/a\"}}}}",
		"composer.lock":     "{\"packages\":[{\"homepage\":\"https://home.example.net\",\"funding\":[{\"url\":\"https://sponsor.example.net\"}]}]}",
	} {
		if got := worstOf(scanEdit(t, base, fstest.MapFS{name: file(text)}).found[name]); got >= gate.SeveritySuspicious {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAListOfRequirementsIsReadWhateverItIsCalled(t *testing.T) {
	const list = "--index-url=http://192.0.2.1/simple\nx==1\n"
	base := fstest.MapFS{"README.md": file("x")}
	for name, by := range map[string]fstest.MapFS{
		"another list includes it":   {"requirements.txt": file("-r docs/list\n")},
		"constraints":                {"requirements.txt": file("--constraint=docs/list\n")},
		"a command installs it":      {"setup.sh": file("pip install -q -r docs/list\n")},
		"an image installs it":       {"Dockerfile": file("FROM python\nRUN pip install --no-cache-dir -r docs/list\n")},
		"a list of the base has it":  nil,
		"nothing installs the list:": {"a.sh": file("cat docs/list\n")},
	} {
		t.Run(name, func(t *testing.T) {
			was, edit := fstest.MapFS{"README.md": base["README.md"]}, fstest.MapFS{"docs/list": file(list)}
			want := gate.SeveritySuspicious
			maps.Copy(edit, by)
			if by == nil {
				was["requirements.txt"] = file("-r docs/list\n")
			}
			if by["a.sh"] != nil {
				want = gate.SeverityNote
			}
			if got := worstOf(scanEdit(t, was, edit).found["docs/list"]); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
