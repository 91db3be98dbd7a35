package deps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/aigate/gate/gate/locks"
)

// defaultGoProxy is Go's own, without its way around proxies.
const defaultGoProxy = "https://proxy.golang.org"

// onlyProxies returns the settings of Go with which modules that a change names come from
// proxies and never from their repositories. A private module has no other source than its
// repository or a login, and a public proxy must not be asked for it, so there is an error
// for a lock that names one.
func onlyProxies(env map[string]string, l locks.Lock) (map[string]string, error) {
	private := strings.Trim(env["GOPRIVATE"]+","+env["GONOPROXY"], ",")
	for _, p := range l.Projects {
		mod, err := modfile.ParseLax("go.mod", p.Files["go.mod"], nil)
		if err != nil {
			return nil, fmt.Errorf("read the go.mod of the change: %w", err)
		}
		for _, r := range mod.Require {
			if module.MatchPrefixPatterns(private, r.Mod.Path) {
				return nil, fmt.Errorf("%s is private on this machine (GOPRIVATE, GONOPROXY), so nothing that the change adds is fetched", r.Mod.Path)
			}
		}
	}
	var proxies []string
	for word := range strings.FieldsFuncSeq(cmp.Or(env["GOPROXY"], defaultGoProxy), func(r rune) bool { return r == ',' || r == '|' }) {
		if word = strings.TrimSpace(word); word != "direct" && word != "off" && word != "" {
			proxies = append(proxies, word)
		}
	}
	if len(proxies) == 0 {
		return nil, errors.New("GOPROXY of this machine names no proxy, and what a change adds is fetched from nowhere else")
	}
	out := maps.Clone(env)
	if out == nil {
		out = map[string]string{}
	}
	out["GOPROXY"], out["GOVCS"] = strings.Join(proxies, ","), "*:off"
	out["GONOPROXY"], out["GOPRIVATE"] = "none", ""
	return out, nil
}
