package coverage

import (
	"reflect"
	"strings"
	"testing"
)

func TestAReportOfLCOVTellsWhichLinesRan(t *testing.T) {
	t.Parallel()
	src := Sources{"web/src/a.ts": "1\n2\n3\n4\n"}
	for name, tt := range map[string]struct {
		text string
		want Profile
		err  string
	}{
		"lines that ran and others":  {"TN:\nSF:src/a.ts\nFNF:1\nDA:1,3\nDA:3,0\nLF:2\nend_of_record\n", Profile{"web/src/a.ts": {1: true, 3: false}}, ""},
		"one that ran the next time": {"SF:src/a.ts\nDA:1,0\nend_of_record\nSF:src/a.ts\r\nDA:1,1,checksum\r\n", Profile{"web/src/a.ts": {1: true}}, ""},
		"of no source":               {"SF:/usr/lib/b.ts\nDA:1,1\nSF:../../etc/passwd\nDA:1,1\n", Profile{}, ""},
		"without a file":             {"DA:1,1\n", Profile{}, ""},
		"a line that is not there":   {"SF:src/a.ts\nDA:9,1\n", nil, `"DA:9,1"`},
		"no number":                  {"SF:src/a.ts\nDA:x,1\n", nil, "means nothing"},
		"a negative count":           {"SF:src/a.ts\nDA:1,-1\n", nil, "means nothing"},
		"too much":                   {strings.Repeat("x", MaxReport+1), nil, "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := LCOV([]byte(tt.text), src, "web")
			if !reflect.DeepEqual(got, tt.want) || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v, %v; want %v, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestTheLinesOfATemplateRanWithItsExpression(t *testing.T) {
	t.Parallel()
	src := Sources{"a.ts": "const a = `one\n\ntwo ${\n  b\n}\nthree`;\nfunction f() {\n  return `four\nfive`;\n}\n// six\n"}
	got, err := LCOV([]byte("SF:a.ts\nDA:1,1\nDA:4,1\nDA:8,0\n"), src, "")
	want := Profile{"a.ts": {1: true, 3: true, 4: true, 6: true, 8: false, 9: false}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func FuzzLCOV(f *testing.F) {
	f.Add([]byte("SF:a\nDA:1,1\nend_of_record\n"))
	f.Add([]byte("SF:a\nDA:99999999999999999999,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _ := LCOV(data, Sources{"a": "1\n2\n"}, "")
		for file, lines := range p {
			for n := range lines {
				if file != "a" || n < 1 || n > 2 {
					t.Errorf("%s:%d", file, n)
				}
			}
		}
	})
}
