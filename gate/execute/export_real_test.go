package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

func TestAProgramHandsOutItsFiles(t *testing.T) {
	t.Parallel()
	const program = `import os
os.makedirs('out/sub')
open('out/sub/sum.txt', 'w').write(str(sum(map(int, open('data/in.csv').read().split(',')))))
os.symlink('/etc/passwd', 'out/link')
os.mkfifo('out/pipe')
os.link('out/sub/sum.txt', 'out/hard')
open('beside.txt', 'w').write('stays behind')
`
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			s := realStage(t, runtime, func(o *execute.Options) {
				o.Policy.Conditions = 0
				o.Exchange = &execute.Exchange{Out: "out", Bytes: 1 << 20, Take: func(target string, files []sandbox.File, refused []sandbox.Refusal) []gate.Derived {
					for _, f := range files {
						got[target+": "+f.Path] = string(f.Data)
					}
					for _, r := range refused {
						kind, _, _ := strings.Cut(r.Reason, " (")
						got[target+": "+r.Path] = "refused: " + kind
					}
					return []gate.Derived{{Target: &gate.Target{Path: target + "!out", Parent: target}}}
				}}
			})
			files := fstest.MapFS{"program.py": {Data: []byte(program), Mode: 0o755}, "data/in.csv": {Data: []byte("20,22"), Mode: 0o644}}
			out, _ := executions(t, s, changeOf(files, "program.py"))
			want := map[string]string{
				"program.py: sub/sum.txt": "42", "program.py: hard": "42",
				"program.py: link": "refused: not a regular file", "program.py: pipe": "refused: not a regular file",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			e := out.Executions["program.py"]
			if e.ExitCode != 0 {
				t.Errorf("%+v", e)
			}
			if !slices.ContainsFunc(out.Derived, func(c gate.Derived) bool { return c.Target.Path == "program.py!out" }) {
				t.Errorf("what was handed out does not go through the layers: %v", out.Derived)
			}
		})
	}
}

func TestMoreFilesThanAreTakenOutAreNeverPassedOverInSilence(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{
		"among those that are asked for": "for i in range(1500):\n    open(f'out/{i}', 'w').close()\n",
		"beside them":                    "import os\nos.makedirs('.gate-coverage', exist_ok=True)\nfor i in range(1500):\n    open(f'.gate-coverage/{i}', 'w').close()\nopen('out/one', 'w').close()\n",
		"too large together":             "import os\nfor i in range(3):\n    open(f'out/{i}', 'wb').write(bytes(20 << 20))\n",
		"one that is too large":          "with open('out/huge', 'wb') as f:\n    f.truncate(60 << 20)\n",
		"no folder any more":             "import os\nos.rmdir('out')\n",
		"a link in its place":            "import os\nos.rmdir('out')\nos.symlink('/etc', 'out')\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := realStage(t, "runc", func(o *execute.Options) {
				o.Policy.Conditions = 0
				o.Exchange = &execute.Exchange{Out: "out", Bytes: 1 << 20, Take: func(_ string, files []sandbox.File, refused []sandbox.Refusal) []gate.Derived {
					if asked++; len(refused) == 0 {
						t.Errorf("%d files, and nothing was refused", len(files))
					}
					return nil
				}}
			})
			out, _ := executions(t, s, changeOf(fstest.MapFS{"program.py": {Data: []byte(program), Mode: 0o755}}))
			if asked != 1 {
				t.Errorf("asked %d times, %s", asked, fmt.Sprint(out.Executions["program.py"]))
			}
		})
	}
}
