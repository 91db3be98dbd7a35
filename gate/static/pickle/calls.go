package pickle

import (
	"fmt"
	"strings"
	"unicode"
)

// names runs the opcodes that name a function or class, or a persistent object.
func (m *machine) names(c byte, at int) (bool, error) {
	switch c {
	case 'c': // GLOBAL
		module, name, err := m.twoLines(c, at)
		if err != nil {
			return true, err
		}
		m.global(module, name)
	case 0x93: // STACK_GLOBAL
		name, module := m.pop(), m.pop()
		if name == nil || module == nil {
			return true, errOp(c, at, "finds too little on the stack")
		}
		if name.kind != text || module.kind != text {
			m.report.Computed = true
			fmt.Fprintf(&m.calls, "# names something by a text that is put together while loading\n")
			m.push(&value{kind: other})
			return true, nil
		}
		m.global(module.text, name.text)
	case 0x82, 0x83, 0x84: // EXT1, EXT2, EXT4
		n, err := m.number(map[byte]int64{0x82: 1, 0x83: 2, 0x84: 4}[c])
		if err != nil {
			return true, err
		}
		m.global("copyreg", fmt.Sprintf("extension %d", n))
	case 'P': // PERSID
		if _, err := m.line(); err != nil {
			return true, err
		}
		m.push(&value{kind: other})
	case 'Q': // BINPERSID
		if m.pop() == nil {
			return true, errOp(c, at, "finds nothing on the stack")
		}
		m.push(&value{kind: other})
	default:
		return false, nil
	}
	return true, nil
}

// twoLines reads a module and a name.
func (m *machine) twoLines(c byte, at int) (module, name string, err error) {
	if module, err = m.line(); err != nil {
		return "", "", err
	}
	if name, err = m.line(); err != nil {
		return "", "", err
	}
	if !identifier(module) || !identifier(name) {
		return "", "", errOp(c, at, "has no name of a module and of what is in it")
	}
	return module, name, nil
}

// identifier reports whether something can be the dotted name of a module.
func identifier(s string) bool {
	if s == "" || len(s) > 300 {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' && c != '<' && c != '>' && c != '-'
	})
}

// global pushes a name.
func (m *machine) global(module, name string) {
	g := Global{Module: module, Name: name}
	m.name(g)
	m.push(&value{kind: global, fn: g})
}

// calling runs the opcodes that call what was named.
func (m *machine) calling(c byte, at int) (bool, error) {
	switch c {
	case 'R', 0x81: // REDUCE, NEWOBJ
		args, fn := m.pop(), m.pop()
		if args == nil || fn == nil || fn.kind == mark {
			return true, errOp(c, at, "finds too little on the stack")
		}
		m.push(m.call(fn, args, ""))
	case 0x92: // NEWOBJ_EX
		keywords, args, fn := m.pop(), m.pop(), m.pop()
		if keywords == nil || args == nil || fn == nil {
			return true, errOp(c, at, "finds too little on the stack")
		}
		m.push(m.call(fn, args, ", **"+written(keywords)))
	case 'o': // OBJ
		items, ok := m.toMark()
		if !ok || len(items) == 0 {
			return true, errOp(c, at, "finds nothing to call")
		}
		m.push(m.call(items[0], &value{kind: tuple, items: kept(items[1:])}, ""))
	case 'i': // INST
		module, name, err := m.twoLines(c, at)
		if err != nil {
			return true, err
		}
		items, ok := m.toMark()
		if !ok {
			return true, errOp(c, at, "finds no mark")
		}
		g := Global{Module: module, Name: name}
		m.name(g)
		m.push(m.call(&value{kind: global, fn: g}, &value{kind: tuple, items: kept(items)}, ""))
	case 'b': // BUILD
		state, object := m.pop(), m.top()
		if state == nil || object == nil {
			return true, errOp(c, at, "finds too little on the stack")
		}
		return true, m.build(object, state)
	default:
		return false, nil
	}
	return true, nil
}

func written(v *value) string {
	var b strings.Builder
	v.write(&b, 0)
	return b.String()
}

// build gives an object its state. Behind the state of an array that joblib wrote
// are the bytes of the array.
func (m *machine) build(object, state *value) error {
	if object.kind == global {
		// The attributes of a class or module are set, which changes what is called by
		// its name from then on.
		m.call(&value{kind: global, fn: Global{Module: "builtins", Name: "setattr"}}, &value{kind: tuple, items: []*value{object, state}}, "")
	}
	if object.made == joblib && state.kind == dict {
		return m.array(state)
	}
	return nil
}
