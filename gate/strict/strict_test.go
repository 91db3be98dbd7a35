package strict

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// thing is what the tests read.
type thing struct {
	name  string
	kind  string
	count int
	loud  bool
	tags  []string
	notes map[string]string
}

func read(text string) (thing, error) {
	r := &Reader{File: "thing.yaml"}
	var t thing
	if root := r.Document([]byte(text)); root != nil {
		r.Mapping(root, "a thing",
			Need("name", r.Text("name", &t.name)),
			Key("kind", r.Word("kind", []string{"river", "mountain"}, func(s string) { t.kind = s })),
			Key("count", r.Integer("count", 1, 9, &t.count)),
			Key("loud", r.Flag("loud", &t.loud)),
			Key("tags", r.Texts("tags", &t.tags)),
			Key("notes", func(n *yaml.Node) {
				t.notes = map[string]string{}
				r.Pairs(n, "notes", func(k, v *yaml.Node) { t.notes[k.Value] = v.Value })
			}),
		)
	}
	return t, r.Err()
}

func TestAFileThatIsRightIsReadWhole(t *testing.T) {
	got, err := read("name: ' Elbe '\nkind: river\ncount: 3\nloud: true\ntags: [wide, ' slow']\nnotes: {a: b, c: d}\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (thing{"Elbe", "river", 3, true, []string{"wide", " slow"}, map[string]string{"a": "b", "c": "d"}}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAMistakeIsShownWithItsPlaceAndWhatIsExpected(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no YAML":                 {"name: [", "thing.yaml:1:1: not valid YAML: "},
		"no YAML further below":   {"name: x\nkind: [\n", "thing.yaml:2:1: not valid YAML: "},
		"a second document":       {"name: x\n---\nname: y\n", "thing.yaml:2:1: one document is expected, and more follows after ---"},
		"a second broken one":     {"name: x\n---\n[", "one document is expected, and more follows after ---"},
		"a list":                  {"- name", "thing.yaml:1:1: a thing must be a mapping of keys to values, not a list of 1"},
		"a key with a slip":       {"name: x\nknid: river\n", `thing.yaml:2:1: unknown key "knid" in a thing; did you mean "kind"? (allowed: name, kind, count, loud, tags, notes)`},
		"a key twice":             {"name: x\nname: y\n", `thing.yaml:2:1: key "name" is given twice in a thing, first on line 1`},
		"a chosen key twice":      {"name: x\nnotes:\n  a: b\n  a: c\n", `thing.yaml:4:3: key "a" is given twice in notes, first on line 3`},
		"a key that is a mapping": {"name: x\n? {a: b}\n: c\n", "thing.yaml:2:3: a key of a thing must be a plain text, not a mapping"},
		"a merge key":             {"name: x\n<<: {kind: river}\n", "thing.yaml:2:1: a key of a thing must be a plain text, not \"<<\""},
		"a key that is missing":   {"kind: river", `thing.yaml:1:1: a thing lacks "name"`},
		"an alias as a value":     {"name: &n x\nkind: *n\n", "thing.yaml:2:7: aliases are not allowed: write the value out"},
		"an alias in a list":      {"name: &n x\ntags: [*n]\n", "thing.yaml:2:8: aliases are not allowed: write the value out"},
		"an empty text":           {"name: ''", "thing.yaml:1:7: name must be a text, not nothing"},
		"a list for a text":       {"name: [a, b]", "thing.yaml:1:7: name must be a text, not a list of 2"},
		"a text for a list":       {"name: x\ntags: wide\n", `thing.yaml:2:7: tags must be a list, not "wide"`},
		"a mapping in a list":     {"name: x\ntags: [{a: b}]\n", "thing.yaml:2:8: an entry of tags must be a text, not a mapping"},
		"a word that is none":     {"name: x\nkind: rivet\n", `thing.yaml:2:7: unknown kind "rivet"; did you mean "river"? (allowed: river, mountain)`},
		"a list for a word":       {"name: x\nkind: [river]\n", "thing.yaml:2:7: unknown kind a list of 1 (allowed: river, mountain)"},
		"a number out of range":   {"name: x\ncount: 10\n", `thing.yaml:2:8: count must be a whole number from 1 to 9, not "10"`},
		"a number that is none":   {"name: x\ncount: few\n", `thing.yaml:2:8: count must be a whole number from 1 to 9, not "few"`},
		"a flag that is none":     {"name: x\nloud: yes\n", `thing.yaml:2:7: loud must be true or false, not "yes"`},
		"a value without end":     {"name: x\nkind: " + strings.Repeat("r", 500) + "\n", strings.Repeat("r", 77) + "…\" (allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.At.File != "thing.yaml" || e.At.Line < 1 || e.At.Column < 1 {
				t.Errorf("the mistake has no place: %#v", e)
			}
		})
	}
}

func TestMistakesAreAllShownAtOnceUpToABound(t *testing.T) {
	_, err := read("kind: rivet\ncount: 0\nloud: maybe\n")
	if n := strings.Count(err.Error(), "thing.yaml:"); n != 4 {
		t.Errorf("%d mistakes, want 4: %v", n, err)
	}
	_, err = read("name: x\ntags: [" + strings.Repeat("'', ", 200) + "'']\n")
	if n := strings.Count(err.Error(), "thing.yaml:"); n != maxErrors {
		t.Errorf("%d mistakes are listed, at most %d should be", n, maxErrors)
	}
}

func TestAnEmptyFileHasNoRootAndNoMistake(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n"} {
		r := &Reader{File: "x"}
		if root := r.Document([]byte(text)); root != nil || r.Err() != nil {
			t.Errorf("%q: %v, %v", text, root, r.Err())
		}
	}
}

func TestTheWordThatWasProbablyMeant(t *testing.T) {
	words := []string{"severity", "severities", "path", "paths", "disable", "exfiltration/python-key-file-flow"}
	for got, want := range map[string]string{
		"sevrity": "severity", "Severity": "severity", "path": "path", "pahts": "paths", "disabled": "disable", "dis": "disable",
		"exfiltration/python-keyfile-flow": "exfiltration/python-key-file-flow",
		"":                                 "", "x": "", "seve": "", "whatever": "", strings.Repeat("path", 100): "",
	} {
		if w := Closest(got, words); w != want {
			t.Errorf("Closest(%q) = %q, want %q", got, w, want)
		}
	}
}

func FuzzAFileIsReadOrEveryMistakeHasAPlace(f *testing.F) {
	for _, seed := range []string{"name: x", "name: &a [*a]", "? {a: b}\n: c", "name: !!binary aa", "\x00", "---\n---\n", "a: {b: &c d}\n<<: *c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := read(text)
		if err == nil {
			if got.kind != "" && got.name == "" {
				t.Errorf("accepted without a name: %+v", got)
			}
			return
		}
		all, ok := err.(interface{ Unwrap() []error })
		if !ok {
			t.Fatalf("not a list of mistakes: %#v", err)
		}
		for _, err := range all.Unwrap() {
			if e, ok := errors.AsType[*Error](err); !ok || e.At.Line < 1 || e.At.Column < 1 || e.Msg == "" {
				t.Errorf("a mistake without a place: %#v", err)
			}
		}
	})
}
