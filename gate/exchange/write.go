package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxPath bounds the path of a file, in bytes.
const maxPath = 1000

// device is a name that Windows takes for a device, whatever follows the dot.
var device = regexp.MustCompile(`(?i)^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)`)

// notPlain says what is wrong with a path that a program chose, "" for nothing.
func notPlain(p string) string {
	if !utf8.ValidString(p) || len(p) > maxPath || !fs.ValidPath(p) || p == "." || !filepath.IsLocal(filepath.FromSlash(p)) {
		return "its path is not one inside of a folder"
	}
	parts := strings.Split(p, "/")
	if len(parts) > MaxDepth+1 {
		return fmt.Sprintf("it is more than %d folders deep", MaxDepth)
	}
	for _, part := range parts {
		switch {
		case len(part) > 200:
			return "its name is too long"
		case strings.HasPrefix(part, "."):
			return "hidden files are not taken"
		case strings.HasPrefix(part, "-"), strings.HasPrefix(part, "~"), strings.HasSuffix(part, "."), strings.TrimSpace(part) != part,
			strings.ContainsAny(part, `\:*?"<>|`+"`$"), device.MatchString(part):
			return "its name means something else to a shell or a system"
		case strings.ContainsFunc(part, func(r rune) bool {
			return r != ' ' && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
		}):
			return "its name has characters that cannot be seen"
		}
	}
	return ""
}

// Prepare makes the folder for output where it is not there.
func Prepare(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is there and is not a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for output: %w", err)
	}
	return nil
}

// Write writes files below a folder that is there. What is there already stays as it is.
// The error is about this machine, such as a full disk: then nothing more is written.
func Write(dir string, files []File) (written int, left []Left, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, nil, fmt.Errorf("open the folder for output: %w", err)
	}
	defer root.Close()
	var bytes int64
	for _, f := range files {
		why := notPlain(f.Path)
		bytes += int64(len(f.Data))
		switch {
		case why != "":
		case written == MaxFiles:
			why = fmt.Sprintf("more than %d files", MaxFiles)
		case bytes > MaxBytes:
			why = fmt.Sprintf("more than %d MiB together", MaxBytes>>20)
		default:
			if why, err = create(root, f); err != nil {
				return written, left, fmt.Errorf("write %q to %s: %w", f.Path, dir, err)
			}
		}
		if why != "" {
			left = append(left, Left{f.Path, why})
			continue
		}
		written++
	}
	return written, left, nil
}

// create makes a file that is not there, and the folders above it. why says what is in
// its way.
func create(root *os.Root, f File) (why string, err error) {
	if why, err := folder(root, path.Dir(f.Path)); why != "" || err != nil {
		return why, err
	}
	name := filepath.FromSlash(f.Path)
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "a file of this name is there already, and stays", nil
	}
	if err != nil {
		return "", err
	}
	_, err = out.Write(f.Data)
	if err = errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, root.Remove(name))
	}
	return "", err
}

// folder makes a folder and those above it. A link is not one.
func folder(root *os.Root, dir string) (why string, err error) {
	if dir == "." {
		return "", nil
	}
	if why, err := folder(root, path.Dir(dir)); why != "" || err != nil {
		return why, err
	}
	name := filepath.FromSlash(dir)
	if err = root.Mkdir(name, 0o755); !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		why = fmt.Sprintf("%q is there already and is not a folder", dir)
	}
	return why, err
}
