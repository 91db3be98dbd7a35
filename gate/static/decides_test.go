package static_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/versions"
	"github.com/aigate/gate/tools/testenv"
)

// The base is read for what the head has on lines that the change left alone, so it may
// be read for less than a scan of the base looks for. What decides must not depend on that:
// dangerous programs lie at random places of long files, random edits are made near and far,
// and what decides is compared with whole scans of both versions.
func TestFindingsDecideThatAScanOfTheBaseDoesNotHave(t *testing.T) {
	testenv.WithoutRace(t, "some hundred long files, one at a time through the whole layer")
	samples := fixtureTree(t, techniques+"/malicious")
	for _, l := range []struct {
		language           gate.Language
		extension, plain   string // plain is a line with a number
		open, shut, rebind string // what makes a comment of the lines between, and another value of a name
		note               string // a comment at the end of a line
	}{
		{gate.LanguagePython, ".py", "total_%[1]d = size_%[1]d + %[1]d", `"""`, `"""`, "%s = print", "  # note"},
		{gate.LanguageJavaScript, ".js", "const total%[1]d = size%[1]d + %[1]d;", "/*", "*/", "var %s = console.log;", " // note"},
		{gate.LanguageShell, ".sh", "total_%[1]d=$((%[1]d + 1))", ": <<'NOTHING'", "NOTHING", "%s=/dev/null", " # note"},
	} {
		t.Run(string(l.language), func(t *testing.T) {
			t.Parallel()
			var programs []string
			for _, name := range slices.Sorted(maps.Keys(samples)) {
				if path.Ext(name) == l.extension && len(samples[name].Data) < 4000 {
					programs = append(programs, string(samples[name].Data))
				}
			}
			old, fresh := 0, 0
			for seed := range uint64(40) {
				random := rand.New(rand.NewPCG(seed, 14))
				var base []string
				for i := range 300 {
					base = append(base, fmt.Sprintf(l.plain, i))
				}
				var words []string
				for range 1 + random.IntN(4) {
					program := programs[random.IntN(len(programs))]
					words = append(words, names.FindAllString(program, -1)...)
					base = slices.Insert(base, random.IntN(len(base)), strings.Split(strings.TrimSuffix(program, "\n"), "\n")...)
				}
				head := slices.Clone(base)
				for range 1 + random.IntN(3) {
					at := random.IntN(len(head))
					switch random.IntN(7) {
					case 0: // other lines
						head[at] = fmt.Sprintf(l.plain, 1000+at)
					case 1: // one line less, which may be one of a program
						head = slices.Delete(head, at, at+1)
					case 2: // a comment opens far above
						head = slices.Insert(head, at, l.open)
					case 3: // what was a comment in the base is code
						base = slices.Insert(base, 0, l.open)
						base = append(base, l.shut)
					case 4: // a name has another value far above
						head = slices.Insert(head, random.IntN(20), fmt.Sprintf(l.rebind, words[random.IntN(len(words))]))
					case 5: // a third of the lines of the programs are written otherwise
						for i, line := range head {
							if line != "" && !strings.Contains(line, "total") && random.IntN(3) == 0 {
								head[i] = line + l.note
							}
						}
					case 6: // a dangerous program comes in
						head = slices.Insert(head, at, strings.Split(programs[random.IntN(len(programs))], "\n")...)
					}
				}
				o, n := decidesAsWholeScans(t, fmt.Sprint("seed ", seed), l.language, "code"+l.extension, strings.Join(base, "\n")+"\n", strings.Join(head, "\n")+"\n")
				old, fresh = old+o, fresh+n
			}
			t.Logf("%d findings on untouched lines were the base's as well, %d were not", old, fresh)
			if old < 50 || fresh < 5 {
				t.Errorf("%d findings were the base's, %d were not: too few of one kind to show anything", old, fresh)
			}
		})
	}
}

