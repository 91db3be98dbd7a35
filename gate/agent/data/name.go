package data

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// maxName bounds the name of a file, in bytes.
const maxName = 80

// nameOf makes a plain file name of the last part of a URL's path. One that an
// interpreter or a test runner would look for gets another end: data is read.
func nameOf(from string, taken map[string]bool) string {
	name := ""
	if u, err := url.Parse(from); err == nil {
		name = path.Base(u.Path)
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name[max(0, len(name)-maxName):], ".-_")
	if name == "" {
		name = "data"
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".py", ".pyc", ".pth", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".sh", ".bash", ".go", ".mod", ".work", ".wasm", ".node", ".so":
		name += ".txt"
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	taken[strings.ToLower(name)] = true
	return name
}
