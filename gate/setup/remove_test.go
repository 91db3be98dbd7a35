package setup

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/hook"
)

// before are files of a project and a home folder as people have them, in every way of writing.
func before() map[string]string {
	return map[string]string{
		"project/.git/config":             "[core]\n\tbare = false\n",
		"project/.pre-commit-config.yaml": "repos:\r\n  - repo: https://example.com/lint\r\n    rev: v1\r\n    hooks:\r\n      - id: lint",
		"project/.mcp.json":               "{\r\n\t\"mcpServers\" : { \"other\" : {\"command\":\"other\"} }\r\n}\r\n",
		"project/.cursor/mcp.json":        "// mine\n{\"mcpServers\": {}}\n",
		"home/.claude/settings.json":      "\n{\n    \"model\" : \"opus\",\n    \"hooks\": { \"PreToolUse\" : [ ],\n  \"PostToolUse\": [{\"hooks\": []}] }}",
		"home/.cursor/hooks.json":         "{ }\r\n\r\n",
		"home/.gemini/settings.json":      "{\"theme\": 1e2, \"hooks\": {}}",
		"home/.codex/config.toml":         "# mine\r\nmodel = \"x\" # why",
		"home/.codex/hooks.json":          "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[]}],\n\n \"Stop\":[]}}\n",
		"home/.copilot/hooks/other.json":  "{}",
	}
}

// place is a project and a home folder on disk.
type place struct {
	t          *testing.T
	dir, state string
}

func newPlace(t *testing.T, files map[string]string) place {
	p := place{t, t.TempDir(), filepath.Join(t.TempDir(), "init")}
	for name, text := range files {
		p.put(name, text)
	}
	for _, folder := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(p.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) put(name, text string) {
	p.t.Helper()
	at := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o640); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) text(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// replace changes one string of a file, which has to be there.
func (p place) replace(name, old, now string) {
	p.t.Helper()
	text := p.text(name)
	if !strings.Contains(text, old) {
		p.t.Fatalf("%s has no %q: %q", name, old, text)
	}
	p.put(name, strings.Replace(text, old, now, 1))
}

func (p place) delete(name string) {
	p.t.Helper()
	if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
		p.t.Fatal(err)
	}
}

// link moves a file elsewhere and leaves a link to it.
func (p place) link(name, to string) {
	p.t.Helper()
	at := filepath.Join(p.dir, name)
	if err := os.Rename(at, filepath.Join(filepath.Dir(at), to)); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		p.t.Fatal(err)
	}
}

