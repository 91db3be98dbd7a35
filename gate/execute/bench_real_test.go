package execute_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

// smallPrograms are benign programs of the kinds that changes add, all different: most compute
// and print, of ten one is of Go, one serves and one asks a question.
func smallPrograms(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		switch i % 10 {
		case 4:
			out[fmt.Sprintf("p%d/main.go", i)] = fmt.Sprintf("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := range %d {\n\t\tfmt.Println(i * i)\n\t}\n}\n", i%7+2)
		case 8:
			out[fmt.Sprintf("p%d/serve.py", i)] = fmt.Sprintf("from http.server import BaseHTTPRequestHandler, HTTPServer\n\n\nclass Hello(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b'hello %d')\n\n\nif __name__ == '__main__':\n    HTTPServer(('127.0.0.1', %d), Hello).serve_forever()\n", i, 8000+i)
		case 9:
			out[fmt.Sprintf("p%d/ask.py", i)] = fmt.Sprintf("name = input('Who are you? ')\nprint('Hello', name, %d)\n", i)
		case 0, 5:
			out[fmt.Sprintf("p%d/count.py", i)] = fmt.Sprintf("def squares(n):\n    return [x * x for x in range(n)]\n\nif __name__ == '__main__':\n    print(sum(squares(%d)))\n", i+10)
		case 1, 6:
			out[fmt.Sprintf("p%d/words.js", i)] = fmt.Sprintf("const words = 'the quick brown fox'.split(' ');\nconsole.log(words.map((w) => w.length).join(' '), %d);\n", i)
		case 2, 7:
			out[fmt.Sprintf("p%d/list.sh", i)] = fmt.Sprintf("#!/bin/sh\nfor n in 1 2 %d; do\n  echo \"$n\"\ndone\n", i)
		default:
			out[fmt.Sprintf("p%d/text.py", i)] = fmt.Sprintf("import json\n\nprint(json.dumps({'n': %d, 'even': [x for x in range(10) if x %% 2 == 0]}))\n", i)
		}
	}
	return out
}

// BenchmarkSmallPrograms measures what a change with a hundred small programs costs
// beside what the engine's own command takes to create, start and remove as many
// containers, as many at a time; both in one run, one after the other. Then the same change
// comes again, with what is known of its runs.
func BenchmarkSmallPrograms(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	const programs = 100
	o := realOptions(b, "runc")
	image := map[string]string{"py": images.Ref("python"), "js": images.Ref("node"), "sh": images.Ref("shell"), "go": images.Ref("go")}
	var gate, bare, runs, again, repeated float64
	for b.Loop() {
		c := changeOf(files(smallPrograms(programs)))
		o.Cache = storeIn(b, filepath.Join(b.TempDir(), "cache")).Space("sandbox")
		s, err := execute.New(o)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		out, _ := executions(b, s, c)
		gate += time.Since(start).Seconds()
		var started []string
		for path, e := range out.Executions {
			for range e.Units {
				started = append(started, image[path[strings.LastIndexByte(path, '.')+1:]])
			}
		}
		runs += float64(len(started))
		start = time.Now()
		var side sync.WaitGroup
		slots, errs := make(chan struct{}, runtime.NumCPU()), make([]error, len(started))
		for i, image := range started {
			side.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				errs[i] = exec.CommandContext(b.Context(), docker, "run", "--rm", "--network", "none", "--entrypoint", "/bin/true", image).Run()
			})
		}
		side.Wait()
		bare += time.Since(start).Seconds()
		if err := errors.Join(errs...); err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		out, _ = executions(b, s, c)
		again += time.Since(start).Seconds()
		for _, e := range out.Executions {
			for _, u := range e.Units {
				if !u.Cached {
					repeated++
				}
			}
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(gate/float64(b.N), "gate-s")
	b.ReportMetric(bare/float64(b.N), "docker-s")
	b.ReportMetric(runs/float64(b.N), "runs")
	b.ReportMetric(gate/bare, "gate/docker")
	b.ReportMetric(again/float64(b.N), "cached-s")
	b.ReportMetric(repeated/float64(b.N), "cached-runs")
	b.ReportMetric(again/bare, "cached/docker")
}
