package execute

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestChoicesAreLinesThatHaveAnotherValueElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []int
	}{
		"a table by the machine":           {"ARCH = {\n    'a': 1,\n}\nx = ARCH.get(platform.machine())\n", []int{4}},
		"a table that is read":             {"T = json.loads(p.read_text())\n\ny = T['parts'][user()]\nname = getpass.getuser()\n", []int{3}},
		"a table that is written in place": {"x = {\n    'linux': (),\n}.get(sys.platform, ())\n", []int{3}},
		"an expression with two values":    {"def f():\n    deferred = host == 'a' and now.hour in NIGHT\n    return '.profile' if deferred else '.spool'\n", []int{2, 3}},
		"data of JavaScript":               {"const feeds = require('../feeds.json');\nconst host = os.hostname();\nconst { url } = feeds[host];\n", []int{3}},
		"a constant of a table":            {"T = {'a': 1}\nx = T['a']\nhostname = 1\n", nil},
		"no condition on the world":        {"T = {'a': 1}\nx = T[key]\n", nil},
		"two values without a condition":   {"import os\nx = 1\nif x: y = 2\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, l := range choices(tt.text, gate.OnlyLines(gate.LineRange{1, strings.Count(tt.text, "\n") + 1})) {
				got = append(got, l[0])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("lines %v, want %v", got, tt.want)
			}
		})
	}
}
