package relay

import (
	"maps"
	"slices"
	"strings"
)

// Mode is the argument that makes gate the relay.
const Mode = "gate-relay"

// Where things are in the container.
const (
	Input     = "/in"
	Installer = "/usr/local/lib/aigate/build"
	// ProxyAddress is where installers find their proxy.
	ProxyAddress = "127.0.0.1:3128"
	// authority is the file with the certificate that they trust.
	authority = Input + "/" + Authority
	home      = Input + "/home"
)

// maxInput bounds what is taken in, in bytes.
const maxInput = 256 << 20

// Authority is the name of the file with the proxy's certificate in the input.
const Authority = "ca.pem"

// Environment is the name of the file in the input with the installers' settings:
// NAME=VALUE, each ended by a zero byte.
const Environment = "env"

// environment is what the installers see: the image's own, their settings, and the way out
// in the words of each of them.
func environment(getenv func(string) string, more string) []string {
	proxy := "http://" + ProxyAddress
	env := map[string]string{
		"HOME": home, "PATH": getenv("PATH"), "LANG": getenv("LANG"), "GOROOT": getenv("GOROOT"),
		"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "http_proxy": proxy, "https_proxy": proxy, "NO_PROXY": "", "no_proxy": "",
		"SSL_CERT_FILE": authority, "PIP_CERT": authority, "GIT_SSL_CAINFO": authority, "NODE_EXTRA_CA_CERTS": authority,
		"NPM_CONFIG_CAFILE": authority, "YARN_HTTPS_CA_FILE_PATH": authority, "YARN_HTTP_PROXY": proxy, "YARN_HTTPS_PROXY": proxy,
	}
	for setting := range strings.SplitSeq(more, "\x00") {
		if name, value, ok := strings.Cut(setting, "="); ok && env[name] == "" {
			env[name] = value
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if env[name] != "" {
			out = append(out, name+"="+env[name])
		}
	}
	return out
}
