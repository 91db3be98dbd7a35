package gate

import "testing"

func TestRuleCategory(t *testing.T) {
	for id, want := range map[string]string{
		"exfiltration/file-post": "exfiltration",
		"own/legacy/client":      "own",
		"noslash":                "noslash",
		"":                       "",
	} {
		if got := (Rule{ID: id}).Category(); got != want {
			t.Errorf("the category of %q is %q, want %q", id, got, want)
		}
	}
}
