package static_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaultScanner is shared, because a scanner compiles what it needs as it goes.
var defaultScanner = sync.OnceValues(func() (*static.Scanner, error) {
	return static.New(static.Options{Policy: gate.DefaultPolicy()})
})

// ownRules are read once: it takes longer than most tests, ten times so under the
// race detector.
var ownRules = sync.OnceValues(static.LoadRules)

// raced are the tests of this package that run under the race detector as well: scanners
// that are used by several goroutines, each of which looks at files of many kinds.
var raced = []string{"TestFilesOfManyKindsAreScannedSideBySide", "TestTheSameChangeGivesTheSameFindings", "TestAFindingOverTwoModulesStandsOnTheChangedLineAndNamesBoth"}

// unlessRaced leaves all other tests to the run without it: what they compute takes ten times
// as long under it, and they ask what is found, which does not depend on it.
func unlessRaced(t testing.TB) {
	t.Helper()
	if test, _, _ := strings.Cut(t.Name(), "/"); !slices.Contains(raced, test) {
		testenv.WithoutRace(t, "one question after the other to one scanner")
	}
}

// newScanner returns a scanner for the default policy, as changed by adjust.
func newScanner(t testing.TB, adjust func(*gate.Policy)) *static.Scanner {
	t.Helper()
	unlessRaced(t)
	p := gate.DefaultPolicy()
	if adjust == nil {
		s, err := defaultScanner()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	adjust(&p)
	own, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: p, Rules: own})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome is what a run of the stage left, in an order to compare.
type outcome struct {
	found   map[string][]gate.Finding
	gaps    []string
	digests map[string]string
	derived []gate.Derived
}

// run scans targets of a tree; those without size or mode take the tree's.
func run(t testing.TB, s *static.Scanner, tree fs.FS, targets ...*gate.Target) outcome {
	t.Helper()
	found := gate.NewFindings(targets, nil)
	for _, target := range targets {
		info, err := fs.Stat(tree, target.Path)
		if err == nil {
			target.Size = info.Size()
		}
		target.Kind = cmp.Or(target.Kind, gate.ChangeAdded)
		target.Role = cmp.Or(target.Role, gate.RoleSource)
	}
	out, err := s.Run(t.Context(), &gate.Change{Head: tree, Targets: targets}, found)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{found: map[string][]gate.Finding{}, digests: out.Digests, derived: out.Derived}
	for _, target := range targets {
		o.found[target.Path] = found.Of(target.Path)
	}
	for _, g := range out.Incomplete {
		o.gaps = append(o.gaps, g.Path+": "+g.Reason)
	}
	return o
}

// gather takes over what a run found in files.
func (o *outcome) gather(out gate.Outcome, found *gate.Findings, names []string) {
	for _, name := range names {
		o.found[name] = found.Of(name)
	}
	for _, g := range out.Incomplete {
		o.gaps = append(o.gaps, g.Path+": "+g.Reason)
	}
}

// rulesOf lists the rules found in a file as "rule:line severity".
func (o outcome) rulesOf(path string) []string {
	var out []string
	for _, f := range o.found[path] {
		out = append(out, fmt.Sprintf("%s:%d %s", f.Rule, f.Line, f.Severity))
	}
	return out
}

func TestCodeEncodedFourTimesIsFound(t *testing.T) {
	src := "import os\nos.system('rm -rf / --no-preserve-root')\n"
	for range 4 {
		src = "import base64\nexec(base64.b64decode('" + base64.StdEncoding.EncodeToString([]byte(src)) + "'))\n"
	}
	tree := fstest.MapFS{"a.py": &fstest.MapFile{Data: []byte(src)}}
	got := run(t, newScanner(t, nil), tree, &gate.Target{Path: "a.py", Language: gate.LanguagePython}).rulesOf("a.py")
	if !slices.Contains(got, "deletion/shell-root:2 dangerous") {
		t.Errorf("found only %v", got)
	}
}

