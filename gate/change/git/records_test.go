package git

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	oidA = strings.Repeat("a", 40)
	oidB = strings.Repeat("b", 40)
	zero = strings.Repeat("0", 40)
)

// parserCase is one listing with what it parses to, or a part of the error.
type parserCase struct {
	name  string
	input string
	want  any
	err   string
}

func runParserCases(t *testing.T, cases []parserCase, parse func(string) (any, error)) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(tt.input)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func rawCases() []parserCase {
	return []parserCase{
		{name: "nothing differs", input: "", want: []Difference(nil)},
		{name: "an addition", input: ":000000 100644 " + zero + " " + oidA + " A\x00a b\nc\x00",
			want: []Difference{{Status: Added, Old: Entry{"a b\nc", ModeNone, OID(zero)}, New: Entry{"a b\nc", ModeFile, OID(oidA)}}}},
		{name: "a rename with both paths", input: ":100644 100755 " + oidA + " " + oidB + " R087\x00old\x00new\x00",
			want: []Difference{{Status: Renamed, Similar: 87, Old: Entry{"old", ModeFile, OID(oidA)}, New: Entry{"new", ModeExecutable, OID(oidB)}}}},
		{name: "a deletion then a type change", input: ":100644 000000 " + oidA + " " + zero + " D\x00x\x00:100644 120000 " + oidA + " " + oidB + " T\x00y\x00",
			want: []Difference{
				{Status: Deleted, Old: Entry{"x", ModeFile, OID(oidA)}, New: Entry{"x", ModeNone, OID(zero)}},
				{Status: TypeChange, Old: Entry{"y", ModeFile, OID(oidA)}, New: Entry{"y", ModeSymlink, OID(oidB)}},
			}},
		{name: "a submodule", input: ":160000 160000 " + oidA + " " + oidB + " M\x00sub\x00",
			want: []Difference{{Status: Modified, Old: Entry{"sub", ModeSubmodule, OID(oidA)}, New: Entry{"sub", ModeSubmodule, OID(oidB)}}}},
		{name: "a path of bytes that are no UTF-8", input: ":100644 100644 " + oidA + " " + oidB + " M\x00\xff\xfe\x00",
			want: []Difference{{Status: Modified, Old: Entry{"\xff\xfe", ModeFile, OID(oidA)}, New: Entry{"\xff\xfe", ModeFile, OID(oidB)}}}},
		{name: "odd permissions are reduced", input: ":100600 100777 " + oidA + " " + oidB + " M\x00x\x00",
			want: []Difference{{Status: Modified, Old: Entry{"x", ModeFile, OID(oidA)}, New: Entry{"x", ModeExecutable, OID(oidB)}}}},

		{name: "a cut record is an error", input: ":100644 100644 " + oidA + " " + oidB + " M\x00x", err: "cut"},
		{name: "a missing path is an error", input: ":100644 100644 " + oidA + " " + oidB + " M\x00", err: "without a path"},
		{name: "a missing new path is an error", input: ":100644 100644 " + oidA + " " + oidB + " R100\x00x\x00", err: "without a path"},
		{name: "an empty path is an error", input: ":100644 100644 " + oidA + " " + oidB + " M\x00\x00", err: "0 bytes"},
		{name: "an unknown letter is an error", input: ":100644 100644 " + oidA + " " + oidB + " Z\x00x\x00", err: "unknown kind"},
		{name: "a rename without a score is an error", input: ":100644 100644 " + oidA + " " + oidB + " R\x00x\x00y\x00", err: "score"},
		{name: "a score above 100 is an error", input: ":100644 100644 " + oidA + " " + oidB + " R101\x00x\x00y\x00", err: "score"},
		{name: "a short object name is an error", input: ":100644 100644 abc " + oidB + " M\x00x\x00", err: "object name"},
		{name: "an upper-case object name is an error", input: ":100644 100644 " + strings.Repeat("A", 40) + " " + oidB + " M\x00x\x00", err: "object name"},
		{name: "an unknown file type is an error", input: ":140000 100644 " + oidA + " " + oidB + " M\x00x\x00", err: "mode"},
		{name: "a mode that is no number is an error", input: ":1006x4 100644 " + oidA + " " + oidB + " M\x00x\x00", err: "mode"},
		{name: "a missing colon is an error", input: "100644 100644 " + oidA + " " + oidB + " M\x00x\x00", err: "not a difference"},
		{name: "a combined difference is an error", input: "::100644 100644 100644 " + oidA + " " + oidA + " " + oidB + " MM\x00x\x00", err: "not a difference"},
		{name: "an endless path is an error", input: ":100644 100644 " + oidA + " " + oidB + " M\x00" + strings.Repeat("x", 2*maxRecord), err: "longer than"},
		{name: "a path that is too long is an error", input: ":100644 100644 " + oidA + " " + oidB + " M\x00" + strings.Repeat("x", MaxPath+1) + "\x00", err: "path has"},
	}
}

func parseRawAll(t testing.TB, input string) ([]Difference, error) {
	var out []Difference
	err := parseRaw(strings.NewReader(input), sha1Format(t), func(d Difference) { out = append(out, d) })
	return out, err
}

func TestParseRaw(t *testing.T) {
	runParserCases(t, rawCases(), func(s string) (any, error) { return parseRawAll(t, s) })
}

func treeCases() []parserCase {
	return []parserCase{
		{name: "an empty tree", input: "", want: []Entry(nil)},
		{name: "a file, a link and a submodule", input: "100644 blob " + oidA + "\ta\tb\x00120000 blob " + oidB + "\tl\x00160000 commit " + oidA + "\ts\x00",
			want: []Entry{{"a\tb", ModeFile, OID(oidA)}, {"l", ModeSymlink, OID(oidB)}, {"s", ModeSubmodule, OID(oidA)}}},
		{name: "a tree entry of the wrong type is an error", input: "100644 commit " + oidA + "\ta\x00", err: "is a"},
		{name: "a folder is an error, since the listing is recursive", input: "040000 tree " + oidA + "\ta\x00", err: "mode"},
		{name: "a missing tab is an error", input: "100644 blob " + oidA + " a\x00", err: "not a tree entry"},
	}
}

func parseTreeAll(t testing.TB, input string) ([]Entry, error) {
	var out []Entry
	err := parseTree(strings.NewReader(input), sha1Format(t), func(e Entry) { out = append(out, e) })
	return out, err
}

func TestParseTree(t *testing.T) {
	runParserCases(t, treeCases(), func(s string) (any, error) { return parseTreeAll(t, s) })
}

func indexCases() []parserCase {
	return []parserCase{
		{name: "files with and without a work tree copy", input: "H 100644 " + oidA + " 0\ta\x00S 100755 " + oidB + " 0\tb\x00",
			want: []IndexEntry{{Entry: Entry{"a", ModeFile, OID(oidA)}}, {Entry: Entry{"b", ModeExecutable, OID(oidB)}, Skipped: true}}},
		{name: "the sides of a conflict", input: "M 100644 " + oidA + " 2\ta\x00", want: []IndexEntry{{Entry: Entry{"a", ModeFile, OID(oidA)}, Stage: 2}}},
		{name: "an impossible stage is an error", input: "H 100644 " + oidA + " 4\ta\x00", err: "not an index entry"},
		{name: "a stage with a sign is an error", input: "H 100644 " + oidA + " +0\ta\x00", err: "not an index entry"},
		{name: "a missing tag is an error", input: "100644 " + oidA + " 0\ta\x00", err: "not an index entry"},
	}
}

func parseIndexAll(t testing.TB, input string) ([]IndexEntry, error) {
	var out []IndexEntry
	err := parseIndex(strings.NewReader(input), sha1Format(t), func(e IndexEntry) { out = append(out, e) })
	return out, err
}

func TestParseIndex(t *testing.T) {
	runParserCases(t, indexCases(), func(s string) (any, error) { return parseIndexAll(t, s) })
}

func headerCases() []parserCase {
	f := func(kind string, size int64) header { return header{oid: OID(oidA), kind: kind, size: size} }
	return []parserCase{
		{name: "a blob", input: oidA + " blob 12", want: f("blob", 12)},
		{name: "an empty tree", input: oidA + " tree 0", want: f("tree", 0)},
		{name: "a missing object", input: oidA + " missing", err: ErrMissing.Error()},
		{name: "an ambiguous name is an error", input: "abc ambiguous", err: "unexpected"},
		{name: "a negative size is an error", input: oidA + " blob -1", err: "unexpected"},
		{name: "a size with a sign is an error", input: oidA + " blob +1", err: "unexpected"},
		{name: "a size with leading zeros is an error", input: oidA + " blob 01", err: "unexpected"},
		{name: "a size beyond all bounds is an error", input: oidA + " blob 99999999999999999999", err: "unexpected"},
		{name: "an unknown type is an error", input: oidA + " note 1", err: "unexpected"},
		{name: "an empty line is an error", input: "", err: "unexpected"},
	}
}

func TestParseHeader(t *testing.T) {
	cases := headerCases()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseHeader(tt.input, sha1Format(t))
			switch {
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want one with %q", err, tt.err)
			case tt.err == "" && (err != nil || got != tt.want):
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestAMillionEntriesAreTheMost(t *testing.T) {
	record := "100644 blob " + oidA + "\ta\x00"
	input := &repeating{unit: []byte(record), left: (MaxEntries + 1) * len(record)}
	n := 0
	err := parseTree(input, sha1Format(t), func(Entry) { n++ })
	if err == nil || n != MaxEntries {
		t.Errorf("%d entries, error %v", n, err)
	}
}

// repeating reads one text again and again.
type repeating struct {
	unit []byte
	at   int
	left int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && r.left > 0 {
		k := copy(p[n:min(len(p), n+r.left)], r.unit[r.at:])
		r.at = (r.at + k) % len(r.unit)
		r.left -= k
		n += k
	}
	if n == 0 {
		return 0, errOutput
	}
	return n, nil
}

func addSeeds(f *testing.F, cases ...[]parserCase) {
	for _, list := range cases {
		for _, c := range list {
			f.Add(c.input)
		}
	}
}

// FuzzParseRaw checks that what parses can be written again: nothing is guessed
// and nothing is lost.
func FuzzParseRaw(f *testing.F) {
	addSeeds(f, rawCases())
	f.Fuzz(func(t *testing.T, input string) {
		ds, err := parseRawAll(t, input)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for _, d := range ds {
			fmt.Fprintf(&again, ":%06o %06o %s %s %c", uint32(d.Old.Mode), uint32(d.New.Mode), d.Old.OID, d.New.OID, d.Status)
			if d.Status == Renamed || d.Status == Copied {
				fmt.Fprintf(&again, "%03d\x00%s", d.Similar, d.Old.Path)
			}
			fmt.Fprintf(&again, "\x00%s\x00", d.New.Path)
		}
		twice, err := parseRawAll(t, again.String())
		for i := range ds {
			if ds[i].Status != Renamed && ds[i].Status != Copied {
				ds[i].Similar = 0 // the score of a rewrite is not kept
			}
		}
		if err != nil || !cmp.Equal(ds, twice) {
			t.Fatalf("%q parses differently when written again: %v\n%s", input, err, cmp.Diff(ds, twice))
		}
	})
}

func FuzzParseListings(f *testing.F) {
	addSeeds(f, treeCases(), indexCases())
	f.Fuzz(func(t *testing.T, input string) {
		entries, err := parseTreeAll(t, input)
		if err == nil && strings.Count(input, "\x00") != len(entries) {
			t.Errorf("%d entries of %q", len(entries), input)
		}
		index, err := parseIndexAll(t, input)
		if err == nil && strings.Count(input, "\x00") != len(index) {
			t.Errorf("%d index entries of %q", len(index), input)
		}
	})
}

func FuzzParseHeader(f *testing.F) {
	addSeeds(f, headerCases())
	f.Fuzz(func(t *testing.T, input string) {
		h, err := parseHeader(input, sha1Format(t))
		if err == nil && fmt.Sprintf("%s %s %d", h.oid, h.kind, h.size) != input {
			t.Errorf("%q parsed to %+v", input, h)
		}
	})
}
