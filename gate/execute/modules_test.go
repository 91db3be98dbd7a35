package execute

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate/execute/workspace"
)

func TestAPackageOfGoIsOneOfTheRepositoryByItsModule(t *testing.T) {
	tree := &workspace.Tree{Files: []workspace.File{{Path: "go.mod", Data: []byte("module example.com/app\n")}, {Path: "tools/go.mod", Data: []byte("module example.com/tools/v2\n")}}}
	q := question{head: tree, base: &workspace.Tree{}}
	for name, own := range map[string]bool{
		"example.com/app": true, "example.com/app/inner": true, "example.com/tools/v2/x": true,
		"example.com/apple": false, "go.yaml.in/yaml/v3": false, "tools/x": false,
	} {
		if got := q.ownGo(name); got != own {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAModuleIsBuiltWithTheVersionsOfTheBase(t *testing.T) {
	const base = "module example.com/app\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n)\n"
	for name, tt := range map[string]struct {
		head    string
		want    string
		instead []string
		invalid bool
	}{
		"the same": {head: base, want: base},
		"another version, in another version of Go": {
			head:    "module example.com/app\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.1.0\n\texample.com/b v1.2.0\n)\n",
			want:    "module example.com/app\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n)\n",
			instead: []string{"example.com/a v1.0.0 instead of v1.1.0"},
		},
		"a module that the base has not": {
			head:    "module example.com/app\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/c v0.1.0\n)\n",
			want:    base,
			instead: []string{"example.com/c is not there"},
		},
		"a module of the tree": {
			head:    "module example.com/app\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.1.0\n\texample.com/d v0.0.0\n)\n\nreplace example.com/d => ./d\n",
			want:    "module example.com/app\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n\texample.com/d v0.0.0\n)\n\nreplace example.com/d => ./d\n",
			instead: []string{"example.com/a v1.0.0 instead of v1.1.0"},
		},
		"another name": {head: "module example.com/app/v2\n\ngo 1.21\n", want: "module example.com/app/v2\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.2.0\n)\n"},
		"no go.mod":    {head: "modul\"e", invalid: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, instead, err := withVersionsOf([]byte(base), []byte(tt.head))
			if (err != nil) != tt.invalid || string(got) != tt.want || !slices.Equal(instead, tt.instead) {
				t.Errorf("%q instead of %q, %v:\n%s", instead, tt.instead, err, got)
			}
		})
	}
}

func TestAFlagJoinsThoseOfTheEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"none":      {nil, "GOFLAGS=-x"},
		"some":      {[]string{"GOFLAGS=-tags=a", "A=b"}, "GOFLAGS=-tags=a -x"},
		"the last":  {[]string{"GOFLAGS=-tags=a", "GOFLAGS=-tags=b"}, "GOFLAGS=-tags=b -x"},
		"empty one": {[]string{"GOFLAGS="}, "GOFLAGS=-x"},
	} {
		if got := withFlag(tt.env, "-x"); got[len(got)-1] != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