func TestKindsOfFilesAllHaveAnOutcome(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const evil = "import os\nos.system('rm -rf /')\n"
	large := strings.Repeat("x = 1\n", 30_000)
	utf16 := func(s string) string {
		b := []byte{0xFF, 0xFE}
		for _, c := range []byte(s) {
			b = append(b, c, 0)
		}
		return string(b)
	}
	for _, c := range []struct {
		name   string
		target gate.Target
		data   string
		want   []string // findings that must be there
		gap    string   // part of the gap, "" for none
		digest bool
	}{
		{"a plain file is scanned", gate.Target{Path: "a.py", Language: gate.LanguagePython}, evil,
			[]string{"deletion/shell-root:2 dangerous"}, "", true},
		{"an empty file is fine", gate.Target{Path: "a.py", Language: gate.LanguagePython}, "", nil, "", true},
		{"a file above the limit is scanned to its end and incomplete",
			gate.Target{Path: "a.py", Language: gate.LanguagePython}, large + evil,
			[]string{"file/too-large:0 note", "deletion/shell-root:30002 dangerous"}, "larger than the size limit", true},
		{"data above the limit is complete",
			gate.Target{Path: "a.csv", Language: gate.LanguageText}, large, []string{"file/too-large:0 note"}, "", true},
		{"minified code above the limit is complete",
			gate.Target{Path: "a.min.js", Language: gate.LanguageJavaScript}, large, []string{"file/too-large:0 note"}, "", true},
		{"a lock file above the limit is complete",
			gate.Target{Path: "a.lock", Language: gate.LanguageText, Role: gate.RoleLock}, large,
			[]string{"file/too-large:0 note"}, "", true},
		{"a binary file is noted", gate.Target{Path: "a.bin", Language: gate.LanguageUnknown}, "ab\x00cd", []string{"file/binary:0 note"}, "", true},
		{"a large binary file is complete", gate.Target{Path: "a.bin", Language: gate.LanguageBinary}, "ab\x00cd" + large, []string{"file/binary:0 note"}, "", true},
		{"a new program is suspicious", gate.Target{Path: "a", Language: gate.LanguageBinary}, "\x7fELF\x02\x01\x01\x00",
			[]string{"file/executable-binary:0 suspicious"}, "", true},
		{"control sequences of a program hide nothing from readers", gate.Target{Path: "a", Language: gate.LanguageBinary}, "\x7fELF\x02\x01\x01\x00\n\x1b[8m hidden \u200b\n",
			[]string{"file/executable-binary:0 suspicious"}, "", true},
		{"a program that was there before is noted",
			gate.Target{Path: "a", Language: gate.LanguageBinary, Kind: gate.ChangeNone}, "\x7fELF\x02\x01\x01\x00",
			[]string{"file/binary:0 note"}, "", true},
		{"a script with NUL bytes is no binary", gate.Target{Path: "a", Language: gate.LanguageUnknown}, "#!/bin/sh\n\x00\nrm -rf /\n",
			[]string{"file/nul-bytes:0 suspicious", "deletion/shell-root:3 dangerous"}, "", true},
		{"what a test expects of a compressor is data", gate.Target{Path: "testdata/a.expect", Language: gate.LanguageTcl, Role: gate.RoleTest}, "\x00\xff\xfe\x9c\x81\xe0\x00\xd5\x05\xa1b",
			[]string{"file/binary:0 note"}, "", true},
		{"NUL bytes in a program of Tcl hide it", gate.Target{Path: "testdata/a.expect", Language: gate.LanguageTcl, Role: gate.RoleTest}, "spawn ssh host\n\x00\xff\nexpect done\n",
			[]string{"file/nul-bytes:0 suspicious", "file/unknown-type:0 note", "file/invalid-encoding:2 note"}, "", true},
		{"data with the name of a program is no test's outside of tests", gate.Target{Path: "lib/a.expect", Language: gate.LanguageTcl}, "\x00\xff\xfe\x9c\x81\xe0\x00\xd5\x05\xa1b",
			[]string{"file/nul-bytes:0 suspicious", "file/unknown-type:0 note", "file/invalid-encoding:1 note"}, "", true},
		{"an unknown type is noted", gate.Target{Path: "a.xyz"}, "hello\n", []string{"file/unknown-type:0 note"}, "", true},
		{"an interpreter line tells the language", gate.Target{Path: "tool"}, "#!/usr/bin/env bash\nrm -rf /\n",
			[]string{"deletion/shell-root:2 dangerous"}, "", true},
		{"invalid UTF-8 is noted and scanned", gate.Target{Path: "a.py", Language: gate.LanguagePython}, "# \xff\n" + evil,
			[]string{"file/invalid-encoding:1 note", "deletion/shell-root:3 dangerous"}, "", true},
		{"UTF-16 is decoded", gate.Target{Path: "a.py", Language: gate.LanguagePython}, utf16(evil),
			[]string{"file/utf16:0 note", "deletion/shell-root:2 dangerous"}, "", true},
		{"UTF-16 without a mark is decoded", gate.Target{Path: "a.py", Language: gate.LanguagePython}, utf16(evil)[2:],
			[]string{"file/utf16:0 note", "deletion/shell-root:2 dangerous"}, "", true},
		{"CRLF counts as one line end", gate.Target{Path: "a.py", Language: gate.LanguagePython}, "import os\r\nos.system('rm -rf /')\r\n",
			[]string{"deletion/shell-root:2 dangerous"}, "", true},
		{"code behind a lone carriage return is seen", gate.Target{Path: "a.py", Language: gate.LanguagePython},
			"# comment\ros.system('rm -rf /')\n",
			[]string{"hidden-text/lone-carriage-return:1 suspicious", "deletion/shell-root:1 dangerous"}, "", true},
		{"a very long line is noted and scanned", gate.Target{Path: "a.py", Language: gate.LanguagePython},
			"x = '" + strings.Repeat("a", 20_000) + "'; import os; os.system('rm -rf /')\n",
			[]string{"file/long-line:1 note", "deletion/shell-root:1 dangerous"}, "", true},
		{"names of two alphabets are suspicious", gate.Target{Path: "a.py", Language: gate.LanguagePython}, "x = 1\nр\u0430yload = 2\n",
			[]string{"hidden-text/mixed-alphabets:2 suspicious"}, "", true},
		{"a name that looks like another one of the file is dangerous", gate.Target{Path: "a.py", Language: gate.LanguagePython}, "def payload():\n    return 1\ndef p\u0430yload():\n    return 2\n",
			[]string{"hidden-text/mixed-alphabets:3 suspicious", "hidden-text/twin-names:3 dangerous"}, "", true},
		{"a pointer to Git LFS is noted", gate.Target{Path: "a.csv", Language: gate.LanguageText},
			lfs, []string{"file/lfs-pointer:0 note"}, "", true},
		{"a FIFO is never opened", gate.Target{Path: "p", Mode: fs.ModeNamedPipe}, "", []string{"file/special:0 suspicious"}, "", false},
		{"a socket is never opened", gate.Target{Path: "p", Mode: fs.ModeSocket}, "", []string{"file/special:0 suspicious"}, "", false},
		{"a device is never opened", gate.Target{Path: "p", Mode: fs.ModeDevice | fs.ModeCharDevice}, "", []string{"file/special:0 suspicious"}, "", false},
		{"what the system can't name is a gap", gate.Target{Path: "p", Mode: fs.ModeIrregular}, "", nil, "not a kind of file", false},
		{"a submodule that is there is noted", gate.Target{Path: "sub", Mode: fs.ModeDir, Kind: gate.ChangeNone}, "", []string{"file/submodule:0 note"}, "", false},
		{"a submodule that is bumped is suspicious", gate.Target{Path: "sub", Mode: fs.ModeDir, Kind: gate.ChangeModified}, "", []string{"file/submodule-changed:0 suspicious"}, "", false},
		{"a new submodule is suspicious", gate.Target{Path: "sub", Mode: fs.ModeDir, Kind: gate.ChangeAdded}, "", []string{"file/submodule-changed:0 suspicious"}, "", false},
		{"a submodule in place of a file is suspicious", gate.Target{Path: "sub", Mode: fs.ModeDir, Kind: gate.ChangeType}, "", []string{"file/submodule-changed:0 suspicious"}, "", false},
		{"a submodule that no one says anything about is suspicious", gate.Target{Path: "sub", Mode: fs.ModeDir}, "", []string{"file/submodule-changed:0 suspicious"}, "", false},
		{"a setuid file is suspicious", gate.Target{Path: "a.py", Language: gate.LanguagePython, Mode: fs.ModeSetuid | 0o755}, "x = 1\n",
			[]string{"file/setuid:0 suspicious"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{} // what is not regular is not there to be opened
			if c.target.Mode.IsRegular() {
				tree[c.target.Path] = &fstest.MapFile{Data: []byte(c.data), Mode: 0o644}
			}
			got := run(t, newScanner(t, func(p *gate.Policy) { p.Limits.FileSize = 100 << 10 }), tree, &c.target)
			rules := got.rulesOf(c.target.Path)
			for _, want := range c.want {
				if !slices.Contains(rules, want) {
					t.Errorf("no %s among %q", want, rules)
				}
			}
			if c.want == nil && len(rules) > 0 {
				t.Errorf("unexpected %q", rules)
			}
			if gaps := strings.Join(got.gaps, "; "); c.gap == "" && gaps != "" || !strings.Contains(gaps, c.gap) {
				t.Errorf("gaps %q, want %q", gaps, c.gap)
			}
			if (got.digests[c.target.Path] != "") != c.digest {
				t.Errorf("digest %q", got.digests[c.target.Path])
			}
		})
	}
}

