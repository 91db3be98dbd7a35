package static_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// sends is a program that sends data to a host, and does nothing else.
const sends = "import requests\n\n\ndef report(total):\n    requests.post(\"https://collect.example.com/in\", json={\"total\": total})\n"

// sent returns the severities of the findings about new hosts in app.py of a change.
func sent(t *testing.T, base fstest.MapFS, head string, role gate.Role) []gate.Severity {
	t.Helper()
	target := &gate.Target{Path: "app.py", Language: gate.LanguagePython, Role: role, Kind: gate.ChangeAdded, Size: int64(len(head))}
	change := &gate.Change{Head: fstest.MapFS{"app.py": {Data: []byte(head)}}, Targets: []*gate.Target{target}}
	if base != nil {
		change.Base = base
	}
	found := gate.NewFindings(change.Targets, nil)
	if _, err := newScanner(t, nil).Run(t.Context(), change, found); err != nil {
		t.Fatal(err)
	}
	var out []gate.Severity
	for _, f := range found.Of("app.py") {
		if f.Rule == "exfiltration/python-new-host" {
			out = append(out, f.Severity)
		}
	}
	return out
}

func TestDataToAHostThatTheBaseNeverNamesIsSuspicious(t *testing.T) {
	suspicious, note := []gate.Severity{gate.SeveritySuspicious}, []gate.Severity{gate.SeverityNote}
	tests := map[string]struct {
		base fstest.MapFS
		head string
		role gate.Role
		want []gate.Severity
	}{
		"the base names other hosts":         {fstest.MapFS{"README.md": {Data: []byte("https://example.com https://api.example.com")}}, sends, gate.RoleSource, suspicious},
		"the base names it in documentation": {fstest.MapFS{"README.md": {Data: []byte("see https://collect.example.com/")}}, sends, gate.RoleSource, nil},
		"the base names it in a lock file":   {fstest.MapFS{"uv.lock": {Data: []byte("source = \"collect.example.com\"")}}, sends, gate.RoleSource, nil},
		"the base sends to it already":       {fstest.MapFS{"app.py": {Data: []byte(sends)}}, sends + "\n", gate.RoleSource, nil},
		"a test sends":                       {fstest.MapFS{"README.md": {Data: []byte("hello")}}, sends, gate.RoleTest, note},
		"there is no base":                   {nil, sends, gate.RoleSource, nil},
		"the base is empty":                  {fstest.MapFS{}, sends, gate.RoleSource, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sent(t, tt.base, tt.head, tt.role); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
