package tools

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The bounds of a command.
const (
	maxInput = 1 << 20         // bytes of standard input, and of a file that is sent
	patience = 2 * time.Second // for input, connections and answers
)

// Clipboard is the file from which commands take the text of the clipboard.
const Clipboard = "/tmp/.local/share/clipboard/text"

// call is one start of a command.
type call struct {
	name   string
	args   []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	copied string // the file with the text of the clipboard
	jobs   string // the file with the jobs of crontab
}

// Main runs a command: args are its path and its arguments. It returns its exit code.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	if len(args) == 0 {
		return 2
	}
	c := &call{name: path.Base(args[0]), args: args[1:], stdout: stdout, stderr: stderr, copied: Clipboard, jobs: Jobs}
	if info, err := stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		c.stdin = stdin
	}
	return c.run()
}

func (c *call) run() int {
	if one, ok := kinds[c.name]; ok {
		return one(c)
	}
	c.input()
	if text := c.answer(); text != "" {
		fmt.Fprintln(c.stdout, text)
	}
	return 0
}

// answer is what a quiet command says: nothing where it is told to do something.
func (c *call) answer() string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.args, func(a string) bool { return slices.Contains(words, a) })
	}
	switch {
	case has("--version", "version", "-v", "-V"):
		return c.name + " 2.4.1"
	case c.name == "systemctl" && has("is-active", "is-enabled"):
		return "active"
	case has("-ojson", "json", "--json", "-o=json", "--output=json", "inspect"):
		return "[]"
	case strings.HasSuffix(c.name, "dump"):
		return "-- dump"
	case c.name == "pbpaste" || c.name == "wl-paste" || has("-o", "--output") && (c.name == "xclip" || c.name == "xsel"):
		return c.clipboard()
	}
	return ""
}

// clipboard is what was copied last: the file that the caller of the sandbox put there.
func (c *call) clipboard() string {
	if data := content(c.copied); len(data) > 0 {
		return strings.TrimSuffix(string(data), "\n")
	}
	return "text of the clipboard"
}

// input is what the command is sent, as far as it comes in time.
func (c *call) input() []byte {
	if c.stdin == nil {
		return nil
	}
	pieces := make(chan []byte)
	go func() {
		defer close(pieces)
		for total := 0; total < maxInput; {
			buf := make([]byte, 32<<10)
			n, err := c.stdin.Read(buf)
			if n > 0 {
				pieces <- buf[:n]
			}
			if total += n; err != nil {
				return
			}
		}
	}()
	var out []byte
	late := time.After(patience)
	for {
		select {
		case p, more := <-pieces:
			if out = append(out, p...); !more {
				return out
			}
		case <-late:
			return out
		}
	}
}

// Jobs is the file in which crontab keeps what it is given.
const Jobs = "/tmp/.local/share/cron/crontabs/user"

// crontab has no jobs at first, and keeps new ones.
func crontab(c *call) int {
	had := content(c.jobs)
	file := ""
	for i, a := range c.args {
		switch {
		case a == "-l":
			if len(had) == 0 {
				fmt.Fprintln(c.stderr, "no crontab for user")
				return 1
			}
			_, _ = c.stdout.Write(had)
			return 0
		case a == "-r":
			_ = os.Remove(c.jobs)
			return 0
		case a != "-" && !strings.HasPrefix(a, "-") && (i == 0 || c.args[i-1] != "-u"):
			file = a
		}
	}
	var data []byte
	if file != "" {
		data = content(file)
	} else {
		data = c.input()
	}
	if err := os.MkdirAll(path.Dir(c.jobs), 0o700); err == nil {
		_ = os.WriteFile(c.jobs, data, 0o600)
	}
	return 0
}

