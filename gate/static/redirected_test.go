package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestADownloadFromAnotherHostIsNotTheOneOfTheBase(t *testing.T) {
	file := func(text string) fstest.MapFS { return fstest.MapFS{"i.sh": {Data: []byte(text), Mode: 0o755}} }
	fetch := "curl -fsSLo /tmp/t https://dl.example.com/t\nchmod +x /tmp/t\n/tmp/t install\n"
	for name, c := range map[string]struct {
		base, head string
		decides    bool
	}{
		"the host of the address":         {fetch, strings.ReplaceAll(fetch, "dl.example.com", "dl.examp1e.com"), true},
		"an address without a name":       {fetch, strings.ReplaceAll(fetch, "dl.example.com", "192.0.2.1"), true},
		"the host in a variable":          {"H=dl.example.com\n" + strings.ReplaceAll(fetch, "dl.example.com", "$H"), "H=dl.examp1e.com\n" + strings.ReplaceAll(fetch, "dl.example.com", "$H"), true},
		"the path only":                   {fetch, strings.ReplaceAll(fetch, "com/t", "com/v2/t"), false},
		"a host beside it":                {fetch, fetch + "# see https://docs.example.org/x\n", false},
		"another one, far away":           {fetch + strings.Repeat("true\n", 40) + "echo https://a.example.org/\n", fetch + strings.Repeat("true\n", 40) + "echo https://b.example.org/\n", false},
		"a file name that looks like one": {"F=a.tar.gz\n" + fetch, "F=b.tar.gz\n" + fetch, false},
	} {
		got := scanEdit(t, file("#!/bin/sh\n"+c.base), file("#!/bin/sh\n"+c.head))
		decides := slices.ContainsFunc(got.found["i.sh"], func(f gate.Finding) bool {
			return strings.HasPrefix(f.Rule, "download-execute/") && f.InChange
		})
		if decides != c.decides {
			t.Errorf("%s: found %v, want a finding that decides: %v", name, got.rulesOf("i.sh"), c.decides)
		}
	}
}
