package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/tools/testenv"
)

func TestARuntimeIsAddedAndTheRestOfTheConfigurationStays(t *testing.T) {
	entry := map[string]any{"path": "/usr/bin/runsc", "runtimeArgs": []any{"--network=none"}}
	other := map[string]any{"path": "/usr/bin/kata"}
	tests := map[string]struct {
		config string
		want   map[string]any // nil: an error
	}{
		"no configuration": {"", map[string]any{"runtimes": map[string]any{"runsc": entry}}},
		"an empty object":  {"{}", map[string]any{"runtimes": map[string]any{"runsc": entry}}},
		"other settings and runtimes stay": {
			`{"log-level": "warn", "runtimes": {"kata": {"path": "/usr/bin/kata"}}}`,
			map[string]any{"log-level": "warn", "runtimes": map[string]any{"kata": other, "runsc": entry}}},
		"an old entry is replaced": {
			`{"runtimes": {"runsc": {"path": "/gone"}}}`,
			map[string]any{"runtimes": map[string]any{"runsc": entry}}},
		"what is not JSON is left alone":       {`{"runtimes": `, nil},
		"runtimes of another shape stay alone": {`{"runtimes": []}`, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := withRuntime([]byte(tc.config), "runsc", "/usr/bin/runsc", []string{"--network=none"})
			if tc.want == nil {
				if err == nil {
					t.Fatalf("no error, but %s", text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("configuration (-want +got):\n%s", d)
			}
		})
	}
}

func TestEntriesAreReplacedOnlyIfOursAndOlder(t *testing.T) {
	tests := map[string]struct {
		config string
		want   bool
	}{
		"no configuration":                 {"", false},
		"what is not JSON":                 {"{", false},
		"no runsc":                         {`{"runtimes": {}}`, false},
		"another user's":                   {`{"runtimes": {"runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--platform=kvm"]}}}`, false},
		"another user's without arguments": {`{"runtimes": {"runsc": {"path": "/usr/bin/runsc"}}}`, false},
		"ours, of another day":             {`{"runtimes": {"runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--network=none", "--platform=ptrace"]}}}`, true},
		"ours":                             {`{"runtimes": {"runsc": {"path": "` + gvisorPath + `", "runtimeArgs": ["--network=none", "--platform=systrap"]}}}`, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "daemon.json")
			write(t, path, tc.config)
			if got := outdated(path); got != tc.want {
				t.Errorf("outdated: %v", got)
			}
		})
	}
}

func TestLimitsAreGivenUpLast(t *testing.T) {
	for _, systrap := range []bool{false, true} {
		all := runscArgs(systrap)
		ignoring := func(args []string) bool { return slices.Contains(args, "--ignore-cgroups") }
		first := slices.IndexFunc(all, ignoring)
		if first <= 0 || !ignoring(all[len(all)-1]) {
			t.Errorf("systrap %v: --ignore-cgroups is not a last resort: %q", systrap, all)
		}
		if slices.ContainsFunc(all[:first], ignoring) || slices.ContainsFunc(all[first:], func(a []string) bool { return !ignoring(a) }) {
			t.Errorf("systrap %v: mixed order: %q", systrap, all)
		}
		for _, args := range all {
			if !slices.Contains(args, "--network=none") {
				t.Errorf("runsc with a network: %q", args)
			}
		}
	}
}

func TestAnErrorInsideTheEnginesAnswerIsFound(t *testing.T) {
	tests := map[string]struct{ stream, want string }{
		"progress to the end": {`{"status":"Pulling"}` + "\n" + `{"status":"Done"}`, ""},
		"an error after progress": {
			`{"status":"Pulling"}` + "\n" + `{"errorDetail":{"message":"no space"},"error":"no space"}`, "no space"},
		"an answer that is cut off": {`{"status":"Pul`, "read the engine's answer"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := streamError(strings.NewReader(tc.stream))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestHalfAnImageIsNotAWholeOne(t *testing.T) {
	broken := errors.New("exit status 1")
	r := &endedReader{r: strings.NewReader("half"), wait: func() error { return broken }}
	if _, err := io.ReadAll(r); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	r = &endedReader{r: strings.NewReader("whole"), wait: func() error { return nil }}
	if b, err := io.ReadAll(r); err != nil || !bytes.Equal(b, []byte("whole")) {
		t.Errorf("%q, %v", b, err)
	}
}

func TestReadingAPIDFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pid")
	if got := readPID(path); got != 0 {
		t.Errorf("no file: %d", got)
	}
	for text, want := range map[string]int{"12\n": 12, "": 0, "x": 0} {
		write(t, path, text)
		if got := readPID(path); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestALiveEngineIsLeftAlone(t *testing.T) {
	testenv.Runtime(t, "runsc")
	var out strings.Builder
	if code := run(t.Context(), []string{"up", "-runsc"}, "never", &out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &out)
	}
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "is up") {
		t.Errorf("it did more than look:\n%s", text)
	}
}
