package report

import (
	"reflect"
	"strings"

	"github.com/aigate/gate/gate"
)

// canonical returns a deep copy of r in the one form that all formats render and
// that a round trip through JSON does not change: every list and map is there,
// strings are valid UTF-8, and whatever was left unknown becomes the state
// that it counts as.
func canonical(r gate.Result) gate.Result {
	out := copied(reflect.ValueOf(r)).Interface().(gate.Result)
	if out.SchemaVersion == 0 {
		out.SchemaVersion = gate.SchemaVersion
	}
	for i := range out.Files {
		if a := &out.Files[i].Attribution; a.Basis == "" {
			a.Basis = "unknown"
		}
	}
	return out
}

// copied walks the types by reflection, so that a field that is added to the
// result is covered without anybody thinking of it.
func copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(copied(v.Field(i)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copied(v.Elem()))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(copied(v.Index(i)))
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(copied(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for k, e := range v.Seq2() {
			out.SetMapIndex(copied(k), copied(e))
		}
	case reflect.String:
		out.SetString(strings.ToValidUTF8(v.String(), "\uFFFD"))
	default:
		out.Set(v)
	}
	if known, ok := stateOfUnknown(out.Interface()); ok {
		out.Set(reflect.ValueOf(known))
	}
	return out
}

// stateOfUnknown says what the zero value of an enumeration, or one that no one
// knows, counts as. None of them is a pass.
func stateOfUnknown(v any) (any, bool) {
	switch v := v.(type) {
	case gate.Verdict:
		return gate.Incomplete, v.String() == gate.VerdictUnknown.String()
	case gate.Severity:
		return gate.SeverityDangerous, v.String() == gate.SeverityUnknown.String()
	case gate.Decision:
		return gate.DecisionIncomplete, v.String() == gate.DecisionUnknown.String()
	case gate.LayerStatus:
		return gate.LayerFailed, v == ""
	case gate.ExecutionStatus:
		return gate.ExecutionFailed, v == ""
	case gate.Role:
		return gate.RoleSource, v == ""
	case gate.ChangeKind:
		return gate.ChangeNone, v == ""
	}
	return nil, false
}
