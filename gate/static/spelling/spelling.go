package spelling

import (
	"bytes"
	"regexp"

	"github.com/aigate/gate/gate"
)

// maxText is how long a text may be that is read otherwise: programs are shorter.
const maxText = 4 << 20 // bytes

// Readings returns what a text says when what is spelled in it is written plainly, in
// each of the ways in which that can be understood. There are none for a text in
// which nothing that could be a command is spelled otherwise.
func Readings(lang gate.Language, src []byte) []Text {
	if len(src) > maxText || lang == gate.LanguageShell {
		return nil
	}
	var out []Text
	add := func(t Text) {
		if !t.tells() {
			return
		}
		for _, o := range out {
			if bytes.Equal(o.Content, t.Content) {
				return
			}
		}
		out = append(out, t)
	}
	plain := source(src)
	for _, decimal := range []bool{false, true} {
		if decimal && !decimals.Match(src) {
			break
		}
		e := escapes{lang: lang, decimal: decimal, percent: percents(lang, src)}
		literal := glue{lang: lang}.join(e.resolve(plain))
		add(literal)
		filled := glue{lang: lang}.join(names{lang: lang}.fill(literal))
		add(filled)
		if lists := listsOf(filled.Content); len(lists) > 0 {
			add(glue{lang: lang, lists: lists}.join(filled))
		}
	}
	return out
}

// decimals matches what may be a number that is no octal one.
var decimals = regexp.MustCompile(`\\[0-9]{2,3}`)

// percents reports whether a percent sign and two digits may stand for a character.
func percents(lang gate.Language, src []byte) bool {
	switch lang {
	case gate.LanguageBatch, gate.LanguageVim:
		return false
	}
	return bytes.IndexByte(src, '%') >= 0 && percentDecoders.Match(src)
}

var percentDecoders = regexp.MustCompile(`(?i)decodeURI|unescape|urldecode|unquote|url\.?decoder|url_?decode|uri_decode|<(?:project|target|propertygroup)\b`)

// listsOf returns where words stand that put lists together.
func listsOf(src []byte) []int {
	var out []int
	for _, m := range joiners.FindAllIndex(src, -1) {
		out = append(out, m[0])
	}
	return out
}

// command matches words without which a command does no harm.
var command = regexp.MustCompile(`(?i)\b(?:curl|wget|nc|ncat|netcat|socat|(?:ba|z|da|k|a)?sh|python[0-9.]*|perl|ruby|node|php|pwsh|powershell|cmd|iex|iwr|irm|eval|exec\w*|system|popen|spawn\w*|` +
	`base64|xxd|openssl|crontab|chmod|mkfifo|ssh|scp|certutil|bitsadmin|mshta|downloadstring|invoke-\w+|child_process|subprocess|__import__|importlib|runtime)\b|/dev/(?:tcp|udp)|\.ssh\b|\.aws\b|id_rsa|authorized_keys|\.bashrc|/etc/(?:passwd|shadow|cron)|\brm\s+-`)

// sensitive reports whether a text names what a command does harm with.
func sensitive(text string) bool { return command.MatchString(text) }

// maxAround is how much of a line around a mark is looked at.
const maxAround = 400 // bytes on either side

// tells reports whether a command may stand on a line with a mark.
func (t Text) tells() bool {
	done := 0 // what was looked at
	for _, m := range t.Marks {
		if m < done {
			continue
		}
		from, to := max(0, m-maxAround), min(len(t.Content), m+maxAround)
		if i := bytes.LastIndexByte(t.Content[from:m], '\n'); i >= 0 {
			from += i + 1
		}
		if i := bytes.IndexByte(t.Content[m:to], '\n'); i >= 0 {
			to = m + i
		}
		done = to
		if command.Match(t.Content[from:to]) {
			return true
		}
	}
	return false
}
