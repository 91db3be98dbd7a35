package attack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

// held is a container as it has to be.
func held(id string) engine.Container {
	return engine.Container{
		Runtime: "runc", Known: true, Watched: true,
		Audit: engine.Audit{
			Container: id, ReadOnlyRoot: true, NoNewPrivileges: true, Seccomp: true, User: "1000:1000",
			Memory: 1 << 20, Pids: 64, CPUs: 1,
		},
	}
}

// said is what a layer says: a verdict by its findings, and how the entry ended.
func said(layer gate.Layer, path string, severity gate.Severity, status gate.ExecutionStatus) gate.Result {
	f := gate.FileResult{Path: path, Verdict: gate.Safe}
	if severity != gate.SeverityUnknown {
		f.Findings = []gate.Finding{{Rule: "a/b", Category: "a", Layer: layer, Severity: severity, InChange: true}}
		f.Verdict = gate.Policy{}.Decide(f.Findings, nil)
	}
	if status != "" {
		f.Execution = &gate.Execution{Status: status}
	}
	return gate.Result{Verdict: f.Verdict, Files: []gate.FileResult{f}, Layers: []gate.LayerResult{{Name: layer, Status: gate.LayerRan}}}
}

func oneAttack() *Attack {
	return &Attack{
		ID: "sample-one", Group: "group", Language: "python", Entry: "a.py", Catch: []gate.Layer{gate.LayerStatic, gate.LayerSandbox},
		Contain: []Concern{Network}, Runtimes: []string{"runc", "runsc"},
	}
}

// quiet sees nothing.
type quiet struct{}

func (quiet) Look() ([]Breach, error) { return nil, nil }

// watched returns what it was told to, once.
type watched struct {
	seen []Breach
	err  error
}

func (w *watched) Look() ([]Breach, error) {
	seen := w.seen
	w.seen = nil
	return seen, w.err
}

// world is what the layers and the machine do in a test.
type world struct {
	static   gate.Severity
	sandbox  gate.Severity
	status   gate.ExecutionStatus
	path     string
	boxes    []engine.Container
	err      error
	host     HostMonitor
	twin     gate.Severity
	remains  []engine.Leftover
	language string
	contain  []Concern
	gap      bool
	absent   bool // the sandbox
	idle     bool // something else was started
}

func (w world) run(t *testing.T) Result {
	t.Helper()
	a := oneAttack()
	if w.language != "" {
		a.Language, a.Contain, a.Catch = w.language, w.contain, []gate.Layer{gate.LayerStatic}
	}
	if w.path == "" {
		w.path = a.Entry
	}
	return Run(t.Context(), Suite{a}, Options{
		Layers: []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, Runtimes: []string{"runc"}, Host: w.host,
		Parallel: 1, // what the host monitor sees is charged to the attacks under way: here that is one
		Pipeline: func(_ context.Context, trial Trial) Observation {
			switch {
			case trial.Twin && trial.Layer == gate.LayerStatic:
				return Observation{Result: said(trial.Layer, "a.py", w.twin, "")}
			case trial.Twin:
				return Observation{Result: said(trial.Layer, "a.py", gate.SeverityUnknown, gate.ExecutionExited), Containers: []engine.Container{held("twin")}}
			case trial.Layer == gate.LayerStatic:
				o := Observation{Result: said(trial.Layer, w.path, w.static, "")}
				if w.gap {
					o.Result.Incomplete = []gate.Gap{{Layer: trial.Layer, Path: "a.py", Reason: "too large"}}
				}
				return o
			}
			o := Observation{Result: said(trial.Layer, w.path, w.sandbox, w.status), Containers: w.boxes, Err: w.err}
			if w.absent {
				o.Result.Layers[0].Status = gate.LayerFailed
				o.Result.Incomplete = []gate.Gap{{Layer: trial.Layer, Reason: "no engine"}}
			}
			if w.idle {
				o.Result.Files[0].Execution.Coverage = map[string]int{"executable": 3}
			}
			return o
		},
		Finish: func() ([]engine.Leftover, error) { return w.remains, nil },
	})
}

