package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/tools/testenv"
)

// weakEngine is the real engine behind a door that takes one protection away from
// every container that gate asks for. No build of gate can be told to do that: it
// is what an engine would be that does not do as it is told.
type weakEngine struct {
	weaken func(config, host map[string]any)
}

// start returns the address of the door, for DOCKER_HOST.
func (w weakEngine) start(t *testing.T) string {
	t.Helper()
	real, err := url.Parse(testenv.Docker(t))
	if err != nil || real.Scheme != "unix" {
		t.Fatalf("the engine at %v is not one of this machine: %v", real, err)
	}
	dir, err := os.MkdirTemp("", "gate-weak") //nolint:usetesting // t.TempDir can be too long for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", real.Path)
	}}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "engine"
			if r.In.Method == http.MethodPost && strings.HasSuffix(r.In.URL.Path, "/containers/create") {
				w.rewrite(t, r.Out)
			}
		},
		Transport: transport, FlushInterval: -1,
	}
	server := &http.Server{Handler: proxy}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
	})
	return "unix://" + l.Addr().String()
}

// rewrite takes the protection away from a container that runs something.
func (w weakEngine) rewrite(t *testing.T, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Error(err)
		return
	}
	if labels, _ := body["Labels"].(map[string]any); labels["aigate.role"] == "run" {
		host, _ := body["HostConfig"].(map[string]any)
		w.weaken(body, host)
		if data, err = json.Marshal(body); err != nil {
			t.Error(err)
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
}

// attackOne runs one attack of the project on runc and returns its row.
func attackOne(t *testing.T, id string, env ...string) (attack.Row, attack.Result) {
	t.Helper()
	suite, err := filepath.Abs("../../fixtures/attacks")
	if err != nil {
		t.Fatal(err)
	}
	g := newRealGate(t, nil)
	cmd := g.command("attack", suite, "--only", id, "--layers", "sandbox", "--runtime", "runc", "--timeout", "5s", "--format", "json", "--quiet")
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the result says it all
	res, err := attack.ParseResult("stdout", stdout.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for _, r := range res.Attacks {
		if r.ID == id && !r.Benign {
			return r, res
		}
	}
	t.Fatalf("no row of %s", id)
	return attack.Row{}, attack.Result{}
}

func TestAttacksEscapeWhenAnyOneProtectionIsRemoved(t *testing.T) {
	testenv.Runtime(t, "runc")
	for _, lang := range []string{"node", "shell"} {
		testenv.Image(t, lang)
	}
	blind := filepath.Join(t.TempDir(), "gate")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", blind, "./sandbox/testdata/blindsupervise")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	security := func(host map[string]any, drop, add string) {
		var kept []any
		for _, o := range host["SecurityOpt"].([]any) {
			if !strings.HasPrefix(o.(string), drop) {
				kept = append(kept, o)
			}
		}
		if add != "" {
			kept = append(kept, add)
		}
		host["SecurityOpt"] = kept
	}
	tests := []struct {
		name, attack string
		weaken       func(config, host map[string]any)
		supervisor   string
		concern      attack.Concern // "" is contained
		what         string
	}{
		{name: "with all protections", attack: "supply-chain-install-script-sh", weaken: func(_, _ map[string]any) {}},
		{name: "network none", attack: "supply-chain-install-script-sh", weaken: func(c, h map[string]any) { c["NetworkDisabled"], h["NetworkMode"] = false, "bridge" },
			concern: attack.Network, what: "interface beside its own loopback (eth0)"},
		{name: "a root folder that is read-only", attack: "escape-release-agent", weaken: func(_, h map[string]any) { h["ReadonlyRootfs"] = false },
			concern: attack.Files, what: "root folder of its container could be written to"},
		{name: "no capabilities", attack: "escape-release-agent", weaken: func(_, h map[string]any) { h["CapDrop"] = nil },
			concern: attack.Kernel, what: "capabilities"},
		{name: "the filter of system calls", attack: "escape-release-agent", weaken: func(_, h map[string]any) { security(h, "seccomp", "seccomp=unconfined") },
			concern: attack.Kernel, what: "no filter of system calls"},
		{name: "no new privileges", attack: "escape-release-agent", weaken: func(_, h map[string]any) { security(h, "no-new-privileges", "") },
			concern: attack.Kernel, what: "could gain rights"},
		{name: "the limit of processes", attack: "resources-processes-sh", weaken: func(_, h map[string]any) { h["PidsLimit"] = 0 },
			concern: attack.Resources, what: "no limit of processes"},
		{name: "the limit of memory", attack: "resources-memory-js", weaken: func(_, h map[string]any) { h["Memory"], h["MemorySwap"] = 0, 0 },
			concern: attack.Resources, what: "no limit of memory"},
		{name: "namespaces of its own", attack: "escape-release-agent", weaken: func(_, h map[string]any) { h["CgroupnsMode"] = "host" },
			concern: attack.Processes, what: "shared namespaces of the host (cgroup)"},
		{name: "the supervisor", attack: "escape-release-agent", weaken: func(_, _ map[string]any) {}, supervisor: blind,
			concern: attack.Processes, what: "no supervisor watched it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := []string{"DOCKER_HOST=" + weakEngine{tt.weaken}.start(t)}
			if tt.supervisor != "" {
				env = append(env, "GATE_SUPERVISOR="+tt.supervisor)
			}
			row, res := attackOne(t, tt.attack, env...)
			if !row.Executed || row.Contained != (tt.concern == "") {
				t.Fatalf("executed %v, contained %v, breaches %v, incomplete %q", row.Executed, row.Contained, row.Breaches, row.Incomplete)
			}
			if tt.concern == "" {
				return
			}
			found := false
			for _, b := range row.Breaches {
				found = found || b.Concern == tt.concern && strings.Contains(b.What, tt.what)
			}
			if !found {
				t.Errorf("the breaches do not say %q: %v", tt.what, row.Breaches)
			}
			failed := false
			for _, f := range res.Failures {
				failed = failed || f.Kind == attack.Uncontained && f.ID == tt.attack
			}
			if !failed {
				t.Errorf("no failure says that it is not contained: %+v", res.Failures)
			}
		})
	}
}

