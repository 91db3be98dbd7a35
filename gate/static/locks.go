package static

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// lockedFrom is an address in a lock file from which a package comes.
var lockedFrom = regexp.MustCompile(`(?m)(?:"?resolved"?:?[ \t]+"|"resolved":[ \t]*"|\btarball:[ \t]*|\bsource[ \t]*=[ \t]*"(?:registry|sparse)\+|\bregistry[ \t]*=[ \t]*"|\burl[ \t]*=[ \t]*"|^[ \t]*remote:[ \t]*|^[ \t]*"|\["[^"\n]+@[^"\n]*",[ \t]*"|"type":[ \t]*"(?:zip|tar)",\s*"url":[ \t]*")(https://[^\s"'},]+)`)

// publicHosts are those of the registries themselves, and those that they and
// their clients name for the same packages.
var publicHosts = []string{"registry.npmjs.org", "registry.yarnpkg.com", "registry.npmmirror.com", "npm.pkg.github.com", "npm.jsr.io",
	"codeload.github.com", "github.com", "pypi.org", "files.pythonhosted.org", "download.pytorch.org", "pypi.nvidia.com", "index.crates.io",
	"static.crates.io", "rubygems.org", "repo.packagist.org", "api.github.com", "gitlab.com", "registry.bower.io", "jsr.io", "deno.land", "esm.sh", "cdn.jsdelivr.net", "unpkg.com", "raw.githubusercontent.com"}

// lockHosts reports packages of a lock file that come from another host than
// the registries. A host that most of the packages come from is the team's own
// registry.
func (f *file) lockHosts(chunk []byte, firstLine int) {
	type entry struct {
		host string
		at   int
	}
	var foreign []entry
	count, total := map[string]int{}, 0
	for _, m := range lockedFrom.FindAllSubmatchIndex(chunk, maxLocked) {
		u, err := url.Parse(string(chunk[m[2]:m[3]]))
		if err != nil {
			continue
		}
		total++
		host := strings.ToLower(u.Hostname())
		count[host]++
		if !slices.Contains(publicHosts, host) {
			foreign = append(foreign, entry{host, m[2]})
		}
	}
	told := map[string]bool{}
	for _, e := range foreign {
		if told[e.host] || total > 1 && 2*count[e.host] > total {
			continue
		}
		told[e.host] = true
		f.report(checkLockHost, firstLine+bytes.Count(chunk[:e.at], []byte{'\n'}), e.host, e.host)
	}
}

// maxLocked is how many packages of one chunk are looked at.
const maxLocked = 20_000
