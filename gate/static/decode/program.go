package decode

import (
	"bytes"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// sign is a form that text in a language has and that prose and values of a
// configuration don't.
type sign struct {
	language gate.Language
	form     *regexp.Regexp
}

// signs are asked in order; the first decides.
var signs = sync.OnceValue(func() []sign {
	return []sign{
		{gate.LanguageShell, regexp.MustCompile(`\A#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|z|k|a)?sh\b`)},
		{gate.LanguagePython, regexp.MustCompile(`\A#!\s*\S*(?:/env\s+(?:-S\s+)?|/)(?:python|pypy)`)},
		{gate.LanguageJavaScript, regexp.MustCompile(`\A#!\s*\S*(?:/env\s+(?:-S\s+)?|/)(?:node|deno|bun)`)},
		{gate.LanguagePHP, regexp.MustCompile(`<\?php\b|<\?=`)},
		{gate.LanguageHTML, regexp.MustCompile(`(?i)<script\b|<iframe\b|<[a-z]+ [^<>]*\bon(?:load|error|click)\s*=|<object\b|<meta\s+http-equiv`)},
		{gate.LanguagePowerShell, regexp.MustCompile(`(?i)\b(?:iex|Invoke-(?:Expression|WebRequest|RestMethod|Command)|New-Object|Start-Process|Set-ExecutionPolicy|DownloadString|Add-Type|Get-Content|Set-ItemProperty|Write-(?:Host|Output))\b|\$env:\w|\[(?:System\.)?(?:Convert|Net|IO|Text|Reflection)[.\]]|-ExecutionPolicy|-EncodedCommand`)},
		{gate.LanguagePython, regexp.MustCompile(`(?m)^\s*(?:import \w+(?:\.\w+)*(?:\s+as \w+)?(?:\s*[,;#].*)?$|from [\w.]+ import |def \w+\(.*\).*:|class \w+.*:\s*$|with open\(|if __name__|except\b.*:\s*$)|\b(?:__import__|exec|eval|compile)\s*\(|\bos\.(?:system|popen|environ|exec\w*|spawn\w*|remove|unlink)\b|\bsubprocess\.\w+\(|\blambda\b[^:]*:|(?m)^\s*print\(.*\)\s*(?:#.*)?$|;\s*import \w`)},
		{gate.LanguageGo, regexp.MustCompile(`(?m)^package \w+\s*$`)},
		{gate.LanguageJavaScript, regexp.MustCompile(`\brequire\s*\(\s*['"]|\bfunction\b\s*\w*\s*\([^)]*\)\s*\{|=>\s*[{(\w]|(?m:^\s*(?:const|let|var)\s+[\w${]+[^=\n]*=)|\b(?:document|window|globalThis|process|console|navigator|localStorage)\.\w|\bnew (?:Function|XMLHttpRequest|WebSocket|Promise)\b|\bfetch\s*\(|\bimport\s*\(|(?m:^\s*import\s.*\bfrom\s+['"])|\beval\s*\(|\balert\s*\(`)},
		{gate.LanguageShell, regexp.MustCompile(`(?m)(?:^|[;&|(` + "`" + `]|\$\(|\b(?:then|do|else|sudo|exec|nohup)\b)\s*(?:curl|wget|bash|sh|dash|zsh|nc|ncat|socat|rm|chmod|chown|mkfifo|mkdir|cat|tar|base64|openssl|python3?|perl|ruby|node|npm|npx|pip3?|apt(?:-get)?|yum|apk|systemctl|crontab|ssh|scp|rsync|dd|kill|pkill|export|source|eval|cp|mv|ln|touch|tee|sed|awk|find|xargs|git|docker|kubectl|nohup|useradd|usermod|insmod|iptables)\s+[-/~$\w.'"(<>]|/dev/(?:tcp|udp)/|\|\s*(?:ba|z|da)?sh\b|>\s*/(?:etc|dev|tmp|root|home)/|2>&1|\$\(\w+\s`)},
		{gate.LanguageShell, regexp.MustCompile(`(?im)^\s*(?:@echo off|powershell(?:\.exe)?\s|cmd(?:\.exe)?\s+/c|certutil\s|mshta\s|rundll32\s|regsvr32\s|bitsadmin\s|schtasks\s)`)},
		{gate.LanguageRuby, regexp.MustCompile(`(?m)^\s*require ['"][\w/]+['"]\s*$|\bKernel\.(?:exec|system|eval)\b|\bIO\.popen\b`)},
		{gate.LanguagePerl, regexp.MustCompile(`(?m)^\s*(?:use strict;|my [$@%]\w+\s*=)`)},
		{gate.LanguageC, regexp.MustCompile(`(?m)^\s*#include\s*[<"]`)},
	}
})

// Program reports whether a decoded text reads as a program, and in which language.
// It asks for a form that a program has and that a text, a key, a certificate or a
// value of a configuration hasn't, so that what is merely stored in an encoded form
// is not taken for code.
func Program(text []byte) (gate.Language, bool) {
	head := text[:min(len(text), maxAsked)]
	if document(head) {
		return "", false
	}
	for _, s := range signs() {
		if s.form.Match(head) {
			return s.language, true
		}
	}
	return "", false
}

// maxAsked is how much of a text tells what it is.
const maxAsked = 64 << 10 // bytes

// document reports whether a text is of a format for data, whatever words are in it.
func document(head []byte) bool {
	head = bytes.TrimSpace(head)
	for _, begin := range []string{"-----BEGIN ", "%PDF-", "<?xml"} {
		if bytes.HasPrefix(head, []byte(begin)) && !bytes.Contains(head, []byte("<script")) {
			return true
		}
	}
	return false
}