// What the engine says is one thing; here the effect itself is seen, from outside
// and by the probes. Each probe needs one protection only, so all are taken away at once;
// make test-nightly also takes them away one at a time.
func TestRemovedProtectionsHaveAVisibleEffect(t *testing.T) {
	testenv.Runtime(t, "runc")
	for _, lang := range []string{"python", "node", "go", "shell"} {
		testenv.Image(t, lang)
	}
	type effect struct {
		weaken func(config, host map[string]any)
		want   []string // of each one probe that succeeds
	}
	tests := map[string]effect{
		"all protections": {func(_, _ map[string]any) {}, nil},
		"network none": {func(c, h map[string]any) { c["NetworkDisabled"], h["NetworkMode"] = false, "bridge" },
			[]string{"reach tcp ", "more than one interface", "what this machine saw of the probes"}},
		"a root folder that is read-only": {func(_, h map[string]any) { h["ReadonlyRootfs"] = false },
			[]string{"write /var/tmp/x", "the root folder is writable"}},
		"no capabilities": {func(_, h map[string]any) { h["CapDrop"] = nil }, []string{"a capability in CapBnd"}},
		"covered files of the kernel": {func(_, h map[string]any) { h["MaskedPaths"] = []string{} },
			[]string{"read /proc/key-users"}},
	}
	if !testenv.Thorough() {
		protected, without := tests["all protections"], tests["network none"]
		without.want = nil
		for _, tt := range tests {
			without.want = append(without.want, tt.want...)
		}
		all := tests
		without.weaken = func(c, h map[string]any) {
			for _, tt := range all {
				tt.weaken(c, h)
			}
		}
		tests = map[string]effect{"all protections": protected, "none of four protections": without}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := newRealGate(t, nil)
			cmd := g.command("attack", "--probes", "--runtime", "runc", "--format", "json", "--quiet")
			cmd.Env = append(cmd.Env, "DOCKER_HOST="+weakEngine{tt.weaken}.start(t))
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the result says it all
			res, err := attack.ParseResult("stdout", stdout.Bytes())
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			tried := 0
			for _, c := range res.ProbeCounts {
				tried += c.Tried
			}
			if code := cmd.ProcessState.ExitCode(); (code == exitPass) != (tt.want == nil) || tried < 1000 {
				t.Errorf("exit code %d with %d probes: %+v %q", code, tried, res.Failures, res.Incomplete)
			}
			for _, want := range tt.want {
				found := false
				for _, f := range res.Failures {
					found = found || f.Kind == attack.ProbeSucceeded && strings.HasPrefix(f.ID, want)
				}
				if !found {
					t.Errorf("no probe %q succeeded: %+v", want, res.Failures)
				}
			}
		})
	}
}
