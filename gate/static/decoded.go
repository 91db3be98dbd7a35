package static

import (
	"crypto/sha256"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/decode"
)

// piece is a text that was decoded from a file and reads as a program.
type piece struct {
	language gate.Language
	content  []byte
	line     int // of the file
	origin   string
}

// pieces are those of one file, each content once.
type pieces struct {
	list []piece
	seen map[[sha256.Size]byte]bool
}

// add takes a decoded text that reads as a program, or in which the rules found
// something. Everything else that is stored in an encoded form is data: a picture, a
// key, a text. A text that may be in several languages comes once for each.
func (p *pieces) add(t text, found []gate.Finding) {
	language, program := decode.Program(t.content)
	if !program {
		worst := gate.SeverityNote
		for _, f := range found {
			worst = max(worst, f.Severity)
		}
		if worst < gate.SeveritySuspicious {
			return
		}
		language = t.language
	}
	sum := sha256.Sum256(t.content)
	if p.seen[sum] {
		return
	}
	if p.seen == nil {
		p.seen = map[[sha256.Size]byte]bool{}
	}
	p.seen[sum] = true
	p.list = append(p.list, piece{language, t.content, t.line(1), t.origin})
}

// decoded makes targets of the programs that were decoded, so that the model reads
// them, and the sandbox can run them. What is found in them is reported for the
// file as well, on the line where they are.
func (u unpacker) decoded() {
	if u.file.costs.pieces == nil {
		return
	}
	var old map[string]bool
	taken := map[string]bool{}
	for _, p := range u.file.costs.pieces.list {
		t := u.file.target
		if !t.Lines.Touches(p.line, p.line) {
			if old == nil {
				old = u.decodedBefore()
			}
			if old[string(p.content)] {
				continue // as the base has it
			}
		}
		name := fmt.Sprintf("line-%d%s", p.line, extension(p.language))
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("line-%d-%d%s", p.line, n, extension(p.language))
		}
		taken[name] = true
		u.file.derived = append(u.file.derived, gate.Derived{Content: p.content, Target: &gate.Target{
			Path: t.Path + "!" + name, Parent: t.Path, Origin: p.origin, Language: p.language, Role: t.Role, Kind: t.Kind,
			Attribution: t.Attribution, StaticOnly: t.StaticOnly,
		}})
	}
}

// decodedBefore are the texts that were encoded in the file before the change.
func (u unpacker) decodedBefore() map[string]bool {
	out := map[string]bool{}
	data, ok := u.base(u.file.scanner.policy.Limits.FileSize)
	if !ok {
		return out
	}
	for _, r := range decode.Payloads(u.file.target.Language, data, decode.NewBudget(int64(len(data)))) {
		out[string(r.Text)] = true
	}
	return out
}

// base returns the file as it was before the change.
func (u unpacker) base(limit int64) ([]byte, bool) {
	t := u.file.target
	if u.file.change.Base == nil || t.Parent != "" || t.Kind == gate.ChangeAdded || t.Kind == gate.ChangeNone {
		return nil, false
	}
	name := t.Path
	if t.OldPath != "" {
		name = t.OldPath
	}
	old := gate.Change{Head: u.file.change.Base}
	data, err := old.Read(&gate.Target{Path: name, Kind: gate.ChangeNone}, limit)
	return data, err == nil
}

// extension is what a file in a language is named like.
func extension(l gate.Language) string {
	return map[gate.Language]string{
		gate.LanguagePython: ".py", gate.LanguageJavaScript: ".js", gate.LanguageTypeScript: ".ts", gate.LanguageShell: ".sh", gate.LanguageGo: ".go",
		gate.LanguagePowerShell: ".ps1", gate.LanguageHTML: ".html", gate.LanguagePHP: ".php", gate.LanguageRuby: ".rb", gate.LanguagePerl: ".pl",
		gate.LanguageC: ".c",
	}[l]
}
