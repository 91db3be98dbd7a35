package execute

import (
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRefusalsAreReadOnlyIfWhole(t *testing.T) {
	say := func(s string) string { return hex.EncodeToString([]byte(s)) }
	for said, want := range map[string]refusal{
		say("import\n3\n/workspace/a.py\nos"):     {"import", 3, "/workspace/a.py", "os"},
		say("call\n0\n\nos.system"):               {"call", 0, "", "os.system"},
		say("builtin\n1\na.py\nx\ny"):             {"builtin", 1, "a.py", "x\ny"},
		say("import\n3\n/workspace/a.py"):         {},
		say("other\n3\n/workspace/a.py\nos"):      {},
		say("import\n-3\n/workspace/a.py\nos"):    {},
		say("import\n99999999999\na.py\nos"):      {},
		"zz":                                      {},
		say("import\n3\n/workspace/a.py\nos")[1:]: {},
		"": {},
	} {
		got, ok := readRefusal(said)
		if got != want || ok != (want != refusal{}) {
			t.Errorf("%q: got %+v %v, want %+v", said, got, ok, want)
		}
	}
}

func FuzzRefusals(f *testing.F) {
	f.Add(hex.EncodeToString([]byte("import\n3\n/workspace/a.py\nos")))
	f.Add("zz")
	f.Fuzz(func(t *testing.T, said string) {
		r, ok := readRefusal(said)
		if ok && (r.line < 0 || !utf8.ValidString(r.name) || strings.Contains(r.file, "\n")) {
			t.Errorf("%q gave %+v", said, r)
		}
	})
}
