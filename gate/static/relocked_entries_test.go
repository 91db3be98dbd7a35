package static_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

func TestALockEntryThatLeadsToOtherContentDecides(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const lock = "[[package]]\nname = \"serde\"\nversion = \"1.0.190\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n"
	const npm = "{\"packages\": {\"node_modules/lodash\": {\n \"version\": \"4.17.21\",\n \"resolved\": \"https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz\",\n \"integrity\": \"sha512-AA==\"}}}\n"
	toRepository := strings.Replace(strings.Replace(lock, "checksum = \"aaaa\"\n", "", 1), "registry+https://github.com/rust-lang/crates.io-index", "git+https://github.com/serde-rs/serde#0123", 1)
	otherPackage := strings.NewReplacer("/lodash/-/lodash", "/lodash-es/-/lodash-es", "4.17.21", "4.17.22", "AA==", "BB==").Replace(npm)
	for name, tc := range map[string]struct {
		file, base, head string
		with             fstest.MapFS
		want             string
	}{
		"another digest":                       {"Cargo.lock", lock, strings.Replace(lock, "aaaa", "bbbb", 1), nil, "supply-chain/lock-digest"},
		"a new version":                        {"Cargo.lock", lock, strings.NewReplacer("aaaa", "bbbb", "190", "191").Replace(lock), nil, ""},
		"a repository":                         {"Cargo.lock", lock, toRepository, nil, "supply-chain/lock-digest"},
		"a repository that the manifest names": {"Cargo.lock", lock, toRepository, fstest.MapFS{"Cargo.toml": file("[dependencies]\nserde = { git = \"https://github.com/serde-rs/serde\" }\n")}, ""},
		"another package":                      {"web/package-lock.json", npm, otherPackage, nil, "supply-chain/lock-package"},
		"an alias that the manifest names":     {"web/package-lock.json", npm, otherPackage, fstest.MapFS{"web/package.json": file(`{"dependencies": {"lodash": "npm:lodash-es@^4"}}`)}, ""},
	} {
		edit := fstest.MapFS{tc.file: file(tc.head)}
		maps.Copy(edit, tc.with)
		var rules []string
		for _, f := range scanEdit(t, fstest.MapFS{tc.file: file(tc.base)}, edit).found[tc.file] {
			if strings.HasPrefix(f.Rule, "supply-chain/lock-") && f.Severity == gate.SeveritySuspicious && f.InChange {
				rules = append(rules, f.Rule)
			}
		}
		if strings.Join(rules, " ") != tc.want {
			t.Errorf("%s: got %v, want %q", name, rules, tc.want)
		}
	}
}
