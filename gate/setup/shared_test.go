package setup

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/hook"
)

// shared is a home folder with several repositories, which are folders of it or the folder itself.
type shared struct{ place }

// in opens a repository and the home folder.
func (s shared) in(repository string, do func(*Record, Places, Folders)) {
	s.t.Helper()
	project, err := os.OpenRoot(filepath.Join(s.dir, repository))
	if err != nil {
		s.t.Fatal(err)
	}
	defer project.Close()
	home, err := os.OpenRoot(filepath.Join(s.dir, "home"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer home.Close()
	record, err := OpenRecord(s.state, filepath.Join(s.dir, repository))
	if err != nil {
		s.t.Fatal(err)
	}
	do(record, Places{InProject: project, InHome: home}, Folders{Project: project.FS(), Home: home.FS(), Same: repository == "home"})
}

func (s shared) init(repository string) {
	s.t.Helper()
	s.in(repository, func(r *Record, places Places, folders Folders) {
		edits, err := Plan(Look(folders.Project, folders.Home), folders, Options{
			Agents: hook.Names(), Workflow: WorkflowHosted, Pin: strings.Repeat("a1", 20), Program: "/opt/gate",
		})
		if err == nil {
			err = r.Apply(places, edits)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	})
}

// remove takes back, and returns for which repositories files of the home folder stay.
func (s shared) remove(repository string) map[string]string {
	s.t.Helper()
	stays := map[string]string{}
	s.in(repository, func(r *Record, places Places, _ Folders) {
		all, err := r.Remove(places)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, one := range all {
			if one.Kept != "" {
				s.t.Errorf("%s is kept: %s", one.Name(), one.Kept)
			}
			if one.User != "" {
				stays[one.Name()] = one.User
			}
		}
	})
	return stays
}

// hooked are the settings of the home folder that call gate.
func (s shared) hooked() []string {
	s.t.Helper()
	var out []string
	for name, text := range s.tree() {
		if strings.HasPrefix(name, "home/") && strings.Contains(text, "/opt/gate") && !strings.Contains(name, ".git/") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestHooksOfTheHomeFolderStayUntilTheLastRepositoryTakesThemBack(t *testing.T) {
	for _, order := range [][]string{{"one", "two", "three"}, {"two", "one", "three"}, {"three", "two", "one"}, {"two", "three", "one"}} {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			files := map[string]string{"home/.claude/settings.json": "{\"model\": \"opus\"}\n", "home/.cursor/hooks.json": "{ }\n"}
			for _, name := range order {
				files[name+"/.git/config"] = "[core]\n"
			}
			s := shared{newPlace(t, files)}
			if err := os.Remove(filepath.Join(s.dir, "project")); err != nil {
				t.Fatal(err)
			}
			was := s.tree()
			for _, name := range []string{"one", "two", "three"} {
				s.init(name)
				s.init(name) // again, which writes nothing
			}
			all := s.hooked()
			if len(all) < 5 {
				t.Fatalf("only %q call gate", all)
			}
			for _, name := range order[:2] {
				s.remove(name)
				if got := s.hooked(); !slices.Equal(got, all) {
					t.Fatalf("after %s took back, %q call gate, not %q", name, got, all)
				}
			}
			if stays := s.remove(order[2]); len(stays) > 0 {
				t.Errorf("they stay for %v, and no repository is left", slices.Collect(maps.Values(stays)))
			}
			s.compare(was)
			if records, err := os.ReadDir(s.state); err != nil || len(records) > 0 {
				t.Errorf("records are left: %v, %v", records, err)
			}
		})
	}
}

func TestARepositoryThatIsGoneKeepsNothing(t *testing.T) {
	s := shared{newPlace(t, map[string]string{"one/.git/config": "[core]\n", "two/.git/config": "[core]\n"})}
	s.init("one")
	s.init("two")
	if err := os.RemoveAll(filepath.Join(s.dir, "two")); err != nil {
		t.Fatal(err)
	}
	if stays := s.remove("one"); len(stays) > 0 || len(s.hooked()) > 0 {
		t.Errorf("%v stays, %q call gate", stays, s.hooked())
	}
}

func TestWhatPeoplePutInTheHomeFolderThemselvesIsNotTakenBack(t *testing.T) {
	s := shared{newPlace(t, map[string]string{"one/.git/config": "[core]\n"})}
	for _, tool := range hook.Tools() {
		if tool.Name == "claude" {
			s.put("home/.claude/settings.json", tool.Settings("/opt/gate"))
		}
	}
	was := s.text("home/.claude/settings.json")
	s.init("one")
	s.remove("one")
	if got := s.text("home/.claude/settings.json"); got != was {
		t.Errorf("it was changed: %s", got)
	}
}

func TestAHomeFolderThatIsARepositoryGetsBothInOneFileAndGivesThemBack(t *testing.T) {
	for name, before := range map[string]string{"new": "", "has settings": "{\"theme\": \"dark\"}\n"} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"home/.git/config": "[core]\n"}
			if before != "" {
				files["home/.gemini/settings.json"] = before
			}
			s := shared{newPlace(t, files)}
			was := s.tree()
			s.init("home")
			text := s.text("home/.gemini/settings.json")
			for _, want := range []string{`"mcpServers"`, `"BeforeTool"`} {
				if strings.Count(text, want) != 1 {
					t.Errorf("%s is in it %d times: %s", want, strings.Count(text, want), text)
				}
			}
			s.remove("home")
			s.compare(was)
		})
	}
}
