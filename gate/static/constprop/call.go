package constprop

import "strings"

// arguments reads what a call is given, and where the call ends. Arguments by
// name are left out: none of those that are known here changes a constant.
func (e *evaluator) arguments(open, limit int, in frame) (arguments, int, bool) {
	var out arguments
	at := e.blank(open + 1)
	for at < limit && len(out) < maxElements {
		if e.src[at] == ')' {
			return out, at + 1, true
		}
		end, next := e.argument(at)
		if end < 0 {
			return nil, at, false
		}
		if w := nameEnd(e.src, at); w > at && w < end && e.src[w] == '=' && e.src[w+1] != '=' {
			at = e.blank(max(next, end))
			continue
		}
		v, stop, ok := e.expression(at, end, in)
		if stop = e.blank(stop); ok && stop < end && len(out) == 0 && next < 0 { // f(x for x in y)
			ok = false
		}
		if !ok && len(out) == 0 && next < 0 {
			items, stop, made := e.loop(at, limit, ')', in)
			return arguments{{kind: listValue, list: items}}, stop, made
		}
		if !ok || stop < end {
			return nil, at, false
		}
		out = append(out, v)
		if at = e.blank(end); e.src[at] == ',' {
			at = e.blank(at + 1)
		}
	}
	return nil, at, false
}

// method works out a method of a constant.
func (e *evaluator) method(v value, name string, open, limit int, in frame) (value, int, bool) {
	args, end, ok := e.arguments(open, limit, in)
	if !ok {
		return value{}, end, false
	}
	out, ok := e.ops.method(v, name, args)
	return out, end, ok
}

// call works out a call of a function, one that Python brings or that the text
// defines.
func (e *evaluator) call(name string, open, limit int, in frame) (value, int, bool) {
	if name == "map" {
		return e.mapped(open, limit, in)
	}
	args, end, ok := e.arguments(open, limit, in)
	if !ok {
		return value{}, end, false
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if f, mine := e.names.funcs[last]; mine && (last == name || strings.HasPrefix(name, "self.") || strings.HasPrefix(name, "cls.")) {
		v, ok := e.names.call(f, args, in)
		return v, end, ok
	}
	if len(args) == 0 {
		return value{}, end, false
	}
	if of, joins := strings.CutSuffix(name, ".join"); joins && separator[of] {
		v, ok := textJoin(e.ops, value{kind: textValue, text: "/", odd: true}, args)
		return v, end, ok
	}
	if name == "os.path.join" || name == "posixpath.join" {
		v, ok := e.ops.join(value{kind: textValue, text: "/"}, args)
		return v, end, ok && len(args) > 1
	}
	v, ok := e.ops.call(name, last, args)
	return v, end, ok
}

// mapped is map(chr, LIST) and the like.
func (e *evaluator) mapped(open, limit int, in frame) (value, int, bool) {
	at := e.blank(open + 1)
	end := nameEnd(e.src, at)
	name := string(e.src[at:end])
	if end = e.blank(end); end >= limit || e.src[end] != ',' || name == "" {
		return value{}, at, false
	}
	over, end, ok := e.expression(e.blank(end+1), limit, in)
	items, listed := over.items()
	if end = e.blank(end); !ok || !listed || end >= limit || e.src[end] != ')' {
		return value{}, at, false
	}
	out := value{kind: listValue}
	for _, item := range items {
		var v value
		if f, mine := e.names.funcs[name]; mine {
			v, ok = e.names.call(f, arguments{item}, in)
		} else {
			v, ok = e.ops.call(name, name, arguments{item})
		}
		if !ok {
			return value{}, at, false
		}
		out.list = append(out.list, v)
	}
	return out, end + 1, true
}
