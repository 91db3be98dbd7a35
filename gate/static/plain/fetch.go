package plain

import (
	"path"
	"slices"
	"strings"
)

// fetcher is how a program is told what to fetch, and where to put it.
type fetcher struct {
	short   string // letters of the options that take an argument
	long    string // the long ones, with a blank on either side
	out     string // options that name the file
	dir     string // options that name the folder
	remote  string // options that make the file's name of the address, where the text is printed otherwise
	pages   bool   // without an option, the file's name is made of the address
	command string // the word that makes it fetch, "" where it always does
	strict  bool   // only words that look like an address are taken for one
	tree    bool   // what it makes is a folder
	target  bool   // the last of its words is where it puts what it fetches
	unnamed bool   // what it puts into the folder has names that only the other side knows
	account bool   // an address is NAME@HOST
}

// printed are names of files that mean the standard output.
var printed = []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

// fetchers are programs that fetch what an address names. The options are those of their
// manuals; one that takes an argument and isn't named makes an address of it that is none.
var fetchers = map[string]fetcher{
	"curl": {
		short: "AbcCdDeEFHKmoPQrtTuUwxXyYz", out: " -o --output ", dir: " --output-dir ", remote: " -O -J --remote-name --remote-name-all --remote-header-name ",
		long: " --abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to --continue-at --cookie --cookie-jar" +
			" --create-file-mode --crlfile --curves --data --data-ascii --data-binary --data-raw --data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers" +
			" --doh-url --dump-header --egd-file --engine --etag-compare --etag-save --expect100-timeout --form --form-string --ftp-account --ftp-alternative-to-user --ftp-method --ftp-port" +
			" --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --header --hostpubmd5 --hostpubsha256 --hsts --interface --ip-tos --ipfs-gateway --json --keepalive-cnt --keepalive-time" +
			" --key --key-type --krb --libcurl --limit-rate --local-port --login-options --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --max-time --netrc-file --noproxy" +
			" --output --output-dir --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy --proxy-cacert --proxy-capath --proxy-cert --proxy-ciphers" +
			" --proxy-header --proxy-key --proxy-pass --proxy-user --proxy1.0 --pubkey --quote --random-file --range --rate --referer --request --request-target --resolve --retry --retry-delay" +
			" --retry-max-time --sasl-authzid --service-name --socks4 --socks4a --socks5 --socks5-hostname --speed-limit --speed-time --stderr --telnet-option --tftp-blksize --time-cond --tls-max" +
			" --tls13-ciphers --tlsuser --tlspassword --trace --trace-ascii --trace-config --unix-socket --upload-file --url-query --user --user-agent --variable --vlan-priority --write-out --request ",
	},
	"wget": {
		short: "eoaiBtOTwQPUlARDIX", out: " -O --output-document ", dir: " -P --directory-prefix ", pages: true,
		long: " --execute --output-file --append-output --input-file --base --tries --output-document --timeout --dns-timeout --connect-timeout --read-timeout --wait --waitretry --random-wait --quota" +
			" --bind-address --limit-rate --restrict-file-names --prefer-family --user --password --directory-prefix --cut-dirs --default-page --header --max-redirect --proxy-user --proxy-password" +
			" --referer --user-agent --post-data --post-file --method --body-data --body-file --load-cookies --save-cookies --secure-protocol --certificate --certificate-type --private-key" +
			" --ca-certificate --ca-directory --crl-file --ciphers --level --accept --reject --domains --include-directories --exclude-directories --progress ",
	},
	"aria2c":      {short: "dolxskjmtUij", long: " --dir --out --log --split --max-tries --timeout --header --referer --user-agent --checksum --input-file ", out: " -o --out ", dir: " -d --dir ", pages: true},
	"axel":        {short: "soSnHTU", long: " --output --header --user-agent --num-connections --max-speed --timeout ", out: " -o --output ", pages: true},
	"fetch":       {short: "BDhikNSTwo", out: " -o --output ", pages: true, strict: true},
	"http":        {short: "osAaph", long: " --output --style --auth --auth-type --print --timeout --verify --session --proxy ", out: " -o --output ", remote: " -d --download ", strict: true},
	"xh":          {short: "osAapP", long: " --output --style --auth --auth-type --print --timeout --verify --session --proxy ", out: " -o --output ", remote: " -d --download ", strict: true},
	"lwp-request": {short: "mbtipHCoc"},
	"rsync":       {short: "eBfTM", target: true, strict: true},
	"scp":         {short: "cDFiJloPSX", target: true, strict: true},
	"hg":          {short: "ru", command: " clone ", target: true, tree: true, strict: true},
	"svn":         {short: "r", command: " export checkout co ", long: " --revision --username --password --depth --config-dir ", target: true, tree: true, strict: true},
	"bzr":         {short: "r", command: " branch checkout export ", target: true, tree: true, strict: true},
	"ftp":         {short: "oNPrsTu", out: " -o ", pages: true, strict: true},
	"finger":      {account: true},
	"ipfs":        {command: " cat get ", out: " -o --output ", long: " --api --offset --length --timeout "},
	"oras":        {command: " pull ", out: "", dir: " -o --output ", long: " --username --password --platform --config --registry-config ", short: "upc", unnamed: true},
}

