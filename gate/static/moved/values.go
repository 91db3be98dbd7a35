package moved

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is read of a file of settings.
const (
	maxValues = 200  // values with an address
	maxLine   = 4000 // bytes of a line that are read
	maxAbove  = 8    // lines above a value in which its name is looked for
)

// Value is a setting that holds an address.
type Value struct {
	Key     string // the last part of its name
	Address string // as it is written, without quotes
	Host    string
	Line    int // 1-based
}

// entry matches a key and an address behind it. Keys end in a colon, an equals sign or, in
// XML, in the end of their tag.
var entry = regexp.MustCompile(`(?:^|[\s,{\[;"'(<])([A-Za-z_][\w.-]*)["']?\s*(?:=>|:=|\?=|[:=>])\s*["']?((?i:[a-z][a-z0-9+.-]*://)[^\s"',;}<>\\]+|(?:[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]+(?::\d{1,5})?)(?:["'\s,;}<]|$)`)

// attribute matches a setting in two attributes of XML.
var attribute = regexp.MustCompile(`\b(?i:key|name)\s*=\s*["']([\w.:-]+)["']\s+value\s*=\s*["']((?i:[a-z][a-z0-9+.-]*://)[^\s"'<>]+)["']`)

// instruction matches a variable that a Dockerfile sets without an equals sign.
var instruction = regexp.MustCompile(`^\s*(?i:ENV)\s+([A-Za-z_]\w*)\s+["']?((?i:[a-z][a-z0-9+.-]*://)[^\s"']+)`)

// placeKey matches keys whose value may be a host without a scheme.
var placeKey = regexp.MustCompile(`(?i)host|ur[il]|addr|endpoint|server|domain|api|base|proxy|registry|mirror|remote|origin|upstream|webhook|broker`)

// Values returns the settings on some lines of a text that hold an address.
func Values(content []byte, lines gate.LineSet) []Value {
	var out []Value
	all := bytes.Split(content, []byte{'\n'})
	for i, line := range all {
		if !lines.Touches(i+1, i+1) {
			continue
		}
		line = line[:min(len(line), maxLine)]
		for _, form := range []*regexp.Regexp{entry, attribute, instruction} {
			for _, m := range form.FindAllSubmatch(line, -1) {
				v := Value{Key: string(m[1]), Address: string(m[2]), Line: i + 1}
				if v.Host = hostOf(v.Address); v.Host == "" {
					continue
				}
				if isValue(v.Key) {
					v.Key = nameAbove(all, i)
				}
				v.Key = v.Key[strings.LastIndexAny(v.Key, ".:")+1:]
				if v.Key == "" || !strings.Contains(v.Address, "://") && !placeKey.MatchString(v.Key) {
					continue
				}
				if out = append(out, v); len(out) >= maxValues {
					return out
				}
			}
		}
	}
	return out
}

// isValue reports whether a key says only that a value follows.
func isValue(key string) bool {
	switch strings.ToLower(key) {
	case "value", "default":
		return true
	}
	return false
}

// named matches the line that has the name of a value: its own key of that name, or the key
// above it.
var named = regexp.MustCompile(`^([\s-]*)["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*["']?([\w.-]*)`)

// nameAbove returns the name of the value on a line, 0-based, from the lines above it.
func nameAbove(all [][]byte, at int) string {
	indent := indentOf(all[at])
	for i := at - 1; i >= 0 && i >= at-maxAbove; i-- {
		m := named.FindSubmatch(all[i][:min(len(all[i]), maxLine)])
		switch {
		case m == nil:
		case strings.EqualFold(string(m[2]), "name"), strings.EqualFold(string(m[2]), "key"):
			return string(m[3])
		case len(m[1]) < indent && len(m[3]) == 0:
			return string(m[2])
		}
	}
	return ""
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t-")) }

// hostOf returns the host of an address, "" where a template puts it together.
func hostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address = address[:indexOrEnd(address, "/?#")]
	address = address[strings.LastIndexByte(address, '@')+1:]
	if strings.HasPrefix(address, "[") {
		return strings.Trim(address[:indexOrEnd(address, "]")], "[]")
	}
	address = address[:indexOrEnd(address, ":")]
	if strings.ContainsAny(address, "${}%*") {
		return ""
	}
	return address
}

func indexOrEnd(s, any string) int {
	if i := strings.IndexAny(s, any); i >= 0 {
		return i
	}
	return len(s)
}
