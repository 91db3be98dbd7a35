package netsim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// maxRecipients is how many a mail event names.
const maxRecipients = 16

// readLine returns the next line without its end, cut to the size of the reader's
// buffer.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	text := string(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && (text == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	return strings.TrimRight(text, "\r\n"), nil
}

// message is what one mail consists of.
type message struct {
	helo, user string
	from       string
	to         []string
	subject    string
}

func (m message) String() string {
	var parts []string
	if m.from != "" || len(m.to) > 0 {
		parts = append(parts, "MAIL FROM "+m.from+" RCPT TO "+strings.Join(m.to, ", "))
	}
	if m.subject != "" {
		parts = append(parts, fmt.Sprintf("subject %q", m.subject))
	}
	if m.user != "" {
		parts = append(parts, "AUTH "+m.user)
	}
	if len(parts) == 0 {
		parts = append(parts, "HELO "+m.helo)
	}
	return strings.Join(parts, "; ")
}

// mail plays an SMTP server on a connection.
func (s *session) mail(w *tapped) {
	fmt.Fprint(w, "220 mail ESMTP ready\r\n")
	s.smtp(w)
}

// smtp plays the dialogue after the greeting.
func (s *session) smtp(w *tapped) {
	var m message
	sent, known := false, 0
	defer func() {
		if !sent || len(w.tap.finds()) > known {
			s.letter(w.tap, m, nil)
		}
	}()
	r := newPeeker(w)
	say := func(text string) bool {
		_, err := io.WriteString(w, text+"\r\n")
		return err == nil
	}
	for {
		if s.deadline(w) != nil {
			return
		}
		line, err := readLine(r.r)
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "HELO":
			m.helo = clean(rest, 80)
			say("250 mail")
		case "EHLO":
			m.helo = clean(rest, 80)
			offer := "250-mail\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-AUTH PLAIN LOGIN\r\n"
			if !s.secure && s.n.cfg.CA != nil {
				offer += "250-STARTTLS\r\n"
			}
			say(offer + "250 SIZE 26214400")
		case "STARTTLS":
			if s.secure || s.n.cfg.CA == nil {
				say("454 not available")
				continue
			}
			say("220 go ahead")
			sent = s.startTLS(w, r, &m)
			return
		case "AUTH":
			if m.user, err = s.login(r.r, rest, say); err != nil {
				return
			}
			say("235 accepted")
		case "MAIL":
			m.from, m.to, m.subject = argument(rest), nil, ""
			say("250 ok")
		case "RCPT":
			if len(m.to) < maxRecipients {
				m.to = append(m.to, argument(rest))
			}
			say("250 ok")
		case "DATA":
			say("354 end with a dot")
			head, err := s.body(r.r, &m, w)
			s.letter(w.tap, m, head)
			sent, known = true, len(w.tap.finds())
			if err != nil || !say("250 accepted") {
				return
			}
		case "QUIT":
			say("221 bye")
			return
		case "RSET", "NOOP", "VRFY":
			say("250 ok")
		default:
			if !say("502 what?") {
				return
			}
		}
	}
}

// startTLS goes on below TLS. It reports whether anything was recorded there.
func (s *session) startTLS(w *tapped, r *peeker, m *message) bool {
	inner, t, err := s.handshake(&untapped{r, w})
	if err != nil {
		s.failed(err)
		return true
	}
	defer t.Close()
	tap := s.n.newTap()
	defer tap.close()
	inner.smtp(&tapped{t, tap})
	return true
}

// untapped reads on behind a tap, which cannot make anything of what is
// encrypted.
type untapped struct {
	*peeker
	w *tapped
}

func (u *untapped) Read(p []byte) (int, error) {
	if u.r.Buffered() > 0 {
		return u.r.Read(p)
	}
	return u.w.Conn.Read(p)
}

// argument returns <a> of "FROM:<a> SIZE=1".
func argument(rest string) string {
	_, arg, _ := strings.Cut(rest, ":")
	arg, _, _ = strings.Cut(strings.TrimSpace(arg), " ")
	return clean(arg, 120)
}

// login takes the credentials of AUTH. They are watched like all that is sent.
func (s *session) login(r *bufio.Reader, rest string, say func(string) bool) (user string, err error) {
	how, first, _ := strings.Cut(rest, " ")
	switch strings.ToUpper(how) {
	case "PLAIN":
		if first == "" {
			say("334 ")
			first, err = readLine(r)
		}
		fields := strings.Split(decoded(first), "\x00")
		if len(fields) > 1 {
			user = fields[1]
		}
	case "LOGIN":
		if first == "" {
			say("334 VXNlcm5hbWU6")
			if first, err = readLine(r); err != nil {
				return "", err
			}
		}
		user = decoded(first)
		say("334 UGFzc3dvcmQ6")
		_, err = readLine(r)
	}
	return clean(user, 80), err
}

// body reads up to the line with a dot and returns the head of the message.
func (s *session) body(r *bufio.Reader, m *message, c net.Conn) (head []byte, err error) {
	inHeader := true
	for {
		if err := s.deadline(c); err != nil {
			return head, err
		}
		line, err := readLine(r)
		if err != nil || line == "." {
			return head, err
		}
		if name, value, ok := strings.Cut(line, ":"); inHeader && ok && strings.EqualFold(name, "subject") {
			m.subject = clean(strings.TrimSpace(value), 120)
		}
		inHeader = inHeader && line != ""
		if len(head) < maxHead {
			head = append(head, line[:min(len(line), maxHead)]...)
			head = append(head, '\n')
		}
	}
}

// letter records a mail, or a connection that brought none.
func (s *session) letter(t *tap, m message, head []byte) {
	e := s.event("smtp", m.String())
	t.fill(&e)
	if head != nil {
		e.Head = head
	}
	s.n.log.add(e)
}
