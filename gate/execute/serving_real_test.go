package execute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// Programs that only wait cost a fraction of their time, and hide nothing by it.
func TestAProgramThatOnlyWaitsDoesNotCostItsTime(t *testing.T) {
	t.Parallel()
	const limit = 4 * time.Minute
	head := map[string]string{
		"tcp.py":  "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 9000))\ns.listen()\nwhile True:\n    c, _ = s.accept()\n    c.close()\n",
		"udp.py":  "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.bind(('127.0.0.1', 9001))\nwhile True:\n    s.recvfrom(100)\n",
		"fifo.sh": "#!/bin/bash\nmkfifo /tmp/in\nread -r line </tmp/in\n",
		// It waits for a timer that cannot be skipped, and then acts.
		"timer.py": "import ctypes, os, struct\nlibc = ctypes.CDLL(None)\nfd = libc.timerfd_create(1, 0)\nlibc.timerfd_settime(fd, 0, struct.pack('qqqq', 0, 0, 8, 0), None)\nos.read(fd, 8)\nopen(os.path.expanduser('~/.ssh/id_rsa')).read()\n",
	}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions, o.Required, o.Policy.Timeout = 0, true, limit })
	out, found := executions(t, s, changeOf(files(head)))
	for path, want := range map[string]gate.ExecutionStatus{"tcp.py": gate.ExecutionServing, "udp.py": gate.ExecutionServing, "fifo.sh": gate.ExecutionWaiting, "timer.py": gate.ExecutionExited} {
		e := out.Executions[path]
		if first := time.Duration(e.Units[0].DurationMS) * time.Millisecond; e.Status != want || first > limit/2 {
			t.Errorf("%s: %s %q, the first run took %s", path, e.Status, e.Reason, first)
		}
		if gap := gapsOf(out, path); (gap != "") != (want == gate.ExecutionWaiting) {
			t.Errorf("%s: gap %q", path, gap)
		}
	}
	if got := strings.Join(rules(found, "timer.py"), " "); !strings.Contains(got, "credentials") {
		t.Errorf("what came after the timer is missing: %s", got)
	}
}