// sameAs are programs that are told like another.
var sameAs = map[string]string{"wget2": "wget", "https": "http", "xhs": "xh", "httpie": "http", "GET": "lwp-request", "lwp-download": "ftp", "curlie": "curl", "aria2": "aria2c"}

// fetchWords are what a script holds one of if it fetches anything.
var fetchWords = func() (out [][]byte) {
	for _, name := range []string{"curl", "wget", "aria2", "axel", "fetch", "http", "xh", "lwp-", "GET ", "rsync", "scp", "hg ", "svn", "bzr", "ftp", "finger", "ipfs", "oras"} {
		out = append(out, []byte(name))
	}
	return out
}()

// fetch is one command that fetches.
type fetch struct {
	program   string
	verb      word   // what is called
	rest      []word // behind it
	addresses []word
	files     []string // that the texts end in
	folder    string   // below which any file may come of it, with its /
	tree      bool     // folder counts
}

// read takes the words behind the name of a program that fetches.
func (f fetcher) read(program string, words []word) fetch {
	got := fetch{program: program, rest: words}
	dir, remote, options := "", f.pages, true
	var named []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !options || len(w.value) < 2 || w.value[0] != '-' {
			got.addresses = append(got.addresses, w)
			continue
		}
		if w.value == "--" {
			options = false
			continue
		}
		option, value, takes := f.option(w.value)
		if takes && value == "" && i+1 < len(words) {
			i++
			value = words[i].value
		}
		switch option = " " + option + " "; {
		case strings.Contains(f.out, option):
			named = append(named, value)
		case strings.Contains(f.dir, option):
			dir = value
		case option == " --url ":
			if i+1 < len(words) && value == "" {
				i++
				got.addresses = append(got.addresses, words[i])
			}
		}
		remote = remote || f.isRemote(w.value)
		if program == "wget" && recursive(w.value) {
			got.tree, got.folder = true, joined(dir, "")
		}
		if program == "curl" && !strings.HasPrefix(w.value, "--") && strings.Contains(w.value, "J") {
			got.tree, got.folder = true, joined(dir, "")
		}
	}
	if f.addresses(&got); f.unnamed && len(got.addresses) > 0 {
		got.tree, got.folder = true, joined(dir, "")
	}
	f.files(&got, named, dir, remote)
	return got
}

// option splits an option from a value that is in the same word, and reports whether it
// takes one.
func (f fetcher) option(w string) (name, value string, takes bool) {
	if strings.HasPrefix(w, "--") {
		name, value, given := strings.Cut(w, "=")
		return name, value, given || strings.Contains(f.long, " "+name+" ") || strings.Contains(f.out+f.dir, " "+name+" ")
	}
	for i := 1; i < len(w); i++ {
		if strings.IndexByte(f.short, w[i]) >= 0 {
			return "-" + w[i:i+1], w[i+1:], true
		}
		if f.pages && f.dir != "" && w[i] == 'n' {
			i++ // -nc, -nv, -nd
		}
	}
	return w, "", false
}

