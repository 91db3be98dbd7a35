package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
)

// The bounds of a header.
const (
	maxHeaderLine = 1 << 10 // bytes
	maxHeaders    = 16
)

// TooLargeError is a message that was skipped. What follows it can be read.
type TooLargeError struct {
	Size, Most int64 // bytes
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message has %d bytes, and at most %d are read", e.Size, e.Most)
}

// reader reads messages behind their headers.
type reader struct {
	in   *bufio.Reader
	most int64 // bytes of one message
}

func newReader(in io.Reader, most int64) *reader {
	return &reader{in: bufio.NewReaderSize(in, 4*maxHeaderLine), most: most}
}

// read returns the next message. The error is [io.EOF] where the input ends between two
// messages, and a [*TooLargeError] for one that was skipped; after any other nothing more
// can be read.
func (r *reader) read() ([]byte, error) {
	size, err := r.header()
	if err != nil {
		return nil, err
	}
	if size > r.most {
		if _, err := io.CopyN(io.Discard, r.in, size); err != nil {
			return nil, fmt.Errorf("read a message: %w", unexpected(err))
		}
		return nil, &TooLargeError{size, r.most}
	}
	// The buffer grows with what arrives: a length alone takes no memory.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r.in, size); err != nil {
		return nil, fmt.Errorf("read a message: %w", unexpected(err))
	}
	return body.Bytes(), nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads the header of a message and returns the length of the message, in bytes.
func (r *reader) header() (size int64, err error) {
	size = -1
	for i := 0; ; i++ {
		line, err := r.line()
		switch {
		case errors.Is(err, io.EOF) && i == 0 && line == "":
			return 0, io.EOF
		case err != nil:
			return 0, fmt.Errorf("read the header of a message: %w", unexpected(err))
		case line == "" && size < 0:
			return 0, errors.New("read the header of a message: it has no Content-Length")
		case line == "":
			return size, nil
		case i == maxHeaders:
			return 0, fmt.Errorf("read the header of a message: it has more than %d lines", maxHeaders)
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, fmt.Errorf("read the header of a message: %.60q is no header", line)
		}
		value = strings.TrimSpace(value)
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if size >= 0 {
				return 0, errors.New("read the header of a message: it has two lengths")
			}
			if size, err = length(value); err != nil {
				return 0, err
			}
		case strings.EqualFold(name, "Content-Type"):
			if err := utf8Text(value); err != nil {
				return 0, err
			}
		}
	}
}

// line reads one line of a header, without its end.
func (r *reader) line() (string, error) {
	var line []byte
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return string(line), err
		}
		if b == '\n' {
			text, ok := strings.CutSuffix(string(line), "\r")
			if !ok {
				return "", errors.New("a line does not end with CR LF")
			}
			return text, nil
		}
		if line = append(line, b); len(line) > maxHeaderLine {
			return "", fmt.Errorf("a line has more than %d bytes", maxHeaderLine)
		}
	}
}

func length(value string) (int64, error) {
	n, err := strconv.ParseUint(value, 10, 40) // 40 bits: whatever is larger is no message
	if err != nil {
		return 0, fmt.Errorf("read the header of a message: %.60q is no length", value)
	}
	return int64(n), nil
}

// utf8Text refuses a text in another encoding than UTF-8.
func utf8Text(value string) error {
	_, params, err := mime.ParseMediaType(value)
	if err != nil {
		return fmt.Errorf("read the header of a message: %.60q is no content type", value)
	}
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8": // the second is what the first versions of the protocol said
		return nil
	}
	return fmt.Errorf("read the header of a message: the encoding %.60q is not UTF-8", params["charset"])
}

// write writes one message behind its header, in one call.
func write(out io.Writer, body []byte) error {
	text := make([]byte, 0, len(body)+32)
	text = fmt.Appendf(text, "Content-Length: %d\r\n\r\n", len(body))
	_, err := out.Write(append(text, body...))
	return err
}
