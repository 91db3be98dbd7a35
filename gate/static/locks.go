package static

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// lockedFrom is an address in a lock file from which a package comes.
var lockedFrom = regexp.MustCompile(`(?m)(?:"?resolved"?:?[ \t]+"|"resolved":[ \t]*"|\btarball:[ \t]*|\bsource[ \t]*=[ \t]*"(?:registry|sparse)\+|\bregistry[ \t]*=[ \t]*"|\burl[ \t]*=[ \t]*"|^[ \t]*remote:[ \t]*|^[ \t]*"|\["[^"\n]+@[^"\n]*",[ \t]*"|"type":[ \t]*"(?:zip|tar)",\s*"url":[ \t]*")(https?://[^\s"'},]+)`)

// anyAddress is an address in one of the lock files that name nothing but what is locked.
var anyAddress = regexp.MustCompile(`(?:git\+)?((?:https?|git|ssh)://[^\s"'},\])]+)`)

// locksOnly reports whether a lock file of that name has no addresses of home pages and
// sponsors among those from which packages come.
func locksOnly(base string) bool {
	switch strings.ToLower(base) {
	case "cargo.lock", "pdm.lock", "pixi.lock", "conda-lock.yml", "package.resolved", "pubspec.lock", "mix.lock", "flake.lock", "deno.lock", "uv.lock", "pylock.toml",
		"pipfile.lock", "podfile.lock", "cartfile.resolved", "bun.lock", "gemfile.lock", "go.sum", "jsonnetfile.lock.json", "devbox.lock", "packages.lock.json", "paket.lock", "chart.lock", "shard.lock", ".terraform.lock.hcl", "mise.lock":
		return true
	}
	return false
}

// publicHosts are those of the registries themselves, and those that they and
// their clients name for the same packages.
var publicHosts = []string{"registry.npmjs.org", "registry.yarnpkg.com", "registry.npmmirror.com", "npm.pkg.github.com", "npm.jsr.io",
	"codeload.github.com", "github.com", "pypi.org", "files.pythonhosted.org", "download.pytorch.org", "pypi.nvidia.com", "index.crates.io",
	"static.crates.io", "rubygems.org", "repo.packagist.org", "api.github.com", "gitlab.com", "registry.bower.io", "jsr.io", "deno.land", "esm.sh", "cdn.jsdelivr.net", "unpkg.com", "raw.githubusercontent.com", "conda.anaconda.org", "repo.anaconda.com", "prefix.dev", "repo.prefix.dev", "pub.dev", "pub.dartlang.org", "repo.hex.pm", "hex.pm",
	"bitbucket.org", "codeberg.org", "git.sr.ht", "releases.nixos.org", "channels.nixos.org", "cdn.cocoapods.org", "hackage.haskell.org", "api.nuget.org", "registry.terraform.io", "registry.opentofu.org", "storage.googleapis.com", "test.pypi.org"}

// lockHosts reports packages of a lock file that come from another host than
// the registries. A host that most of the packages come from is the team's own
// registry, unless the base never names it.
func (f *file) lockHosts(chunk []byte, firstLine int) {
	type entry struct {
		host string
		at   int
	}
	var foreign []entry
	count, total := map[string]int{}, 0
	form := lockedFrom
	if locksOnly(path.Base(f.view.Path)) {
		form = anyAddress
	}
	for _, m := range form.FindAllSubmatchIndex(chunk, maxLocked) {
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
		if told[e.host] || total > 1 && 2*count[e.host] > total && (f.newHost == nil || !f.newHost(e.host)) {
			continue
		}
		told[e.host] = true
		f.report(checkLockHost, firstLine+bytes.Count(chunk[:e.at], []byte{'\n'}), e.host, e.host)
	}
}

// maxLocked is how many packages of one chunk are looked at.
const maxLocked = 20_000
