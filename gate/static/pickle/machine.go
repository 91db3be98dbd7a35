package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// machine runs one pickle.
type machine struct {
	data  []byte
	size  int64 // of the file, of which data may be the beginning
	at    int
	ops   int
	depth int // of pickles inside of each other
	stack []*value
	memo  map[int]*value

	report  Report
	named   map[string]bool
	calls   strings.Builder
	called  int
	written int
}

func newMachine(data []byte, size int64) *machine {
	return &machine{data: data, size: size, memo: map[int]*value{}, named: map[string]bool{}}
}

// errEnd is the opcode that ends a pickle.
var errEnd = errors.New("end")

// run goes up to the end of the pickle; the error says why it did not get there.
func (m *machine) run() error {
	for {
		if m.ops++; m.ops > maxOps || len(m.stack) > maxStack || len(m.memo) > maxStack {
			m.report.Bounded = true
			return fmt.Errorf("it is longer than the %d steps that are followed", maxOps)
		}
		err := m.step()
		if err == nil {
			continue
		}
		m.finish()
		if errors.Is(err, errEnd) {
			return nil
		}
		return err
	}
}

// finish writes the report.
func (m *machine) finish() {
	m.report.Pickles = 1
	m.report.Calls = m.calls.String()
}

// name notes a function or class.
func (m *machine) name(g Global) {
	g.Threat = threat(g.Module, g.Name)
	key := g.String()
	if !m.named[key] && len(m.named) >= maxGlobals {
		m.report.Bounded = true
		if g.Threat != Dangerous {
			return
		}
	}
	if m.named[key] && !g.Called {
		return
	}
	m.named[key] = true
	add(&m.report.Globals, g)
}

// take reads n bytes.
func (m *machine) take(n int64) ([]byte, error) {
	switch left := int64(len(m.data) - m.at); {
	case n < 0 || n > m.size-int64(m.at):
		return nil, fmt.Errorf("it ends within a text of %d bytes", n)
	case n > left:
		return nil, io.ErrUnexpectedEOF
	}
	out := m.data[m.at : m.at+int(n)]
	m.at += int(n)
	return out, nil
}

// number reads an unsigned number of n bytes.
func (m *machine) number(n int64) (uint64, error) {
	b, err := m.take(n)
	if err != nil {
		return 0, err
	}
	var buf [8]byte
	copy(buf[:], b)
	return binary.LittleEndian.Uint64(buf[:]), nil
}

// counted reads bytes behind their number.
func (m *machine) counted(width int64) (string, error) {
	n, err := m.number(width)
	if err != nil {
		return "", err
	}
	if n > 1<<40 {
		return "", fmt.Errorf("it ends within a text of %d bytes", n)
	}
	b, err := m.take(int64(n))
	return string(b[:min(len(b), maxText)]), err
}

// maxText is the longest text that is kept: names, and code that is run.
const maxText = 64 << 10

// line reads up to a line feed.
func (m *machine) line() (string, error) {
	rest := m.data[m.at:]
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		if int64(len(m.data)) < m.size {
			return "", io.ErrUnexpectedEOF
		}
		return "", errors.New("it ends within a line")
	}
	m.at += i + 1
	return strings.TrimSuffix(string(rest[:min(i, maxText)]), "\r"), nil
}

func (m *machine) push(v *value) { m.stack = append(m.stack, v) }

// pop takes the topmost value, nil where there is none.
func (m *machine) pop() *value {
	if len(m.stack) == 0 {
		return nil
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

func (m *machine) top() *value {
	if len(m.stack) == 0 {
		return nil
	}
	return m.stack[len(m.stack)-1]
}

// toMark takes what is above the topmost mark.
func (m *machine) toMark() ([]*value, bool) {
	for i, v := range slices.Backward(m.stack) {
		if v.kind == mark {
			items := m.stack[i+1:]
			m.stack = m.stack[:i]
			return items, true
		}
	}
	return nil, false
}

// kept bounds the items of one container, of which only the first can matter for
// arguments.
func kept(items []*value) []*value {
	return append([]*value(nil), items[:min(len(items), maxItems)]...)
}

// literal is a quoted text of protocol 0.
func literal(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return "", false
	}
	body := line[1 : len(line)-1]
	var out strings.Builder
	for body != "" {
		if body[0] != '\\' {
			out.WriteByte(body[0])
			body = body[1:]
			continue
		}
		if len(body) > 3 && body[1] == 'x' {
			if n, err := strconv.ParseUint(body[2:4], 16, 8); err == nil {
				out.WriteByte(byte(n))
				body = body[4:]
				continue
			}
		}
		if len(body) > 1 {
			out.WriteString(strings.NewReplacer("n", "\n", "t", "\t", "r", "\r").Replace(body[1:2]))
		}
		body = body[min(2, len(body)):]
	}
	return out.String(), true
}

// unicodeLine is a text of protocol 0 that is escaped where it must be.
func unicodeLine(line string) string {
	out, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`).Replace(line) + `"`)
	if err != nil {
		return line
	}
	return out
}
