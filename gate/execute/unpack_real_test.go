package execute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/execute"
)

func TestCodeThatAppearsInARealContainerIsSeen(t *testing.T) {
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			s := realStage(t, runtime, func(o *execute.Options) { o.Policy.Conditions = 0 })
			out, _ := executions(t, s, changeOf(files(map[string]string{
				"packed.py": "words = ['(1)', 'print']\nvars(__import__('builtins'))['ex' 'ec'](words[1] + words[0])\n",
				// What Python's own library makes for these is nobody's code.
				"plain.py": "import collections, dataclasses, enum\n\nP = collections.namedtuple('P', 'x y')\n\n" +
					"@dataclasses.dataclass\nclass D:\n    a: int\n\nclass E(enum.Enum):\n    A = 1\n\nprint(P(1, 2), D(3), E.A)\n",
				"stages.sh": "#!/bin/sh\nprintf 'echo from %s\\n' 'the second stage' >/tmp/stage2\n. /tmp/stage2\n",
			})))
			got := map[string]string{}
			for _, c := range out.Children {
				got[c.Target.Path] = string(c.Content)
			}
			want := map[string]string{"packed.py!compiled.py": "print(1)", "stages.sh!tmp/stage2": "echo from the second stage\n"}
			if diff := cmp.Diff(want, got); diff != "" || len(out.Incomplete) > 0 {
				t.Errorf("%s\nincomplete: %v", diff, out.Incomplete)
			}
		})
	}
}
