package execute

import (
	"github.com/aigate/gate/gate/execute/workspace"

	"archive/tar"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

// different puts another value into a field, of whatever type it is.
func different(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(append([]byte("x"), v.Bytes()...))
			return
		}
		more := reflect.New(v.Type().Elem()).Elem()
		if more.Kind() == reflect.Struct {
			different(t, more.Field(0))
		} else {
			different(t, more)
		}
		v.Set(reflect.Append(v, more))
	default:
		t.Fatalf("a field of type %s: teach this test, and the key, about it", v.Type())
	}
}

// TestKeyHasAllPartsOfARun changes each field of a Spec and of an Identity in
// turn. A field that is added and forgotten in the key fails here.
func TestKeyHasAllPartsOfARun(t *testing.T) {
	canaries := canary.New(func(string) bool { return false })
	type all struct {
		spec  sandbox.Spec
		id    sandbox.Identity
		input string
		r     reuse
	}
	fresh := func() *all {
		return &all{
			spec: sandbox.Spec{Image: "i", Runtime: "r", Argv: []string{"a"}, Ask: &sandbox.Ask{}, Observe: &sandbox.Observe{Canaries: canaries.Canaries(), Plants: canaries.Plants()}},
			id:   sandbox.Identity{ImageID: "1"}, input: "in", r: reuse{day: "2026-01-02"},
		}
	}
	key := func(a *all) string { return a.r.key(a.id, a.spec, a.input, canaries) }
	same := key(fresh())
	if len(same) != 64 || key(fresh()) != same {
		t.Fatalf("key %q, then %q", same, key(fresh()))
	}
	var each func(name string, of func(*all) reflect.Value)
	each = func(name string, of func(*all) reflect.Value) {
		typ := of(fresh()).Type()
		for i := range typ.NumField() {
			field := typ.Field(i)
			nested := func(a *all) reflect.Value { return reflect.Indirect(of(a).Field(i)) }
			switch {
			case field.Type == reflect.TypeFor[func(*tar.Writer) error](): // named by input
			case nested(fresh()).Kind() == reflect.Struct:
				each(name+field.Name+".", nested)
			default:
				a := fresh()
				different(t, nested(a))
				if key(a) == same {
					t.Errorf("%s%s is not in the key", name, field.Name)
				}
			}
		}
	}
	each("Spec.", func(a *all) reflect.Value { return reflect.ValueOf(&a.spec).Elem() })
	each("Identity.", func(a *all) reflect.Value { return reflect.ValueOf(&a.id).Elem() })
	for name, change := range map[string]func(*all){
		"the input": func(a *all) { a.input = "other" }, "the day": func(a *all) { a.r.day = "2026-01-03" },
		"not being observed":       func(a *all) { a.spec.Observe = nil },
		"not being asked":          func(a *all) { a.spec.Ask = nil },
		"a planted file's content": func(a *all) { a.spec.Observe.Plants[0].Data = []byte("x") },
	} {
		a := fresh()
		a.spec.Observe.Plants = append([]sandbox.File{}, a.spec.Observe.Plants...)
		if change(a); key(a) == same {
			t.Errorf("%s is not in the key", name)
		}
	}
	// Other values of the same canaries are the same run.
	others := canary.New(func(string) bool { return false })
	a := fresh()
	a.spec.Observe.Canaries, a.spec.Observe.Plants = others.Canaries(), others.Plants()
	if got := a.r.key(a.id, a.spec, a.input, others); got != same {
		t.Error("random values are in the key")
	}
}

func TestTheDigestOfATreeIsThatOfItsFiles(t *testing.T) {
	base := []workspace.File{{Path: "a", Data: []byte("x")}, {Path: "b", Link: "a"}}
	seen := map[string]int{digest(base): -1}
	for i, files := range [][]workspace.File{
		nil, base[:1], {base[1], base[0]},
		{{Path: "a", Data: []byte("y")}, base[1]}, {{Path: "c", Data: []byte("x")}, base[1]}, {{Path: "a", Data: []byte("x"), Exec: true}, base[1]},
		{base[0], {Path: "b", Link: "c"}}, {base[0], {Path: "b", Data: []byte("a")}}, {{Path: "a\" false \"\"", Data: []byte("x")}, base[1]},
	} {
		d := digest(files)
		if other, ok := seen[d]; ok {
			t.Errorf("%d has the digest of %d", i, other)
		}
		seen[d] = i
	}
}

func FuzzDecodeKept(f *testing.F) {
	spec := sandbox.Spec{Image: "i", Argv: []string{"a"}, Output: []string{"out"}, Observe: &sandbox.Observe{Canaries: []sandbox.Canary{{ID: "c", Value: "01234567890123456789"}}}}
	id := sandbox.Identity{ImageID: "1"}
	good, err := json.Marshal(kept{Printed: []string{"c"}, Result: sandbox.Result{
		Status: sandbox.Exited, Runtime: "runc", Image: "i", ImageID: "1", Stdout: sandbox.Stream{Data: []byte("x"), Bytes: 1},
		Files:     []sandbox.File{{Path: "out/a", Data: []byte("y")}},
		Behaviour: sandbox.Behaviour{Recorder: "ptrace", Events: []sandbox.Event{{Action: sandbox.ActionRead, Object: "/x", Count: 1}}},
	}})
	if err != nil {
		f.Fatal(err)
	}
	r := &reuse{}
	if _, err := r.decodeKept(good, spec, id); err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"Result":{"Status":"exited"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := r.decodeKept(data, spec, id)
		if err == nil && (!r.worthKeeping(k, id, spec.Limits.Timeout) || k.Result.Check(spec) != nil) {
			t.Errorf("taken: %+v", k)
		}
	})
}
