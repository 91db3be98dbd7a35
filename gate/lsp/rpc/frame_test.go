package rpc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// frames are inputs with the messages that are read of them, and the error that ends it.
func frames() []struct {
	name, in string
	want     []string
	err      string // "" is the end between two messages
} {
	return []struct {
		name, in string
		want     []string
		err      string
	}{
		{"nothing", "", nil, ""},
		{"two messages", "Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnull", []string{"{}", "null"}, ""},
		{"a content type, and another case", "content-length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", []string{"{}"}, ""},
		{"an unknown header", "X-A: b\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, ""},
		{"a message without content", "Content-Length: 0\r\n\r\n", []string{""}, ""},
		{"one that is too large, and one behind it", "Content-Length: 20\r\n\r\n01234567890123456789Content-Length: 2\r\n\r\n{}", []string{"too large", "{}"}, ""},
		{"no length", "Content-Type: x/y\r\n\r\n{}", nil, "no Content-Length"},
		{"two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", nil, "two lengths"},
		{"a length that is none", "Content-Length: -2\r\n\r\n{}", nil, "is no length"},
		{"a length in hexadecimal", "Content-Length: 0x2\r\n\r\n{}", nil, "is no length"},
		{"a length beyond every message", "Content-Length: 99999999999999999999\r\n\r\n{}", nil, "is no length"},
		{"a length beyond the input", "Content-Length: 9\r\n\r\n{}", nil, "unexpected EOF"},
		{"a length beyond the input that is too large", "Content-Length: 1000000000\r\n\r\n{}", nil, "unexpected EOF"},
		{"an end in the header", "Content-Length: 2\r\n", nil, "unexpected EOF"},
		{"an end in a line", "Content-Le", nil, "unexpected EOF"},
		{"a line feed alone", "Content-Length: 2\n\n{}", nil, "CR LF"},
		{"no header", "{}\r\n\r\n", nil, "is no header"},
		{"another encoding", "Content-Length: 2\r\nContent-Type: x/y; charset=utf-16\r\n\r\n{}", nil, "is not UTF-8"},
		{"a content type that is none", "Content-Length: 2\r\nContent-Type: ;;\r\n\r\n{}", nil, "no content type"},
		{"a line without an end", strings.Repeat("a", 2000), nil, "more than 1024 bytes"},
		{"headers without an end", strings.Repeat("a: b\r\n", 2000), nil, "more than 16 lines"},
	}
}

// readAll reads until the input ends.
func readAll(in io.Reader, most int64) (got []string, err error) {
	r := newReader(in, most)
	for {
		data, err := r.read()
		if large, ok := errors.AsType[*TooLargeError](err); ok {
			got = append(got, "too large")
			if large.Most != most || large.Size <= most {
				return got, errors.New("a wrong bound")
			}
			continue
		}
		if err != nil {
			return got, err
		}
		got = append(got, string(data))
	}
}

func TestMessagesAreReadBehindTheirHeaders(t *testing.T) {
	for _, tt := range frames() {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(tt.in), 10)
			if strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.err == "" && !errors.Is(err, io.EOF) || tt.err != "" && (err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range frames() {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := readAll(bytes.NewReader(in), 100)
		if err == nil {
			t.Fatal("the input has no end")
		}
		for _, m := range got {
			if len(m) > 100 {
				t.Errorf("a message of %d bytes", len(m))
			}
			var out bytes.Buffer
			if err := write(&out, []byte(m)); err != nil {
				t.Fatal(err)
			}
			if back, _ := readAll(&out, 100); len(back) != 1 || back[0] != m {
				t.Errorf("%q was read as %q", m, back)
			}
			if msg, bad := decode([]byte(m)); bad == nil && msg.ID != nil && !bytes.Equal(id(msg.ID), msg.ID) {
				t.Errorf("the identifier %s is read as %s", msg.ID, id(msg.ID))
			}
		}
	})
}