// tree is every file, folder and link, with its mode and what is in it.
func (p place) tree() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(p.dir, at)
		out[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			out[name] += " " + p.text(name)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// with opens the two folders.
func (p place) with(do func(Places, Folders)) {
	p.t.Helper()
	places := Places{}
	for in, folder := range map[string]string{InProject: "project", InHome: "home"} {
		root, err := os.OpenRoot(filepath.Join(p.dir, folder))
		if err != nil {
			p.t.Fatal(err)
		}
		defer root.Close()
		places[in] = root
	}
	do(places, Folders{Project: places[InProject].FS(), Home: places[InHome].FS()})
}

func (p place) record() *Record {
	p.t.Helper()
	r, err := OpenRecord(p.state, p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// init does what gate init does for all agents, and returns what it planned.
func (p place) init() []Edit {
	p.t.Helper()
	var edits []Edit
	p.with(func(places Places, folders Folders) {
		var err error
		edits, err = Plan(Look(folders.Project, folders.Home), folders, Options{
			Agents: hook.Names(), Workflow: WorkflowHosted, Pin: strings.Repeat("a1", 20), Program: "/opt/gate",
		})
		if err != nil {
			p.t.Fatal(err)
		}
		if err := p.record().Apply(places, edits); err != nil {
			p.t.Fatal(err)
		}
	})
	return edits
}

// remove takes back, and returns why the files that are kept are.
func (p place) remove() map[string]string {
	p.t.Helper()
	kept := map[string]string{}
	p.with(func(places Places, _ Folders) {
		all, err := p.record().Remove(places)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, one := range all {
			if one.Gone != (one.Kept == "") {
				p.t.Errorf("%s: gone %v, kept %q", one.Name(), one.Gone, one.Kept)
			}
			if one.Kept != "" {
				kept[one.Name()] = one.Kept
			}
		}
	})
	return kept
}

func (p place) compare(want map[string]string) {
	p.t.Helper()
	got := p.tree()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == "" {
			p.t.Errorf("%s is left: %q", name, got[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			p.t.Errorf("%s\n is   %q,\n not  %q", name, got[name], want[name])
		}
	}
}

// A change that a user makes after gate init is made to the files of before as well: what is left
// in the end has to be the same, byte for byte.
func TestRemoveTakesBackWhatInitWroteAndNothingElse(t *testing.T) {
	for name, since := range map[string]func(p place){
		"nothing happened since": func(place) {},
		"other settings were changed, in front and behind": func(p place) {
			p.replace("home/.claude/settings.json", `"opus"`, `"sonnet"`)
			p.replace("home/.claude/settings.json", `[{"hooks": []}`, `[{"hooks": [ 1 ]}`)
			p.replace("home/.gemini/settings.json", "1e2", "\"dark\",\n \"new\": [ ]")
			p.replace("home/.codex/hooks.json", "\"Stop\":[", "\"Stop\":[ null ")
			p.replace("project/.mcp.json", "\"other\" : {", "\"second\":{},\r\n\"other\" : {")
			p.replace("home/.codex/config.toml", "# mine", "# yours\r\nother = 1")
			p.replace("project/.pre-commit-config.yaml", "rev: v1", "rev: v2")
		},
		"text was put behind": func(p place) {
			p.put("project/.pre-commit-config.yaml", strings.TrimRight(p.text("project/.pre-commit-config.yaml"), "\r\n")+"\r\ndefault_stages: [pre-commit]\r\n")
			p.put("home/.codex/config.toml", strings.TrimRight(p.text("home/.codex/config.toml"), "\r\n")+"\r\n[other]\r\nkey = 1\r\n")
			p.put("home/.claude/settings.json", p.text("home/.claude/settings.json")+"\n\n")
		},
		"a file that was there was deleted": func(p place) {
			p.delete("home/.claude/settings.json")
			p.delete("home/.codex/config.toml")
			p.delete("project/.mcp.json")
		},
		"a file that was there was made private": func(p place) {
			if err := os.Chmod(filepath.Join(p.dir, "home/.claude/settings.json"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"files came into the folders": func(p place) { p.put("home/.copilot/hooks/mine.json", "{}") },
	} {
		t.Run(name, func(t *testing.T) {
			p, want := newPlace(t, before()), newPlace(t, before())
			p.init()
			if text := p.text("home/.claude/settings.json"); !strings.Contains(text, "/opt/gate hook claude") {
				t.Fatalf("nothing was written: %s", text)
			}
			since(p)
			since(want)
			if kept := p.remove(); len(kept) > 0 {
				t.Error(kept)
			}
			p.compare(want.tree())
			if entries, err := os.ReadDir(p.state); err != nil || len(entries) > 0 {
				t.Errorf("the record is left: %v, %v", entries, err)
			}
		})
	}
}

func TestRemoveAfterWhatHappenedToTheFilesOfGate(t *testing.T) {
	const block = "[mcp_servers.gate]"
	for name, tt := range map[string]struct {
		since func(p place)
		kept  map[string]string // nil for nothing
		want  map[string]string // what is there besides the files of before; "" for one that is gone
	}{
		"they were deleted, and the folders stayed": {
			since: func(p place) {
				p.delete("project/.github/workflows/gate.yml")
				p.delete("project/.gemini/settings.json")
				p.delete("project/.gate.yml")
			},
		},
		"init ran a second time": {since: func(p place) { p.init() }},
		"they were deleted, and init ran again": {
			since: func(p place) {
				p.delete("project/.gate.yml")
				p.put("home/.claude/settings.json", before()["home/.claude/settings.json"])
				p.init()
			},
		},
		"what was added was taken out by hand": {
			since: func(p place) {
				for _, name := range []string{"home/.codex/config.toml", "project/.pre-commit-config.yaml", "home/.cursor/hooks.json"} {
					p.put(name, before()[name]+"\n")
				}
			},
			want: map[string]string{
				"home/.codex/config.toml":         before()["home/.codex/config.toml"] + "\n",
				"project/.pre-commit-config.yaml": before()["project/.pre-commit-config.yaml"] + "\n",
				"home/.cursor/hooks.json":         before()["home/.cursor/hooks.json"] + "\n",
			},
		},
		"an editor changed the line ends": {
			since: func(p place) {
				for _, name := range []string{"home/.codex/config.toml", "project/.pre-commit-config.yaml"} {
					p.put(name, strings.ReplaceAll(p.text(name), "\r\n", "\n"))
				}
			},
			want: map[string]string{
				"home/.codex/config.toml":         strings.ReplaceAll(before()["home/.codex/config.toml"], "\r\n", "\n"),
				"project/.pre-commit-config.yaml": strings.ReplaceAll(before()["project/.pre-commit-config.yaml"], "\r\n", "\n"),
			},
		},
		"they were changed": {
			since: func(p place) {
				p.put("project/.gate.yml", "ours")
				p.replace("home/.codex/config.toml", block, block+"\nenabled = true")
			},
			kept: map[string]string{
				".gate.yml":            "it was changed since; remove it by hand",
				"~/.codex/config.toml": "its lines were changed since; take them out by hand",
			},
		},
		"links took their place": {
			since: func(p place) {
				p.link("project/.gate.yml", "linked.yml")
				p.link("home/.claude/settings.json", "linked.json")
			},
			kept: map[string]string{
				".gate.yml":               ".gate.yml is a link, and gate writes to no file that a link leads to",
				"~/.claude/settings.json": ".claude/settings.json is a link, and gate writes to no file that a link leads to",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, before())
			was := p.tree()
			p.init()
			tt.since(p)
			changed := p.tree()
			if kept := p.remove(); !maps.Equal(kept, tt.kept) {
				t.Errorf("kept: %q, want %q", kept, tt.kept)
			}
			if len(tt.kept) == 0 {
				for name, text := range tt.want {
					was[name] = "-rw-r----- " + text
				}
				p.compare(was)
				return
			}
			for name := range tt.kept {
				at := filepath.Join("project", name)
				if home, ok := strings.CutPrefix(name, "~/"); ok {
					at = filepath.Join("home", home)
				}
				if got := p.tree()[at]; got != changed[at] {
					t.Errorf("%s was kept and is %q, not %q", name, got, changed[at])
				}
			}
		})
	}
}

func TestInitLeavesLinksAlone(t *testing.T) {
	p := newPlace(t, before())
	p.link("home/.claude/settings.json", "linked.json")
	p.link("home/.gemini", "linked")
	want := p.tree()
	left := map[string]string{}
	for _, e := range p.init() {
		left[e.Name()] = e.Left
		if strings.Contains(e.Left, "is a link") && e.ByHand == "" {
			t.Errorf("%s: no text to put there by hand", e.Name())
		}
	}
	for name, why := range map[string]string{
		"~/.claude/settings.json": ".claude/settings.json is a link, and gate writes to no file that a link leads to",
		"~/.gemini/settings.json": ".gemini is a link, and gate writes to no file that a link leads to",
		"~/.cursor/hooks.json":    "", // the others are written
	} {
		if got, ok := left[name]; got != why || !ok {
			t.Errorf("%s: %q, want %q", name, got, why)
		}
	}
	p.remove()
	p.compare(want)
}

func TestARecordThatCannotBeTrustedChangesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(t *testing.T, file string)
		want   string // "" for a record without anything in it
	}{
		"it is gone":        {func(t *testing.T, file string) { must(t, os.Remove(file)) }, ""},
		"it is cut off":     {func(t *testing.T, file string) { must(t, os.Truncate(file, 100)) }, "is damaged"},
		"it is empty":       {func(t *testing.T, file string) { must(t, os.Truncate(file, 0)) }, "is damaged"},
		"it is twice there": {func(t *testing.T, file string) { rewrite(t, file, func(s string) string { return s + s }) }, "is damaged"},
		"it is of another repository": {func(t *testing.T, file string) {
			rewrite(t, file, func(s string) string { return strings.Replace(s, `"root":"`, `"root":"/other`, 1) })
		}, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, before())
			p.init()
			want := p.tree()
			tt.damage(t, p.record().file)
			r, err := OpenRecord(p.state, p.dir)
			switch {
			case tt.want == "" && (err != nil || len(r.Edits) > 0):
				t.Errorf("%v, %v", r, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
			p.compare(want)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rewrite(t *testing.T, file string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, []byte(change(string(data))), 0o600))
}
