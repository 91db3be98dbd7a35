package policy

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestAMistakeNamesFileLineColumnAndWhatIsAllowed(t *testing.T) {
	tests := map[string]struct{ yaml, want string }{
		"an unknown key suggests the nearest one":   {"\nfial-on: dangerous\n", `.gate.yml:2:1: unknown key "fial-on" in the document; did you mean "fail-on"?`},
		"an unknown nested key names its parent":    {"sandbox:\n  memmory: 1g\n", `.gate.yml:2:3: unknown key "memmory" in "sandbox"; did you mean "memory"?`},
		"a key far from any has no suggestion":      {"zzzzqqqq: 1\n", `.gate.yml:1:1: unknown key "zzzzqqqq" in the document (allowed: `},
		"a word that is not allowed":                {"fail-on: never\n", `.gate.yml:1:10: "never" is not one of dangerous, suspicious`},
		"a share above the limit":                   {"sandbox: {memory-alert: 120%}\n", `"120%" is not a share from 1% to 100%`},
		"a share that is NaN":                       {"sandbox: {cpu-alert: NaN%}\n", `"NaN%" is not a share from 1% to 100%`},
		"an alert that is no amount":                {"sandbox: {memory-alert: much}\n", `"much" is not a size such as 512m or 100KiB, or a share such as 80%, or off`},
		"a profile that does not exist":             {"profile: paranoid\n", `.gate.yml:1:10: "paranoid" is not one of default, strict`},
		"two profiles":                              {"profile: strict\nchanges: all\nprofile: default\n", `.gate.yml:3:1: key "profile" is given twice in the document, first on line 1`},
		"a layer that does not exist":               {"require: [static, magic]\n", `.gate.yml:1:19: "magic" is not a layer`},
		"no layer at all":                           {"require: []\n", `at least one layer must be required`},
		"a list where a value belongs":              {"fail-on: [dangerous]\n", `.gate.yml:1:10: a single value is expected here, not a list`},
		"a value where a list belongs":              {"protect: '*'\n", `.gate.yml:1:10: a list is expected here`},
		"a key that is set twice":                   {"changes: ai\nchanges: all\n", `.gate.yml:2:1: key "changes" is given twice in the document, first on line 1`},
		"a second document":                         {"changes: ai\n---\nchanges: all\n", `one document is expected`},
		"an alias":                                  {"protect: &a ['*']\npaths: *a\n", `.gate.yml:2:8: aliases are not allowed: write the value out`},
		"a size out of range":                       {"limits: {file-size: 1GiB}\n", `.gate.yml:1:21: "1GiB" is not a size from 1KiB to 10MiB`},
		"a size that overflows":                     {"limits: {file-size: 999999999999g}\n", `is not a size from`},
		"a duration that is none":                   {"sandbox: {timeout: soon}\n", `"soon" is not a duration from 1s to 30m0s`},
		"a number that is NaN":                      {"sandbox: {cpus: .nan}\n", `is not a number from 0.1 to 64`},
		"a glob that does not compile":              {"protect: ['[']\n", `"[" is not a valid glob`},
		"a rule folder outside of the repository":   {"rules: {dirs: [../x]}\n", `"../x" is not a path below the repository`},
		"a host that is no URL":                     {"judge: {hosts: ['file:///etc/passwd']}\n", `is not an http or https URL`},
		"a runtime with an option inside":           {"sandbox: {runtime: '--privileged'}\n", `is not a name`},
		"a safe usage without its reason":           {"rules: {usage: [{rule: a/b, line: x}]}\n", `a safe usage lacks "reason"`},
		"a safe usage of any line":                  {"rules: {usage: [{rule: a/b, line: '.*', reason: r}]}\n", `the expression matches any line; to switch a rule off, use rules.disable`},
		"a safe usage that is no expression":        {"rules: {usage: [{rule: a/b, line: '(', reason: r}]}\n", `not an expression of RE2`},
		"a safe usage with an unknown key":          {"rules: {usage: [{rule: a/b, line: x, reason: r, path: y}]}\n", `unknown key "path" in a safe usage`},
		"an override without its glob":              {"paths: {overrides: [{changes: all}]}\n", `an override lacks "match"`},
		"a severity that does not exist":            {"rules: {severity: {exec/shell: off}}\n", `"off" is not one of dangerous, note, suspicious`},
		"memory for a language that has none":       {"sandbox: {memory-of: {jvm: 1g}}\n", `unknown language "jvm" (allowed: go, node, python, shell, wasm)`},
		"memory for a language that is too little":  {"sandbox: {memory-of: {go: 1m}}\n", `.gate.yml:1:27: `},
		"an image for a language that has none":     {"sandbox: {images: {cobol: x}}\n", `unknown image "cobol" (allowed: go, node, python, shell)`},
		"text that is not YAML":                     {"changes: ai\n\tx: 1\n", `.gate.yml:2:1: not valid YAML`},
		"a document that is a list":                 {"- a\n", `.gate.yml:1:1: the document must be a mapping`},
		"a file that is too large to be a policy":   {"#" + strings.Repeat("x", MaxBytes), `at most 262144 are read`},
		"the mistake behind an ignored machine key": {"sandbox: {runtime: 'a b'}\n", `"a b" is not a name`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := Load(Source{Name: ".gate.yml", Data: []byte(tt.yaml)})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant an error with %s", err, tt.want)
			}
		})
	}
}

