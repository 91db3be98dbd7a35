package relocked

import (
	"bytes"
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// format is how a lock file is read.
type format struct {
	read  func([]byte) []entry
	grows bool // an index may get more files of a version
}

var (
	requirements = regexp.MustCompile(`(?i)^(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in|lock)$`)
	workflow     = regexp.MustCompile(`(?:^|/)(?:\.github/workflows/[^/]+|action)\.ya?ml$`)
)

// Knows reports whether a file of that path has entries that can be compared.
func Knows(name string) bool {
	_, ok := formatOf(name)
	return ok
}

func formatOf(name string) (format, bool) {
	base := path.Base(name)
	switch base {
	case "package-lock.json", "npm-shrinkwrap.json":
		return format{npm, false}, true
	case "pnpm-lock.yaml":
		return format{pnpm, false}, true
	case "yarn.lock":
		return format{yarn, false}, true
	case "bun.lock":
		return format{bun, false}, true
	case "deno.lock":
		return format{deno, false}, true
	case "Cargo.lock":
		return format{cargo, false}, true
	case "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml":
		return format{python, true}, true
	case "Pipfile.lock":
		return format{pipenv, true}, true
	case "go.sum", "go.work.sum":
		return format{goSum, false}, true
	case "composer.lock":
		return format{composer, false}, true
	case "flake.lock":
		return format{flake, false}, true
	case "Gemfile.lock":
		return format{bundler, true}, true // platforms have gems of their own
	case "packages.lock.json":
		return format{nuget, false}, true
	}
	switch {
	case requirements.MatchString(base) || path.Base(path.Dir(name)) == "requirements" && path.Ext(name) == ".txt":
		return format{pip, true}, true
	case workflow.MatchString(name):
		return format{actions, false}, true
	}
	return format{}, false
}

// perMatch makes an entry of each match: name, version and digest, of an algorithm.
func perMatch(re *regexp.Regexp, data []byte, prefix string) []entry {
	var out []entry
	for _, m := range re.FindAllSubmatch(data, -1) {
		out = append(out, entry{name: string(m[1]), version: string(m[2]), digests: []string{prefix + string(m[3])}})
	}
	return out
}

var (
	goSumLine  = regexp.MustCompile(`(?m)^(\S+) (v\S+) (h1:\S+)\s*$`)
	bunLine    = regexp.MustCompile(`(?m)^\s*"[^"]+":\s*\["((?:@[^/"]+/)?[^@"]+)@([^"]+)",.*"(sha\d+-[^"]+)"\]`)
	gemLine    = regexp.MustCompile(`(?m)^  (\S+) \(([^)]+)\) (sha256=[0-9a-f]+)\s*$`)
	actionLine = regexp.MustCompile(`(?m)\buses:\s*["']?([\w./-]+)@[0-9a-f]{40}["']?\s+#\s*(?:tag=|ratchet:\S+@)?(v?\d+\.\d+\.\d+\S*)`)
	actionSum  = regexp.MustCompile(`@([0-9a-f]{40})`)
)

func goSum(data []byte) []entry { return perMatch(goSumLine, data, "") }

func bun(data []byte) []entry { return perMatch(bunLine, data, "") }

func bundler(data []byte) []entry {
	out := perMatch(gemLine, data, "")
	for i := range out {
		out[i].digests[0] = strings.Replace(out[i].digests[0], "=", ":", 1)
	}
	return out
}

// actions reads the pinned actions of a workflow whose comments name a whole version: a tag
// such as v4 moves with each release.
func actions(data []byte) []entry {
	var out []entry
	for _, m := range actionLine.FindAllSubmatch(data, -1) {
		sum := actionSum.FindSubmatch(m[0])
		out = append(out, entry{name: string(m[1]), version: string(m[2]), digests: []string{string(sum[1])}})
	}
	return out
}

var (
	pinned  = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*===?\s*([^\s;\\]+)`)
	pipHash = regexp.MustCompile(`--hash[= ](\w+:\S+)`)
)

// pip reads requirements with hashes.
func pip(data []byte) []entry {
	var out []entry
	joined := strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(string(data))
	for line := range strings.Lines(joined) {
		line = strings.TrimSpace(line)
		m := pinned.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e := entry{name: strings.ToLower(m[1]), version: m[2], mark: m[0]}
		for _, h := range pipHash.FindAllStringSubmatch(line, -1) {
			e.digests = append(e.digests, h[1])
		}
		out = append(out, e)
	}
	return out
}

var (
	block     = regexp.MustCompile(`(?m)^\[\[packages?\]\][ \t]*\r?$`)
	blockPair = regexp.MustCompile(`(?m)^(name|version|source|checksum)[ \t]*=[ \t]*(.+?)[ \t]*\r?$`)
	anyHash   = regexp.MustCompile(`\b(?:hash[ \t]*=[ \t]*"|sha256[ \t]*=[ \t]*")((?:\w+:)?[^"]+)"`)
	gitSource = regexp.MustCompile(`\bgit[ \t]*=[ \t]*"([^"]+)"|(?m)^type[ \t]*=[ \t]*"git"[ \t]*\r?\n(?:\w+[ \t]*=.*\n)*?url[ \t]*=[ \t]*"([^"]+)"`)
	notRemote = regexp.MustCompile(`(?m)^source[ \t]*=[ \t]*\{[ \t]*(?:editable|virtual|directory|path)\b|^type[ \t]*=[ \t]*"(?:directory|file)"|^path[ \t]*=|^(?:editable|directory)[ \t]*=`)
)

// blocks reads the tables of packages in a lock file of TOML.
func blocks(data []byte, fill func(e *entry, text []byte)) []entry {
	var out []entry
	starts := block.FindAllIndex(data, -1)
	for i, at := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text := data[at[1]:end]
		e := entry{remote: true}
		for _, m := range blockPair.FindAllSubmatch(text, -1) {
			value := strings.Trim(string(m[2]), `"'`)
			switch string(m[1]) {
			case "name":
				if e.name == "" {
					e.name, e.mark = value, string(m[0])
				}
			case "version":
				if e.version == "" {
					e.version = value
				}
			case "source":
				e.address = value
			case "checksum":
				e.digests = append(e.digests, "sha256:"+value)
			}
		}
		fill(&e, text)
		out = append(out, e)
	}
	return out
}

// cargo reads Cargo.lock. A crate without a source is one of the workspace.
func cargo(data []byte) []entry {
	out := blocks(data, func(e *entry, _ []byte) { e.remote = e.address != "" })
	for i := range out {
		for j, d := range out[i].digests {
			out[i].digests[j] = strings.TrimPrefix(d, "sha256:")
		}
	}
	return out
}

// python reads the lock files of Poetry, uv and PDM.
func python(data []byte) []entry {
	return blocks(data, func(e *entry, text []byte) {
		for _, m := range anyHash.FindAllSubmatch(text, -1) {
			e.digests = append(e.digests, string(m[1]))
		}
		e.remote = !notRemote.Match(text)
		if strings.HasPrefix(e.address, "{") || e.address == "" {
			e.address = ""
			if m := gitSource.FindSubmatch(text); m != nil {
				e.address = "git+" + string(m[1]) + string(m[2])
			}
		}
	})
}

var (
	yarnPair  = regexp.MustCompile(`^\s+(version|resolved|resolution|integrity|checksum|cacheKey):?\s+"?([^"\s]+)`)
	yarnNamed = regexp.MustCompile(`^((?:@[^@/]+/)?[^@/]+)@(.+)$`)
)

// yarn reads yarn.lock, of all versions.
func yarn(data []byte) []entry {
	var out []entry
	header, cacheKey := "", ""
	e := entry{}
	flush := func() {
		defer func() { e = entry{} }()
		if header == "" || strings.Contains(header, "@patch:") || strings.Contains(header, "@workspace:") || strings.Contains(header, "@file:") || strings.Contains(header, "@link:") || strings.Contains(header, "@portal:") {
			return
		}
		e.remote, e.mark = strings.Contains(e.address, "://"), header
		if e.address == "" { // of a registry, as Yarn 2 writes it
			e.remote = true
		}
		for name := range strings.SplitSeq(strings.Trim(strings.TrimSuffix(header, ":"), `"`), ", ") {
			m := yarnNamed.FindStringSubmatch(strings.Trim(name, `"`))
			if m == nil {
				continue
			}
			one := e
			one.name = m[1]
			if target, ok := strings.CutPrefix(m[2], "npm:"); ok {
				if a := yarnNamed.FindStringSubmatch(target); a != nil {
					one.name = a[1] // an alias
				}
			}
			one.alias = "npm:" + one.resolved
			out = append(out, one)
		}
	}
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(string(raw), "\r\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			flush()
			header = line
		default:
			m := yarnPair.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			switch m[1] {
			case "cacheKey":
				cacheKey = m[2]
			case "version":
				e.version = m[2]
			case "resolved":
				e.address, e.resolved = m[2], packageAt(m[2])
			case "resolution":
				if n := yarnNamed.FindStringSubmatch(m[2]); n != nil && strings.HasPrefix(n[2], "npm:") {
					e.resolved = n[1]
				} else if n != nil {
					e.address = n[2]
				}
			case "integrity":
				e.digests = append(e.digests, m[2])
			case "checksum":
				if !strings.Contains(m[2], "/") {
					m[2] = cacheKey + "/" + m[2]
				}
				e.digests = append(e.digests, m[2])
			}
		}
	}
	flush()
	return out
}
