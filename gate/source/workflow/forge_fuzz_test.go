package workflow_test

import (
	"testing"

	"github.com/aigate/gate/gate/source/workflow"
)

// Any text gives facts with a kind and a name, or an error.
func FuzzForges(f *testing.F) {
	f.Add(".gitlab-ci.yml", []byte("include: [{project: a/b, ref: main}]\nx: &a {image: a}\ny: *a\n---\nz: 1\n"))
	f.Add("renovate.json5", []byte("{extends: ['a'], // b\n}"))
	f.Add(".github/settings.yml", []byte("branches: [{name: main, protection: {}}]\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if s, err := workflow.ReadSettings(text); err == nil {
			workflow.Weakened(s, nil)
		}
		forge, ok := workflow.ForgeOf(name)
		if !ok {
			return
		}
		w, err := forge.Read(name, text)
		if err != nil {
			return
		}
		for _, fact := range w.Facts {
			if fact.Kind == "" || fact.Name == "" && fact.Kind != workflow.Image {
				t.Errorf("a fact without a kind or name: %+v", fact)
			}
		}
	})
}
