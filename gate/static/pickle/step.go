package pickle

import (
	"strconv"
	"strings"
)

// step runs one opcode. The opcodes are those of Python's Lib/pickle.py.
func (m *machine) step() error {
	at := m.at
	op, err := m.take(1)
	if err != nil {
		return err
	}
	switch c := op[0]; c {
	case '.':
		if m.pop() == nil {
			return errOp(c, at, "finds nothing on the stack")
		}
		return errEnd
	case 0x80: // PROTO
		n, err := m.number(1)
		if err == nil && n > 5 {
			return errOp(c, at, "names a protocol that does not exist")
		}
		return err
	case 0x95: // FRAME
		_, err := m.number(8)
		return err
	case '(':
		m.push(&value{kind: mark})
		return nil
	case '0': // POP
		if v := m.pop(); v == nil {
			return errOp(c, at, "finds nothing on the stack")
		}
		return nil
	case '1': // POP_MARK
		if _, ok := m.toMark(); !ok {
			return errOp(c, at, "finds no mark")
		}
		return nil
	case '2': // DUP
		v := m.top()
		if v == nil {
			return errOp(c, at, "finds nothing on the stack")
		}
		m.push(v)
		return nil
	default:
		for _, family := range []func(byte, int) (bool, error){m.constant, m.texts, m.containers, m.memory, m.names, m.calling} {
			if known, err := family(c, at); known {
				return err
			}
		}
		return errOp(c, at, "does not exist")
	}
}

// constant runs the opcodes of numbers, None and truth values.
func (m *machine) constant(c byte, at int) (bool, error) {
	switch c {
	case 'N':
		m.push(simple("None"))
	case 0x88:
		m.push(simple("True"))
	case 0x89:
		m.push(simple("False"))
	case 'I', 'L', 'F':
		line, err := m.line()
		if err != nil {
			return true, err
		}
		number := strings.TrimSuffix(strings.TrimSpace(line), "L")
		if _, err := strconv.ParseFloat(number, 64); err != nil && !strings.ContainsAny(number, "0123456789") {
			return true, errOp(c, at, "has no number")
		}
		m.push(simple(number))
	case 'J', 'K', 'M':
		n, err := m.number(map[byte]int64{'J': 4, 'K': 1, 'M': 2}[c])
		if err != nil {
			return true, err
		}
		if c == 'J' {
			m.push(simple(strconv.Itoa(int(int32(n))))) //nolint:gosec // the opcode's number has a sign
			return true, nil
		}
		m.push(simple(strconv.FormatUint(n, 10)))
	case 'G':
		if _, err := m.take(8); err != nil {
			return true, err
		}
		m.push(simple("0.0"))
	case 0x8a, 0x8b:
		if _, err := m.counted(map[byte]int64{0x8a: 1, 0x8b: 4}[c]); err != nil {
			return true, err
		}
		m.push(&value{kind: other})
	default:
		return false, nil
	}
	return true, nil
}

// texts runs the opcodes of texts and bytes.
func (m *machine) texts(c byte, at int) (bool, error) {
	width := map[byte]int64{'T': 4, 'U': 1, 'X': 4, 0x8c: 1, 0x8d: 8, 'B': 4, 'C': 1, 0x8e: 8, 0x96: 8}[c]
	switch c {
	case 'S':
		line, err := m.line()
		if err != nil {
			return true, err
		}
		s, ok := literal(line)
		if !ok {
			return true, errOp(c, at, "has no text in quotes")
		}
		m.push(&value{kind: text, text: s})
	case 'V':
		line, err := m.line()
		if err != nil {
			return true, err
		}
		m.push(&value{kind: text, text: unicodeLine(line)})
	case 'T', 'U', 'X', 0x8c, 0x8d:
		s, err := m.counted(width)
		if err != nil {
			return true, err
		}
		m.push(&value{kind: text, text: s})
	case 'B', 'C', 0x8e, 0x96:
		s, err := m.counted(width)
		if err != nil {
			return true, err
		}
		m.push(&value{kind: raw, text: s})
	case 0x97, 0x98: // NEXT_BUFFER, READONLY_BUFFER
		if c == 0x97 {
			m.push(&value{kind: other})
		}
	default:
		return false, nil
	}
	return true, nil
}

// containers runs the opcodes that make and fill tuples, lists, dicts and sets.
func (m *machine) containers(c byte, at int) (bool, error) {
	empty := map[byte]kind{')': tuple, ']': list, '}': dict, 0x8f: set}
	marked := map[byte]kind{'t': tuple, 'l': list, 'd': dict, 0x91: set}
	few := map[byte]int{0x85: 1, 0x86: 2, 0x87: 3}
	fill := map[byte]bool{'e': true, 'u': true, 0x90: true}
	single := map[byte]int{'a': 1, 's': 2}
	switch {
	case has(empty, c):
		m.push(&value{kind: empty[c]})
	case has(marked, c):
		items, ok := m.toMark()
		if !ok {
			return true, errOp(c, at, "finds no mark")
		}
		m.push(&value{kind: marked[c], items: kept(items)})
	case has(few, c):
		n := few[c]
		if len(m.stack) < n {
			return true, errOp(c, at, "finds too little on the stack")
		}
		items := kept(m.stack[len(m.stack)-n:])
		m.stack = m.stack[:len(m.stack)-n]
		m.push(&value{kind: tuple, items: items})
	case fill[c]:
		items, ok := m.toMark()
		if !ok || m.top() == nil {
			return true, errOp(c, at, "finds nothing to fill")
		}
		m.fill(items)
	case has(single, c):
		n := single[c]
		if len(m.stack) <= n {
			return true, errOp(c, at, "finds nothing to fill")
		}
		items := kept(m.stack[len(m.stack)-n:])
		m.stack = m.stack[:len(m.stack)-n]
		m.fill(items)
	default:
		return false, nil
	}
	return true, nil
}

func has[V any](table map[byte]V, c byte) bool {
	_, ok := table[c]
	return ok
}

// fill puts items into the container on top of the stack.
func (m *machine) fill(items []*value) {
	into := m.top()
	if room := maxItems - len(into.items); room > 0 {
		into.items = append(into.items, items[:min(len(items), room)]...)
	}
}

// memory runs the opcodes that keep a value and bring it back.
func (m *machine) memory(c byte, at int) (bool, error) {
	var key int
	switch c {
	case 'p', 'g':
		line, err := m.line()
		if err != nil {
			return true, err
		}
		if key, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
			return true, errOp(c, at, "has no number")
		}
	case 'q', 'r', 'h', 'j':
		n, err := m.number(map[byte]int64{'q': 1, 'h': 1, 'r': 4, 'j': 4}[c])
		if err != nil {
			return true, err
		}
		key = int(n) //nolint:gosec // of four bytes
	case 0x94: // MEMOIZE
		key = len(m.memo)
	default:
		return false, nil
	}
	if c == 'g' || c == 'h' || c == 'j' {
		v, ok := m.memo[key]
		if !ok {
			return true, errOp(c, at, "names a value that was not kept")
		}
		m.push(v)
		return true, nil
	}
	if m.top() == nil {
		return true, errOp(c, at, "finds nothing on the stack")
	}
	m.memo[key] = m.top()
	return true, nil
}
