package netsim

import (
	"bufio"
	"crypto/tls"
	"encoding/base32"
	"fmt"
	"io"
	"net"
	"net/smtp"
	"slices"
	"strings"
	"testing"
	"time"
)

func base32Of(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }

func TestMailIsAcceptedAndRecorded(t *testing.T) {
	tests := map[string]struct {
		address string
		secure  bool // from the start
		start   bool // later
	}{
		"in the open":    {"mail.example.com:25", false, false},
		"with STARTTLS":  {"mail.example.com:587", false, true},
		"inside of TLS":  {"mail.example.com:465", true, false},
		"by the address": {"203.0.113.25:25", false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			host, _, _ := net.SplitHostPort(tt.address)
			c := l.connect("tcp", tt.address)
			trust := l.trust()
			trust.ServerName = host
			if tt.secure {
				c = tls.Client(c, trust)
			}
			m, err := smtp.NewClient(c, host)
			if err != nil {
				t.Fatal(err)
			}
			if tt.start {
				if err := m.StartTLS(trust); err != nil {
					t.Fatal(err)
				}
			}
			if tt.secure || tt.start {
				if err := m.Auth(smtp.PlainAuth("", "bob", secret, host)); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Mail("a@example.com"); err != nil {
				t.Fatal(err)
			}
			for _, to := range []string{"b@example.net", "c@example.net"} {
				if err := m.Rcpt(to); err != nil {
					t.Fatal(err)
				}
			}
			w, err := m.Data()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(w, "Subject: keys\r\n\r\nhere: %s\r\n", base32Of(secret))
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			_ = m.Quit()
			e := l.only("smtp")
			want := `MAIL FROM <a@example.com> RCPT TO <b@example.net>, <c@example.net>; subject "keys"`
			if tt.secure || tt.start {
				want += "; AUTH bob"
				if !slices.Contains(e.Canaries, "aws-key (base64)") {
					t.Errorf("the password is not found: %v", e.Canaries)
				}
			}
			if e.Peer != tt.address || e.Detail != want || !strings.HasPrefix(string(e.Head), "Subject: keys\n\nhere: ") {
				t.Errorf("%+v", e)
			}
			if !slices.Contains(e.Canaries, "aws-key (base32)") {
				t.Errorf("the body is not searched: %v", e.Canaries)
			}
		})
	}
}

func TestSlowTLSHandshakesGetNoGreeting(t *testing.T) {
	for _, port := range []string{"465", "990", "993", "995"} {
		l := newLab(t, Limits{Quiet: 1}) // any client is slower
		trust := l.trust()
		trust.ServerName = "mail.example.com"
		c := tls.Client(l.connect("tcp", "mail.example.com:"+port), trust)
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || line == "\r\n" {
			t.Errorf("port %s: heard %q, %v", port, line, err)
		}
	}
}

