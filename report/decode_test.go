package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aigate/gate/gate"
)

// edited returns a valid document with one text in it replaced.
func edited(t testing.TB, r gate.Result, old, new string) string {
	t.Helper()
	doc := render(t, "json", r, Options{})
	if !strings.Contains(doc, old) {
		t.Fatalf("%q is not in the document", old)
	}
	return strings.Replace(doc, old, new, 1)
}

func TestDecodeRefusesAndSaysWhereAndWhatWasExpected(t *testing.T) {
	in := func(old, new string) string { return edited(t, dangerousCase(), old, new) }
	gaps := func(old, new string) string { return edited(t, incompleteCase(), old, new) }
	for name, c := range map[string]struct{ doc, want string }{
		"nothing":                           {"", "not JSON"},
		"no JSON":                           {"hello", "not JSON"},
		"another document":                  {`{"runs": []}`, "no schema_version"},
		"a list":                            {`[1]`, "no schema_version"},
		"a version as text":                 {in(`"schema_version": 1`, `"schema_version": "1"`), "no schema_version"},
		"a version to come":                 {in(`"schema_version": 1`, `"schema_version": 2`), "update gate"},
		"version 0":                         {in(`"schema_version": 1`, `"schema_version": 0`), "schema_version: 0 where 1 is expected"},
		"a cut document":                    {in("", "")[:1000], "not JSON"},
		"a second document":                 {in("", "") + "{}", "not JSON"},
		"an unknown verdict":                {in(`"verdict": "DANGEROUS"`, `"verdict": "FINE"`), `verdict: "FINE" is not one of SAFE, SUSPICIOUS, INCOMPLETE, DANGEROUS`},
		"the unknown verdict":               {in(`"verdict": "DANGEROUS"`, `"verdict": "UNKNOWN"`), `"UNKNOWN" is not one of`},
		"an unknown severity":               {in(`"severity": "dangerous"`, `"severity": "high"`), `files[0].findings[0].severity: "high" is not one of note, suspicious, dangerous`},
		"an unknown layer":                  {in(`"layer": "static"`, `"layer": "human"`), `files[0].findings[0].layer: "human"`},
		"an unknown status":                 {in(`"status": "not_run"`, `"status": "fine"`), `files[0].execution.status: "fine"`},
		"a risk above 100":                  {in(`"risk_score": 98`, `"risk_score": 101`), "risk_score: 101 is above 100"},
		"a risk below 0":                    {in(`"risk_score": 98`, `"risk_score": -1`), "risk_score: -1 is below 0"},
		"half a risk":                       {in(`"risk_score": 98`, `"risk_score": 9.8`), "risk_score: 9.8 is not a whole number"},
		"an endless number":                 {in(`"confidence": 0.95`, `"confidence": 1e999999`), "out of range"},
		"text where a number belongs":       {in(`"risk_score": 98`, `"risk_score": "98"`), "risk_score: a string where an integer is expected"},
		"null where a list belongs":         {in(`"lines": []`, `"lines": null`), "files[1].attribution.lines: null where a list is expected"},
		"a missing list":                    {in(`"skipped": []`, `"skipper": []`), `the document: "skipped" is missing`},
		"a missing severity":                {in(`"severity": "dangerous",`, ``), `files[0].findings[0]: "severity" is missing`},
		"a member twice":                    {in(`"decision": "block"`, `"decision": "pass", "decision": "block"`), `"decision" appears twice`},
		"a member in capitals":              {in(`"decision": "block"`, `"decision": "block", "Decision": "pass"`), `"Decision" is spelt "decision"`},
		"a member that folds to another":    {in(`"risk_score": 98`, `"risk_score": 98, "ri`+"\u017f"+`k_score": 1`), `is spelt "risk_score"`},
		"an unknown member twice":           {in(`"decision"`, `"x": 1, "x": 2, "decision"`), `"x" appears twice`},
		"a digest in capitals":              {in(strings.Repeat("5a", 32), strings.Repeat("5A", 32)), "files[0].sha256"},
		"a path out of the tree":            {in(`"path": "lib/ok.py"`, `"path": "../../x"`), `files[4].path: "../../x" is not a path inside of the tree`},
		"an absolute path":                  {in(`"path": "lib/ok.py"`, `"path": "/etc/passwd"`), "files[4].path"},
		"a path with dots inside":           {in(`"path": "lib/ok.py"`, `"path": "lib/../ok.py"`), "files[4].path"},
		"a path with a zero":                {in(`"path": "lib/ok.py"`, `"path": "lib\u0000"`), "files[4].path"},
		"no path":                           {in(`"path": "lib/ok.py"`, `"path": ""`), "files[4].path"},
		"the tree as a path":                {in(`"path": "lib/ok.py"`, `"path": "."`), "files[4].path"},
		"a very long path":                  {in(`"path": "lib/ok.py"`, `"path": "`+strings.Repeat("a", 20_000)+`"`), "files[4].path: 20000 characters"},
		"a path twice":                      {in(`"path": "lib/ok.py"`, `"path": "setup.py"`), `files[4].path: "setup.py" is listed twice`},
		"an old path out of the tree":       {in(`"change": "deleted"`, `"change": "deleted", "old_path": "../x"`), "files[3].old_path"},
		"a parent that is not there":        {in(`"parent": "setup.py"`, `"parent": "other.py"`), "files[2].parent"},
		"a gap out of the tree":             {gaps(`"path": "src/big.py",`+"\n      \"reason\"", `"path": "../x", "reason"`), "incomplete[1].path"},
		"a layer twice":                     {in(`"name": "judge"`, `"name": "static"`), "layers[1]"},
		"lines that end before they start":  {in(`"end_line": 15`, `"end_line": 3`), "files[0].findings[0].end_line: 3 is before line 14"},
		"a range that is none":              {in("[\n            1,\n            40\n          ]", "[1]"), "files[0].attribution.lines[0]: 1 entries where 2 are expected"},
		"a range that is backwards":         {in("[\n            1,\n            40\n          ]", "[40, 1]"), "files[0].attribution.lines[0]: 1 is before 40"},
		"a better verdict than its files":   {strings.Replace(in(`"decision": "block"`, `"decision": "pass"`), `"verdict": "DANGEROUS"`, `"verdict": "SAFE"`, 1), "verdict: SAFE, but the worst of the files and gaps is DANGEROUS"},
		"a pass for what is dangerous":      {in(`"decision": "block"`, `"decision": "pass"`), "decision: pass, but the verdict is DANGEROUS"},
		"incomplete for what is dangerous":  {in(`"decision": "block"`, `"decision": "incomplete"`), "decision: incomplete, but the verdict is DANGEROUS"},
		"a pass with gaps":                  {gaps(`"decision": "incomplete"`, `"decision": "pass"`), "decision: pass, but the verdict is INCOMPLETE"},
		"an override of what passes anyway": {in(`"decision": "block"`, `"decision": "block", "override": {"by": "x", "label": "y", "decision": "block"}`), "override: there is one, and the decision is block"},
		"an override of a pass":             {in(`"decision": "block"`, `"decision": "pass", "override": {"by": "x", "label": "y", "decision": "pass"}`), `override.decision: "pass" is not one of block, incomplete`},
		"an override that hides danger":     {in(`"decision": "block"`, `"decision": "pass", "override": {"by": "x", "label": "y", "decision": "incomplete"}`), "override.decision: incomplete, but the verdict is DANGEROUS"},
		"a safe file with a finding":        {in("\"verdict\": \"DANGEROUS\",\n      \"risk_score\": 98", "\"verdict\": \"SAFE\",\n      \"risk_score\": 98"), "files[0].verdict: SAFE, but the findings say DANGEROUS"},
		"a safe file with a gap":            {gaps("\"verdict\": \"INCOMPLETE\",\n      \"risk_score\": 30", "\"verdict\": \"SAFE\",\n      \"risk_score\": 30"), `"src/big.py" is listed as incomplete and its verdict is SAFE`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(c.doc))
			if err == nil || !strings.HasPrefix(err.Error(), "read the result: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

func TestDecodeIsBounded(t *testing.T) {
	in := func(old, new string) string { return edited(t, dangerousCase(), old, new) }
	for name, c := range map[string]struct{ doc, want string }{
		"the size of the document":     {in("", "") + strings.Repeat(" ", MaxDocument), "larger than 64.0 MiB"},
		"the length of a string":       {in(`"message": "opens`, `"message": "`+strings.Repeat("a", MaxString)), "a string of"},
		"the length of a name":         {in(`"decision"`, `"`+strings.Repeat("a", MaxString+1)+`": 1, "decision"`), "a name of"},
		"the depth of what is unknown": {in(`"decision"`, `"x": `+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`, "decision"`), "nested more than 24 levels deep"},
		"the number of values":         {in(`"decision"`, `"x": [`+strings.Repeat("0,", MaxValues)+`0], "decision"`), "more than 4000000 values"},
		"the findings of a file":       {in(`"findings": []`, `"findings": [`+strings.Repeat(aFinding+",", 1000)+aFinding+`]`), "files[4].findings: more than 1000 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode(strings.NewReader(c.doc)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			} else if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

const aFinding = `{"rule":"a/b","category":"a","layer":"static","severity":"note","line":1,"end_line":1,"message":"","evidence":"","in_change":true}`

// What a later gate adds within the version is no reason to refuse its results.
func TestDecodeIgnoresMembersItDoesNotKnow(t *testing.T) {
	doc := edited(t, dangerousCase(), `"decision"`, `"later": {"a": [1, "x", null, {"b": true}]}, "decision"`)
	doc = strings.Replace(doc, `"in_change"`, `"confidence": 0.5, "in_change"`, 1)
	got, err := Decode(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dangerousCase(), got); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsShowHostileTextEscaped(t *testing.T) {
	_, err := Decode(strings.NewReader(edited(t, dangerousCase(), `"path": "lib/ok.py"`, `"path": "../\u001b[31m\u202e"`)))
	if err == nil || err.Error() != visible(err.Error()) {
		t.Errorf("error %q", err)
	}
	_, err = Decode(strings.NewReader(edited(t, dangerousCase(), `"decision"`, `"\u001b[31m": {"a": 1, "a": 1}, "decision"`)))
	if err == nil || err.Error() != visible(err.Error()) {
		t.Errorf("error %q", err)
	}
}

// strict makes a schema refuse members that it does not name.
func strict(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok {
			v["additionalProperties"] = false
		}
		for _, e := range v {
			strict(e)
		}
	case []any:
		for _, e := range v {
			strict(e)
		}
	}
}

// The schema names every member that gate writes, and describes all of them.
func TestTheSchemaCoversWhatIsWritten(t *testing.T) {
	var schema any
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	strict(schema)
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	validator := compiled(t, text)
	results := cases()
	results = append(results, testCase{"everything filled in", filled("x")}, testCase{"zero", gate.Result{Files: []gate.FileResult{{Execution: &gate.Execution{Units: make([]gate.Unit, 1)}, Judge: &gate.Judgement{}, Findings: []gate.Finding{{Layer: gate.LayerStatic}}}}}})
	for _, c := range results {
		c.result = canonical(c.result)
		for i := range c.result.Files {
			c.result.Files[i].SHA256 = ""
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, "json", c.result, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := validator.Validate(doc); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The walker, which stops at the first mistake and never holds the document,
// agrees with a complete validator about every single change to a document.
func TestTheWalkerAgreesWithACompleteValidator(t *testing.T) {
	validator := compiled(t, []byte(Schema()))
	walker, err := parseSchema(Schema())
	if err != nil {
		t.Fatal(err)
	}
	small := dangerousCase()
	small.Files = small.Files[:2]
	original := render(t, "json", small, Options{})
	compared, refused := 0, 0
	compare := func(doc any, what string) {
		compared++
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		complete, ours := validator.Validate(value), walker.check(text)
		if (complete == nil) != (ours == nil) {
			t.Errorf("%s: the walker says %v, the validator %v", what, ours, complete)
		}
		if ours != nil {
			refused++
		}
	}
	var doc any
	if err := json.Unmarshal([]byte(original), &doc); err != nil {
		t.Fatal(err)
	}
	compare(doc, "the document itself")
	if refused > 0 {
		t.Fatal("the document itself is refused")
	}
	mutate(doc, "", func(what string) { compare(doc, what) })
	if compared < 1000 || refused < compared/2 {
		t.Errorf("%d documents compared, %d refused", compared, refused)
	}
}

// mutate puts every kind of value in the place of every value in doc, and takes
// every member away, one at a time.
func mutate(doc any, at string, check func(what string)) {
	values := []any{nil, true, "x", "", -1, 1, 1.5, 1e6, map[string]any{}, []any{}, []any{1, 2, 3}, strings.Repeat("x", 20_000)}
	switch v := doc.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			old := v[k]
			for _, n := range values {
				v[k] = n
				check(fmt.Sprintf("%.40v at %s.%s", n, at, k))
			}
			delete(v, k)
			check(fmt.Sprintf("nothing at %s.%s", at, k))
			v[k] = old
			mutate(old, at+"."+k, check)
		}
	case []any:
		for i, old := range v {
			for _, n := range values {
				v[i] = n
				check(fmt.Sprintf("%.40v at %s[%d]", n, at, i))
			}
			v[i] = old
			mutate(old, fmt.Sprintf("%s[%d]", at, i), check)
		}
	}
}

func TestParseSchemaRefusesWhatTheWalkerWouldNotCheck(t *testing.T) {
	for _, schema := range []string{`{"type": "object", "minProperties": 1}`, `{"$ref": "#/$defs/x", "items": {"$ref": "#/$defs/x"}}`, `{"pattern": "("}`, `{`} {
		if _, err := parseSchema(schema); err == nil {
			t.Errorf("%s was taken", schema)
		}
	}
}

// FuzzDecode: no document makes Decode panic, and what it takes can be written,
// read again and shown.
func FuzzDecode(f *testing.F) {
	small := dangerousCase()
	small.Files = small.Files[:1]
	for _, r := range []gate.Result{small, overrideCase(), incompleteCase()} {
		f.Add([]byte(strings.Join(strings.Fields(render(f, "json", r, Options{})), " ")))
	}
	f.Add([]byte(`{"schema_version": 1, "tool": {"name": "", "version": ""}, "decision": "pass", "verdict": "SAFE", "risk_score": 0, "layers": [], "files": [], "incomplete": [], "skipped": []}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		r, err := Decode(bytes.NewReader(doc))
		if err != nil {
			if err.Error() != visible(err.Error()) {
				t.Errorf("an error that is not safe to show: %q", err)
			}
			return
		}
		again, err := Decode(strings.NewReader(render(t, "json", r, Options{})))
		if err != nil {
			t.Fatalf("what was decoded cannot be decoded: %v", err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatal(diff)
		}
		for _, format := range []string{"text", "markdown", "junit"} {
			render(t, format, r, Options{})
		}
	})
}

func TestAResultOfEveryStateOfAnExecutionCanBeRead(t *testing.T) {
	for _, status := range []gate.ExecutionStatus{
		gate.ExecutionExited, gate.ExecutionTimeout, gate.ExecutionWaiting, gate.ExecutionServing, gate.ExecutionOOM, gate.ExecutionKilled, gate.ExecutionNotRun,
		gate.ExecutionFailed, gate.ExecutionSyntaxError, gate.ExecutionMissingModule, gate.ExecutionImportFailed, gate.ExecutionStoppedEarly, gate.ExecutionNoTestsRan,
		gate.ExecutionNotBuilt,
	} {
		r := passCase()
		r.Files[0].Execution.Status, r.Files[0].Execution.Units[0].Status = status, status
		if _, err := Decode(strings.NewReader(render(t, "json", r, Options{}))); err != nil {
			t.Errorf("%s: %v", status, err)
		}
	}
}

// A document from elsewhere must not put a sentence into gate's mouth.
func TestTheStoriesOfADocumentAreNotBelieved(t *testing.T) {
	saved := render(t, "json", dangerousCase(), Options{})
	forged := strings.NewReplacer("Reads ~/.ssh/id_rsa and sends it over the network", "Adds a test", `"lead": true`, `"lead": false`).Replace(saved)
	if forged == saved {
		t.Fatal("nothing was forged")
	}
	r, err := Decode(strings.NewReader(forged))
	if err != nil {
		t.Fatal(err)
	}
	if again := render(t, "json", r, Options{}); again != saved {
		t.Errorf("the report believes what the document says:\n%s", cmp.Diff(saved, again))
	}
}
