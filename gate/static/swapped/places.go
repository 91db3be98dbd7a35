package swapped

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// links matches lines with a link for people: a page, a badge, an identifier of a format.
var links = regexp.MustCompile(`(?i)\$?schema["']?\s*[:=]|\$ref|xmlns|doctype|\b(?:docs?|documentation|home-?page|website|site|site_url|changelog|licen[cs]e|author|maintainers?|twitter|social|funding|badges?|logo|icon|href|link|links|description|title|help|see|issues?|bugs?|support|label|message|copyright)(?:[_-]?ur[il])?["']?\s*(?:[:=]|\bat\b)|` +
	`shields\.io|\bbadge\b|^\s*(?:echo|printf|print|log\w*\.\w+|console\.\w+|fmt\.Print\w*)\b`)

// metadata matches what a manifest says about the package itself.
var metadata = regexp.MustCompile(`(?i)^["']?(?:home-?page|repository|repo|source(?:[ _-]?code)?|bugs?|issues?|tracker|changelog|documentation|docs|download[ _-]?url|funding|url|web|email|connection|developerconnection|module)["']?\s*(?:[:=]|\s)|^<(?:url|connection|developerConnection|tag)>`)

// isMetadata reports whether a line of a manifest is about the package itself rather than about
// what it needs.
func isMetadata(name, text string) bool {
	switch base := path.Base(name); {
	case slices.Contains([]string{"package.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "composer.json", "pom.xml", "go.mod", "deno.json", "jsr.json", "mkdocs.yml", "galaxy.yml", "Chart.yaml", "CITATION.cff", "plugin.json", "marketplace.json"}, base),
		strings.HasSuffix(base, ".gemspec"), strings.HasSuffix(base, ".podspec"), strings.HasSuffix(base, ".cabal"):
		return metadata.MatchString(strings.TrimLeft(text, "{ \t"))
	}
	return false
}

// accounts are the hosts where everything belongs to an account, which is the first part of a
// path. The names of one service are one.
var accounts = map[string]string{
	"github.com": "github.com", "www.github.com": "github.com", "raw.githubusercontent.com": "github.com", "codeload.github.com": "github.com", "api.github.com": "github.com", "github": "github.com",
	"gitlab.com": "gitlab.com", "gitlab": "gitlab.com", "bitbucket.org": "bitbucket.org", "bitbucket": "bitbucket.org", "codeberg.org": "codeberg.org", "sourcehut": "git.sr.ht", "git.sr.ht": "git.sr.ht", "gitea.com": "gitea.com",
	"ghcr.io": "ghcr.io", "docker.io": "docker.io", "registry-1.docker.io": "docker.io", "index.docker.io": "docker.io", "quay.io": "quay.io", "registry.gitlab.com": "registry.gitlab.com", "gcr.io": "gcr.io", "us.gcr.io": "gcr.io", "eu.gcr.io": "gcr.io", "public.ecr.aws": "public.ecr.aws",
	"registry.terraform.io": "terraform", "huggingface.co": "huggingface.co",
}

// hosted matches what belongs to an account: the host, the account, the name.
var hosted = regexp.MustCompile(`(?i)(?:^|[\s"'=@(,{/:+\x60])((?:www\.|raw\.|codeload\.|api\.)?(?:github|githubusercontent|gitlab|gitea)\.com|bitbucket\.org|codeberg\.org|git\.sr\.ht|(?:registry-1\.|index\.)?docker\.io|ghcr\.io|quay\.io|registry\.gitlab\.com|(?:us\.|eu\.)?gcr\.io|public\.ecr\.aws|registry\.terraform\.io|huggingface\.co)(?::\d+)?[/:](?:repos/)?~?([A-Za-z0-9][\w.-]*)/([\w.-]+)`)

// short matches the same without a host: github:owner/name.
var short = regexp.MustCompile(`(?i)(?:^|[\s"'=(,{])(github|gitlab|bitbucket|sourcehut):~?([A-Za-z0-9][\w.-]*)/([\w.-]+)`)

// keyed matches a name with an owner behind a word that says what it is.
var keyed = []struct {
	service string
	form    *regexp.Regexp
}{
	{"github.com", regexp.MustCompile(`(?:^|[\s{,])["']?uses["']?\s*:\s*["']?([A-Za-z0-9][\w.-]*)/([\w.-]+)[^\s"']*@`)},
	{"docker.io", regexp.MustCompile(`^(?i:FROM)\s+(?:--platform=\S+\s+)?([A-Za-z0-9][\w-]*)/([\w.-]+)`)},
	{"docker.io", regexp.MustCompile(`(?:^|[\s{,])["']?image["']?\s*[:=]\s*["']?([A-Za-z0-9][\w-]*)/([\w.-]+)["']?(?:[:@\s},]|$)`)},
	{"repository", regexp.MustCompile(`(?i)(?:^|[\s{,])["']?(?:\w*_)?(?:repo|repository|slug)["']?\s*(?::=|\?=|[:=])\s*["']?([A-Za-z0-9][\w.-]*)/([\w.-]+)["']?\s*(?:[,};]|$)`)},
	{"terraform", regexp.MustCompile(`(?:^|[\s{,])source\s*=\s*"([A-Za-z0-9][\w-]*)/([\w.-]+(?:/[\w.-]+)?)"`)},
	{"library", regexp.MustCompile(`@Library\(\s*["']([A-Za-z0-9][\w.-]*)/([\w.-]+)`)},
}

// account matches a variable that holds an owner.
var account = regexp.MustCompile(`(?i)^(?:export\s+|readonly\s+|local\s+|ARG\s+|ENV\s+|-\s+)?["']?(\w*(?:org|owner|account|namespace|vendor|organization))["']?\s*(?::=|\?=|[:=])\s*["']?([A-Za-z0-9][\w.-]*)["']?\s*[,;]?$`)

// fetches matches a line of a program that takes something from a forge, as against a page there.
var fetches = regexp.MustCompile(`(?i)git\+|\.git\b|git::|releases/(?:latest/)?download|/archive/|/raw/|/tarball/|/zipball/|githubusercontent|codeload|api\.github|\b(?:clone|curl|wget|install|from_pretrained|hf_hub|load|pull)\b`)

// ownersIn returns what a line names of owners; left is how many variables may still be looked for.
func ownersIn(f File, text string, left *int) []owned {
	var out []owned
	add := func(service, owner, name string) {
		if reserved[strings.ToLower(owner)] {
			return
		}
		name = strings.TrimSuffix(strings.ToLower(strings.TrimRight(name, ".")), ".git")
		if o := (owned{service, strings.ToLower(owner), name}); !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	if !isProgram(f.Language) || fetches.MatchString(text) {
		for _, m := range hosted.FindAllStringSubmatch(text, maxOnLine) {
			add(accounts[strings.ToLower(m[1])], m[2], m[3])
		}
		for _, m := range short.FindAllStringSubmatch(text, maxOnLine) {
			add(accounts[strings.ToLower(m[1])], m[2], m[3])
		}
	}
	for _, k := range keyed {
		if m := k.form.FindStringSubmatch(text); m != nil && !strings.HasPrefix(m[1], ".") {
			add(k.service, m[1], m[2])
		}
	}
	if m := account.FindStringSubmatch(text); m != nil && *left > 0 {
		*left--
		if usesAccount(f.Head, m[1]) {
			add("variable", m[2], strings.ToLower(m[1]))
		}
	}
	return out
}

// reserved are the first parts of paths of forges that are no accounts.
// https://docs.github.com/en/rest lists those of the API.
var reserved = map[string]bool{
	"orgs": true, "users": true, "user": true, "sponsors": true, "apps": true, "marketplace": true, "settings": true, "features": true, "topics": true, "search": true, "login": true,
	"datasets": true, "spaces": true, "docs": true, "models": true, "explore": true, "notifications": true, "repos": true, "advisories": true, "collections": true, "about": true, "contact": true,
}

// usesAccount reports whether a text puts the address of a forge or a registry together with a variable.
func usesAccount(text []byte, name string) bool {
	form, err := regexp.Compile(`(?i)(?:github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org|ghcr\.io|docker\.io|quay\.io|gcr\.io)(?:/repos)?[/:]\$?[{(]{0,2}\s*(?:[\w.]+\.)?` + regexp.QuoteMeta(name) + `\b`)
	return err == nil && form.Match(text)
}

// isProgram reports whether a language is one of programs, where most addresses are links.
func isProgram(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust,
		gate.LanguageJava, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageCSharp, gate.LanguageSwift, gate.LanguageElixir, gate.LanguageHTML, gate.LanguageTemplate, gate.LanguageLua, gate.LanguageR:
		return true
	}
	return false
}

// talks matches what says that a program talks to an address or takes something from it.
var talks = regexp.MustCompile(`(?i)ur[il]\b|_ur[il]|\bdsn\b|base_?(?:url|uri|path)|\bapi|api\b|auth|login|issuer|jwks|oidc|proxy|target|destination|upstream|backend|endpoint|server|host|origin|registr|mirror|remote|broker|datasource|database|redis|mongo|amqp|smtp|webhook|callback|redirect|rewrite|\bto\s*[=:]|import:|index|repos|download|fetch|\bget\(|post\(|request|connect|\bnew\s|["']/[^"'\s]*["']\s*:|\bcurl\b|\bwget\b|telemetry|collector|sink|exporter|tracking|gateway|service|cdn|static`)

// address matches a host behind a scheme: what is before it, the host.
var address = regexp.MustCompile(`(?i)((?:[a-z][a-z0-9+.-]*:)+//(?:[^\s/"'@]*@)?)((?:[a-z0-9_-]+\.)+[a-z0-9-]{2,}|\d{1,3}(?:\.\d{1,3}){3})`)

// setting matches a host that is the value of a setting without a scheme.
var setting = regexp.MustCompile(`(?i)((?:\w*(?:host|server|addr|address|endpoint|domain|origin|upstream|broker|registry|mirror))["']?\s*[:=]\s*["']?)((?:[a-z0-9_-]+\.)+(?:com|net|org|io|dev|app|cloud|ai|co|xyz|invalid|[a-z]{2}))(?:[:/"'\s,;]|$)`)

// hostsIn returns the hosts that a line talks to.
func hostsIn(lang gate.Language, text string) []placed {
	var out []placed
	add := func(at []int) {
		host := strings.ToLower(text[at[4]:at[5]])
		if _, forge := accounts[host]; forge || publicPlaces[host] || !foreign(host) {
			return
		}
		before, behind := text[:at[4]], text[at[5]:]
		out = append(out, placed{before: form(before[max(0, len(before)-maxAround):]), host: host, behind: form(behind[:min(len(behind), maxAround)])})
	}
	found := address.FindAllStringSubmatchIndex(text, maxOnLine)
	if len(found) > 0 && (talks.MatchString(address.ReplaceAllString(text, "$1"))) {
		for _, at := range found {
			add(at)
		}
	}
	if !isProgram(lang) || strings.ContainsAny(text, `"'`) {
		for _, at := range setting.FindAllStringSubmatchIndex(text, maxOnLine) {
			add(at)
		}
	}
	return out
}

var (
	blanks   = regexp.MustCompile(`\s+`)
	numbers  = regexp.MustCompile(`v?\d+(?:\.\d+)*`)
	anyHost  = regexp.MustCompile(`(?i)(://(?:[^\s/"'@]*@)?)(?:[a-z0-9_-]+\.)+[a-z0-9-]{2,}`)
	anyHTTPS = regexp.MustCompile(`(?i)https://`)
)

// form is a part of a line without what may differ between versions of the same reference.
func form(s string) string {
	s = anyHost.ReplaceAllString(s, "${1}HOST")
	s = anyHTTPS.ReplaceAllString(s, "http://")
	return blanks.ReplaceAllString(numbers.ReplaceAllString(s, "0"), "")
}

// publicPlaces are registries and mirrors that everybody takes packages and images from.
var publicPlaces = map[string]bool{
	"registry.npmjs.org": true, "registry.yarnpkg.com": true, "npm.jsr.io": true, "jsr.io": true, "pypi.org": true, "files.pythonhosted.org": true, "test.pypi.org": true, "proxy.golang.org": true, "sum.golang.org": true,
	"go.dev": true, "golang.org": true, "dl.google.com": true, "index.crates.io": true, "crates.io": true, "static.crates.io": true, "rubygems.org": true, "repo.maven.apache.org": true, "repo1.maven.org": true, "maven.google.com": true,
	"plugins.gradle.org": true, "services.gradle.org": true, "packagist.org": true, "repo.packagist.org": true, "nodejs.org": true, "deb.debian.org": true, "archive.ubuntu.com": true, "security.ubuntu.com": true, "deb.nodesource.com": true,
	"download.docker.com": true, "registry.k8s.io": true, "mcr.microsoft.com": true, "pkgs.k8s.io": true, "registry.opentofu.org": true, "conda.anaconda.org": true, "dl-cdn.alpinelinux.org": true, "storage.googleapis.com": true,
	"objects.githubusercontent.com": true, "www.schemastore.org": true, "json.schemastore.org": true,
}
