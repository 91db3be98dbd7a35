package execute

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

func treeOf(files map[string]string) *workspace.Tree {
	c := &gate.Change{}
	head := fstest.MapFS{}
	for name, text := range files {
		head[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		c.Files = append(c.Files, name)
	}
	c.Head = head
	return workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100})
}

const batsFile = "#!/usr/bin/env bats\nload x\r\n@test \"a b\" { # c\n  true\n}\nfoo() { #@test\n false\n}\n# bats test_tags=a:b\n@test plain {\n}\n@test 'one; $(two)' { echo; }"

func TestTheCopyThatBatsMakesIsNothingNew(t *testing.T) {
	old := "#!/usr/bin/env bats\nload x\ntest_a_b() { bats_test_begin \"a b\";  # c\n  true\n}\ntest_foo() { bats_test_begin \"foo\"; \n false\n}\n# bats test_tags=a:b\n" +
		"test_plain() { bats_test_begin \"plain\"; \n}\ntest_one() { bats_test_begin 'one; $(two)';  echo; }\n\nbats_test_function --tags '' test_a_b\nbats_test_function --tags 'a:b' test_plain\n"
	recent := "#!/usr/bin/env bats\nload x\nbats_test_function --description a\\ b  --tags \"\" --tags \"\" -- test_a_b;test_a_b() {  # c\n  true\n}\n" +
		"bats_test_function --description foo  --tags \"\" --tags \"\" -- test_foo;test_foo() { \n false\n}\n# bats test_tags=a:b\n" +
		"bats_test_function --description plain  --tags \"a:b\" --tags \"\" -- test_plain;test_plain() { \n}\n" +
		"bats_test_function --description one\\;\\ \\$\\(two\\)  --tags \"\" --tags \"\" -- test_one;test_one() { :;  echo; }\n"
	for name, tt := range map[string]struct {
		copied string
		want   bool
	}{
		"of Bats 1.8":                   {old, true},
		"of Bats 1.13":                  {recent, true},
		"with another line":             {strings.Replace(old, "  true\n", "  curl example.com | sh\n", 1), false},
		"with another body":             {strings.Replace(recent, "{ :;  echo; }", "{ :;  id; }", 1), false},
		"with a call before a test":     {strings.Replace(recent, "test_foo;test_foo", "test_foo;id;test_foo", 1), false},
		"with words that are expanded":  {strings.Replace(recent, "--tags \"a:b\"", "--tags \"$(id)\"", 1), false},
		"with a line behind the others": {old + "id\n", false},
		"with a call behind the others": {old + "bats_test_function x; id\n", false},
		"with a line less":              {strings.Replace(old, " false\n", "", 1), false},
		"of another file":               {"bats_test_function --tags '' test_x\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := copyOfBats(treeOf(map[string]string{"a.bats": "other\n", "test/b.bats": batsFile}), []byte(tt.copied)); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

func TestBatsTellsHowManyTestsEndedWithinTheBudget(t *testing.T) {
	for name, tt := range map[string]struct {
		first     []string
		out       string
		truncated bool
		near      bool
		says      string
	}{
		"the nearest ended":               {nil, "1..9\nok 1 a\nnot ok 2 b\n# ok 3\nok 3 c # skip\nok 4 d\nok 5 e\n", false, true, "5 of 9 tests ran within 1m0s"},
		"one of the nearest did not":      {nil, "1..9\nok 1 a\nok 2 b\n", false, false, "2 of 9 tests ran within 1m0s"},
		"all with edited lines ended":     {[]string{"foo"}, "1..1\nok 1 foo\n1..9\nok 1 a\n", false, true, "1 of 9 tests ran within 1m0s"},
		"one with edited lines did not":   {[]string{"foo", "bar"}, "1..2\nok 1 foo\n", false, false, "the tests were ended after 1m0s"},
		"no test was found in time":       {nil, "", false, false, "the tests were ended after 1m0s"},
		"only the begin of it is known":   {nil, "1..9\nok 1 a\nok 2 b\nok 3 c\nok 4 d\n", true, false, "the tests were ended after 1m0s"},
		"more tests than there should be": {nil, "1..1\nok 1\nok 2\nok 3\nok 4\nok 5\n", false, false, "1 of 1 tests ran within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cut{budget: time.Minute}
			c.bats(treeOf(map[string]string{"a.bats": batsFile, "b.bats": batsFile}), plan.Unit{Near: []string{"a.bats"}}, job.Bats{First: tt.first}, sandbox.Stream{Data: []byte(tt.out), Truncated: tt.truncated})
			if c.near != tt.near || c.says() != tt.says {
				t.Errorf("near %t, %q", c.near, c.says())
			}
		})
	}
}

func TestAShellThatMovesValuesIsNoNews(t *testing.T) {
	for text, want := range map[string]bool{
		"tags=()": true, "(( ${#file_tags[@]} > 0 ))": true, "end=${#list[@]}": true, "mid=${list[$i]}": true, `all+=("${tags[@]}")`: true,
		"local -r length=${#list[@]}": true, "local value=12": true, "x=$y": true,
		"tags=() id": false, "x=$(id)": false, "x=`id`": false, "x=${list[$(id)]}": false, "PATH=/tmp": false, "id": false, "x=1; id": false, "x=1\nid": false, "((a[$(id)]))": false,
		"x=${y:-$(id)}": false, "x=\"$(id)\"": false,
	} {
		if got := reckons("/tmp/.gate-code/1-1.sh", []byte(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestNumbersThatAShellReadsAreNoCode(t *testing.T) {
	for text, want := range map[string]bool{
		"4711\n": true, "passed-4711\n": true, "12\n passed-13\n2026-11-24\n": true, "10:44:01.5": true,
		"id\n": false, "4711\nid\n": false, "sleep 100\n": false, "12 13\n": false, "rm-1;id\n": false, "/1\n": false, "": false, "-1\n": false, "passed-\n": false,
	} {
		if got := numbers.MatchString(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
