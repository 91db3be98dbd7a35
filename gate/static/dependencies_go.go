package static

import (
	"bytes"
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var goReplace = regexp.MustCompile(`(?m)^[ \t]*(?:replace[ \t]+)?([\w.-]+(?:/[\w.~-]+)*)(?:[ \t]+v\S+)?[ \t]+=>[ \t]+((?:\.\./|\.\.$)[^\s]*)`)
var goModule = regexp.MustCompile(`(?m)^[ \t]*module[ \t]+"?([^\s"]+)`)

// replacedOutside reports modules of others that a folder outside of the
// repository takes the place of: what is built is nowhere to be seen.
func (f *file) replacedOutside(chunk []byte, firstLine int) {
	own := ""
	if m := goModule.FindSubmatch(chunk); m != nil {
		own = ownerOf(string(m[1]))
	}
	for _, m := range goReplace.FindAllSubmatchIndex(chunk, maxDependencies) {
		module, to := string(chunk[m[2]:m[3]]), string(chunk[m[4]:m[5]])
		if at := path.Join(path.Dir(f.view.Path), to); at != ".." && !strings.HasPrefix(at, "../") || ownerOf(module) == own {
			continue
		}
		f.report(checkGoReplaceOutside, firstLine+bytes.Count(chunk[:m[2]], []byte{'\n'}), module+" is "+to, to)
	}
}

// ownerOf is the host and the first folder of the path of a module.
func ownerOf(module string) string {
	parts := strings.SplitN(module, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

var goRequire = regexp.MustCompile(`(?m)^[ \t]*(?:require[ \t]+)?([a-z0-9.-]+\.[a-z]{2,}/[\w./~-]+)[ \t]+v\d`)
var goMajor = regexp.MustCompile(`/v\d+$`)

func goDependencies(chunk []byte) []dependency {
	var out []dependency
	for _, m := range goRequire.FindAllSubmatchIndex(chunk, maxDependencies) {
		out = append(out, dependency{name: goMajor.ReplaceAllString(string(chunk[m[2]:m[3]]), ""), at: m[2]})
	}
	return out
}
