package coverage

import "testing"

func TestAMakefileThatRunsNoRecipeHasRunNone(t *testing.T) {
	const text = "MAKEFLAGS += x\n\nall:\n\ttrue\n\tfalse\n\nother:\n\ttrue\n"
	const trace = "Makefile:4: target 'all' does not exist\ntrue\n"
	for flags, dry := range map[string]bool{
		"": false, " --trace -n": true, "n": true, " --trace": false, "rR --no-print-directory": false, "rRn": true, "-j8 -k": false, "-jn": false, "-t": true, "-q": true,
		"--dry-run": true, "--just": true, "--recon": true, "--touch": true, "--que": true, "--no-builtin-rules": false, "--print-directory": false,
		"-Idir/nqt": false, "V=nqt": false, "-kn": true, "--trace -- NAME=-n": false,
	} {
		out := []byte("@gate-flags@ " + flags + "\n" + trace)
		profile, _ := Makefile(out, Sources{"Makefile": text}, "Makefile", "Makefile")
		stopped := MakeStopped(out, Sources{"Makefile": text}, "Makefile")
		if got := shown(profile["Makefile"]); (got == "4 5 -8") == dry || (got == "-4 -5 -8") != dry {
			t.Errorf("%q: lines %s", flags, got)
		}
		if (stopped != nil) != dry || dry && (stopped.Frames[0] != Frame{File: "Makefile", Line: 1, Top: true}) {
			t.Errorf("%q: stopped %v", flags, stopped)
		}
		if got := string(WithoutTrace(out, "Makefile")); got != "true\n" {
			t.Errorf("%q: its output is %q", flags, got)
		}
	}
}
