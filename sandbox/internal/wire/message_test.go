package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func goodJob() Job {
	return Job{
		Version: Version, Key: testKey, Argv: []string{"python3", "-I", "a.py"}, Env: []string{"A=1", "B="}, Dir: "sub",
		Output: []string{"out"}, Timeout: time.Second, Budget: time.Second / 2, Cores: 1, CPUSeconds: 2, AddressSpace: 1 << 30, FileSize: 1 << 20, OpenFiles: 64,
		Memory: 1 << 28, Pids: 64, StreamBytes: 1, OutputBytes: 2, OutputFiles: 3, InputBytes: 4, InputEntries: 5,
		Observe: &Observe{Hooks: []Hook{{Programs: []string{"node"}, Variable: "A", Value: "b", Mark: "M", Earlier: []string{"-r"}}, {Programs: []string{"python"}, Folder: "/usr", File: "x"}}},
	}
}

func TestAJobComesOutAsItWentIn(t *testing.T) {
	payload, err := Encode(goodJob())
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeJob(payload)
	if diff := cmp.Diff(goodJob(), got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestAJobThatIsNotWholeIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Job){
		"version":              func(j *Job) { j.Version++ },
		"key":                  func(j *Job) { j.Key = j.Key[1:] },
		"no program":           func(j *Job) { j.Argv = nil },
		"no program ":          func(j *Job) { j.Argv = []string{""} },
		"no time limit":        func(j *Job) { j.Timeout = 0 },
		"for tests":            func(j *Job) { j.Budget = -1 },
		"on 0 cores":           func(j *Job) { j.Cores = 0 },
		"memory or processes":  func(j *Job) { j.Memory = 0 },
		"memory or processes ": func(j *Job) { j.Pids = -1 },
		"negative":             func(j *Job) { j.StreamBytes = -1 },
		"negative ":            func(j *Job) { j.OutputFiles = -1 },
		"zero byte":            func(j *Job) { j.Argv = []string{"a\x00b"} },
		"zero byte ":           func(j *Job) { j.Output = []string{"\x00"} },
		"not KEY=value":        func(j *Job) { j.Env = []string{"=x"} },
		"not KEY=value ":       func(j *Job) { j.Env = []string{"x"} },
		"a hook ": func(j *Job) {
			j.Observe = &Observe{Hooks: []Hook{{Programs: []string{"node"}, Variable: "A=B", Mark: "M"}}}
		},
		"a hook  ":       func(j *Job) { j.Observe = &Observe{Hooks: []Hook{{Programs: []string{"node"}, Variable: "A"}}} },
		"a hook   ":      func(j *Job) { j.Observe = &Observe{Hooks: []Hook{{Programs: []string{"node"}}}} },
		"a hook    ":     func(j *Job) { j.Observe = &Observe{Hooks: []Hook{{Variable: "A", Mark: "M"}}} },
		"hooks, at most": func(j *Job) { j.Observe = &Observe{Hooks: make([]Hook, MaxHooks+1)} },
	} {
		j := goodJob()
		change(&j)
		payload, err := Encode(j)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeJob(payload); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMessagesAreDecodedStrictly(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown key":        `{"Version":1,"Extra":2}`,
		"two values":            `{"Version":1}{"Version":1}`,
		"text behind":           `{"Version":1} x`,
		"another type":          `{"Version":"1"}`,
		"nothing":               ``,
		"a value that is cut":   `{"Version":1`,
		"a number out of range": `{"Version":1e99}`,
	} {
		var h Hello
		if err := Decode([]byte(text), &h); err == nil {
			t.Errorf("%s was taken: %+v", name, h)
		}
	}
}

func FuzzDecodeJob(f *testing.F) {
	payload, err := Encode(goodJob())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add([]byte(`{"Version":1,"Argv":["x"]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := DecodeJob(data)
		if err != nil {
			return
		}
		if j.Version != Version || len(j.Key) != KeySize || len(j.Argv) == 0 || j.Timeout <= 0 || j.Memory <= 0 || j.Pids <= 0 {
			t.Fatalf("taken: %+v", j)
		}
		again, err := Encode(j)
		if err != nil {
			t.Fatal(err)
		}
		if k, err := DecodeJob(again); err != nil || !cmp.Equal(j, k) {
			t.Fatalf("%+v became %+v (%v)", j, k, err)
		}
	})
}