func TestTheDigestIsThatOfTheWholeFile(t *testing.T) {
	tree := fstest.MapFS{
		"a.py":   {Data: []byte("x = 1\n")},
		"b.bin":  {Data: append([]byte("\x7fELF"), make([]byte, 300_000)...)},
		"c.text": {Data: append([]byte{0xFF, 0xFE}, make([]byte, 300_000)...)},
	}
	got := run(t, newScanner(t, nil), tree, &gate.Target{Path: "a.py", Language: gate.LanguagePython},
		&gate.Target{Path: "b.bin", Language: gate.LanguageBinary}, &gate.Target{Path: "c.text", Language: gate.LanguageText})
	for path, file := range tree {
		sum := sha256.Sum256(file.Data)
		if want := hex.EncodeToString(sum[:]); got.digests[path] != want {
			t.Errorf("%s: %s, want %s", path, got.digests[path], want)
		}
	}
}

func TestConstantsThatWerePutTogetherAreShownWithoutTheRoomTheyTookUp(t *testing.T) {
	tree := fstest.MapFS{"a.py": {Data: []byte("key = open('/home/me/.ss' + 'h/id_' + 'rsa').read()  # one\n")}}
	got := run(t, newScanner(t, nil), tree, &gate.Target{Path: "a.py", Language: gate.LanguagePython})
	const want = `key = open("/home/me/.ssh/id_rsa").read() # one`
	if !slices.ContainsFunc(got.found["a.py"], func(f gate.Finding) bool { return f.Evidence == want }) {
		t.Errorf("nothing shows %q: %+v", want, got.found["a.py"])
	}
}