// isRemote reports whether an option makes the name of the file of the address.
func (f fetcher) isRemote(w string) bool {
	if strings.HasPrefix(w, "--") {
		return strings.Contains(f.remote, " "+w+" ")
	}
	for i := 1; i < len(w); i++ {
		if strings.Contains(f.remote, " -"+w[i:i+1]+" ") {
			return true
		}
		if strings.IndexByte(f.short, w[i]) >= 0 {
			return false
		}
	}
	return false
}

func recursive(w string) bool {
	switch w {
	case "--recursive", "--mirror", "--force-directories", "--page-requisites":
		return true
	}
	return !strings.HasPrefix(w, "--") && strings.ContainsAny(strings.ReplaceAll(w, "nd", ""), "rmx")
}

// addresses leaves out of the words what names no address.
func (f fetcher) addresses(got *fetch) {
	words := got.addresses
	if f.command != "" {
		if len(words) == 0 || !strings.Contains(f.command, " "+words[0].value+" ") {
			got.addresses = nil
			return
		}
		words = words[1:]
	}
	if f.target && len(words) > 0 {
		last := words[len(words)-1]
		if len(words) > 1 {
			words = words[:len(words)-1]
			got.folder = last.value
		} else if got.tree = f.tree; f.tree {
			got.folder = baseOf(last.value)
		}
	}
	got.addresses = nil
	for _, w := range words {
		if f.account && strings.IndexByte(w.value, '@') < 0 {
			continue
		}
		if !f.strict || elsewhere(w.value, f.target) {
			got.addresses = append(got.addresses, w)
		}
	}
}

// elsewhere reports whether a word names something on another machine: with a scheme, as
// host:path where programs copy by that, or as a name with a dot.
func elsewhere(w string, copies bool) bool {
	if strings.Contains(w, "://") {
		return true
	}
	colon, slash := strings.IndexByte(w, ':'), strings.IndexByte(w, '/')
	if copies {
		return colon > 0 && (slash < 0 || colon < slash)
	}
	host, _, _ := strings.Cut(w, "/")
	return strings.Contains(host, ".") && host[0] != '.' && !strings.ContainsAny(host, "=@")
}

// files works out in which files the texts end.
func (f fetcher) files(got *fetch, named []string, dir string, remote bool) {
	switch {
	case len(got.addresses) == 0:
	case f.target && f.tree:
		got.tree, got.folder = true, joined(got.folder, "")
	case f.target:
		for _, a := range got.addresses {
			if got.folder == "." || strings.HasSuffix(got.folder, "/") {
				got.files = append(got.files, joined(got.folder, baseOf(a.value)))
			} else if got.folder != "" {
				got.files = append(got.files, got.folder)
			}
		}
		got.folder = ""
	case len(named) > 0:
		for _, n := range named {
			if !isPrinted(n) && !strings.HasPrefix(n, "/dev/") {
				got.files = append(got.files, joined(dir, n))
			}
		}
	case remote && !got.tree:
		for _, a := range got.addresses {
			if base := baseOf(a.value); base != "" {
				got.files = append(got.files, joined(dir, base))
			}
		}
	}
}

func isPrinted(name string) bool {
	return slices.Contains(printed, name)
}

// joined is a path below a folder.
func joined(dir, name string) string {
	if dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// baseOf is the last name in the path of an address, without what is asked for behind it.
func baseOf(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	if i := strings.Index(address, "://"); i >= 0 {
		address = address[i+3:]
	}
	i := strings.LastIndexAny(address, "/:")
	if i < 0 || i == len(address)-1 {
		return ""
	}
	if name := path.Base(address[i+1:]); name != "." {
		return name
	}
	return ""
}
