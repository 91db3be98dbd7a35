package hosts

import (
	"net/netip"
	"strings"
)

// Name returns a host as [Set.Has] wants it, from how a program writes it, and
// whether it is one that can be new: the program's own machine, private networks,
// names without a dot and names that only a local resolver knows are where a
// deployment decides who answers.
func Name(written string) (host string, foreign bool) {
	host = strings.ToLower(strings.Trim(strings.Trim(written, "[]"), ".-"))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return host, !(ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast())
	}
	if isNumber(host) {
		return host, true // an address in one number, which only hides it
	}
	label := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case host == "", len(host) > maxName, label == host:
		return host, false
	case noDomain[label]:
		return host, false
	case label == "localhost", label == "local", label == "internal", label == "localdomain", label == "lan", label == "svc", label == "arpa":
		return host, false
	}
	return host, true
}

// isNumber reports whether a host is an IPv4 address in one decimal, octal or
// hexadecimal number.
func isNumber(host string) bool {
	digits, hex := strings.CutPrefix(host, "0x")
	if len(digits) < 8-len("0x") || len(digits) > 12 {
		return false
	}
	return strings.Trim(digits, "0123456789") == "" || hex && strings.Trim(digits, "0123456789abcdef") == ""
}

// noDomain are ends of file names that are no domains: data.json is no host.
var noDomain = map[string]bool{
	"json": true, "yaml": true, "yml": true, "toml": true, "xml": true, "csv": true, "txt": true, "log": true, "conf": true, "cfg": true,
	"ini": true, "lock": true, "db": true, "sqlite": true, "sock": true, "pid": true, "pem": true, "key": true, "crt": true, "html": true,
	"htm": true, "css": true, "js": true, "mjs": true, "cjs": true, "jsx": true, "ts": true, "tsx": true, "go": true, "java": true, "rb": true,
	"php": true, "jar": true, "gz": true, "tgz": true, "bz2": true, "xz": true, "tar": true, "png": true, "jpg": true, "jpeg": true, "gif": true,
	"svg": true, "pdf": true, "exe": true, "dll": true, "whl": true, "rst": true, "tmpl": true, "sql": true, "parquet": true,
	"openbsd": true, "traditional": true, // ends of the names of netcat
	"http": true, "https": true, "tcp": true, "udp": true, // and of modules that speak these
}

// ownerOf returns the name above a host, where everything below it is likely to belong to one
// owner: three labels or more, and none of those that are let to anybody. "" is for any other.
// Two labels are not enough, because some of those are let, too (co.uk, github.io), and
// no one has the list of all of them here.
func ownerOf(host string) string {
	_, above, _ := strings.Cut(host, ".")
	labels := strings.Split(above, ".")
	if len(labels) < 3 || isNumber(labels[len(labels)-1]) || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return ""
	}
	for _, l := range labels[:len(labels)-1] {
		if letOut[l] || len(l) < 3 {
			return ""
		}
	}
	return above
}

// letOut are labels below which names belong to the person who rents them: stores, hosting, tunnels, dynamic names.
var letOut = map[string]bool{
	"amazonaws": true, "cloudfront": true, "awsapprunner": true, "elasticbeanstalk": true, "on-aws": true, "googleusercontent": true, "googleapis": true, "appspot": true, "run": true, "cloudfunctions": true,
	"firebaseapp": true, "web": true, "azurewebsites": true, "azure": true, "azureedge": true, "windows": true, "cloudapp": true, "azurecontainer": true, "trafficmanager": true, "github": true, "githubusercontent": true,
	"gitlab": true, "bitbucket": true, "herokuapp": true, "netlify": true, "vercel": true, "now": true, "pages": true, "workers": true, "r2": true, "fly": true, "render": true, "onrender": true, "railway": true, "deno": true,
	"glitch": true, "repl": true, "replit": true, "ngrok": true, "ngrok-free": true, "trycloudflare": true, "loca": true, "localtunnel": true, "serveo": true, "duckdns": true, "ddns": true, "dyndns": true, "no-ip": true,
	"hopto": true, "zapto": true, "sytes": true, "blogspot": true, "wordpress": true, "tumblr": true, "wixsite": true, "weebly": true, "myshopify": true, "digitaloceanspaces": true, "ondigitalocean": true, "linodeobjects": true,
	"backblazeb2": true, "wasabisys": true, "scw": true, "ovh": true, "hetzner": true, "oraclecloud": true, "oastify": true, "oast": true, "interact": true, "burpcollaborator": true, "requestbin": true, "pipedream": true, "webhook": true,
	"supabase": true, "hasura": true, "mongodb": true, "elastic-cloud": true, "aliyuncs": true, "myqcloud": true, "nip": true, "sslip": true, "xip": true, "s3": true, "storage": true, "blob": true, "cdn": true,
}
