package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheDefaultPolicyHasTheDefaultProfile(t *testing.T) {
	p := DefaultPolicy()
	again := p
	ProfileDefault.Apply(&again)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the default profile changes the default policy (-policy +profile):\n%s", diff)
	}
}

func TestStrictBlocksSuspicionAndEveryGap(t *testing.T) {
	p := DefaultPolicy()
	ProfileStrict.Apply(&p)
	if p.FailOn != SeveritySuspicious || !p.On.MustRun() || p.On.UnknownType != LeniencyIncomplete {
		t.Errorf("got %+v", p)
	}
	if diff := cmp.Diff(Layers(), p.Require); diff != "" {
		t.Errorf("required layers (-want +got):\n%s", diff)
	}
}
