package hostwatch

import (
	"os"
	"path/filepath"
)

// decoyFiles are what attacks look for and write to in a home folder. They mean
// nothing; that one of them changes is what is waited for.
var decoyFiles = []string{
	".ssh/authorized_keys", ".ssh/id_ed25519", ".bashrc", ".profile", ".zshrc", ".gitconfig", ".npmrc", ".pypirc", ".netrc",
	".aws/credentials", ".config/autostart/update.desktop", ".local/bin/git", "project/.git/config", "project/src/main.py",
}

const decoyText = "# a decoy of gate attack: nothing may read or change it\n"

func (m *Monitor) plant() error {
	for _, name := range decoyFiles {
		path := filepath.Join(m.decoys, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if text, err := os.ReadFile(path); err == nil && string(text) == decoyText {
			continue
		}
		if err := os.WriteFile(path, []byte(decoyText), 0o600); err != nil {
			return err
		}
	}
	return nil
}
