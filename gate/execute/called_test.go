package execute

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/sandbox"
)

func TestMadeUpArgumentsAreNoEvidence(t *testing.T) {
	seen := withoutGiven(sandbox.Behaviour{
		Events: []sandbox.Event{
			{Action: sandbox.ActionDelete, Object: "/tmp/gate-given/file.txt"},
			{Action: sandbox.ActionRequest, Object: "POST http://gate-given.example/"},
			{Action: sandbox.ActionExec, Object: "/bin/rm", Args: []string{"rm", "gate-given"}},
			{Action: sandbox.ActionDelete, Object: "/workspace/a.md"},
			{Action: sandbox.ActionExec, Object: "/bin/curl", Args: []string{"curl", "-d", "gate-given"}, Canaries: []string{"aws key"}},
			{Action: sandbox.ActionExec, Object: "/usr/bin/true", Args: []string{"gate-tool:kubectl", "delete", "ns"}},
		},
		Captures: []sandbox.Capture{{Path: "/tmp/x.sh", Data: []byte("gate-given\n")}, {Path: "/tmp/y.sh", Data: []byte("rm a")}},
	})
	if len(seen.Events) != 3 || seen.Events[0].Object != "/workspace/a.md" || len(seen.Captures) != 1 {
		t.Fatalf("left: %v and %d captures", seen.Events, len(seen.Captures))
	}
	if tool := seen.Events[2]; tool.Object != "/usr/bin/kubectl" || tool.Args[0] != "kubectl" {
		t.Errorf("a recorded command: %v", tool)
	}
}

func TestForcedRunsOfBenignProgramsHaveNoFindings(t *testing.T) {
	for rule, want := range map[string]bool{
		"deletion/observed-input-files": true, "exfiltration/observed-canary": true, "credentials/observed-read": true,
		"network/observed-new-host": false, "persistence/observed-start-file": false, "package-install/observed": false,
	} {
		f, ok := forcedOn(gate.Finding{Rule: rule, Severity: gate.SeveritySuspicious, Evidence: "x"}, false)
		if ok != want || ok && (f.Rule != ruleForced.ID || f.Severity != gate.SeveritySuspicious) {
			t.Errorf("%s: %v %v", rule, f, ok)
		}
	}
	if f, ok := forcedOn(gate.Finding{Rule: "deletion/observed-input-files", Severity: gate.SeverityNote}, false); !ok || f.Severity != gate.SeveritySuspicious {
		t.Errorf("a file that is deleted under a condition only: %v, %v", f, ok)
	}
	if _, ok := forcedOn(gate.Finding{Rule: "file-access/observed-account-list", Severity: gate.SeverityNote}, false); ok {
		t.Error("a note is a finding")
	}
}

func TestAConditionInFrontOfACallOnItsLineIsSeen(t *testing.T) {
	for text, want := range map[string]string{
		"  if (names.has(digest(os.hostname()))) announce(urls);": "announce(urls);", "    if (this.late) await this.drop(homedir());": "await this.drop(homedir());",
		"    if late: wipe(home)": "wipe(home)", "  if (!x) return;": "", "if (x) {": "", "if x:": "", "    if a[1:2]:": "", "  if (x) throw new Error(y());": "",
	} {
		got := ""
		if m := oneLine.FindStringSubmatch(text); m != nil {
			got = m[1] + m[2]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhatChanceOrADateDecidesNobodyAskedFor(t *testing.T) {
	for text, want := range map[string]bool{
		"if (Math.random() < 0.1) {\n": true, "    if random.random() < 0.05:\n": true, "if [ $((RANDOM % 6)) -eq 0 ]; then\n": true, "if now.month == 4:\n": true,
		"if args.autostart:\n": false, "if [ \"$(hostname)\" = work ]; then\n": false, "x = random.random()\n": false,
	} {
		if got := aimless.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	start := gate.Finding{Rule: "persistence/observed-start-file", Severity: gate.SeveritySuspicious, Evidence: "x"}
	if f, ok := forcedOn(start, true); !ok || f.Severity != gate.SeveritySuspicious {
		t.Errorf("a start file by chance: %v %v", f, ok)
	}
	if f, ok := forcedOn(gate.Finding{Rule: "network/observed-new-host", Severity: gate.SeveritySuspicious}, true); ok {
		t.Errorf("a report that one run in ten sends: %v", f)
	}
}

func TestLinesThatOnlyLeaveAreNotCalledFor(t *testing.T) {
	for text, want := range map[string]int{
		"\treturn nil, fmt.Errorf(\"no %s\", x)": 0, "        raise ValueError(x)": 0, "return": 0, "  process.exit(2);": 0, "}": 0, "print(1)": 0,
		"return wipe(x)": 1, "os.remove(x)": 1, "x := harm()": 1,
	} {
		if got := len(acting(text, []gate.LineRange{{1, 1}})); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestFunctionsThatCanDoHarmAreKnownByTheirNames(t *testing.T) {
	text := coverage.Sources{
		"app/a.py":  "import os\ndef fine(x):\n    if x:\n        return 1\n    return 2\n\ndef drop(at):\n    os.remove(at)\n",
		"app/b.js":  "const send = async (to) => {\n  if (to) {\n    await fetch(to);\n  }\n};\nfunction tell(x) {\n  return x;\n}\nclass A {\n  wipe(x) {\n    fs.rmSync(x);\n  }\n}\n",
		"app/c.go":  "func (s *S) Start(x string) error {\n\treturn exec.Command(x).Run()\n}\nfunc Name() string { return \"a\" }\n",
		"else/d.py": "def away():\n    os.remove('x')\n",
	}
	changed := map[string]gate.LineSet{}
	for name := range text {
		changed[name] = gate.OnlyLines()
	}
	got := harmful("app/a.py", changed, text)
	for name, want := range map[string]bool{"drop": true, "send": true, "wipe": true, "Start": true, "fine": false, "tell": false, "Name": false, "away": false, "if": false} {
		if got[name] != want {
			t.Errorf("%s: %v", name, got[name])
		}
	}
	if !callsOne("    drop(path)", got) || callsOne("    fine(path)", got) {
		t.Error("calls of harmful functions are not told from others")
	}
}

func TestFunctionsAreCalledAgainAfterACallThatWaited(t *testing.T) {
	u := plan.Unit{Kind: plan.Module, Targets: []string{"a.py"}, Job: job.Job{Image: gate.LanguagePython}}
	r := &rounds{changed: map[string]gate.LineSet{"a.py": gate.OnlyLines(gate.LineRange{1, 2})}}
	r.life.observe.sources = coverage.Sources{"a.py": "def a():\n    b()\n"}
	all := coverage.Profile{"a.py": {1: true, 2: false}}
	imported := run{res: sandbox.Result{Status: sandbox.Exited}}
	failed := run{res: sandbox.Result{Status: sandbox.Exited, ExitCode: 1}}
	waited := run{kind: kindExercise, res: sandbox.Result{Status: sandbox.Waiting}}
	for name, tt := range map[string]struct {
		runs []run
		want bool
	}{
		"imported":                     {[]run{imported}, true},
		"imported, and a call waited":  {[]run{imported, waited}, true},
		"not imported":                 {[]run{failed}, false},
		"not imported, a call waited":  {[]run{failed, waited}, false},
		"imported only with stand-ins": {[]run{failed, imported, waited}, true},
	} {
		if got := r.worthExercise(u, result{runs: tt.runs}, all, true); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
