package setup

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestEditorsThatAreUsedGetTheSettingsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.ReplaceAll(string(page), "\n    ", "\n") // blocks of the page are indented or fenced
	tree := fstest.MapFS{".vscode/settings.json": {}}
	home := fstest.MapFS{".config/nvim/init.lua": {}, ".config/helix/config.toml": {}, ".emacs.d/init.el": {}}
	p := Look(tree, home)
	var names []string
	for _, h := range p.Hints() {
		names = append(names, h.Editor)
		if !strings.Contains(flat, h.Text) {
			t.Errorf("docs/editors.md does not have the setting of %s:\n%s", h.Editor, h.Text)
		}
	}
	if got := strings.Join(names, " "); got != "Emacs Helix Neovim VS Code" {
		t.Errorf("got %s", got)
	}
	if got := Look(fstest.MapFS{}, nil).Hints(); len(got) > 0 {
		t.Errorf("no one uses an editor, and %v", got)
	}
}
