package spelling

import (
	"bytes"
	"iter"
	"slices"

	"github.com/aigate/gate/gate/source/char"
)

// A reading is worth a look where what is spelled otherwise is one of the words, or
// shares a line with one of the signs. Both are what harm can't do without; most
// texts have neither on such a line.
var (
	words = []string{
		"ash", "assert", "base64_decode", "bash", "binding", "call_user_func", "child_process", "class_eval", "create_function", "ctypes", "curl", "dash", "dlopen", "dofile",
		"downloadstring", "environ", "eval", "exec", "execfile", "execute", "execv", "execve", "execsync", "file_put_contents", "fork", "fsockopen", "function", "gzinflate",
		"iex", "importlib", "instance_eval", "invoke", "io", "irm", "iwr", "kernel", "load", "loadstring", "marshal", "nc", "os", "passthru", "pickle", "popen", "posix_spawn",
		"powershell", "proc_open", "process", "processbuilder", "pty", "require", "runtime", "send", "sh", "shell", "shell_exec", "socket", "spawn", "spawnsync", "str_rot13",
		"subprocess", "system", "unserialize", "urllib", "wget", "zlib", "zsh", "__import__", "__builtins__", "getattr", "compile", "requests", "open", "vm", "net",
	}
	dangers = [][]byte{
		[]byte("curl"), []byte("wget"), []byte("/dev/tcp"), []byte("/dev/udp"), []byte("nc "), []byte("ncat"), []byte("netcat"), []byte("socat"), []byte("telnet"),
		[]byte("base64"), []byte("base32"), []byte("xxd"), []byte("openssl"), []byte("uudecode"), []byte(".ssh"), []byte(".aws"), []byte("id_rsa"), []byte("authorized_keys"), []byte(".bashrc"),
		[]byte(".profile"), []byte(".zshrc"), []byte("crontab"), []byte("/etc/"), []byte("iwr"), []byte("irm "), []byte("iex"), []byte("invoke-"), []byte("downloadstring"),
		[]byte("certutil"), []byte("bitsadmin"), []byte("mshta"), []byte("powershell"), []byte("rm -"), []byte("| sh"), []byte("|sh"), []byte("| bash"), []byte("|bash"),
		[]byte("mkfifo"), []byte("sh -c"), []byte("sh -i"), []byte("python -c"), []byte("python3 -c"), []byte("perl -"), []byte("ruby -"), []byte("node -"), []byte("php -"),
		[]byte("git-credentials"), []byte(".netrc"), []byte(".kube"), []byte("169.254.169.254"), []byte("systemctl"), []byte("ld_preload"), []byte("chmod"), []byte("scp "), []byte("rsync "),
		[]byte("find /"), []byte("mkfs"), []byte("dd if"), []byte("shred"), []byte("nslookup"), []byte("dig "), []byte("system("), []byte("exec("), []byte("eval("), []byte("popen("), []byte("spawn("),
	}
)

// maxAround is how much of a line around a mark is looked at.
const maxAround = 300 // bytes on either side

// tells reports whether something may do harm that is spelled otherwise.
func (t Text) tells() bool {
	for range t.tellingMarks() {
		return true
	}
	return false
}

// telling are the marks at which something may do harm.
func (t Text) telling() []int { return slices.Collect(t.tellingMarks()) }

func (t Text) tellingMarks() iter.Seq[int] {
	return func(yield func(int) bool) {
		done, does := 0, false // up to where lines were looked at, and what was found on the last
		for _, m := range t.Marks {
			tells := sensitive(t.word(m))
			if m >= done {
				from, to := t.around(m)
				done = to
				line := bytes.ToLower(t.Content[from:to])
				does = slices.ContainsFunc(dangers, func(s []byte) bool { return bytes.Contains(line, s) })
			}
			if (tells || does) && !yield(m) {
				return
			}
		}
	}
}

// around is the line of a mark, as far as it is looked at.
func (t Text) around(m int) (from, to int) {
	from, to = max(0, m-maxAround), min(len(t.Content), m+maxAround)
	if i := bytes.LastIndexByte(t.Content[from:m], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(t.Content[m:to], '\n'); i >= 0 {
		to = m + i
	}
	return from, to
}

// word is the word that a mark is in.
func (t Text) word(m int) string {
	from, to := m, m
	for from > 0 && m-from < maxName && char.IsASCIIWord(t.Content[from-1]) {
		from--
	}
	for to < len(t.Content) && to-m < maxName && char.IsASCIIWord(t.Content[to]) {
		to++
	}
	return string(t.Content[from:to])
}

// sensitive reports whether a text is a word that starts programs or runs text.
func sensitive(text string) bool {
	if len(text) > maxName {
		return false
	}
	return slices.Contains(words, string(bytes.ToLower([]byte(text))))
}
