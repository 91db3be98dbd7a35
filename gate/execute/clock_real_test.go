package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// TestTheClockReallyShifts asks programs in containers which year it is, in every
// way that is claimed.
func TestTheClockReallyShifts(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	c := changeOf(files(map[string]string{
		"a.py": "import time, datetime\nfrom datetime import datetime as d, date\nif d.now().year: pass\n" +
			"print(d.now().year, d.today().year, d.utcnow().year, d.now(datetime.timezone.utc).year, date.today().year, time.gmtime().tm_year, time.strftime('%Y'), time.gmtime(time.time()).tm_year)\n" +
			"assert isinstance(d(2020, 1, 1), datetime.date) and d.now() - d(2020, 1, 1) > datetime.timedelta(1)\n",
		"a.js": "if (new Date().getFullYear()) console.log(new Date().getFullYear(), new Date(Date.now()).getFullYear(), Date().slice(11, 15), new Date(0) instanceof Date)\n",
		"a.sh": "#!/bin/bash\nif [[ $(date +%Y) -gt 0 ]]; then date +%Y; fi\ndate -d @0 +%Y\n",
	}))
	out, _ := executions(t, s, c)
	for path, want := range map[string]string{
		"a.py": strings.TrimSpace(strings.Repeat("2030 ", 8)) + "\n", "a.js": "2030 2030 2030 true\n", "a.sh": "2030\n1970\n",
	} {
		e := out.Executions[path]
		i := slices.IndexFunc(e.Units, func(u gate.Unit) bool { return strings.Contains(u.Kind, "clock in 2030") })
		if i < 0 {
			t.Errorf("%s: no run with a later clock", path)
			continue
		}
		if u := e.Units[i]; u.Stdout.Text != want || u.ExitCode != 0 || !strings.Contains(u.Reason, "shifted: ") {
			t.Errorf("%s: it said %q, want %q; exit %d, %q %q", path, u.Stdout.Text, want, u.ExitCode, u.Reason, u.Stderr.Text)
		}
		if now := e.Units[0].Stdout.Text; strings.HasPrefix(now, "2030") {
			t.Errorf("%s: the first run said %q", path, now)
		}
	}
}

// TestTheLimitsOfAProcessAreReallyGone asks programs in containers what bounds their
// process, and lets one behave only where something does.
func TestTheLimitsOfAProcessAreReallyGone(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	c := changeOf(files(map[string]string{
		"a.py": "import resource as r\nprint(r.getrlimit(r.RLIMIT_AS)[0] < 0, r.getrlimit(r.RLIMIT_FSIZE)[0] < 0, r.getrlimit(r.RLIMIT_CPU)[0] < 0)\n",
		"a.sh": "#!/bin/bash\necho \"$(ulimit -f)\"\n",
		"b.py": "import os, resource\nif resource.getrlimit(resource.RLIMIT_FSIZE)[0] < 0:\n    open(os.path.expanduser('~/.ssh/id_rsa')).read()\n",
	}))
	out, found := executions(t, s, c)
	for path, want := range map[string][2]string{"a.py": {"False False False\n", "True True True\n"}, "a.sh": {"", "unlimited\n"}} {
		units := out.Executions[path].Units
		i := slices.IndexFunc(units, func(u gate.Unit) bool { return strings.HasSuffix(u.Kind, ", without limits of its process") })
		if i < 0 {
			t.Errorf("%s: no run without limits", path)
			continue
		}
		if first, other := units[0].Stdout.Text, units[i].Stdout.Text; want[0] != "" && first != want[0] || first == other || other != want[1] {
			t.Errorf("%s: at first %q, without limits %q", path, first, other)
		}
	}
	if !slices.Contains(rules(found, "b.py"), "time-trigger/observed-conditional dangerous") {
		t.Errorf("what it did only without limits is missing: %q", rules(found, "b.py"))
	}
}
