package plain

import (
	"bytes"
	"path"
	"strings"

	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// call is a command that starts a program.
type call struct {
	*command
	verb  word
	name  string // of the program, without its folder
	rest  []word // behind the verb
	fetch *fetch
}

// before are words that start the program behind them.
var before = map[string]bool{"sudo": true, "doas": true, "env": true, "command": true, "exec": true, "nohup": true, "nice": true, "ionice": true, "builtin": true, "setsid": true,
	"stdbuf": true, "timeout": true, "busybox": true, "toybox": true, "xargs": true, "eval": true, "chronic": true, "torsocks": true, "proxychains": true, "proxychains4": true,
	"unbuffer": true, "chroot": true, "su": true, "time": true}

// maxBefore is how many words may come before a program.
const maxBefore = 12

// calls returns what the commands of a pipeline start. One that starts nothing has no name.
func (r *rewriter) calls(p []command) []call {
	out := make([]call, len(p))
	for i := range p {
		out[i] = r.call(&p[i])
	}
	return out
}

func (r *rewriter) call(c *command) call {
	words := c.words
	for len(words) > 0 && r.assigns(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return call{command: c}
	}
	at := 0
	if before[path.Base(words[0].value)] {
		for at = 1; at < len(words) && at < maxBefore && !r.facts.knows(words[at].value); {
			at++
		}
		if at == len(words) || at == maxBefore {
			at = 0
		}
	}
	verb := words[at]
	return call{command: c, verb: verb, name: path.Base(verb.value), rest: words[at+1:]}
}

// knows reports whether a word is the name of a program that matters here.
func (f *facts) knows(w string) bool {
	base := path.Base(w)
	_, fetches := fetcherOf(base)
	_, function := f.functions[w]
	return fetches || function || interpreters[base] || f.aliases[w] != "" || f.copies[w] != "" || f.downloads[clean(w)] != "" || len(reads[base]) > 0 || isCopy(base)
}

func isCopy(name string) bool {
	return name == "cp" || name == "mv" || name == "ln" || name == "install" || name == "tee"
}

// assigns reports whether a word is NAME=value.
func (r *rewriter) assigns(w word) bool {
	i := w.start
	for i < w.end && char.IsWord(r.src[i]) {
		i++
	}
	return i > w.start && i < w.end && (r.src[i] == '=' || r.src[i] == '+' && i+1 < w.end && r.src[i+1] == '=')
}

// fetcherOf returns how a program is told what to fetch.
func fetcherOf(name string) (fetcher, bool) {
	if as, ok := sameAs[name]; ok {
		name = as
	}
	f, ok := fetchers[name]
	return f, ok
}

// pipeline reads commands that are joined by bars.
func (r *rewriter) pipeline(p []command) {
	if len(p) == 1 && len(p[0].words) == 0 {
		return
	}
	calls := r.calls(p)
	fetches := false
	for i := range calls {
		r.resolve(&calls[i], i > 0)
		if i+1 < len(calls) {
			deeper(&calls[i])
		}
		calls[i].fetch = r.fetches(calls[i])
		fetches = fetches || calls[i].fetch != nil
	}
	r.inner = ""
	if calls[0].fetch != nil {
		r.inner = calls[0].name
	}
	if len(p[0].words) == 0 && r.facts.fetched >= 0 && p[0].bar-r.facts.fetched < near {
		fetches = true // what is in brackets does
	}
	if r.inlined(calls, fetches) {
		return
	}
	for i, c := range calls {
		if c.name == "" {
			continue
		}
		r.facts.names(c)
		r.moved(c)
		r.obeyed(c)
		r.given(c)
		r.facts.ran(c)
		if c.fetch != nil {
			r.plainly(calls, i)
			r.facts.fetched = c.words[len(c.words)-1].end
		}
		r.feeds(c)
		if c.verb.inner != "" && i == 0 && r.arrays == 0 {
			r.insert(c.verb.start, "eval ")
		}
	}
	if fetches {
		r.bars(calls)
	}
}

// feeds writes what an interpreter is given by another way than a pipe as what it evaluates.
func (r *rewriter) feeds(c call) {
	if !interpreters[c.name] {
		return
	}
	for _, f := range c.fed {
		switch {
		case f.program == "":
		case f.string:
			r.insert(f.start, "eval ")
		default:
			r.insert(f.start, "source ")
		}
	}
}

// bars puts blanks around the bars of a pipeline, and what follows them on their line.
func (r *rewriter) bars(calls []call) {
	for i := range len(calls) - 1 {
		bar, next := calls[i].bar, calls[i+1].from
		if bar > 0 && r.src[bar-1] > ' ' {
			r.insert(bar, " ")
		}
		if len(calls[i+1].words) == 0 {
			continue
		}
		first := calls[i+1].words[0].start
		switch gap := r.src[next:max(next, first)]; {
		case len(gap) == 0:
			r.insert(next, " ")
		case bytes.IndexByte(gap, '\n') >= 0:
			r.replace(next, first, " ")
		}
	}
}

// shells are what stands for the shell that runs the script.
var shells = regexp.MustCompile(`^(?:\$\{?(?:0|SHELL|BASH)\}?|/proc/(?:self|\$\$|\$\{?PPID\}?|\d+)/exe|/proc/(?:self|\$\$)/fd/\d+)$`)

// resolve writes out the name of the program that a command starts. piped says that it is
// given what another command prints.
func (r *rewriter) resolve(c *call, piped bool) {
	w := c.verb.value
	if c.name == "" {
		return
	}
	name := ""
	switch {
	case r.facts.aliases[w] != "":
		name, r.again = r.facts.aliases[w], true
	case r.facts.copies[w] != "":
		name = r.facts.copies[w]
	case piped && shells.MatchString(w):
		name = "sh"
	case strings.ContainsAny(w, "?*[") && strings.HasPrefix(w, "/"):
		name = program(w)
	case c.verb.constant && (interpreters[path.Base(w)] || isFetcher(path.Base(w))):
		name = w
	}
	if name != "" && name != string(r.src[c.verb.start:c.verb.end]) {
		r.replace(c.verb.start, c.verb.end, name)
		c.name = path.Base(name)
	}
}

// speaks are programs whose words are names or text: what they print or install is not run.
var speaks = map[string]bool{"echo": true, "printf": true, "which": true, "type": true, "hash": true, "whereis": true, "man": true, "cat": true, "grep": true, "egrep": true, "rg": true,
	"apt": true, "apt-get": true, "apk": true, "yum": true, "dnf": true, "brew": true, "pacman": true, "zypper": true, "pip": true, "pip3": true, "dpkg": true, "rpm": true, "ls": true,
	"for": true, "case": true, "[": true, "[[": true, "test": true, "git": true, "ps": true, "pgrep": true, "pkill": true, "killall": true, "log": true, "info": true, "warn": true, "die": true}

// deeper finds curl and wget among the words of a command that is part of a pipe and starts
// another program, as what a tool is told to run: its settings say which, not the shell.
func deeper(c *call) {
	if isFetcher(c.name) || speaks[c.name] {
		return
	}
	for i, w := range c.rest {
		name := w.value[strings.LastIndexAny(w.value, "/%")+1:]
		if name == "curl" || name == "wget" {
			c.verb, c.name, c.rest = w, name, c.rest[i+1:]
			return
		}
	}
	if name := c.verb.value[strings.LastIndexByte(c.verb.value, '%')+1:]; name == "curl" || name == "wget" {
		c.name = name // the rest of a line of cron
	}
}

func isFetcher(name string) bool {
	_, ok := fetcherOf(name)
	return ok
}

// programs are those that matter, where they are, for the patterns of a shell.
var programs = func() (out []string) {
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/"} {
		for _, name := range []string{"sh", "bash", "dash", "zsh", "python3", "perl", "node", "ruby", "curl", "wget", "php"} {
			out = append(out, dir+name)
		}
	}
	return out
}()