func TestRowsCountCaughtAndContained(t *testing.T) {
	good := []engine.Container{held("one")}
	exited := gate.ExecutionExited
	tests := map[string]struct {
		world
		contained, caught bool
		fails             string // the kinds of failures
		decision          gate.Decision
	}{
		"caught by one layer, and nothing seen from outside": {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}}, true, true, "", gate.DecisionPass},
		"caught as suspicious by behaviour":                  {world{sandbox: gate.SeveritySuspicious, status: exited, boxes: good, host: quiet{}}, true, true, "", gate.DecisionPass},
		"killed for its memory is executed as well":          {world{static: gate.SeverityDangerous, status: gate.ExecutionOOM, boxes: good, host: quiet{}}, true, true, "", gate.DecisionPass},
		"a note catches nothing":                             {world{static: gate.SeverityNote, status: exited, boxes: good, host: quiet{}}, true, false, "missed", gate.DecisionBlock},
		"not run is not contained":                           {world{static: gate.SeverityDangerous, status: gate.ExecutionNotRun, boxes: good, host: quiet{}}, false, true, "not executed", gate.DecisionBlock},
		"a report that broke after it had been started":      {world{static: gate.SeverityDangerous, status: gate.ExecutionFailed, boxes: []engine.Container{func() engine.Container { c := held("one"); c.Broke = true; return c }()}, host: quiet{}}, true, true, "", gate.DecisionPass},
		"failed is not executed":                             {world{static: gate.SeverityDangerous, status: gate.ExecutionFailed, boxes: good, host: quiet{}}, false, true, "not executed", gate.DecisionBlock},
		"another file of it that ran":                        {world{static: gate.SeverityDangerous, status: exited, path: "b.py", boxes: good, host: quiet{}}, false, true, "not executed", gate.DecisionBlock},
		"without a container that the engine knows":          {world{static: gate.SeverityDangerous, status: exited, host: quiet{}}, false, true, "not contained", gate.DecisionBlock},
		"in a container that the engine does not describe":   {world{static: gate.SeverityDangerous, status: exited, boxes: []engine.Container{{Audit: engine.Audit{Container: "one"}}}, host: quiet{}}, false, true, "not contained", gate.DecisionBlock},
		"one of two containers with a network":               {world{static: gate.SeverityDangerous, status: exited, boxes: append([]engine.Container{{Known: true, Audit: engine.Audit{Networks: []string{"bridge"}}}}, good...), host: quiet{}}, false, true, "not contained", gate.DecisionBlock},
		"no one looks from outside":                          {world{static: gate.SeverityDangerous, status: exited, boxes: good}, false, true, "not contained,not contained", gate.DecisionBlock},
		"a packet came out":                                  {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: &watched{seen: []Breach{{Network, "a packet"}}}}, false, true, "not contained", gate.DecisionBlock},
		"the machine could not be looked at":                 {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: &watched{err: errors.New("no rights")}}, false, true, "not contained,not contained", gate.DecisionBlock},
		"something of its container is left":                 {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}, remains: []engine.Leftover{{Container: "one", What: "a mount"}}}, false, true, "not contained", gate.DecisionBlock},
		"the layer fails":                                    {world{static: gate.SeverityDangerous, err: errors.New("no engine"), host: quiet{}}, false, true, "incomplete", gate.DecisionIncomplete},
		"the layer is not there":                             {world{static: gate.SeverityDangerous, absent: true, host: quiet{}}, false, true, "incomplete", gate.DecisionIncomplete},
		"none of its lines ran":                              {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}, idle: true}, false, true, "not executed", gate.DecisionBlock},
		"a layer does not see all":                           {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}, gap: true}, true, true, "incomplete", gate.DecisionIncomplete},
		"its twin is called dangerous":                       {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}, twin: gate.SeverityDangerous}, true, true, "twin dangerous", gate.DecisionBlock},
		"its twin is called suspicious":                      {world{static: gate.SeverityDangerous, status: exited, boxes: good, host: quiet{}, twin: gate.SeveritySuspicious}, true, true, "", gate.DecisionPass},
		"a text has nothing to run":                          {world{static: gate.SeverityDangerous, status: gate.ExecutionNotRun, language: "text", contain: []Concern{None}, host: quiet{}}, false, true, "", gate.DecisionPass},
		"a manifest that runs has to":                        {world{static: gate.SeverityDangerous, status: gate.ExecutionNotRun, language: "manifest", contain: []Concern{Network}, host: quiet{}}, false, true, "not executed", gate.DecisionBlock},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := tt.run(t)
			row := res.Attacks[0]
			var kinds []string
			for _, f := range res.Failures {
				kinds = append(kinds, string(f.Kind))
			}
			if row.Contained != tt.contained || row.Caught != tt.caught || strings.Join(kinds, ",") != tt.fails || res.Decision != tt.decision {
				t.Errorf("contained %v, caught %v, failures %q, %s; breaches %v", row.Contained, row.Caught, kinds, res.Decision, row.Breaches)
			}
		})
	}
}

