package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// The environment of a program that is about to begin is on its stack. A variable is put there
// by writing all of it once more, below what is there.

// maxRoom is how much of the stack of a process is used, in bytes: the kernel gives it 128 KiB
// below what is on it at the start (stack_expand of fs/exec.c).
const maxRoom = 96 << 10

var errNoRoom = errors.New("its arguments and its environment are too long")

// put makes a variable of a process begin with the value of a hook, and returns what the process
// had of its own.
func put(m *memory, pid int, hook wire.Hook) (had string, err error) {
	at, err := stackOf(pid)
	if err != nil {
		return "", fmt.Errorf("find its stack: %w", err)
	}
	r := stackReader{m: m, pid: pid, at: at}
	s, err := startOf(r.word)
	if err != nil {
		return "", err
	}
	name := hook.Variable + "="
	index, before := -1, ""
	for i, p := range s.env {
		if !begins(m, pid, p, name) {
			continue
		}
		r := reading{call: call{pid: pid}, memory: m}
		index, before = i, strings.TrimPrefix(string(r.long(p)), name)
		break
	}
	if before == hook.Value || strings.HasPrefix(before, hook.Value+" ") {
		return strings.TrimPrefix(before, hook.Value), nil
	}
	value, mark := hook.Value, ""
	if index >= 0 {
		value, mark = strings.TrimSuffix(hook.Value+" "+before, " "), "="+before
	}
	var text []byte
	for _, e := range []string{name + value, hook.Mark + "=" + mark} {
		text = append(append(text, e...), 0)
	}
	if len(text)+8*s.words() > maxRoom {
		return before, errNoRoom
	}
	textAt := (at - uint64(len(text))) &^ 15
	env := slices.Clone(s.env)
	if index >= 0 {
		env = slices.Delete(env, index, index+1)
	}
	s.env = slices.Concat([]uint64{textAt, textAt + uint64(len(name)+len(value)+1)}, env)
	start := (textAt - uint64(8*s.words())) &^ 15
	if err := errors.Join(m.write(pid, textAt, text), m.write(pid, start, s.bytes())); err != nil {
		return before, fmt.Errorf("write its stack: %w", err)
	}
	if err := setStack(pid, start); err != nil {
		return before, fmt.Errorf("move its stack: %w", err)
	}
	return before, nil
}

// begins reports whether a text in a process begins with another one.
func begins(m *memory, pid int, at uint64, with string) bool {
	buf := make([]byte, len(with))
	return m.read(pid, at, buf) == len(buf) && string(buf) == with
}

// start is what the kernel puts on the stack of a program: its arguments, its environment and
// the auxiliary vector.
type start struct{ args, env, aux []uint64 }

// words is how many words it has, with the number of arguments and two zeros.
func (s start) words() int { return len(s.args) + len(s.env) + len(s.aux) + 3 }

func (s start) bytes() []byte {
	var out []byte
	for _, w := range slices.Concat([]uint64{uint64(len(s.args))}, s.args, []uint64{0}, s.env, []uint64{0}, s.aux) {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// startOf reads it, word by word. It is the program that has put together what it is made of.
func startOf(word func(i int) (uint64, bool)) (start, error) {
	argc, ok := word(0)
	if !ok || argc > maxRoom/8 {
		return start{}, errNoRoom
	}
	var s start
	i := 1
	for ; i <= int(argc); i++ {
		w, ok := word(i)
		if !ok {
			return start{}, errNoVector
		}
		s.args = append(s.args, w)
	}
	for i++; ; i++ { // behind the zero
		w, ok := word(i)
		switch {
		case !ok:
			return start{}, errNoVector
		case i > maxRoom/8:
			return start{}, errNoRoom
		}
		if w == 0 {
			break
		}
		s.env = append(s.env, w)
	}
	for i++; len(s.aux) < 2*64; i += 2 {
		kind, ok := word(i)
		value, also := word(i + 1)
		if !ok || !also {
			break
		}
		if s.aux = append(s.aux, kind, value); kind == auxEnd {
			return s, nil
		}
	}
	return start{}, errNoVector
}