// asOther runs the command behind its options.
func asOther(c *call) int {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if slices.Contains([]string{"-u", "-g", "-p", "-C", "-h"}, args[0]) && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		args = args[1:]
	}
	if len(args) == 0 {
		c.input()
		return 0
	}
	program, err := exec.LookPath(args[0])
	if err != nil {
		fmt.Fprintf(c.stderr, "%s: %s: command not found\n", c.name, args[0])
		return 1
	}
	fmt.Fprintln(c.stderr, syscall.Exec(program, args, os.Environ()))
	return 1
}

// netcat sends its input to a host and shows what that answers.
func netcat(c *call) int {
	if slices.ContainsFunc(c.args, func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "l")
	}) {
		return 0 // it would wait for others
	}
	var rest []string
	for _, a := range c.args {
		if kind, to, ok := strings.Cut(a, ":"); ok && (strings.HasPrefix(strings.ToLower(kind), "tcp") || strings.HasPrefix(strings.ToLower(kind), "openssl")) {
			to, _, _ = strings.Cut(to, ",")
			host, port, _ := strings.Cut(to, ":")
			rest = append(rest, host, port)
		} else if !strings.HasPrefix(a, "-") {
			rest = append(rest, a)
		}
	}
	if len(rest) < 2 {
		return 1
	}
	return c.send(rest[len(rest)-2], rest[len(rest)-1], c.input(), true)
}

// remote reaches the host that is named. What it is sent goes along, and so do files
// that are not sent by accident: those with hidden names.
func remote(c *call) int {
	data := c.input()
	host := ""
	for _, a := range c.args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") {
			continue
		}
		name, _, to := strings.Cut(a, ":")
		_, at, user := strings.Cut(name, "@")
		switch {
		case user && host == "":
			host = at
		case host == "" && (to || c.name == "ssh" || c.name == "sftp") && !strings.Contains(name, "/"):
			host = name
		case strings.Contains(a, "/."):
			data = append(data, content(a)...)
		}
	}
	if host == "" {
		return 255
	}
	return c.send(host, "22", data, false)
}

// content is a file, or what is directly in a folder.
func content(name string) []byte {
	entries, err := os.ReadDir(name)
	if err != nil {
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		data, _ := io.ReadAll(io.LimitReader(f, maxInput)) // as far as it goes
		return data
	}
	var out []byte
	for _, e := range entries[:min(len(entries), 50)] {
		if e.Type().IsRegular() && len(out) < maxInput {
			out = append(out, content(path.Join(name, e.Name()))...)
		}
	}
	return out
}

// mail hands its input to the server of the first recipient.
func mail(c *call) int {
	data := c.input()
	for _, a := range c.args {
		if _, domain, ok := strings.Cut(a, "@"); ok && !strings.HasPrefix(a, "-") {
			return c.send(domain, "25", data, false)
		}
	}
	return 0
}

// lookup asks for the names among its arguments.
func lookup(c *call) int {
	for _, a := range c.args {
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+") || strings.HasPrefix(a, "@") || !strings.Contains(a, ".") {
			continue
		}
		addresses, err := net.LookupHost(strings.TrimSuffix(a, ".") + ".")
		if err != nil {
			fmt.Fprintln(c.stderr, a+": no such name")
			return 1
		}
		fmt.Fprintln(c.stdout, strings.Join(addresses, "\n"))
	}
	return 0
}

// send connects, sends, and shows the answer.
func (c *call) send(host, port string, data []byte, show bool) int {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(strings.Trim(host, "[]"), port), patience)
	if err != nil {
		fmt.Fprintln(c.stderr, c.name+": connect to "+host+": refused")
		return 1
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience)) // the other side plays along, or the call ends
	if len(data) > 0 {
		if _, err := conn.Write(data); err != nil {
			return 1
		}
	}
	if half, ok := conn.(*net.TCPConn); ok {
		_ = half.CloseWrite() // the other side may be gone
	}
	if show {
		_, _ = io.Copy(c.stdout, io.LimitReader(conn, maxInput))
	}
	return 0
}
