package behaviour

import "testing"

func TestARecipeMayWriteStartFilesOfItsImageOnly(t *testing.T) {
	for image, want := range map[bool]string{true: ruleStartFile.ID + not, false: ruleStartFile.ID + sus} {
		r := runOf(t, Hook, "write /tmp/.bashrc")
		r.Recipe, r.Image = true, image
		if got := rulesOf(Findings(r)); got != want {
			t.Errorf("of an image %v: %s, want %s", image, got, want)
		}
	}
}
