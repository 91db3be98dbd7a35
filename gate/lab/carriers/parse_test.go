package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// parser asks an interpreter of this machine whether it can read files, without running
// them. Only benign twins are written, so that nothing could happen if it did.
type parser struct {
	program  string
	carriers []string
	// each is the arguments for one file, many a program that reads paths from its input
	// and prints those that it cannot read.
	each []string
	many []string
}

func parsers() []parser {
	const compile = `
import sys
for path in sys.stdin.read().split("\0")[:-1]:
    try:
        compile(open(path, "rb").read(), path, "exec")
    except Exception as e:
        print(path, e)
`
	const script = `
const vm = require("vm"), fs = require("fs");
for (const path of fs.readFileSync(0, "utf8").split("\0").slice(0, -1)) {
  try { new vm.Script(fs.readFileSync(path, "utf8").replace(/^\uFEFF/, "")); } catch (e) { console.log(path, e.message); }
}`
	return []parser{
		{program: "dash", carriers: []string{"sh", "no-ext-mode", "sh-function", "sh-heredoc", "sh-c", "sh-python", "shebang-sh", "link-envrc"}, each: []string{"-n"}},
		{program: "python3", carriers: []string{"py", "py-function", "py-exec", "shebang-python3", "link-setup-py", "pth"}, many: []string{"-I", "-c", compile}},
		{program: "node", carriers: []string{"js", "cjs", "js-function", "shebang-node", "ref-js-require"}, many: []string{"-e", script}},
		{program: "perl", carriers: []string{"pl"}, each: []string{"-c"}},
		{program: "make", carriers: []string{"make", "make-inline", "make-define", "make-oneshell", "make-prefix", "make-prefix-blank"}, each: []string{"-n", "-f"}},
	}
}

func TestInterpretersReadWhatIsMade(t *testing.T) {
	c := newCatalogue()
	for _, p := range parsers() {
		t.Run(p.program, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(p.program)
			if err != nil {
				t.Logf("%s is not on this machine", p.program)
				return
			}
			var names, paths []string
			for _, carrier := range p.carriers {
				all, err := c.combinations(selection{only: carrier, each: 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range all {
					made, ok := one.program(true)
					if !ok || one.disguise.name == "pad-5m" {
						continue
					}
					// The name is ours: what a reader makes of names is not asked here.
					path := filepath.Join(t.TempDir(), "f")
					if err := os.WriteFile(path, made.head[made.main].data, 0o600); err != nil {
						t.Fatal(err)
					}
					names, paths = append(names, one.name()), append(paths, path)
				}
			}
			bad := p.ask(t.Context(), program, paths)
			for i, path := range paths {
				if why, ok := bad[path]; ok {
					t.Errorf("%s cannot read %s: %s", p.program, names[i], why)
				}
			}
		})
	}
}

// ask returns the paths that a program cannot read, and what it says.
func (p parser) ask(ctx context.Context, program string, paths []string) map[string]string {
	bad := map[string]string{}
	if p.many != nil {
		cmd := exec.CommandContext(ctx, program, p.many...)
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
		out, err := cmd.Output()
		if err != nil {
			bad[paths[0]] = err.Error()
		}
		for line := range strings.Lines(string(out)) {
			path, why, _ := strings.Cut(strings.TrimSpace(line), " ")
			bad[path] = why
		}
		return bad
	}
	for _, path := range paths {
		cmd := exec.CommandContext(ctx, program, append(p.each, path)...)
		cmd.Dir = filepath.Dir(path)
		if out, err := cmd.CombinedOutput(); err != nil {
			bad[path] = fmt.Sprintf("%v: %.200s", err, out)
		}
	}
	return bad
}
