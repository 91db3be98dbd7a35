package netsim

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// dialogue is a protocol of lines in which the server speaks first.
type textProtocol struct {
	name     string
	ports    []uint16
	greeting string
	// reply answers a line; an empty answer leaves it without one, more that does not
	// hold ends the connection. nil: nothing is answered.
	reply func(s *session, line string) (answer string, more bool)
}

var textProtocols = []textProtocol{
	{"ftp", []uint16{21, 990}, "220 ready", ftp},
	{"ssh", []uint16{22, 2222}, "SSH-2.0-OpenSSH_9.9", nil},
	{"pop3", []uint16{110, 995}, "+OK ready", pop3},
	{"imap", []uint16{143, 993}, "* OK IMAP4rev1 ready", imap},
}

// maxCommands is how many lines of a dialogue its event names.
const maxCommands = 16

// talk plays a dialogue.
func (s *session) talk(w *tapped, d *textProtocol) {
	var said []string
	defer func() { s.rest(w.tap, d.name+": "+strings.Join(said, "; ")) }()
	if _, err := io.WriteString(w, d.greeting+"\r\n"); err != nil {
		return
	}
	r := newPeeker(w)
	for {
		if s.deadline(w) != nil {
			return
		}
		line, err := readLine(r.r)
		if err != nil {
			return
		}
		if len(said) < maxCommands {
			said = append(said, clean(line, 80))
		}
		if d.reply == nil { // binary from here on
			buf := make([]byte, 4096)
			for err == nil {
				_, err = r.Read(buf)
			}
			return
		}
		answer, more := d.reply(s, line)
		if answer != "" {
			if _, err := io.WriteString(w, answer+"\r\n"); err != nil {
				return
			}
		}
		if !more {
			return
		}
	}
}

// ftp takes uploads: their data goes to an address of the simulated internet and is
// recorded there. There is nothing to download.
func ftp(s *session, line string) (string, bool) {
	verb, _, _ := strings.Cut(line, " ")
	const dataPort = 40021
	switch strings.ToUpper(verb) {
	case "USER":
		return "331 password?", true
	case "PASS":
		return "230 welcome", true
	case "SYST":
		return "215 UNIX Type: L8", true
	case "FEAT":
		return "211-features\r\n UTF8\r\n EPSV\r\n211 end", true
	case "PWD":
		return `257 "/"`, true
	case "PASV":
		if a := s.dst.Addr(); a.Is4() {
			b := a.As4()
			return fmt.Sprintf("227 passive (%d,%d,%d,%d,%d,%d)", b[0], b[1], b[2], b[3], dataPort>>8, dataPort&255), true
		}
		return "502 EPSV", true
	case "EPSV":
		return fmt.Sprintf("229 passive (|||%d|)", dataPort), true
	case "STOR", "APPE", "STOU":
		return "150 go\r\n226 stored", true
	case "RETR", "LIST", "NLST", "MLSD", "SIZE", "MDTM", "AUTH":
		return "550 there is none", true
	case "QUIT":
		return "221 bye", false
	}
	return "200 ok", true
}

func pop3(_ *session, line string) (string, bool) {
	verb, _, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "STAT":
		return "+OK 0 0", true
	case "LIST", "UIDL", "CAPA":
		return "+OK\r\n.", true
	case "RETR", "TOP", "STLS":
		return "-ERR there is none", true
	case "QUIT":
		return "+OK bye", false
	}
	return "+OK", true
}

func imap(_ *session, line string) (string, bool) {
	tag, rest, _ := strings.Cut(line, " ")
	verb, _, _ := strings.Cut(rest, " ")
	tag = clean(tag, 40)
	switch strings.ToUpper(verb) {
	case "CAPABILITY":
		return "* CAPABILITY IMAP4rev1\r\n" + tag + " OK", true
	case "SELECT", "EXAMINE":
		return "* 0 EXISTS\r\n* 0 RECENT\r\n" + tag + " OK", true
	case "SEARCH":
		return "* SEARCH\r\n" + tag + " OK", true
	case "STARTTLS", "APPEND":
		return tag + " NO not here", true
	case "LOGOUT":
		return "* BYE\r\n" + tag + " OK", false
	}
	return tag + " OK", true
}

// decoded returns what base64 text stands for, as far as it is that.
func decoded(text string) string {
	b, _ := base64.StdEncoding.DecodeString(text) // what came before the error will do
	return string(b)
}