func TestSymbolicLinks(t *testing.T) {
	for _, c := range []struct{ name, path, to, want string }{
		{"inside", "a/link", "../b/c", "file/symlink:0 note"},
		{"absolute", "link", "/etc/passwd", "file/symlink-outside:0 suspicious"},
		{"above the root", "a/link", "../../x", "file/symlink-outside:0 suspicious"},
		{"to a drive", "link", `C:\Windows`, "file/symlink-outside:0 suspicious"},
		{"with backslashes", "link", `..\x`, "file/symlink-outside:0 suspicious"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{c.path: {Data: []byte(c.to), Mode: fs.ModeSymlink | 0o777}}
			got := run(t, newScanner(t, nil), tree, &gate.Target{Path: c.path, Mode: fs.ModeSymlink | 0o777})
			if rules := got.rulesOf(c.path); !slices.Equal(rules, []string{c.want}) || len(got.gaps) > 0 {
				t.Errorf("%q, gaps %q", rules, got.gaps)
			}
			if e := got.found[c.path][0].Evidence; e != c.to {
				t.Errorf("evidence %q", e)
			}
		})
	}
	t.Run("a tree that can't read links makes a gap", func(t *testing.T) {
		got := run(t, newScanner(t, nil), failing{fstest.MapFS{}, nil}, &gate.Target{Path: "l", Mode: fs.ModeSymlink})
		if len(got.gaps) != 1 {
			t.Errorf("gaps %q", got.gaps)
		}
	})
}

