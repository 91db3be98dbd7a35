package gate

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVerdictsAreOrderedFromHarmlessToBlocking(t *testing.T) {
	order := []Verdict{VerdictUnknown, Safe, Suspicious, Incomplete, Dangerous}
	for i, a := range order {
		for j, b := range order {
			if want := order[max(i, j)]; a.Worst(b) != want {
				t.Errorf("the worst of %s and %s is %s", a, b, a.Worst(b))
			}
		}
	}
}

func TestNamesSurviveJSON(t *testing.T) {
	type all struct {
		V Verdict
		S Severity
		D Decision
	}
	for v := Safe; v <= Dangerous; v++ {
		in := all{v, SeverityNote, DecisionBlock}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out all
		if err := json.Unmarshal(text, &out); err != nil || out != in {
			t.Errorf("%s came back as %+v, error %v", text, out, err)
		}
	}
}

func TestUnknownNamesAreErrorsThatSayWhatIsAllowed(t *testing.T) {
	var v Verdict
	var s Severity
	var d Decision
	for _, c := range []struct {
		err  error
		want string
	}{
		{v.UnmarshalText([]byte("safe")), "SAFE, SUSPICIOUS, INCOMPLETE, DANGEROUS"},
		{v.UnmarshalText([]byte("")), "SAFE, SUSPICIOUS, INCOMPLETE, DANGEROUS"},
		{s.UnmarshalText([]byte("high")), "note, suspicious, dangerous"},
		{d.UnmarshalText([]byte("PASS")), "pass, incomplete, block"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one that names %s", c.err, c.want)
		}
	}
	if v != VerdictUnknown || s != SeverityUnknown || d != DecisionUnknown {
		t.Errorf("a failed parse left %s, %s, %s", v, s, d)
	}
}

func TestValuesOutOfRangeAreUnknown(t *testing.T) {
	if Verdict(200).String() != "UNKNOWN" || Severity(200).String() != "unknown" || Decision(200).String() != "unknown" {
		t.Error("a value out of range has a name")
	}
}
