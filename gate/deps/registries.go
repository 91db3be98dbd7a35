package deps

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/sandbox/images/fetch"
)

// publicRegistries are asked without being named anywhere.
var publicRegistries = []string{
	"registry.npmjs.org", "registry.yarnpkg.com", "pypi.org", "files.pythonhosted.org", "proxy.golang.org", "sum.golang.org",
}

// Sources are the registries that installers may ask: what this machine's settings name,
// and what the base's files name. Credentials stay in them and in gate; the settings that
// installers get have none.
type Sources struct {
	getenv func(string) string
	fetch.Options
	settings images.Settings
	secrets  images.Secrets
	npmrc    []string // lines for the installers
}

// readSources reads the settings of this machine as pip, npm and Go keep them, and those
// that the user named.
func readSources(getenv func(string) string, files map[string]string) (*Sources, error) {
	s := &Sources{getenv: getenv, settings: images.Settings{Env: map[string]string{}, Files: map[string][]byte{}}, secrets: images.Secrets{}}
	s.Hosts = append(s.Hosts, publicRegistries...)
	s.Scopes = map[string]string{}
	home := getenv("HOME")
	for _, f := range []struct {
		kind  string
		usual []string
		read  func(string)
	}{
		{"netrc", []string{getenv("NETRC"), below(home, ".netrc")}, s.netrc},
		{"npmrc", []string{getenv("NPM_CONFIG_USERCONFIG"), below(home, ".npmrc")}, s.npmSettings},
		{"pip.conf", []string{getenv("PIP_CONFIG_FILE"), below(home, ".config/pip/pip.conf"), below(home, ".pip/pip.conf"), "/etc/pip.conf"}, s.pipSettings},
		{"go env", []string{getenv("GOENV"), below(home, ".config/go/env")}, s.goSettings},
	} {
		if named := files[f.kind]; named != "" {
			data, err := bounded.ReadPath(named, maxSettings)
			if err != nil {
				return nil, exit.Usagef("--secret-file: %w", err)
			}
			f.read(string(data))
			continue
		}
		for _, usual := range f.usual {
			if data, err := bounded.ReadPath(usual, maxSettings); usual != "" && err == nil {
				f.read(string(data))
				break
			}
		}
	}
	for _, name := range []string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "GOPROXY"} {
		if value := getenv(name); value != "" {
			s.set(name, value)
		}
	}
	for _, name := range []string{"GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "PIP_TRUSTED_HOST"} {
		if value := getenv(name); value != "" {
			s.plain(name, value)
		}
	}
	return s, nil
}

// maxSettings bounds a file with settings, in bytes.
const maxSettings = 1 << 20

func below(home, name string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, name)
}

// plain hands a setting on that holds no address.
func (s *Sources) plain(name, value string) {
	s.settings.Env[name] = value
	if name == "GOPRIVATE" || name == "GONOPROXY" { // modules that come from where they are called after
		for pattern := range strings.SplitSeq(value, ",") {
			if host, _, _ := strings.Cut(strings.TrimSpace(pattern), "/"); strings.Contains(host, ".") && !strings.ContainsAny(host, "*?[") {
				s.Hosts = append(s.Hosts, host)
			}
		}
	}
}

var addressWords = regexp.MustCompile(`[^\s,|]+`)

// set hands a setting on that is a list of addresses, without credentials.
func (s *Sources) set(name, value string) {
	s.settings.Env[name] = addressWords.ReplaceAllStringFunc(value, func(word string) string { return s.address(name, word) })
}

// address lets a registry be asked and returns its address without credentials.
func (s *Sources) address(what, text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return text
	}
	s.Hosts = append(s.Hosts, u.Host)
	if u.User != nil {
		password, _ := u.User.Password()
		s.credential(what, u.Host, "", basic(u.User.Username(), password), cmp.Or(password, u.User.Username()))
		u.User = nil
	}
	return u.String()
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// credential keeps how to be let in, and which part of it is secret.
func (s *Sources) credential(what, host, prefix, authorization, secret string) {
	s.Credentials = append(s.Credentials, fetch.Credential{Host: host, Prefix: prefix, Authorization: authorization})
	name := what
	for n := 2; s.secrets[name] != "" && s.secrets[name] != secret; n++ {
		name = fmt.Sprintf("%s (%d)", what, n)
	}
	s.secrets[name] = secret
}

