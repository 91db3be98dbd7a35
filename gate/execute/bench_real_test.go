package execute_test

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

// smallPrograms are benign programs of the kinds that changes add, all different.
func smallPrograms(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		switch i % 4 {
		case 0:
			out[fmt.Sprintf("p%d/count.py", i)] = fmt.Sprintf("def squares(n):\n    return [x * x for x in range(n)]\n\nif __name__ == '__main__':\n    print(sum(squares(%d)))\n", i+10)
		case 1:
			out[fmt.Sprintf("p%d/words.js", i)] = fmt.Sprintf("const words = 'the quick brown fox'.split(' ');\nconsole.log(words.map((w) => w.length).join(' '), %d);\n", i)
		case 2:
			out[fmt.Sprintf("p%d/list.sh", i)] = fmt.Sprintf("#!/bin/sh\nfor n in 1 2 %d; do\n  echo \"$n\"\ndone\n", i)
		default:
			out[fmt.Sprintf("p%d/text.py", i)] = fmt.Sprintf("import json\n\nprint(json.dumps({'n': %d, 'even': [x for x in range(10) if x %% 2 == 0]}))\n", i)
		}
	}
	return out
}

// BenchmarkSmallPrograms measures what a change with a hundred small programs costs
// beside what the engine's own command takes to create, start and remove as many
// containers, as many at a time; both in one run, one after the other.
func BenchmarkSmallPrograms(b *testing.B) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		testenv.Missing(b, "no docker command to compare with", "apt-get install docker.io")
	}
	const programs = 100
	o := realOptions(b, "runc")
	image := map[string]string{"py": images.Ref("python"), "js": images.Ref("node"), "sh": images.Ref("shell")}
	s, err := execute.New(o)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var gate, bare, runs float64
	for b.Loop() {
		c := changeOf(files(smallPrograms(programs)))
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
	}
	b.ReportMetric(gate/float64(b.N), "gate-s")
	b.ReportMetric(bare/float64(b.N), "docker-s")
	b.ReportMetric(runs/float64(b.N), "runs")
	b.ReportMetric(gate/bare, "gate/docker")
}
