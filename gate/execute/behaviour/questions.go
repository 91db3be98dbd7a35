package behaviour

import (
	"bufio"
	"bytes"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// A question carries data as well: in its address, in its headers, in a name that is
// looked up. What of it is in no file was put together while the program ran.

const (
	// minTold is from how many characters on a part of a question may be data.
	minTold = 6
	// manyReverse is how many addresses of others a program may look up the names of.
	manyReverse = 4
)

// tells reports whether a question has parts that are in no file.
func (s *trace) tells(e sandbox.Event) bool {
	if e.Action != sandbox.ActionRequest {
		return false
	}
	u := requestURL(e)
	// Which thing is asked for may be the caller's choice: GET /download/gate-given.
	parts := slices.DeleteFunc(strings.Split(u.Path, "/"), madeUpName.MatchString)
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		parts = append(parts, unescaped(name), unescaped(value))
	}
	parts = append(parts, headers(e.Data)...)
	return slices.ContainsFunc(parts, func(p string) bool {
		return len(p) >= minTold && !number.MatchString(p) && !s.Literal([]byte(p)) && s.untold(p) >= minTold
	})
}

// untold is how many characters of a part are in words that no file has: a name such as
// tool-linux-amd64 is put together of words of a file. Words of one or two letters are in every file,
// and count.
func (s *trace) untold(part string) int {
	n := 0
	for word := range strings.FieldsFuncSeq(part, func(r rune) bool { return strings.ContainsRune("-_.~+", r) }) {
		if len(word) <= 2 || !number.MatchString(word) && !s.Literal([]byte(word)) {
			n += len(word)
		}
	}
	return n
}

// madeUpName is a part of a path that consists of a value that gate made up.
var madeUpName = regexp.MustCompile(`^(?:gate-given(?: and more of it)?|gate-sample)(?:\.\w{1,8})?$`)

// number is a count or a time.
var number = regexp.MustCompile(`^[\d.:TZ+-]{1,32}$`)

func unescaped(text string) string {
	if out, err := url.QueryUnescape(text); err == nil {
		return out
	}
	return text
}

// tellingHeaders are headers whose value a program chooses. The key of a WebSocket is 16
// random bytes of the client, so only another one says something.
var tellingHeaders = []string{"user-agent", "cookie", "referer", "authorization", "origin", "from", "sec-websocket-key", "sec-websocket-protocol", "if-none-match"}

var (
	// ownAgent is what libraries and tools call themselves.
	ownAgent   = regexp.MustCompile(`^(?i:curl|wget|python-urllib|python-requests|python-httpx|python|aiohttp|go-http-client|node|node-fetch|undici|axios|okhttp|npm|yarn|pnpm|pip|git|bun|deno)(?:/[\w.+-]{1,24})?(?: aiohttp/[\d.]{1,12}| \(linux-gnu\))?$`)
	randomKey  = regexp.MustCompile(`^[A-Za-z0-9+/]{22}==$`)
	headerWord = regexp.MustCompile(`[;,=\s]+`)
)

// headers are the words of what a program chose to say in the head of a request, and the
// values of headers of its own.
func headers(head []byte) []string {
	var out []string
	lines := bufio.NewScanner(bytes.NewReader(head))
	for first := true; lines.Scan(); first = false {
		name, value, ok := strings.Cut(lines.Text(), ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		own := strings.HasPrefix(name, "x-")
		switch {
		case first || !ok || !own && !slices.Contains(tellingHeaders, name):
			continue
		case name == "user-agent" && ownAgent.MatchString(value), name == "sec-websocket-key" && randomKey.MatchString(value):
			continue
		}
		out = append(out, headerWord.Split(value, -1)...)
	}
	return out
}

// reverse is the address of which the name is looked up.
func reverse(name string) (netip.Addr, bool) {
	rest, ok := strings.CutSuffix(name, ".in-addr.arpa")
	if !ok {
		return netip.Addr{}, false
	}
	parts := strings.Split(rest, ".")
	slices.Reverse(parts)
	ip, err := netip.ParseAddr(strings.Join(parts, "."))
	return ip, err == nil
}

// manyReverse are the look-ups of a program that asks for the names of several addresses
// of others: each address may be a letter.
func (s *trace) manyReverse() []hit {
	seen := map[netip.Addr]bool{}
	var last sandbox.Event
	for _, e := range s.of(sandbox.ActionResolve) {
		ip, ok := reverse(lookedUp(e))
		if !ok || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || played.Contains(ip) || seen[ip] {
			continue
		}
		seen[ip], last = true, e
	}
	if len(seen) < manyReverse {
		return nil
	}
	return []hit{{ruleManyNames, s.inRecipe(ruleManyNames.Severity), plural(len(seen), "name", "names") + " of addresses, the last " + last.Object, last}}
}
