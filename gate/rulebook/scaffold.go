package rulebook

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/static"
)

// Scaffold writes a folder below dir with a new rule and its samples, which pass
// [Test], and returns the files that it has written.
func Scaffold(dir, id, language string) (written []string, err error) {
	category, name, ok := strings.Cut(id, "/")
	if !ok || !fs.ValidPath(id) || strings.Contains(name, "/") || strings.ContainsAny(id, " \\:'\"") {
		return nil, exit.Usagef("%q is no id of a rule: category/name in lower-case words joined by \"-\"", id)
	}
	at := filepath.Join(dir, category+"-"+name)
	if _, err := os.Lstat(at); err == nil {
		return nil, exit.Usagef("%s exists already; add to its rules.yaml, or choose another name", at)
	}
	files := template(id, language)
	if err := testTemplate(files); err != nil {
		return nil, exit.Usagef("%w", err)
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		return nil, exit.Failed(err)
	}
	for _, f := range files {
		path := filepath.Join(at, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return written, exit.Failed(err)
		}
		written = append(written, path)
	}
	return written, nil
}

type file struct{ name, text string }

// template is a rule that works as it is, so that a test that fails later is about the
// edits.
func template(id, language string) []file {
	return []file{
		{"rules.yaml", fmt.Sprintf(`rules:
  - id: %s
    severity: suspicious            # dangerous, suspicious or note
    title: Legacy client            # a noun phrase, for lists
    message: calls legacy_connect   # what a finding says that the file does
    why: It speaks a protocol without encryption.
    instead: Call secure_connect.
    languages: [%s]
    in: code                        # code, string, comment, source (code or string) or any
    patterns: ['\blegacy_connect\(']
`, id, language)},
		{"samples.yaml", fmt.Sprintf(`%s:
  match:
    - {line: 2, severity: suspicious, text: "host = 1\nlegacy_connect(host)\n"}
  quiet:
    - text: "secure_connect(host)\n"
`, id)},
	}
}

// testTemplate reports what is wrong with an id or a language.
func testTemplate(files []file) error {
	tree := fstest.MapFS{}
	for _, f := range files {
		tree[f.name] = &fstest.MapFile{Data: []byte(f.text), Mode: 0o644}
	}
	_, err := static.TestRules(Source{Name: "new", FS: tree}, static.BuiltinRules())
	return err
}
