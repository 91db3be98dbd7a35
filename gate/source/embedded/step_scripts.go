package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// brings matches a command that makes a file of what comes from elsewhere, which a later
// one may run.
var brings = regexp.MustCompile(`\b(?:curl|wget|aria2c|fetch|base64|openssl|xxd|gpg|uudecode|iwr|Invoke-WebRequest|certutil|mkfifo|git\s+clone|get_url)\b`)

// maxTogether bounds the commands of several steps that are read as one script: the
// longer it is, the more of it belongs together by chance only.
const maxTogether = 4 << 10 // bytes

// together adds the commands of steps that run one after the other as one script: one
// may run what another brought. These are the members of a list, and the values of a
// job's keys that begin before and after it.
func (d *document) together(s *setting) {
	var b builder
	several := 0
	for _, item := range s.items {
		before := len(b.lines)
		switch {
		case s.kind == listSetting && item.kind == objectSetting:
			stepCommands(item, &b, 0)
		case s.kind == objectSetting && useOf(item.key) == command && s.key != "" && orderedKey.MatchString(item.key):
			item.scalars(func(of *setting) { b.flush(of.text, of.line, of.step) })
		}
		if len(b.lines) > before {
			several++
		}
	}
	if several < 2 || len(b.text) > maxTogether || !brings.Match(b.text) {
		return
	}
	d.out = append(d.out, guessed(b.region(gate.LanguageShell, ""), d.guessed)...)
	d.expand(b, gate.LanguageShell, func(string) bool { return true }, false)
}

// orderedKey matches the keys of a job whose commands run one after the other.
var orderedKey = regexp.MustCompile(`(?i)^(?:before|after|pre|post|setup)?[_-]?(?:script|install|build|deploy|test|command|commands|cmd|run|checkout|create_environment|success)$|^(?:on|before|after)_`)

// stepCommands adds the commands of one step.
func stepCommands(s *setting, b *builder, depth int) {
	if depth > maxHops {
		return
	}
	for _, item := range s.items {
		switch {
		case strings.HasSuffix(strings.ToLower(item.key), "get_url") && item.kind == objectSetting:
			if url, dest := item.member("url"), item.member("dest"); url != nil && dest != nil {
				b.flush("curl -o "+dest.text+" "+url.text, url.line, 0)
			}
		case item.kind == objectSetting:
			stepCommands(item, b, depth+1)
		case useOf(item.key) == command && !strings.EqualFold(item.key, "shell") || useOf(item.key) == command && strings.ContainsAny(item.text, " \n"):
			item.scalars(func(of *setting) { b.flush(of.text, of.line, of.step) })
		}
	}
}
