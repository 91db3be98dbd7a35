package static

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static/modules"
	"github.com/aigate/gate/tools/testenv"
)

// Methods of one name are not told apart: what Settings asks a table for seems to be what
// Registry is given. Neither that call nor its module is on the trace that such a flow has.
func TestAFlowOverModulesThatItsOwnTraceDoesNotMakeIsNone(t *testing.T) {
	registry := modules.Piece{Path: "registry.py", Line: 1, Text: []byte(`class Registry:
    def get(self, extension_id):
        entry = extensions.get(extension_id)
`)}
	settings := modules.Piece{Path: "settings.py", Line: 1, Text: []byte(`class Settings:
    def read(self, current, prefix):
        for key, value in os.environ.items():
            remainder = key[len(prefix) :]
            config_path = [p for p in remainder.lower().split("_") if p]
            if not isinstance(current.get(config_path[-1]), dict):
                return None
`)}
	disable := modules.Piece{Path: "commands.py", Line: 1, Text: []byte(`def disable(extension):
    manager = Manager(project_root)
    installed = manager.list_installed()
    extension_id, display_name = resolve(extension, installed, "disable")
    metadata = manager.registry.get(extension_id)
`)}
	s := scannerOf(t)
	const rule = "exfiltration/python-channel-flow"
	found := func(own modules.Piece, before ...modules.Piece) (all, held int) {
		j := &joint{across: &across{scanner: s}, lang: gate.LanguagePython, role: gate.RoleSource, path: own.Path, own: []modules.Piece{own}, tree: fstest.MapFS{}, rules: map[string]bool{rule: true}}
		content, spots := joinPieces(append(before, own))
		for _, x := range j.crossings(s.texts.flows(j.text(content)), spots) {
			if x.Rule == rule && x.crosses() {
				all++
			}
		}
		for _, x := range j.flows(before) {
			if x.Rule == rule {
				held++
			}
		}
		return all, held
	}
	if all, held := found(disable, registry, settings); all == 0 || held > 0 {
		t.Errorf("of %d flows in the joined text, %d count", all, held)
	}
}

func scannerOf(t *testing.T) *Scanner {
	t.Helper()
	testenv.WithoutRace(t, "one question after the other to one scanner")
	rules, err := LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Policy: gate.DefaultPolicy(), Rules: rules, Classify: change.Classify})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
