package eval

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzDecode holds that a result that is read can be written, and read again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "kind": "gate-eval", "samples": [{"path": "a.py", "label": "risky", "language": "python"}]}`))
	f.Add([]byte(`{"schema_version": 1, "kind": "gate-eval", "judge": {}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(bytes.NewReader(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// FuzzParseInjections holds that a table that is taken has no entry without what
// it needs.
func FuzzParseInjections(f *testing.F) {
	f.Add([]byte("- {name: a, about: b, where: top, in: comment, text: c}\n"))
	f.Add(injectionTable)
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ParseInjections("a.yaml", data)
		if err != nil {
			return
		}
		for _, in := range table {
			if !injectionName.MatchString(in.Name) || in.Text == "" || in.Padding < 0 {
				t.Fatalf("%+v", in)
			}
		}
	})
}
