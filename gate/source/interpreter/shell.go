package interpreter

import (
	"bytes"
	"strings"
	"sync"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// firstLines is how many lines that say something LooksLikeShell looks at.
const firstLines = 5

var (
	assignment = regexp.MustCompile(`^(?:export\s+|readonly\s+|local\s+)?[A-Za-z_]\w*\+?=`)
	function   = regexp.MustCompile(`^(?:function\s+[\w-]+|[\w-]+\s*\(\s*\))\s*(?:\(\s*\)\s*)?\{?`)
	program    = regexp.MustCompile(`^(?:\./|\.\./|~/|/(?:usr|bin|sbin|opt|etc|tmp|home|var)/|\$\(|\$\{?[A-Za-z_])\S*`)
)

// LooksLikeShell reports whether a text begins with what only a shell would
// make sense of: a command, an assignment, a function. Prose does not.
func LooksLikeShell(head []byte) bool {
	seen := 0
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", ""))
		if text == "" || text[0] == '#' {
			continue
		}
		if seen++; seen > firstLines {
			return false
		}
		if isCommand(text) {
			return true
		}
	}
	return false
}

// isCommand reports whether a line begins with a command.
func isCommand(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	if assignment.MatchString(line) || program.MatchString(line) || function.MatchString(line) && strings.Contains(line, "(") && word == strings.TrimRight(word, ".,:;") {
		return true
	}
	word = strings.TrimRight(word, ";")
	if commands()[word] {
		// In prose "make", "find" and "set" begin sentences; commands are followed by
		// options, paths, quotes or nothing, and sentences end with a full stop.
		return rest == "" || !strings.HasSuffix(line, ".") && (strings.ContainsAny(rest, `-/"'$|;&<>=[`) || !strings.Contains(rest, " "))
	}
	p, ok := Of(word)
	return ok && word == strings.ToLower(word) && (rest == "" || strings.ContainsAny(strings.TrimRight(rest, "."), `-/"'$|;&<>.`)) && (p.Language != "" || p.Starts)
}

// commands is built once and never changed.
var commands = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`. : [ [[ ! source alias apk apt apt-get awk base64 brew case cat cd chmod chown cmake cp crontab curl cut date dd
		dig dirname dnf docker done echo egrep eval exec exit export false find for function gcc gem getopts git go grep gunzip gzip head hostname
		if install java kill killall kubectl launchctl ln local ls mail mkdir mkfifo mktemp mount mv nc ncat netcat nohup npm npx nslookup openssl
		patch pip pip3 pkill printf ps pushd read return rm rsync scp sed select service set shift sleep socat sort ssh su sudo systemctl tail tar
		tee telnet test tftp time touch tr trap true ulimit umask unalias uname unset until unzip useradd usermod wait wget which while whoami
		xargs xxd yarn yum zip`) {
		out[name] = true
	}
	return out
})