// How severe a weak sign is depends on the other signs of its text, in each version on those
// of that version: also where they are on lines that the change touched.
func TestAWeakSignOfTheBaseIsWeighedWithAllSignsOfTheBase(t *testing.T) {
	// The command is in pieces, so that it is no note for being in the base already.
	const around, install = "import os\nimport subprocess\n\nprint('step')\n\n", "subprocess.run(['pi' + 'p', 'install', 'worker==1.0'])\n"
	const permissions, other = "os.chmod('/etc/worker.conf', 0o777)", "os.chmod('/etc/server.conf', 0o777)"
	for _, c := range []struct {
		name       string
		base, head string // the line beside the weak sign
		fresh      int    // findings on untouched lines that decide
	}{
		{"the other sign is edited", permissions, other, 0},
		{"the other sign is written otherwise", permissions, permissions + "  # as before", 0},
		{"the other sign comes in", "print('check')", permissions, 1},
		{"the other sign goes", permissions, "print('check')", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, fresh := decidesAsWholeScans(t, c.name, gate.LanguagePython, "code.py", around+install+"\n"+c.base+"\n", around+install+"\n"+c.head+"\n")
			if fresh != c.fresh || old != 3-c.fresh { // it is a call and a command as well
				t.Errorf("%d of the base, %d that decide; want %d that decide of 3", old, fresh, c.fresh)
			}
		})
	}
}

// names are words that a program may give a value to.
var names = regexp.MustCompile(`\b[a-z_]{4,}\b`)

// decidesAsWholeScans compares which findings on untouched lines decide with whole scans of
// both versions, and returns how many don't decide and do.
func decidesAsWholeScans(t *testing.T, what string, l gate.Language, name, base, head string) (old, fresh int) {
	t.Helper()
	older, newer := versions.Text{Language: l, Path: name, Content: []byte(base)}, versions.Text{Language: l, Path: name, Content: []byte(head)}
	// The pipeline counts lines whose context changed as well. Here they are left to the
	// comparison with the base, which must be right for each line by itself.
	align := versions.Align(older, newer)
	var edited []gate.LineRange
	for line := 1; line <= strings.Count(head, "\n"); line++ {
		if _, ok := align.Before(line); !ok {
			edited = append(edited, gate.LineRange{line, line})
		}
	}
	lines := gate.OnlyLines(edited...)
	tree := func(text string) fstest.MapFS { return fstest.MapFS{name: {Data: []byte(text), Mode: 0o644}} }
	scan := func(kind gate.ChangeKind, lines gate.LineSet, c *gate.Change) ([]gate.Finding, *gate.Findings) {
		c.Targets = []*gate.Target{{Path: name, Language: l, Role: gate.RoleSource, Kind: kind, Mode: 0o644, Lines: lines}}
		all := gate.NewFindings(c.Targets, nil)
		if _, err := newScanner(t, nil).Run(t.Context(), c, all); err != nil {
			t.Fatal(err)
		}
		return all.Of(name), all
	}
	then, _ := scan(gate.ChangeNone, gate.OnlyLines(), &gate.Change{Head: tree(base)})
	now, all := scan(gate.ChangeModified, lines, &gate.Change{Head: tree(head), Base: tree(base)})
	if len(then) >= gate.MaxOldFindings {
		t.Fatalf("%s: %d findings: some are not listed", what, len(then))
	}
	for _, x := range now {
		if all.Touches(name, x) {
			continue
		}
		line, aligned := align.Before(x.Line)
		i := slices.IndexFunc(then, func(o gate.Finding) bool {
			return aligned && o.Rule == x.Rule && o.Line == line && o.Severity >= x.Severity && o.EndLine-o.Line == x.EndLine-x.Line &&
				oneSpaced(o.Evidence) == oneSpaced(x.Evidence) &&
				slices.EqualFunc(o.Flow, x.Flow, func(a, b gate.Step) bool { return oneSpaced(a.Text) == oneSpaced(b.Text) })
		})
		if x.InChange == (i >= 0) {
			t.Errorf("%s: %s (%s) on line %d decides: %t; a whole scan of the base has it: %t\n%s", what, x.Rule, x.Severity, x.Line, x.InChange, i >= 0, x.Evidence)
		}
		if i >= 0 {
			then = slices.Delete(then, i, i+1)
			old++
		} else {
			fresh++
		}
	}
	return old, fresh
}

func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }
