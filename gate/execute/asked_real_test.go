package execute_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// A server does harm, and runs its lines, when it is asked. It is, on every runtime.
func TestAServerIsAskedOverLoopback(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := realStage(t, runtime, func(o *execute.Options) { o.Policy.Conditions, o.Required = 0, true })
			servers := tree(t, "servers")
			if runtime == "runsc" { // each of them is a minute of building there
				delete(servers, "kind/main.go")
				delete(servers, "bad/main.go")
			}
			out, found := executions(t, s, changeOf(servers))
			for _, tt := range []struct {
				path, rule, lines, asked string
			}{
				{"kind.py", "", "16 of 16", "4 questions on 1 port"},
				{"kind.mjs", "", "11 of 11", "3 questions on 1 port"},
				{"kind/main.go", "", "3 of 3", "3 questions on 1 port"},
				{"bad.py", "exfiltration/observed-canary dangerous", "", "3 questions on 1 port"},
				{"flask_like.py", "persistence/observed-start-file dangerous", "", "3 questions on 1 port"},
				{"stream.py", "exfiltration/observed-answered suspicious", "", "questions on 1 port"},
				{"local.py", "exfiltration/observed-answered suspicious", "", "questions on 1 port or socket"},
				{"packets.py", "exfiltration/observed-answered suspicious", "", "1 question on 1 port"},
				{"bad.cjs", "persistence/observed-start-file", "", "8 questions on 1 port"},
				{"bad/main.go", "network/observed-raw-address suspicious", "", "3 questions on 1 port"},
			} {
				if servers[tt.path] == nil {
					continue
				}
				e := out.Executions[tt.path]
				got := slices.DeleteFunc(rules(found, tt.path), func(r string) bool { return strings.HasSuffix(r, " note") })
				if e.Status != gate.ExecutionServing || !strings.Contains(e.Reason, tt.asked) || !strings.HasPrefix(told(e), tt.lines) || strings.Contains(told(e), "was ended") {
					t.Errorf("%s: %s %q, %s\nwant %q, %s", tt.path, e.Status, e.Reason, told(e), tt.asked, tt.lines)
				}
				if tt.rule == "" && len(got) > 0 || !strings.Contains(strings.Join(got, "\n"), tt.rule) {
					t.Errorf("%s: %q, want %q", tt.path, got, tt.rule)
				}
				if gap := gapsOf(out, tt.path); gap != "" {
					t.Errorf("%s: gap %q", tt.path, gap)
				}
				if first := time.Duration(e.Units[0].DurationMS) * time.Millisecond; first > 40*time.Second {
					t.Errorf("%s: it took %s", tt.path, first)
				}
			}
		})
	}
}

// What a hostile server does to those who ask is bounded, and what was not asked is said.
func TestHostileServersCostNoMoreThanTheQuestions(t *testing.T) {
	t.Parallel()
	server := func(body string) string {
		return "import socket, time\ns = socket.create_server(('127.0.0.1', 7000))\nwhile True:\n    c, _ = s.accept()\n" + body
	}
	head := map[string]string{
		"flood.py":   server("    try:\n        while True:\n            c.sendall(b'x' * 65536)\n    except OSError:\n        pass\n"),
		"endless.py": server("    try:\n        c.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n')\n        while True:\n            c.sendall(b'x' * 65536)\n    except OSError:\n        pass\n"),
		"headers.py": server("    try:\n        c.sendall(b'HTTP/1.1 200 OK\\r\\n')\n        while True:\n            c.sendall(b'a: b\\r\\n')\n    except OSError:\n        pass\n"),
		"silent.py":  server("    c.recv(1000)\n"),
		"closes.py":  server("    c.close()\n"),
		"ports.py":   "import socket, selectors\nall = [socket.create_server(('127.0.0.1', 10000 + n)) for n in range(1000)]\nq = selectors.DefaultSelector()\nfor s in all:\n    q.register(s, 1)\nwhile True:\n    for k, _ in q.select():\n        k.fileobj.accept()[0].close()\n",
		// Its route is named, and answers after all questions.
		"slow.py": "from http.server import *\nimport time\nclass P(BaseHTTPRequestHandler):\n    def do_GET(self):\n        if self.path == '/report':\n            time.sleep(6)\n        self.send_response(200)\n        self.end_headers()\nThreadingHTTPServer(('127.0.0.1', 7000), P).serve_forever()\n",
	}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions, o.Required = 0, true })
	out, found := executions(t, s, changeOf(files(head)))
	for path, gap := range map[string]string{
		"flood.py": "", "endless.py": "", "headers.py": "", "silent.py": "", "closes.py": "",
		"ports.py": "984 of its 1000 ports and sockets were not asked", "slow.py": "tcp port 7000 did not answer all questions in time",
	} {
		e := out.Executions[path]
		if got := gapsOf(out, path); e.Status != gate.ExecutionServing || !strings.Contains(got, gap) || gap == "" && got != "" {
			t.Errorf("%s: %s %q, gap %q, want %q", path, e.Status, e.Reason, got, gap)
		}
		if first := time.Duration(e.Units[0].DurationMS) * time.Millisecond; first > time.Minute {
			t.Errorf("%s: it took %s", path, first)
		}
		if got := rules(found, path); slices.ContainsFunc(got, func(r string) bool { return !strings.HasSuffix(r, " note") }) {
			t.Errorf("%s: %q", path, got)
		}
	}
}