// netrc reads the machines of a .netrc file (the GNU inetutils manual).
func (s *Sources) netrc(text string) {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i++ {
		if words[i] != "machine" {
			continue
		}
		host, entry := words[i+1], map[string]string{}
		for i += 2; i+1 < len(words) && words[i] != "machine" && words[i] != "default"; i += 2 {
			entry[words[i]] = words[i+1]
		}
		i--
		if entry["password"] != "" {
			s.credential(".netrc", host, "", basic(entry["login"], entry["password"]), entry["password"])
		}
	}
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\??\}`)

// npmSettings reads the lines of an .npmrc about registries.
func (s *Sources) npmSettings(text string) { s.npmrc = append(s.npmrc, s.npmLines(text, true)...) }

// npmLines returns what of an .npmrc is for the installers, and keeps the rest. trusted
// says whether its addresses may be asked and its variables looked up.
func (s *Sources) npmLines(text string, trusted bool) []string {
	var out []string
	logins := map[string][2]string{} // user and password by place
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"'`)
		if !ok || strings.HasPrefix(key, "#") || strings.HasPrefix(key, ";") {
			continue
		}
		if trusted {
			value = variable.ReplaceAllStringFunc(value, func(v string) string { return s.getenv(variable.FindStringSubmatch(v)[1]) })
		}
		place, what, isAuth := cutLast(key, ":")
		switch scope, isScope := strings.CutSuffix(key, ":registry"); {
		case isAuth && strings.HasPrefix(place, "//"):
			if trusted && value != "" {
				s.npmLogin(place, what, value, logins)
			}
		case !trusted:
		case isScope && strings.HasPrefix(scope, "@"):
			address := s.address(".npmrc", value)
			if u, err := url.Parse(address); err == nil {
				s.Scopes[scope] = u.Host
			}
			out = append(out, key+"="+address)
		case key == "registry":
			out = append(out, key+"="+s.address(".npmrc", value))
		case key == "legacy-peer-deps":
			out = append(out, key+"="+value)
		}
	}
	return out
}

// npmLogin keeps one setting about a place, "//host/path/" (npm's manual, .npmrc).
func (s *Sources) npmLogin(place, what, value string, logins map[string][2]string) {
	host, prefix, _ := strings.Cut(strings.TrimPrefix(place, "//"), "/")
	prefix = "/" + prefix
	login := logins[place]
	switch what {
	case "_authToken":
		s.credential(".npmrc", host, prefix, "Bearer "+value, value)
		return
	case "_auth":
		s.credential(".npmrc", host, prefix, "Basic "+value, value)
		return
	case "username":
		login[0] = value
	case "_password":
		decoded, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return
		}
		login[1] = string(decoded)
	}
	if logins[place] = login; login[0] != "" && login[1] != "" {
		s.credential(".npmrc", host, prefix, basic(login[0], login[1]), login[1])
	}
}

func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// pipSettings reads the indexes of a pip.conf.
func (s *Sources) pipSettings(text string) {
	names := map[string]string{"index-url": "PIP_INDEX_URL", "extra-index-url": "PIP_EXTRA_INDEX_URL"}
	values := map[string]string{}
	key := ""
	for line := range strings.Lines(text) {
		k, value, ok := strings.Cut(line, "=")
		switch continued := strings.TrimLeft(line, " \t") != line; {
		case continued && key != "":
			values[key] += " " + strings.TrimSpace(line)
		case ok:
			key = names[strings.ReplaceAll(strings.TrimSpace(k), "_", "-")]
			values[key] = strings.TrimSpace(value)
		}
	}
	for name, value := range values {
		if name != "" && value != "" {
			s.set(name, value)
		}
	}
}

// goSettings reads the file that go env -w writes.
func (s *Sources) goSettings(text string) {
	for line := range strings.Lines(text) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "GOPROXY":
			s.set(name, value)
		case "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB":
			s.plain(name, value)
		}
	}
}

var (
	anyAddress = regexp.MustCompile(`https?://[A-Za-z0-9.-]+(?::[0-9]+)?/`)
	withLogin  = regexp.MustCompile(`https?://[^\s/'"@]+@[^\s'"]+`)
)

// of returns a lock as an installer gets it, without credentials. trusted says that it is
// of a base commit, which may name registries.
func (s *Sources) of(l locks.Lock, trusted bool) locks.Lock {
	out := l
	out.Projects = nil
	for _, p := range l.Projects {
		files := map[string][]byte{}
		for name, data := range p.Files {
			switch {
			case path.Base(name) == ".npmrc":
				data = []byte(strings.Join(s.npmLines(string(data), trusted), "\n") + "\n")
			case path.Base(name) == "package.json" || strings.HasPrefix(path.Base(name), "go."):
			case l.Changed: // its addresses are not asked
			default:
				data = withLogin.ReplaceAllFunc(data, func(a []byte) []byte {
					if !trusted {
						return a
					}
					return []byte(s.address("the base's "+name, string(a)))
				})
				if trusted {
					for _, a := range anyAddress.FindAll(data, -1) {
						s.address("", string(a))
					}
				}
			}
			files[name] = data
		}
		p.Files = files
		out.Projects = append(out.Projects, p)
	}
	return out
}

// certificates are those of a file that the user named, or that OpenSSL and Go are told
// of by the environment.
func certificates(named string, getenv func(string) string) ([]byte, error) {
	from, file := "--ca", named
	if file == "" {
		from, file = "SSL_CERT_FILE", getenv("SSL_CERT_FILE")
	}
	if file == "" {
		return nil, nil
	}
	data, err := bounded.ReadPath(file, maxSettings)
	if err != nil {
		return nil, exit.Usagef("%s: %w", from, err)
	}
	return data, nil
}
