package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

func TestAReferenceThatMovesToAStrangerDecides(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const owner, host = "supply-chain/owner-swapped", "supply-chain/host-swapped"
	files := func(pairs ...string) fstest.MapFS {
		out := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return out
	}
	for name, tc := range map[string]struct {
		base, edit fstest.MapFS
		want       string
	}{
		"a stranger":                       {files("Dockerfile", "FROM ghcr.io/acme/base:1\n"), files("Dockerfile", "FROM ghcr.io/acrne/base:1\n"), owner},
		"an owner that the base names":     {files("Dockerfile", "FROM ghcr.io/acme/base:1\n", "README.md", "https://github.com/other/base\n"), files("Dockerfile", "FROM ghcr.io/other/base:1\n"), ""},
		"an owner that everybody knows":    {files("Dockerfile", "FROM acme/base:1\n"), files("Dockerfile", "FROM hashicorp/base:1\n"), ""},
		"a host":                           {files("app.yml", "issuer: https://login.example.com\n"), files("app.yml", "issuer: https://login.example.org\n"), host},
		"a host that the base names":       {files("app.yml", "issuer: https://login.example.com\n", "README.md", "https://login.example.org\n"), files("app.yml", "issuer: https://login.example.org\n"), ""},
		"a page of the documentation":      {files("docs/app.yml", "issuer: https://login.example.com\n"), files("docs/app.yml", "issuer: https://login.example.org\n"), ""},
		"a test":                           {files("test_app.py", "URL = \"https://login.example.com\"\n"), files("test_app.py", "URL = \"https://login.example.org\"\n"), ""},
		"a new file with the same address": {files("app.yml", "issuer: https://login.example.com\n"), files("b.yml", "issuer: https://login.example.org\n"), ""},
	} {
		got := scanEdit(t, tc.base, tc.edit)
		var rules []string
		for _, found := range got.found {
			for _, f := range found {
				if strings.HasSuffix(f.Rule, "-swapped") && f.InChange && f.Severity == gate.SeveritySuspicious {
					rules = append(rules, f.Rule)
				}
			}
		}
		if tc.want == "" && len(rules) > 0 || tc.want != "" && !slices.Equal(rules, []string{tc.want}) {
			t.Errorf("%s: got %v, want %q", name, rules, tc.want)
		}
	}
}
