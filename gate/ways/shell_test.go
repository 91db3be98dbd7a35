package ways

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func told(all []Command) []string {
	var out []string
	for _, c := range all {
		text := fmt.Sprintf("%q", c.Words)
		if len(c.Env) > 0 {
			text = fmt.Sprintf("%q ", c.Env) + text
		}
		switch {
		case !Inside(c.Dir):
			text += " outside"
		case c.Dir != "":
			text += " in " + c.Dir
		}
		if c.Open {
			text += " open"
		}
		out = append(out, text)
	}
	return out
}

func TestAScriptIsTakenApartIntoItsCommands(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		want   []string
	}{
		"one command":                   {"pytest -q tests", []string{`["pytest" "-q" "tests"]`}},
		"what joins them":               {"a && b || c; d | e & f\ng", []string{`["a"]`, `["b"]`, `["c"]`, `["d"]`, `["e"]`, `["f"]`, `["g"]`}},
		"quotes":                        {`a 'b  c' "d \" e" f"g"'h' i\ j ''`, []string{`["a" "b  c" "d \" e" "fgh" "i j" ""]`}},
		"variables in front":            {"A=1 B='x y' a C=2", []string{`["A=1" "B=x y"] ["a" "C=2"]`}},
		"what a shell would work out":   {"a $(b && c) \"$D\" `e; f` ${G:-h i} j", []string{`["a" "j"] open`}},
		"a comment":                     {"a # b && c\nd#e", []string{`["a"]`, `["d#e"]`}},
		"lines that go on":              {"a \\\n  b", []string{`["a" "b"]`}},
		"redirections":                  {"a >b 2>&1 <c d 3 &>e", []string{`["a" "d" "3"]`}},
		"another folder":                {"cd x/y && a; (cd z; b); c; cd ../..; d; cd ..; e", []string{`["a"] in x/y`, `["b"] in x/y/z`, `["c"] in x/y`, `["d"]`, `["e"] outside`}},
		"a folder that cannot be told":  {"cd $X && a; cd ~ && b", []string{`["cd"] open`, `["a"]`, `["b"] outside`}},
		"a quote that does not end":     {"a 'b", []string{`["a"] open`}},
		"nothing":                       {" ;; && # x", nil},
		"more commands than are looked": {strings.Repeat("a;", 3*maxCommands), slices.Repeat([]string{`["a"]`}, maxCommands)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := told(Split(tt.script)); !slices.Equal(got, tt.want) {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCommandsInFrontOfTests(t *testing.T) {
	for script, want := range map[string]Step{
		"tsc -p .": Builds, "tsc --noEmit": Checks, "tsc --watch": Unknown, "node scripts/build.js": Builds, "node -e 1": Unknown, "node fix.js eslint lib": Checks,
		"vite build": Builds, "vite": Unknown, "eslint .": Checks, "npm ci": Checks, "yarn": Checks, "make": Unknown, "tsc $(x)": Unknown, "cd / && tsc": Unknown,
	} {
		if all := Split(script); len(all) != 1 || all[0].For() != want {
			t.Errorf("%s is for %v, want %v", script, all[0].For(), want)
		}
	}
}

func TestScriptsThatCallEachOtherEnd(t *testing.T) {
	for name, scripts := range map[string]Scripts{
		"in a circle":    {"test": "npm run a && npm run a", "a": "npm test && npm test"},
		"many times":     {"test": strings.Repeat("npm run a;", maxCommands), "a": strings.Repeat("npm run a;", maxCommands)},
		"all by pattern": {"test": "run-s * **", "a": "run-p * **", "b": "concurrently \"npm:*\" \"npm run a\""},
	} {
		t.Run(name, func(t *testing.T) {
			if n := len(scripts.Chain("test")); n > maxCommands {
				t.Errorf("%d commands", n)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a 'b' \"c\" $(d) `e` ${f}", "A=b cd x && (y) >z 2>&1 # w", "\\\n\\", "((((", "))))", "$(((", "cd .. ; cd ../../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		all := Split(script)
		if len(all) > maxCommands {
			t.Errorf("%d commands", len(all))
		}
		for _, c := range all {
			if len(c.Words) > maxWords || len(c.Words) == 0 && !c.Open || strings.ContainsRune(strings.Join(c.Words, ""), 0) {
				t.Errorf("%+v", c)
			}
			if Inside(c.Dir) && (strings.HasPrefix(c.Dir, "..") && (c.Dir == ".." || strings.HasPrefix(c.Dir, "../")) || strings.HasPrefix(c.Dir, "/")) {
				t.Errorf("%q leads out", c.Dir)
			}
			c.For()
		}
		Scripts{"test": script, "a": script}.Chain("pretest", "test")
	})
}
