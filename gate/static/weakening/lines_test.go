package weakening

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestSettingsAreReadLineByLine(t *testing.T) {
	for name, tc := range map[string]struct {
		language gate.Language
		text     string
		want     []string
	}{
		"keys of YAML":          {gate.LanguageYAML, "a:\n  b:\n    c: 1\n  d: 2\n", []string{"a:", "a.b:", "a.b.c: 1", "a.d: 2"}},
		"lists of YAML":         {gate.LanguageYAML, "a:\n- b: 1\n  c: 2\n- d: 3\n", []string{"a:", "a.b: 1", "a.c: 2", "a.d: 3"}},
		"comments of settings":  {gate.LanguageINI, "# a\n; b\n c = 1\n", []string{"c = 1"}},
		"comments of a program": {gate.LanguageJava, "// a\n/* b\n * c\n */\nd();\n", []string{"d();"}},
		"lines that go on":      {gate.LanguageDockerfile, "RUN a \\\n  && b\nRUN c\n", []string{"RUN a && b", "RUN c"}},
		"an end that goes on":   {gate.LanguageShell, "a \\\n", []string{"a"}},
		"a long line":           {gate.LanguageINI, strings.Repeat("a", maxLine+1) + "\nb\n", []string{"b"}},
	} {
		var got []string
		for _, s := range lines(tc.language, "a", tc.text).stmts {
			got = append(got, s.text)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if lines(gate.LanguageINI, "a", strings.Repeat("a\n", maxLines+1)) != nil {
		t.Error("a file with too many lines is read")
	}
}

func TestASettingThatMovedToAnotherFileIsNoWeakening(t *testing.T) {
	const open = "PermitRootLogin yes\n"
	sshd := func(path, base, head string) File {
		return File{Path: path, Base: []byte(base), Head: []byte(head)}
	}
	for name, tc := range map[string]struct {
		files []File
		want  bool
	}{
		"new":              {[]File{sshd("sshd_config", "Port 22\n", open)}, true},
		"moved":            {[]File{sshd("sshd_config", open, "Port 22\n"), sshd("more/sshd_config", "Port 22\n", open)}, false},
		"in a comment":     {[]File{sshd("sshd_config", "Port 22\n", "# "+open)}, false},
		"in another place": {[]File{sshd("sshd_config", open+"Port 22\n", "Port 22\n"+open)}, false},
	} {
		if got := slices.Contains(ids(engine(t).Compare(tc.files, nil)), "ssh-login-opened"); got != tc.want {
			t.Errorf("%s: found %v, want %v", name, got, tc.want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a:\n- b: \\\n  c\n", "a: {b: [c]}\n")
	f.Fuzz(func(t *testing.T, base, head string) {
		for _, l := range []gate.Language{gate.LanguageYAML, gate.LanguageShell, gate.LanguageUnknown, gate.LanguageJava} {
			for _, s := range lines(l, "a", head).stmts {
				if s.text == "" || s.first < 1 || s.last < s.first || len(s.text) > 2*maxLine+maxKeys*(maxKeyName+1)+2 {
					t.Fatalf("statement %+v", s)
				}
			}
			compareFiles([]File{{Path: "a", Language: l, Base: []byte(base), Head: []byte(head)}})
		}
	})
}