func TestMistakesAreAllReportedAtOnce(t *testing.T) {
	_, _, err := Load(Source{Name: "a.yml", Data: []byte("fail-on: x\nchanges: y\n")})
	if err == nil || strings.Count(err.Error(), "a.yml:") != 2 {
		t.Errorf("got %v, want both mistakes", err)
	}
}

func TestAnEmptyFileChangesNothing(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "---\n", "null\n", "{}\n"} {
		p, _, err := Load(Source{Name: "a", Data: []byte(text)})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(gate.DefaultPolicy(), p); diff != "" {
			t.Errorf("%q changes the defaults: %s", text, diff)
		}
	}
}

func TestTheScannedTreeCannotSetMachineKeys(t *testing.T) {
	text := "sandbox: {runtime: evil, memory: 1g, images: {python: evil}, egress: [evil.example.com]}\njudge: {hosts: ['http://evil.invalid']}\n"
	p, ignored, err := Load(Source{Name: ".gate.yml", Data: []byte(text), Trust: Tree})
	if err != nil {
		t.Fatal(err)
	}
	want := gate.DefaultPolicy()
	want.Sandbox.Memory = 1 << 30
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("policy differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".gate.yml:1: sandbox.runtime", ".gate.yml:1: sandbox.images", ".gate.yml:1: sandbox.egress", ".gate.yml:2: judge.hosts"}, ignored); diff != "" {
		t.Errorf("ignored keys differ (-want +got):\n%s", diff)
	}
}

func TestTheBaseCommitMaySetMachineKeysAndTheUserOverridesThem(t *testing.T) {
	p, ignored, err := Load(
		Source{Name: ".gate.yml", Data: []byte("sandbox: {runtime: runsc}\njudge: {model: a, hosts: ['http://a.example.com']}\n"), Trust: Base},
		Source{Name: "config.yaml", Data: []byte("judge: {hosts: ['http://b.example.com']}\n"), Trust: User},
	)
	if err != nil || len(ignored) > 0 {
		t.Fatalf("err %v, ignored %v", err, ignored)
	}
	if p.Sandbox.Runtime != "runsc" || p.Judge.Model != "a" || p.Judge.Hosts[0] != "http://b.example.com" {
		t.Errorf("got %+v %+v", p.Sandbox, p.Judge)
	}
}

func TestTheUserConfigurationCannotLoosenTheRepositorysPolicy(t *testing.T) {
	_, _, err := Load(Source{Name: "config.yaml", Data: []byte("rules: {disable: [exec/shell]}\n"), Trust: User})
	if err == nil || !strings.Contains(err.Error(), "belongs in the repository's .gate.yml") {
		t.Errorf("got %v", err)
	}
}

