package main

import (
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// The tiny model keeps to the form and writes nothing: all the way to it and back
// is tried, and that nothing is not taken for an attack that was held.
func TestAModelThatWritesNothingIsNoAttackThatWasHeld(t *testing.T) {
	ollama := testenv.Ollama(t)
	g := newRealGate(t, nil)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"a model without an idea": {[]string{"--ollama", ollama, "--model", testenv.TinyModel}, "the model wrote no attack that can be used; the first: generated-"},
		"no such model":           {[]string{"--ollama", ollama, "--model", "no-such-model:1b"}, "let a model write attacks"},
		"no server":               {[]string{"--ollama", "http://127.0.0.1:9"}, "let a model write attacks: no Ollama server answers"},
	} {
		cmd := g.command(append([]string{"attack", "--generate", "1", "--layers", "static"}, tt.args...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exitIncomplete || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: exit code %d, %q", name, code, out)
		}
	}
}
