package setup

import (
	"maps"
	"slices"
)

// Hint is how an editor starts gate as its language server. It is for the user to put there:
// how editors are set up differs too much between people to write to their settings.
type Hint struct {
	Editor string
	Where  string // the file that the text goes into
	Text   string
}

// Hints are those of the editors that were found, in the order of their names. docs/editors.md has
// them all.
func (p Project) Hints() []Hint {
	known := map[string]Hint{
		"Neovim": {"Neovim", "~/.config/nvim/init.lua", `vim.lsp.config('gate', { cmd = { 'gate', 'lsp' }, root_markers = { '.git' } })
vim.lsp.enable('gate')
`},
		"Helix": {"Helix", "~/.config/helix/languages.toml", `[language-server.gate]
command = "gate"
args = ["lsp"]

[[language]]
name = "python"
language-servers = ["pylsp", "gate"]
`},
		"Emacs": {"Emacs", "your settings, with lsp-mode", `(lsp-register-client (make-lsp-client :new-connection (lsp-stdio-connection '("gate" "lsp"))
  :activation-fn (lambda (&rest _) t) :add-on? t :server-id 'gate))
`},
		"VS Code": {"VS Code", "a checkout of gate, where the extension is", `cd tools/vscode && npm ci --ignore-scripts && npm run package
code --install-extension gate.vsix
`},
	}
	var out []Hint
	for _, name := range slices.Sorted(maps.Keys(p.Editors)) {
		if h, ok := known[name]; ok {
			out = append(out, h)
		}
	}
	return out
}