func TestKeysOfTheDesignAreAllRead(t *testing.T) {
	text, err := os.ReadFile("testdata/full.yml")
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Load(Source{Name: "full.yml", Data: text, Trust: Base})
	if err != nil {
		t.Fatal(err)
	}
	want := gate.Policy{
		Profile: gate.ProfileStrict,
		FailOn:  gate.SeveritySuspicious, Deps: gate.DepsLocked, DepsAdded: gate.DepsAddedNever, Require: []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, Changes: "all",
		Paths: gate.Paths{Include: []string{"src/**"}, Exclude: []string{"vendor/**"},
			Overrides: []gate.PathOverride{{Match: "infra/**", Changes: "all"}}},
		Protect: []string{".github/**"},
		Limits:  gate.Limits{FileSize: 200 << 10, Files: 10, Budget: 20 * time.Minute},
		Rules: gate.Rules{Disable: []string{"exec/shell"}, Severity: map[string]gate.Severity{"a/b": gate.SeverityNote}, Dirs: []string{".gate/rules"},
			Usage: []gate.Usage{{Rule: "a/b", Line: `run\("git"\)`, Reason: "our own repository"}}},
		Imports:   gate.Imports{Allow: []string{"json"}},
		Judge:     gate.JudgePolicy{Model: "m:1", Fallback: "", Hosts: []string{"http://127.0.0.1:1"}},
		Sandbox:   gate.SandboxPolicy{Runtime: "runsc", Memory: 1 << 30, MemoryOf: map[gate.Language]int64{gate.LanguageGo: 1 << 30, gate.LanguageWasm: 256 << 20}, CPUs: 2, Pids: 100, Timeout: time.Minute, TestTimeout: 90 * time.Second, MemoryAlert: gate.Alert{Amount: 256 << 20, Own: true}, CPUAlert: gate.Alert{Share: 0.5, Own: true}, Conditions: 3, RunDangerous: true, Images: map[gate.Language]string{gate.LanguageJavaScript: "n:1", gate.LanguageTypeScript: "n:1"}, Run: map[string]string{"a/**": "pytest -q a"}, Egress: []string{"example.com"}, Python: "restricted", Go: "wasip1"},
		Override:  gate.Override{Label: "pass", Permission: "admin"},
		On:        gate.On{NotExecutable: gate.LeniencyIncomplete, UnknownType: gate.LeniencyIncomplete, LargeSource: gate.LeniencyIncomplete},
		Report:    gate.ReportPolicy{},
		Retention: gate.Retention{Logs: 48 * time.Hour},
		Rate:      gate.Rate{RunsPerHour: 5},
		Agent:     gate.AgentPolicy{Data: []string{"data.example.com", "http://127.0.0.1:8000"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy differs (-want +got):\n%s", diff)
	}
	for _, k := range keys() {
		last := k.name[strings.LastIndex(k.name, ".")+1:]
		if !strings.Contains(string(text), last+":") {
			t.Errorf("testdata/full.yml lacks %s", k.name)
		}
	}
}

func TestAnAlertIsAnAmountAShareOrOff(t *testing.T) {
	const limit = 1 << 30
	for text, want := range map[string]int64{
		"memory-alert: 256MiB": 256 << 20, "memory-alert: 50%": limit / 2, "memory-alert: 100%": limit, `memory-alert: "off"`: 0,
		"cpu-alert: 2s": int64(2 * time.Second), "cpu-alert: 50%": limit / 2, `cpu-alert: "off"`: 0,
	} {
		p, _, err := Load(Source{Name: ".gate.yml", Data: []byte("sandbox: {" + text + "}\n"), Trust: Tree})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		alert := p.Sandbox.MemoryAlert
		if strings.HasPrefix(text, "cpu") {
			alert = p.Sandbox.CPUAlert
		}
		if got := alert.At(limit); got != want || !alert.Own {
			t.Errorf("%s: %d of a limit of %d, own %v; want %d", text, got, limit, alert.Own, want)
		}
	}
}

func TestAProfileSetsSeveralKeysAndTheFileOverridesIt(t *testing.T) {
	strictOn := gate.On{NotExecutable: gate.LeniencyIncomplete, UnknownType: gate.LeniencyIncomplete, LargeSource: gate.LeniencyIncomplete}
	tests := map[string]struct {
		yaml   string
		change func(*gate.Policy) // from the strict policy
	}{
		"strict by itself":               {"profile: strict\n", func(*gate.Policy) {}},
		"one key behind it":              {"profile: strict\nfail-on: dangerous\n", func(p *gate.Policy) { p.FailOn = gate.SeverityDangerous }},
		"one key in front of it":         {"fail-on: dangerous\nprofile: strict\n", func(p *gate.Policy) { p.FailOn = gate.SeverityDangerous }},
		"fewer layers in front of it":    {"require: [static, sandbox]\nprofile: strict\n", func(p *gate.Policy) { p.Require = []gate.Layer{gate.LayerStatic, gate.LayerSandbox} }},
		"one of two keys of a group":     {"on: {unknown-type: warn}\nprofile: strict\n", func(p *gate.Policy) { p.On.UnknownType = gate.LeniencyWarn }},
		"a key that it is not about":     {"changes: all\nprofile: strict\n", func(p *gate.Policy) { p.Changes = "all" }},
		"the default profile by name":    {"profile: default\n", func(p *gate.Policy) { *p = gate.DefaultPolicy() }},
		"the default, with a strict key": {"fail-on: suspicious\nprofile: default\n", func(p *gate.Policy) { *p = gate.DefaultPolicy(); p.FailOn = gate.SeveritySuspicious }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, _, err := Load(Source{Name: ".gate.yml", Data: []byte(tt.yaml), Trust: Base})
			if err != nil {
				t.Fatal(err)
			}
			want := gate.DefaultPolicy()
			want.Profile, want.FailOn, want.Require, want.On = gate.ProfileStrict, gate.SeveritySuspicious, gate.Layers(), strictOn
			tt.change(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("policy differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheUserCannotLoosenAProfile(t *testing.T) {
	_, _, err := Load(
		Source{Name: ".gate.yml", Data: []byte("profile: strict\n"), Trust: Base},
		Source{Name: "config.yaml", Data: []byte("profile: default\n"), Trust: User},
	)
	if err == nil || !strings.Contains(err.Error(), `"profile" belongs in the repository's .gate.yml`) {
		t.Errorf("got %v", err)
	}
}

func TestMemoryIsThatOfTheLanguageThenThatOfAllThenWhatFits(t *testing.T) {
	for text, want := range map[string]map[gate.Language]int64{
		"{}":                                   {gate.LanguagePython: 512 << 20, gate.LanguageGo: 1 << 30, gate.LanguageWasm: 512 << 20},
		"{memory: 256m}":                       {gate.LanguagePython: 256 << 20, gate.LanguageGo: 256 << 20, gate.LanguageWasm: 256 << 20},
		"{memory-of: {go: 2g, node: 1g}}":      {gate.LanguagePython: 512 << 20, gate.LanguageGo: 2 << 30, gate.LanguageTypeScript: 1 << 30, gate.LanguageJavaScript: 1 << 30},
		"{memory-of: {wasm: 64m}, memory: 2g}": {gate.LanguageShell: 2 << 30, gate.LanguageWasm: 64 << 20},
	} {
		p, _, err := Load(Source{Name: ".gate.yml", Data: []byte("sandbox: " + text + "\n"), Trust: Base})
		if err != nil {
			t.Fatal(err)
		}
		for l, n := range want {
			if got := p.Sandbox.MemoryFor(l); got != n {
				t.Errorf("%s: %s has %d, want %d", text, l, got, n)
			}
		}
	}
}

func TestSetChecksAFlagLikeAFile(t *testing.T) {
	p := gate.DefaultPolicy()
	if err := Set(&p, "sandbox.runtime", "runsc", "--runtime"); err != nil || p.Sandbox.Runtime != "runsc" {
		t.Errorf("runtime %q, err %v", p.Sandbox.Runtime, err)
	}
	err := Set(&p, "sandbox.memory", "lots", "--memory")
	if err == nil || !strings.HasPrefix(err.Error(), `--memory: "lots" is not a size`) {
		t.Errorf("got %v", err)
	}
}

//go:generate go test -run TestThePolicyReferenceIsCurrent . -update

func TestThePolicyReferenceIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "policy.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- keys: generated -->\n", "<!-- /keys -->"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the markers of the generated table", file)
	}
	want := head + begin + Reference() + end + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is not current; run `go test ./gate/policy -update` (-want +got):\n%s", file, diff)
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{"fail-on: dangerous\n", "a: &a [*a]\n", "sandbox: {run: {'**': 'x'}}\n", "? {a: b}\n: c\n", "- 1\n", "a: 1\n---\nb: 2\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := Load(Source{Name: "f", Data: data})
		if err != nil {
			return
		}
		if p.FailOn == gate.SeverityUnknown || len(p.Require) == 0 || p.Limits.FileSize < 1<<10 || p.Sandbox.Timeout < time.Second {
			t.Errorf("accepted a policy out of range: %+v", p)
		}
	})
}

func TestAWayOutIsOpenedForNamesOnly(t *testing.T) {
	for host, ok := range map[string]bool{
		"api.example.com": true, "api.example.com:8443": true, "a.b.example.org:80": true,
		"*.example.com": false, "192.0.2.1": false, "169.254.169.254": false, "[2001:db8::1]:443": false, "localhost": false, "api.example.com:0": false,
		"api.example.com:65536": false, "https://api.example.com": false, "api.example.com/x": false, "API.example.com": false, "": false,
	} {
		_, _, err := Load(Source{Name: ".gate.yml", Data: fmt.Appendf(nil, "sandbox: {egress: [%q]}\n", host), Trust: Base})
		if (err == nil) != ok {
			t.Errorf("%q: %v", host, err)
		}
	}
}
