package static_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// pathologicalSize is how large the inputs of the benchmark are.
const pathologicalSize = 10 << 20 // bytes

// BenchmarkPathological runs `gate scan` as a process on one core over each of
// the inputs, and shows its processor time, in user and kernel, and the most
// memory that it held, as the kernel counted them: both are to stay below 2
// seconds and 512 MiB.
func BenchmarkPathological(b *testing.B) {
	program := buildGate(b)
	for _, p := range pathologicals() {
		b.Run(string(p.lang)+"/"+p.shape, func(b *testing.B) {
			process(b, program, p.name, p.text(pathologicalSize))
		})
	}
}

// BenchmarkStart measures the same for a file with next to nothing in it: what a
// start costs with all rules.
func BenchmarkStart(b *testing.B) {
	program := buildGate(b)
	for _, d := range dialects()[:5] {
		b.Run(string(d.lang), func(b *testing.B) { process(b, program, d.name, d.comment+"\n") })
	}
}

// buildGate makes the program.
func buildGate(b *testing.B) string {
	program := filepath.Join(b.TempDir(), "gate")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/gate").CombinedOutput(); err != nil {
		b.Fatalf("build gate: %v\n%s", err, out)
	}
	return program
}

// process scans a file with a process of its own.
func process(b *testing.B, program, name, text string) {
	file := filepath.Join(b.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	var seconds float64
	var most int64
	for b.Loop() {
		cmd := exec.Command(program, "scan", file, "--layers", "static", "--no-cache", "--quiet", "--format", "json")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=100", "GOMEMLIMIT=off")
		err := cmd.Run()
		if exit := new(exec.ExitError); err != nil && !(errors.As(err, &exit) && exit.Exited() && exit.ExitCode() != 2) {
			b.Fatal(err)
		}
		seconds += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		most = max(most, maxRSS(cmd.ProcessState))
	}
	b.ReportMetric(0, "ns/op") // says more about the machine than about gate
	b.ReportMetric(seconds/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(most)/(1<<20), "MiB")
}
