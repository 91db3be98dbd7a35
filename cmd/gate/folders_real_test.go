package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

func TestFilesOfAFolderGoIntoTheSandboxAndComeBack(t *testing.T) {
	t.Parallel()
	testenv.Docker(t)
	testenv.Image(t, "python")
	const program = `import os, sys
for make in (lambda: open('/input/in.csv', 'a'), lambda: open('/input/new', 'w'), lambda: os.remove('/input/sub/n')):
    try:
        make()
        sys.exit('the input is not fixed')
    except PermissionError:
        pass
total = sum(map(int, open('/input/in.csv').read().split(','))) + int(open('/input/sub/n').read())
os.makedirs('/output/deep/er')
open('/output/deep/er/sum.txt', 'w').write(str(total))
open('/output/mine.txt', 'w').write('theirs')
open('/output/.bashrc', 'w').write('x')
os.symlink('/etc/passwd', '/output/link')
os.mkfifo('/output/pipe')
open('beside.txt', 'w').write('stays behind')
`
	for _, runtime := range []string{"runc", "runsc"} {
		for name, conditions := range map[string]string{"alone": "0", "with other conditions": "2"} {
			t.Run(runtime+", "+name, func(t *testing.T) {
				t.Parallel()
				testenv.Runtime(t, runtime)
				g := newRealGate(t, map[string]string{
					"report.py": program, "data/in.csv": "20,21", "data/sub/n": "1", "data/.env": "KEY=secret", "results/mine.txt": "mine",
					"policy.yml": "sandbox: {conditions: " + conditions + "}\n",
				})
				cmd := g.command("run", "--runtime", runtime, "--config", "policy.yml", "--input", "data", "--output", "results", "report.py")
				said, _ := cmd.CombinedOutput()
				for _, want := range []string{
					"files from /output that were written to results: 1\n", `not brought back: "/output/mine.txt": a file of this name is there already`,
					`"/output/.bashrc": hidden files`, `"/output/link": not a regular file`, `"/output/pipe": not a regular file`, `not given to the program: "data/.env"`,
				} {
					if !strings.Contains(string(said), want) {
						t.Errorf("it does not say %q:\n%s", want, said)
					}
				}
				for name, want := range map[string]string{"deep/er/sum.txt": "42", "mine.txt": "mine"} {
					if data, err := os.ReadFile(filepath.Join(g.dir, "results", name)); string(data) != want {
						t.Errorf("%s is %q (%v)", name, data, err)
					}
				}
				entries, err := os.ReadDir(filepath.Join(g.dir, "results"))
				if err != nil || len(entries) != 2 {
					t.Errorf("%v (%v)", entries, err)
				}
			})
		}
	}
}

func TestFoldersThatCannotBeGivenOrTakenAreUsageErrors(t *testing.T) {
	t.Parallel()
	g := newRealGate(t, map[string]string{"a.py": "print(1)\n", "file": "x"})
	for want, args := range map[string][]string{
		"--input: open the folder with input":      {"--input", "missing"},
		"--output: file is there and is not a fol": {"--output", "file"},
	} {
		cmd := g.command(append([]string{"run", "a.py"}, args...)...)
		said, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(string(said), want) {
			t.Errorf("exit code %d, want %q:\n%s", code, want, said)
		}
	}
}
