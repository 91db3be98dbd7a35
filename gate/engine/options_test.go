package engine

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestFlagsOfTheSandboxAreAboveThePolicy(t *testing.T) {
	p := gate.DefaultPolicy()
	p.Sandbox.MemoryOf = map[gate.Language]int64{gate.LanguageGo: 2 << 30}
	if err := (Options{Memory: "256m", CPUs: "0.5"}).apply(&p, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	if n := p.Sandbox.MemoryFor(gate.LanguageGo); n != 256<<20 || p.Sandbox.CPUs != 0.5 {
		t.Errorf("%d bytes, %v cores", n, p.Sandbox.CPUs)
	}
	for _, cpus := range []string{"0", "-1", "many", "NaN", "1000"} {
		if err := (Options{CPUs: cpus}).apply(&p, func(string) string { return "" }); err == nil {
			t.Errorf("--cpus %s is taken", cpus)
		}
	}
}