// program is one that matters among those that a pattern matches.
func program(pattern string) string {
	for _, p := range programs {
		if glob.MatchName(pattern, p) {
			return p
		}
	}
	return ""
}

// fetches returns what a command fetches, nil for nothing.
func (r *rewriter) fetches(c call) *fetch {
	program, words, verb := c.name, c.rest, c.verb
	switch {
	case strings.HasPrefix(program, "python") && len(words) > 2 && words[0].value == "-m" && words[1].value == "wget":
		program, verb.end, words = "axel", words[1].end, words[2:]
	case program == "lftp":
		return lftp(c)
	case program == "tftp":
		return tftp(c)
	}
	f, ok := fetcherOf(program)
	if !ok {
		return nil
	}
	if as, other := sameAs[program]; other {
		program = as
	}
	got := f.read(program, words)
	if len(got.addresses) == 0 {
		return nil
	}
	got.verb = verb
	return &got
}

// gets matches what lftp is told to get.
var gets = regexp.MustCompile(`\b(?:m|p)?get1?\s+(?:-[cE]\s+)*([^\s;'"]+)(?:\s+-o\s+([^\s;'"]+))?`)

// lftp reads its commands, which are one word.
func lftp(c call) *fetch {
	for _, w := range c.rest {
		m := gets.FindStringSubmatch(w.value)
		if m == nil {
			continue
		}
		file := m[2]
		if file == "" {
			file = path.Base(m[1])
		}
		return &fetch{program: "lftp", verb: c.verb, rest: c.rest, addresses: []word{w}, files: []string{file}}
	}
	return nil
}

// tftp reads tftp -g -r FILE HOST and tftp HOST -c get FILE.
func tftp(c call) *fetch {
	for i, w := range c.rest {
		if (w.value == "-r" || w.value == "get") && i+1 < len(c.rest) {
			file := path.Base(c.rest[i+1].value)
			for j, o := range c.rest {
				if o.value == "-l" && j+1 < len(c.rest) {
					file = c.rest[j+1].value
				}
			}
			return &fetch{program: "tftp", verb: c.verb, rest: c.rest, addresses: c.rest[i+1 : i+2], files: []string{file}}
		}
	}
	return nil
}