func TestExpectationsOfAContainerAreBreachesWhenTheyDoNotHold(t *testing.T) {
	if b := breachesOf(held("x")); len(b) > 0 {
		t.Fatalf("a container as it has to be: %v", b)
	}
	tests := map[string]struct {
		weaken  func(*engine.Container)
		concern Concern
	}{
		"a network":                {func(c *engine.Container) { c.Networks = []string{"bridge"} }, Network},
		"an interface":             {func(c *engine.Container) { c.Interfaces = []string{"eth0"} }, Network},
		"a root that is writable":  {func(c *engine.Container) { c.ReadOnlyRoot = false }, Files},
		"a file that changed":      {func(c *engine.Container) { c.Changed = []string{"/etc/passwd"} }, Files},
		"a folder of the host":     {func(c *engine.Container) { c.HostPaths = []string{"/"} }, Files},
		"a volume":                 {func(c *engine.Container) { c.Writable = []string{"/data"} }, Files},
		"privileges":               {func(c *engine.Container) { c.Privileged = true }, Kernel},
		"a capability":             {func(c *engine.Container) { c.Capabilities = []string{"SYS_ADMIN"} }, Kernel},
		"new privileges":           {func(c *engine.Container) { c.NoNewPrivileges = false }, Kernel},
		"no filter of calls":       {func(c *engine.Container) { c.Seccomp = false }, Kernel},
		"root":                     {func(c *engine.Container) { c.User = "0:0" }, Kernel},
		"no user":                  {func(c *engine.Container) { c.User = "" }, Kernel},
		"a namespace of the host":  {func(c *engine.Container) { c.Shared = []string{"pid"} }, Processes},
		"a device":                 {func(c *engine.Container) { c.Devices = []string{"/dev/kvm"} }, Kernel},
		"memory without a limit":   {func(c *engine.Container) { c.Memory = 0 }, Resources},
		"swap":                     {func(c *engine.Container) { c.Swap = -1 }, Resources},
		"processes without limit":  {func(c *engine.Container) { c.Pids = 0 }, Resources},
		"processor without limit":  {func(c *engine.Container) { c.CPUs = 0 }, Resources},
		"no watcher":               {func(c *engine.Container) { c.Watched = false }, Processes},
		"an engine that is silent": {func(c *engine.Container) { *c = engine.Container{} }, Processes},
	}
	for name, tt := range tests {
		c := held("x")
		tt.weaken(&c)
		if b := breachesOf(c); len(b) != 1 || b[0].Concern != tt.concern {
			t.Errorf("%s: %v", name, b)
		}
	}
}

func TestAnEndThatComesEarlyLeavesNothingThatLooksContained(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	res := Run(ctx, Suite{oneAttack()}, Options{
		Layers: []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, Runtimes: []string{"runc", "runsc"}, Parallel: 1, Host: quiet{},
		Pipeline: func(context.Context, Trial) Observation {
			cancel(errors.New("enough"))
			return Observation{Result: said(gate.LayerStatic, "a.py", gate.SeverityDangerous, "")}
		},
	})
	if res.Decision == gate.DecisionPass || len(res.Attacks) != 4 || !slices.Contains(res.Incomplete, "enough") {
		t.Errorf("%s with %d rows: %q", res.Decision, len(res.Attacks), res.Incomplete)
	}
	for _, r := range res.Attacks {
		if r.Contained || len(r.Incomplete) == 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAPanicOfTheGateIsAFailureOfOneTrial(t *testing.T) {
	res := Run(t.Context(), Suite{oneAttack()}, Options{
		Layers: []gate.Layer{gate.LayerStatic}, Parallel: 1,
		Pipeline: func(context.Context, Trial) Observation { panic("a rule went wrong") },
	})
	if res.Decision == gate.DecisionPass || len(res.Failures) == 0 || !strings.Contains(res.Attacks[0].Incomplete[0], "a rule went wrong") {
		t.Errorf("%s: %+v", res.Decision, res.Failures)
	}
}

func TestLatencyIsThatOfTheSlowest(t *testing.T) {
	var rows []Row
	for i := range 100 {
		rows = append(rows, Row{ID: "a" + strings.Repeat("b", i), Runtime: "runc", Phases: map[gate.Layer]int64{gate.LayerStatic: 7, gate.LayerSandbox: int64(i + 1)}})
	}
	rows = append(rows,
		Row{ID: "a", Runtime: "runsc", Phases: map[gate.Layer]int64{gate.LayerStatic: 7, gate.LayerSandbox: 1000}, ProgramsMS: 800, AroundMS: 150},
		Row{ID: "ab", Runtime: "runsc", Phases: map[gate.Layer]int64{gate.LayerStatic: 7, gate.LayerSandbox: 2}}) // it started nothing
	want := []Latency{
		{gate.LayerStatic, "", 100, 7, 7, 0, 0}, // asked once for both runtimes
		{gate.LayerSandbox, "runc", 100, 50, 95, 0, 0},
		{gate.LayerSandbox, "runsc", 2, 2, 1000, 800, 150},
	}
	if got := latencies(rows); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