// failing is a tree whose files fail when they are read.
type failing struct {
	fs.FS
	err error
}

func (f failing) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return failingFile{file, f.err}, nil
}

type failingFile struct {
	fs.File
	err error
}

func (f failingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if errors.Is(err, io.EOF) && f.err != nil {
		return n, f.err
	}
	return n, err
}

func TestUnreadableFilesAreGaps(t *testing.T) {
	target := func() *gate.Target { return &gate.Target{Path: "a.py", Language: gate.LanguagePython} }
	t.Run("a file that disappeared", func(t *testing.T) {
		got := run(t, newScanner(t, nil), fstest.MapFS{}, target())
		if len(got.gaps) != 1 || !strings.Contains(got.gaps[0], "disappeared") || len(got.digests) > 0 {
			t.Errorf("gaps %q, digests %v", got.gaps, got.digests)
		}
	})
	t.Run("a file that fails in the middle", func(t *testing.T) {
		tree := failing{fstest.MapFS{"a.py": {Data: []byte("import os\n" + strings.Repeat("x = 1\n", 5000))}}, errors.New("disk on fire")}
		got := run(t, newScanner(t, nil), tree, target())
		if len(got.gaps) != 1 || !strings.Contains(got.gaps[0], "disk on fire") || len(got.digests) > 0 {
			t.Errorf("gaps %q, digests %v", got.gaps, got.digests)
		}
	})
	t.Run("an unknown type where the policy asks for that", func(t *testing.T) {
		s := newScanner(t, func(p *gate.Policy) { p.On.UnknownType = gate.LeniencyIncomplete })
		got := run(t, s, fstest.MapFS{"a": {Data: []byte("hello")}}, &gate.Target{Path: "a"})
		if len(got.gaps) != 1 || !strings.Contains(got.gaps[0], "on.unknown-type") {
			t.Errorf("gaps %q", got.gaps)
		}
	})
}

func TestANewSourceFileTooLongToReviewIsANoteAndAGapWhereThePolicyAsksForThat(t *testing.T) {
	long := fstest.MapFS{"a.py": {Data: []byte(strings.Repeat("x = 1\n", gate.LargeSource/6+1))}}
	strict := func(p *gate.Policy) { gate.ProfileStrict.Apply(p) }
	for name, tc := range map[string]struct {
		kind  gate.ChangeKind
		role  gate.Role
		edit  func(*gate.Policy)
		noted bool
		gap   bool
	}{
		"new":                          {gate.ChangeAdded, gate.RoleSource, nil, true, false},
		"new and strict":               {gate.ChangeAdded, gate.RoleSource, strict, true, true},
		"edited and strict":            {gate.ChangeModified, gate.RoleSource, strict, false, false},
		"new, generated and strict":    {gate.ChangeAdded, gate.RoleGenerated, strict, false, false},
		"in the tree without a change": {gate.ChangeNone, gate.RoleSource, strict, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, newScanner(t, tc.edit), long, &gate.Target{Path: "a.py", Language: gate.LanguagePython, Kind: tc.kind, Role: tc.role})
			if noted := slices.Contains(got.rulesOf("a.py"), "file/large-source:0 note"); noted != tc.noted || (len(got.gaps) > 0) != tc.gap {
				t.Errorf("noted %v, gaps %q", noted, got.gaps)
			}
		})
	}
}

func TestTheEndOfTheContextLeavesAGapForEveryFileNotReached(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("out of time"))
	targets := []*gate.Target{{Path: "a.py"}, {Path: "b.py"}}
	out, err := newScanner(t, nil).Run(ctx, &gate.Change{Head: fstest.MapFS{}, Targets: targets}, gate.NewFindings(targets, nil))
	if err == nil || len(out.Incomplete) != 2 || !strings.Contains(out.Incomplete[0].Reason, "out of time") {
		t.Errorf("%v, %v", out.Incomplete, err)
	}
}