func TestServersThatSpeakFirstDo(t *testing.T) {
	tests := map[string]struct {
		port   string
		lines  []string // what the client says
		last   string   // what it hears at the end
		detail string
	}{
		"ftp":  {"21", []string{"USER bob", "PASS " + secret, "PASV", "STOR loot", "QUIT"}, "221 bye", "ftp: USER bob; PASS " + secret + "; PASV; STOR loot; QUIT"},
		"pop3": {"110", []string{"USER bob", "PASS " + secret, "STAT", "QUIT"}, "+OK bye", "pop3: USER bob; PASS " + secret + "; STAT; QUIT"},
		"imap": {"143", []string{"1 LOGIN bob " + secret, "2 LOGOUT"}, "2 OK", "imap: 1 LOGIN bob " + secret + "; 2 LOGOUT"},
		"ssh":  {"22", []string{"SSH-2.0-client " + secret}, "SSH-2.0-OpenSSH_9.9", "ssh: SSH-2.0-client " + secret},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{})
			c := l.connect("tcp", "203.0.113.7:"+tt.port)
			r := bufio.NewReader(c)
			heard, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range tt.lines {
				_, _ = io.WriteString(c, line+"\r\n")
			}
			_ = c.(*net.TCPConn).CloseWrite()
			for err == nil {
				var line string
				if line, err = r.ReadString('\n'); err == nil {
					heard = line
				}
			}
			if got := strings.TrimSpace(heard); got != tt.last {
				t.Errorf("heard %q", got)
			}
			e := l.only("tcp")
			if e.Detail != tt.detail || !slices.Equal(e.Canaries, []string{"aws-key (plain)"}) {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestOtherProtocolsAreReadAndNotAnswered(t *testing.T) {
	for _, secure := range []bool{false, true} {
		l := newLab(t, Limits{})
		c := l.connect("tcp", "203.0.113.7:6379")
		kind := "tcp"
		if secure {
			trust := l.trust()
			trust.ServerName = "203.0.113.7"
			trust.NextProtos = []string{"redis"}
			c, kind = tls.Client(c, trust), "tls"
		}
		for i := range secret {
			if _, err := c.Write([]byte{secret[i]}); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.(interface{ CloseWrite() error }).CloseWrite()
		if heard, _ := io.ReadAll(c); len(heard) > 0 {
			t.Errorf("heard %q", heard)
		}
		e := l.only(kind)
		if e.Peer != "203.0.113.7:6379" || string(e.Head) != secret || e.Bytes != int64(len(secret)) || !slices.Equal(e.Canaries, []string{"aws-key (plain)"}) {
			t.Errorf("%+v", e)
		}
	}
}

func TestAClientThatDoesNotTrustTheServerIsRecorded(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.connect("tcp", "203.0.113.7:443")
	if err := tls.Client(c, &tls.Config{ServerName: "pinned.example.com"}).HandshakeContext(t.Context()); err == nil {
		t.Fatal("trusted")
	}
	_, _ = io.Copy(io.Discard, c)
	e := l.only("tls")
	if e.Peer != "pinned.example.com:443" || !strings.HasPrefix(e.Detail, "handshake failed: remote error: tls:") {
		t.Errorf("%+v", e)
	}
}

func TestConnectionsOpenAtTheEndAreRecorded(t *testing.T) {
	l := newLab(t, Limits{})
	c := l.connect("tcp", "203.0.113.7:4444")
	_, _ = io.WriteString(c, "hello "+secret)
	web := l.connect("tcp", "203.0.113.7:80")
	_, _ = io.WriteString(web, "POST /slow HTTP/1.1\r\nHost: example.com\r\nContent-Length: 100\r\n\r\n"+secret)
	// Both have arrived when no more room is in neither: the kernel gives what it
	// has to a reader before it tells it of the end.
	waitFor(t, func() bool { return len(l.slots) == 2 })
	_ = c.(*net.TCPConn).CloseWrite()
	_ = web.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, c)
	_, _ = io.Copy(io.Discard, web)
	l.Close()
	kinds := map[string]bool{}
	for _, e := range l.Events() {
		if slices.Equal(e.Canaries, []string{"aws-key (plain)"}) {
			kinds[e.Kind] = true
		}
	}
	if !kinds["tcp"] || !kinds["http"] {
		t.Errorf("%+v", l.Events())
	}
}

// waitFor waits for something that no channel tells of.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
		c, _ := net.Pipe()
		c.Close()
	}
}

func TestAClientThatOnlyListensGetsAnOrderForItsShell(t *testing.T) {
	tests := map[string]struct {
		address, says string
		ordered       bool
	}{
		"one that says nothing":              {"203.0.113.9:4444", "", true},
		"one that says what it is":           {"203.0.113.9:4444", "host=a user=b\n", true},
		"one that shows a prompt on the web": {"203.0.113.9:443", "$ ", true},
		"one that may ask for a page":        {"203.0.113.9:8080", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Limits{Silent: 50 * time.Millisecond})
			c := l.connect("tcp", tt.address)
			if _, err := io.WriteString(c, tt.says); err != nil {
				t.Fatal(err)
			}
			wait := 10 * time.Second
			if !tt.ordered {
				wait = 300 * time.Millisecond
			}
			if err := c.SetReadDeadline(time.Now().Add(wait)); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			if got := strings.HasPrefix(line, "sh -c ") && strings.Contains(line, Answered); got != tt.ordered {
				t.Errorf("the server says %q", line)
			}
		})
	}
}
