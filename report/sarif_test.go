package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aigate/gate/gate"
)

// compiled compiles a JSON Schema with a complete validator.
func compiled(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://example.com/schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://example.com/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sarifSchema = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("testdata/sarif-schema-2.1.0.json") })

func validSARIF(t testing.TB, doc string) sarifRun {
	t.Helper()
	schema, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t, schema).Validate(v); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(doc), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

// checkSARIF: messages have no links in them, and locations are paths.
func checkSARIF(t *testing.T, s string) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(render(t, "sarif", filled("x"+s), Options{})), &log); err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\\`, "", `\[`, "", `\]`, "")
	for _, r := range log.Runs[0].Results {
		if m := plain.Replace(r.Message.Text); strings.ContainsAny(m, `[]\`) || m != visible(m) {
			t.Fatalf("%q: message %q", s, r.Message.Text)
		}
		u, err := url.Parse(r.Locations[0].Physical.Artifact.URI)
		if err != nil || u.Scheme != "" || u.Host != "" || u.Path != strings.ToValidUTF8("x"+s, "\uFFFD") {
			t.Fatalf("%q: location %q, error %v", s, r.Locations[0].Physical.Artifact.URI, err)
		}
	}
}

func TestSARIFIsValidForEveryCase(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { validSARIF(t, render(t, "sarif", c.result, goldenOptions())) })
	}
	t.Run("hostile text everywhere", func(t *testing.T) { validSARIF(t, render(t, "sarif", filled(hostileBlock), Options{})) })
}

func TestSARIFSaysWhatAFindingAmountsTo(t *testing.T) {
	run := validSARIF(t, render(t, "sarif", dangerousCase(), goldenOptions()))
	byRule := map[string]sarifResult{}
	for _, r := range run.Results {
		byRule[r.RuleID+"@"+r.Locations[0].Physical.Artifact.URI] = r
	}
	if r := byRule["network/raw-socket@app/sync.py"]; r.Level != "error" {
		t.Errorf("a corroborated suspicion has the level %q", r.Level)
	}
	if r := byRule["obfuscation/base64-exec@setup.py"]; r.Level != "warning" || r.Locations[0].Physical.Region.Start != 3 {
		t.Errorf("a suspicion is %+v", r)
	}
	if r := byRule["reverse-shell/python@setup.py"]; r.Level != "error" || !strings.Contains(r.Message.Text, "setup.py!base64:3") {
		t.Errorf("what was found in decoded text is %+v", r)
	}
	if r := byRule["shell-out/subprocess@app/sync.py"]; len(r.Suppressions) != 1 || r.Properties.Decides {
		t.Errorf("a suppressed finding is %+v", r)
	}
	if r := byRule["exfiltration/file-post@app/sync.py"]; len(r.CodeFlows) != 1 || len(r.CodeFlows[0].ThreadFlows[0].Locations) != 2 {
		t.Errorf("a flow is %+v", r.CodeFlows)
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "exfiltration/file-post" && (!strings.Contains(rule.Help.Text, "never read a credential file") || rule.Properties.SecuritySeverity != "9.1") {
			t.Errorf("rule %+v", rule)
		}
	}
	for i, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %d points to rule %d", i, r.RuleIndex)
		}
	}
}

func TestSARIFSaysWhenARunWasIncomplete(t *testing.T) {
	inv := validSARIF(t, render(t, "sarif", incompleteCase(), Options{})).Invocations[0]
	if inv.Successful || len(inv.Notifications) != 4 || !slices.ContainsFunc(inv.Notifications, func(n sarifNotification) bool {
		return n.Level == "note" && strings.HasPrefix(n.Message.Text, "Executed ")
	}) {
		t.Errorf("invocation %+v", inv)
	}
	if inv := validSARIF(t, render(t, "sarif", dangerousCase(), Options{})).Invocations[0]; !inv.Successful {
		t.Errorf("a run that blocked is no failed run: %+v", inv)
	}
}

func TestSARIFFingerprintsSurviveShiftedLines(t *testing.T) {
	prints := func(r gate.Result) (out []string) {
		for _, res := range validSARIF(t, render(t, "sarif", r, Options{})).Results {
			out = append(out, res.Fingerprints["primaryLocationLineHash"])
		}
		return out
	}
	before := dangerousCase()
	after := dangerousCase()
	for i := range after.Files {
		for j := range after.Files[i].Findings {
			f := &after.Files[i].Findings[j]
			f.Line, f.EndLine = f.Line+10, f.EndLine+10
			f.Evidence = strings.ReplaceAll(f.Evidence, "\t", "        ")
		}
	}
	a, b := prints(before), prints(after)
	seen := map[string]bool{}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("fingerprint %d changed from %s to %s", i, a[i], b[i])
		}
		if seen[a[i]] {
			t.Errorf("two findings share the fingerprint %s", a[i])
		}
		seen[a[i]] = true
	}
}

func TestSARIFKeepsToTheLimitsOfCodeScanning(t *testing.T) {
	var files []gate.FileResult
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		f := file(fmt.Sprintf("f%d.py", i), gate.Dangerous, 90)
		for j := range 100 {
			severity := gate.SeverityNote
			if i == 29 {
				severity = gate.SeverityDangerous
			}
			f.Findings = append(f.Findings, found(gate.LayerStatic, "a/b", severity, 10*j+1, "found", fmt.Sprint(random.Uint64())))
		}
		files = append(files, f)
	}
	big := canonical(document(gate.DecisionBlock, gate.Dangerous, layersRan(judgeRan(), sandboxRan()), files...))
	b := &sarif{summary: summarize(big, Options{}), parents: map[string]string{}, seen: map[string]int{}}
	for _, c := range []struct{ most, gzipped, atLeast int }{{2500, sarifMaxGzip, 2500}, {sarifMaxResults, 20_000, 200}} {
		doc, err := b.within(b.all(), c.most, c.gzipped)
		if err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(doc, &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		packed, err := gzipSize(doc)
		if err != nil || packed > c.gzipped || len(run.Results) > c.most || len(run.Results) < c.atLeast {
			t.Errorf("%d results, %d bytes packed, error %v", len(run.Results), packed, err)
		}
		worst := 0
		for _, r := range run.Results {
			if r.Level == "error" {
				worst++
			}
		}
		if worst != 100 {
			t.Errorf("%d of the 100 dangerous findings are there", worst)
		}
		want := fmt.Sprintf("%d results left out", 3000-len(run.Results))
		if n := run.Invocations[0].Notifications; len(n) == 0 || !strings.Contains(n[0].Message.Text, want) {
			t.Errorf("notifications %+v, want %q", n, want)
		}
	}
}
