package pickle

import (
	"fmt"
	"strconv"
	"strings"
)

// value stands for what Python would have on the stack.
type value struct {
	kind  kind
	text  string // of a text; the literal of a number; the name of a result
	items []*value
	fn    Global // of a name
	made  string // which class or function made a result
}

type kind int

const (
	other  kind = iota // whatever has no part in names and arguments
	text               // a str
	number             // int, float, bool, None
	raw                // bytes
	tuple
	list
	dict // keys and values in turn
	set
	global
	result // of a call
	mark
)

// Bounds of one argument as it is written down.
const (
	maxLiteral = 4 << 10 // bytes of one text
	maxWritten = 8 << 10 // bytes of one call
	maxNested  = 6
)

// String is the value as Python would write it.
func (v *value) write(b *strings.Builder, depth int) {
	if b.Len() > maxWritten || depth > maxNested {
		b.WriteString("...")
		return
	}
	switch v.kind {
	case text:
		b.WriteString(quote(v.text))
	case raw:
		b.WriteString("b" + quote(v.text))
	case number, result:
		b.WriteString(v.text)
	case global:
		b.WriteString(python(v.fn.Module, v.fn.Name))
	case tuple:
		b.WriteString("(")
		v.list(b, depth)
		if len(v.items) == 1 {
			b.WriteString(",")
		}
		b.WriteString(")")
	case list:
		b.WriteString("[")
		v.list(b, depth)
		b.WriteString("]")
	case set:
		b.WriteString("{")
		v.list(b, depth)
		b.WriteString("}")
	case dict:
		b.WriteString("{")
		for i := 0; i+1 < len(v.items); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			v.items[i].write(b, depth+1)
			b.WriteString(": ")
			v.items[i+1].write(b, depth+1)
		}
		b.WriteString("}")
	default:
		b.WriteString("...")
	}
}

func (v *value) list(b *strings.Builder, depth int) {
	for i, item := range v.items {
		if i > 0 {
			b.WriteString(", ")
		}
		item.write(b, depth+1)
	}
}

// quote is a literal that Python reads.
func quote(s string) string {
	if len(s) > maxLiteral {
		s = s[:maxLiteral]
	}
	if strings.Contains(s, "\n") && !strings.Contains(s, `\`) && !strings.Contains(s, `"""`) && !strings.HasSuffix(s, `"`) && printable(s) {
		return `"""` + s + `"""` // code that is run is easier to read, and to match, by lines
	}
	return strconv.QuoteToASCII(s)
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f })
}

// numbers that are on the stack often.
func simple(literal string) *value { return &value{kind: number, text: literal} }

// call writes down what is called with what.
func (m *machine) call(fn *value, args *value, more string) *value {
	m.called++
	name := "unknown"
	switch fn.kind {
	case global:
		name = python(fn.fn.Module, fn.fn.Name)
		m.name(Global{Module: fn.fn.Module, Name: fn.fn.Name, Called: true})
	case result:
		name = fn.text
	}
	out := &value{kind: result, text: "v" + strconv.Itoa(m.called)}
	if fn.kind == global {
		out.made = fn.fn.String()
	}
	if fn.kind == global && threat(fn.fn.Module, fn.fn.Name) == Harmless {
		if len(args.items) > 0 && out.made == "numpy.dtype" {
			out.text = args.items[0].text
		}
		return out
	}
	if m.written++; m.written > maxCalls {
		m.report.Bounded = true
		return out
	}
	fmt.Fprintf(&m.calls, "%s = %s(%s)\n", out.text, name, arguments(args)+more)
	return out
}

// arguments are those of a call: the items of a tuple.
func arguments(v *value) string {
	var b strings.Builder
	if v.kind == tuple {
		v.list(&b, 0)
	} else {
		b.WriteString("*")
		v.write(&b, 0)
	}
	return b.String()
}
