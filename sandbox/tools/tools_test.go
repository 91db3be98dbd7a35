package tools

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func runs(t *testing.T, stdin string, line ...string) (code int, out string) {
	t.Helper()
	var stdout bytes.Buffer
	c := &call{name: line[0], args: line[1:], stdin: strings.NewReader(stdin), stdout: &stdout, stderr: io.Discard}
	code = c.run()
	return code, stdout.String()
}

func TestCommandsAreRunsOfGate(t *testing.T) {
	names := Names()
	for _, want := range []string{"crontab", "curl", "docker", "kubectl", "nc", "scp", "ssh", "sudo", "systemctl"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if got := slices.Compact(slices.Clone(names)); len(got) != len(names) {
		t.Errorf("names appear twice in %q", names)
	}
	if got := Script("/.gate/gate"); got != "#!/.gate/gate __tool\n" {
		t.Errorf("a command is %q", got)
	}
}

func TestQuietCommandsAnswerWhatTheyAreAskedAndSucceed(t *testing.T) {
	for line, want := range map[string]string{
		"systemctl is-active nginx": "active\n",
		"systemctl enable x":        "",
		"docker --version":          "docker 2.4.1\n",
		"kubectl get pods -o json":  "[]\n",
		"pg_dump shop":              "-- dump\n",
		"iptables -F":               "",
	} {
		if code, out := runs(t, "input", strings.Fields(line)...); code != 0 || out != want {
			t.Errorf("%s: %d %q, want %q", line, code, out, want)
		}
	}
	if code, _ := runs(t, "", "crontab", "-l"); code != 1 {
		t.Errorf("a list of jobs that is not there ends with %d", code)
	}
}

func TestCrontabKeepsTheJobsThatItIsGiven(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "table")
	if err := os.WriteFile(file, []byte("0 3 * * * backup\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	jobs := filepath.Join(dir, "kept", "user")
	crontab := func(stdin string, args ...string) (int, string) {
		var stdout bytes.Buffer
		c := &call{name: "crontab", args: args, stdin: strings.NewReader(stdin), stdout: &stdout, stderr: io.Discard, jobs: jobs}
		code := c.run()
		return code, stdout.String()
	}
	for name, given := range map[string][]string{"* * * * * sync\n": {"-"}, "0 3 * * * backup\n": {file}, "@reboot run\n": {"-u", "root", "-"}} {
		if code, _ := crontab(name, given...); code != 0 {
			t.Errorf("crontab %q ends with %d", given, code)
		}
		if code, out := crontab("", "-l"); code != 0 || out != name {
			t.Errorf("after crontab %q the jobs are %q, and the command ends with %d", given, out, code)
		}
	}
	if code, _ := crontab("", "-r"); code != 0 {
		t.Errorf("the jobs are not removed: %d", code)
	}
	if code, _ := crontab("", "-l"); code != 1 {
		t.Errorf("jobs that are removed are listed: %d", code)
	}
}

func TestClientsOfTheWebSendWhatTheyAreGiven(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.Path + " " + string(body) + " " + r.Header.Get("X-Key")
		_, _ = io.WriteString(w, "answer")
	}))
	defer s.Close()
	for line, want := range map[string]string{
		"curl -fsSL URL/x":                                "GET /x  ",
		"curl -s -H X-Key:k -d a=1 -d b=2 URL/x":          "POST /x a=1&b=2 k",
		"curl -sd @" + file + " URL":                      "POST / content ",
		"curl -s -F f=@" + file + ";type=x URL/up":        "POST /up content ",
		"curl -T " + file + " URL/up":                     "PUT /up content ",
		"curl -XDELETE --max-time 3 --data-binary @- URL": "DELETE / input ",
		"wget -qO- URL/y":                                 "GET /y  ",
		"wget -q -O - --post-file=" + file + " URL/y":     "POST /y content ",
	} {
		got = ""
		code, out := runs(t, "input", strings.Fields(strings.ReplaceAll(line, "URL", s.URL))...)
		if code != 0 || got != want || out != "answer" {
			t.Errorf("%s: %d, sent %q, want %q; printed %q", line, code, got, want, out)
		}
	}
	into := filepath.Join(t.TempDir(), "b")
	if code, out := runs(t, "", "curl", "-o", into, s.URL); code != 0 || out != "" {
		t.Errorf("into a file: %d %q", code, out)
	}
	if data, err := os.ReadFile(into); string(data) != "answer" {
		t.Errorf("the file has %q, %v", data, err)
	}
}

func TestTheClipboardHoldsWhatWasPutThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("copied\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"xclip -selection clipboard -o": "copied\n", "xsel --output": "copied\n", "wl-paste": "copied\n", "pbpaste": "copied\n",
		"xclip -selection clipboard": "", "pbcopy": "", "wl-copy text": "",
	} {
		var stdout bytes.Buffer
		args := strings.Fields(line)
		c := &call{name: args[0], args: args[1:], stdin: strings.NewReader("new"), stdout: &stdout, stderr: io.Discard, copied: file}
		if code := c.run(); code != 0 || stdout.String() != want {
			t.Errorf("%s: %d %q, want %q", line, code, stdout.String(), want)
		}
	}
	if code, out := runs(t, "", "pbpaste"); code != 0 || out != "text of the clipboard\n" {
		t.Errorf("without a file: %d %q", code, out)
	}
}

func TestNetcatSendsItsInput(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			got <- err.Error()
			return
		}
		data, _ := io.ReadAll(c)
		_, _ = io.WriteString(c, "order")
		_ = c.Close()
		got <- string(data)
	}()
	host, port, _ := net.SplitHostPort(l.Addr().String())
	if code, out := runs(t, "secret", "nc", "-w", host, port); code != 0 || out != "order" {
		t.Errorf("%d, printed %q", code, out)
	}
	if sent := <-got; sent != "secret" {
		t.Errorf("sent %q", sent)
	}
}
