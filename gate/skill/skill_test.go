package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = "---\nname: csv-report\ndescription: Makes a report.\n---\n# Report\nRun it.\n"

func TestAFrontMatterIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"as it is":              good,
		"with a mark of UTF-8":  "\ufeff" + good,
		"with lines of Windows": strings.ReplaceAll(good, "\n", "\r\n"),
		"with keys of others":   strings.Replace(good, "---\n#", "license: MIT\nallowed-tools: [Bash]\nmetadata: {author: x}\n---\n#", 1),
		"on several lines":      strings.Replace(good, "Makes a report.", ">-\n  Makes\n  a report.", 1),
	} {
		f, body, err := Parse("SKILL.md", []byte(text))
		if err != nil || f != (Front{"csv-report", "Makes a report."}) || body != "# Report\nRun it.\n" {
			t.Errorf("%s: %+v, %q, %v", name, f, body, err)
		}
	}
}

func TestAFrontMatterThatIsNoneSaysWhereAndWhy(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":             {"", "SKILL.md:1: expected is a line with ---"},
		"no end":              {"---\nname: a\n", "does not end"},
		"no mapping":          {"---\n- a\n---\n", "is no mapping"},
		"no name":             {"---\ndescription: x\n---\n", `name is ""`},
		"a name that climbs":  {"---\nname: ../a\ndescription: x\n---\n", "lower-case letters"},
		"a name that is long": {"---\nname: " + strings.Repeat("a", 65) + "\ndescription: x\n---\n", "lower-case letters"},
		"a name twice":        {"---\nname: a\nname: b\ndescription: x\n---\n", "SKILL.md:3"},
		"a name as a list":    {"---\nname: [a]\ndescription: x\n---\n", "SKILL.md:2:7: name is no text"},
		"no description":      {"---\nname: a\n---\n", "description is missing"},
		"a long description":  {"---\nname: a\ndescription: " + strings.Repeat("x", 1025) + "\n---\n", "at most 1024"},
		"an escape sequence":  {"---\nname: a\ndescription: \"x\\e[2J\"\n---\n", "cannot be seen"},
		"an alias":            {"---\nname: a\ndescription: &x y\nmore: *x\n---\n", "anchors and aliases"},
		"a tag":               {"---\nname: !!binary YQ==\ndescription: x\n---\n", "tags are not read"},
		"deep YAML":           {"---\nname: a\ndescription: x\nm: " + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "\n---\n", "levels deep"},
		"a long front matter": {"---\nname: a\ndescription: x\n" + strings.Repeat("#xxxxxxx\n", 2000) + "---\n", "at most 16384"},
		"no UTF-8":            {"---\nname: a\xff\n---\n", "not UTF-8"},
		"a second document":   {"---\nname: a\ndescription: x\n...\n--- \nname: b\n---\n", "one document"},
	} {
		if _, _, err := Parse("SKILL.md", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestASkillIsReadWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/csv-report/SKILL.md", good)
	write(t, dir+"/csv-report/lib/a.py", "print(1)\n")
	write(t, dir+"/no-skill/README.md", "x")
	s, err := Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k, err := s.Load("csv-report")
	if err != nil || k.Files.Len() != 2 || k.Body == "" {
		t.Fatal(err)
	}
	if all, err := s.List(); err != nil || len(all) != 1 || all[0].Name != "csv-report" {
		t.Errorf("%v, %v", all, err)
	}
	for name, tt := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"a link in it": {func(dir string) error { return os.Symlink("/etc/passwd", dir+"/link") }, "a skill has no links"},
		"too large":    {func(dir string) error { return os.Truncate(dir+"/SKILL.md", maxText+1) }, "has more than"},
		"too large together": {func(dir string) error {
			write(t, dir+"/data", "")
			return os.Truncate(dir+"/data", MaxBytes)
		}, "more than 8 MiB"},
		"too many files": {func(dir string) error {
			for i := range MaxFiles {
				write(t, fmt.Sprint(dir, "/", i), "")
			}
			return nil
		}, "more than 200 files"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/csv-report/SKILL.md", good)
			s, err := Open([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := tt.spoil(dir + "/csv-report"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Load("csv-report"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzWhatParseTakesHasANameAndADescription(f *testing.F) {
	for _, s := range []string{good, "", "---\n---\n", "---\nname: &a [*a]\n---\n", "---\nname: a\ndescription: |\n x\n---"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		front, _, err := Parse("SKILL.md", text)
		if err == nil && (!name.MatchString(front.Name) || front.Description == "" || strings.ContainsAny(front.Description, "\n\x00\x1b")) {
			t.Errorf("%+v", front)
		}
	})
}