// plainly writes one of the commands, which fetches, in plain form.
func (r *rewriter) plainly(calls []call, i int) {
	c := calls[i]
	got := *c.fetch
	option := "-o "
	switch got.program {
	case "curl":
	case "wget":
		option = "-O "
		if c.name != "wget" {
			r.replace(got.verb.start, got.verb.end, "wget")
		}
	default:
		r.replace(got.verb.start, got.verb.end, "curl")
	}
	for _, a := range got.addresses {
		r.schemed(a, got.program)
	}
	address := r.addressOf(got)
	files := got.files
	for _, next := range calls[i:] {
		for _, w := range next.writes {
			r.facts.download(w.value, address)
		}
	}
	for _, next := range calls[i+1:] {
		files = append(files, next.filled()...)
	}
	text := ""
	for _, name := range files {
		r.facts.download(name, address)
		if !named(got, name) {
			text += " " + option + name
		}
	}
	for _, name := range files {
		if placed(name) {
			text += " > " + name
		}
	}
	if text != "" {
		r.insert(got.verb.end, text)
	}
	if got.tree && len(r.facts.folders) < maxNames {
		below := got.folder
		if got.program == "wget" && len(got.addresses) > 0 {
			below = joined(below, hostOf(got.addresses[0].value)) + "/"
		}
		r.facts.folders = append(r.facts.folders, folder{below: below, any: got.program == "curl" || fetchers[got.program].unnamed, at: got.verb.end, end: c.words[len(c.words)-1].end, option: " " + option})
	}
}

// placed reports whether a file is no part of the project: rules know such places behind a
// redirection.
func placed(name string) bool {
	return strings.HasPrefix(name, "/etc/") || strings.HasPrefix(name, "~/.") || strings.HasPrefix(name, "$HOME/.") || strings.HasPrefix(name, "/root/.") || strings.HasPrefix(name, "/var/spool/") ||
		strings.HasPrefix(name, "/usr/lib/systemd/") || strings.HasPrefix(name, "/lib/systemd/") || strings.HasPrefix(name, ".git/hooks/")
}

// named reports whether an option of the command names a file as rules expect it.
func named(got fetch, name string) bool {
	if got.program != "curl" && got.program != "wget" && got.program != "axel" && got.program != "aria2c" {
		return false
	}
	for i, w := range got.rest {
		if w.value == name && i > 0 {
			last := got.rest[i-1].value
			return strings.HasSuffix(last, "o") || strings.HasSuffix(last, "O") || strings.HasPrefix(last, "--output") && last != "--output-dir"
		}
		if value, ok := strings.CutPrefix(w.value, "--output="); ok && value == name {
			return true
		}
		if len(w.value) > 2 && w.value[0] == '-' && w.value[1] != '-' && strings.HasSuffix(w.value, name) && len(name) < len(w.value)-1 {
			return true
		}
	}
	return false
}

// filled are the files that a command writes what it is given to.
func (c call) filled() []string {
	var out []string
	switch c.name {
	case "tee", "sponge":
		for _, w := range c.rest {
			if !strings.HasPrefix(w.value, "-") && w.value != "" {
				out = append(out, w.value)
			}
		}
	case "dd":
		for _, w := range c.rest {
			if name, ok := strings.CutPrefix(w.value, "of="); ok {
				out = append(out, name)
			}
		}
	}
	for _, w := range c.writes {
		if w.value != "" && !strings.HasPrefix(w.value, "/dev/") && !isNumber(w.value) {
			out = append(out, w.value)
		}
	}
	return out
}

// scheme matches the beginning of an address that has one.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:\S*//`)

// number matches addresses without a name that are one number.
var number = regexp.MustCompile(`^(?:0x[0-9A-Fa-f]{6,8}|\d{8,10})(?:[:/]|$)`)

// bare reports whether a word is an address without a scheme. Names without a dot and a port
// belong to the network around the machine.
func bare(w string) bool {
	if w == "" || w[0] == '$' || w[0] == '.' || w[0] == '/' || w[0] == '@' || w[0] == '%' || scheme.MatchString(w) || strings.Contains(w, "://") {
		return false
	}
	host, _, _ := strings.Cut(w, "/")
	return number.MatchString(w) || strings.ContainsAny(host, ".:") && strings.ContainsFunc(host, func(c rune) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' })
}

// schemed puts a scheme before an address that has none.
func (r *rewriter) schemed(w word, program string) {
	if program == "lftp" || program == "tftp" {
		r.insert(w.start, "http://")
		return
	}
	if !bare(w.value) {
		return
	}
	at := w.start
	if c := r.src[at]; c == '"' || c == '\'' {
		at++
	}
	r.insert(at, "http://")
}

// addressOf is the first address of a command, as it is written.
func (r *rewriter) addressOf(got fetch) string {
	w := got.addresses[0]
	text := string(r.src[w.start:min(w.end, w.start+maxWord)])
	if strings.ContainsAny(text, "\n") || got.program == "lftp" || got.program == "tftp" {
		return "http://" + got.program
	}
	if bare(w.value) {
		return "http://" + strings.Trim(text, `"'`)
	}
	return text
}

// hostOf is the host of an address.
func hostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, _, _ := strings.Cut(address, "/")
	return host
}
