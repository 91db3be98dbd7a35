package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// facts of a kind as "job name=value:line".
func facts(t *testing.T, k Kind, text string) []string {
	t.Helper()
	w, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range w.Of(k) {
		out = append(out, fmt.Sprintf("%s %s=%s:%d", f.Job, f.Name, f.Value, f.Line))
	}
	return out
}

func TestWorkflowPermissionsAndTriggersAreRead(t *testing.T) {
	for _, tc := range []struct {
		name string
		kind Kind
		text string
		want []string
	}{
		{"an event", Trigger, "on: push\n", []string{" push=:1"}},
		{"events", Trigger, "on: [push, pull_request]\n", []string{" push=:1", " pull_request=:1"}},
		{"an event with filters", Trigger, "on:\n  push:\n    branches: [main]\n", []string{" push=branches main:2"}},
		{"a quoted key", Trigger, "\"on\": push\n", []string{" push=:1"}},
		{"rights for all", Permission, "permissions: write-all\njobs: {a: {}}\n", []string{" *=write:1"}},
		{"no rights", Permission, "permissions: {}\njobs: {a: {}}\n", []string{" *=none:1"}},
		{"a right", Permission, "permissions:\n  contents: write\njobs: {a: {}}\n", []string{" contents=write:2"}},
		{"nothing said", Permission, "jobs:\n  a: {runs-on: x}\n", []string{"a *=default:2"}},
		{"of a job", Permission, "jobs:\n  a:\n    permissions: {id-token: write}\n", []string{"a id-token=write:3"}},
		{"an action", Action, "jobs:\n  a:\n    steps:\n      - uses: o/a/sub@v1\n", []string{"a o/a/sub=v1:4"}},
		{"a reusable workflow", Action, "jobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@abc\n", []string{"a o/r/.github/workflows/x.yml=abc:3"}},
		{"an image as an action", Action, "jobs: {a: {steps: [{uses: 'docker://alpine:3.1'}]}}", []string{"a docker://alpine=3.1:1"}},
		{"of a composite action", Action, "runs:\n  steps:\n    - uses: o/a@v1\n", []string{" o/a=v1:3"}},
		{"a label", Runner, "jobs: {a: {runs-on: ubuntu-latest}}", []string{"a ubuntu-latest=:1"}},
		{"labels", Runner, "jobs: {a: {runs-on: [self-hosted, gpu]}}", []string{"a self-hosted=:1", "a gpu=:1"}},
		{"a group", Runner, "jobs: {a: {runs-on: {group: big, labels: [x]}}}", []string{"a group big=:1", "a x=:1"}},
		{"a secret of a command", Secret, "jobs: {a: {steps: [{run: x, env: {T: '${{ secrets.npm_token }}'}}]}}", []string{"a NPM_TOKEN=a command:1"}},
		{"a secret of an action", Secret, "jobs: {a: {steps: [{uses: o/a@v1, with: {t: \"${{secrets['T']}}\"}}]}}", []string{"a T=o/a:1"}},
		{"a secret that is worked out", Secret, "jobs: {a: {steps: [{run: x, env: {T: '${{ secrets[matrix.t] }}'}}]}}", []string{"a *=a command:1"}},
		{"all secrets", Secret, "jobs: {a: {steps: [{run: 'echo ${{ toJSON(secrets) }}'}]}}", []string{"a *=a command:1"}},
		{"secrets passed on", Secret, "jobs: {a: {uses: o/r/x.yml@v1, secrets: inherit}}", []string{"a *=o/r/x.yml:1"}},
		{"a secret of all jobs", Secret, "env: {T: '${{ secrets.T }}'}\n", []string{" T=env:1"}},
		{"a command", Command, "jobs: {a: {steps: [{run: make}]}}", []string{"a make=:1"}},
		{"an image", Image, "jobs: {a: {container: 'r.example.com:5000/x/y:1'}}", []string{"a r.example.com:5000/x/y=1:1"}},
		{"a service", Image, "jobs: {a: {services: {db: {image: postgres@sha256:ab}}}}", []string{"a postgres=sha256:ab:1"}},
		{"by way of an alias", Action, "x: &s\n  - uses: o/a@v1\njobs: {a: {steps: *s}}", []string{"a o/a=v1:2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := facts(t, tc.kind, tc.text); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWorkflowsThatCannotBeReadAreErrors(t *testing.T) {
	for name, text := range map[string]string{
		"no YAML":        "on: [push\n",
		"two documents":  "on: push\n---\non: issues\n",
		"too large":      strings.Repeat("#\n", MaxBytes),
		"too deep":       "env: " + strings.Repeat("[", 60) + strings.Repeat("]", 60),
		"aliases apiece": bomb(),
	} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if _, err := Read([]byte(bomb())); !errors.Is(err, ErrTooMuch) {
		t.Error(err)
	}
}

// bomb is a text whose aliases stand for billions of nodes.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("on: push\njobs: {a: {steps: [{uses: o/a@v1}]}}"))
	f.Add([]byte("a: &a [*a]\njobs: *a"))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = Read(text) })
}
