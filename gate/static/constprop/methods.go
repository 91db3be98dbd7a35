package constprop

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	splitOp       = regexp.MustCompile(`^\s*\.split\(\s*$`)
	thenJoin      = regexp.MustCompile(`^\s*\)\s*\.join\(\s*$`)
	replaceAllOp  = regexp.MustCompile(`^\s*\.replace(?:All)?\(\s*/([\w~@#!%&;:,=-]{1,20})/g\s*,\s*$`)
	caseOp        = regexp.MustCompile(`^\s*\.(lower|upper|swapcase|toLowerCase|toUpperCase)\(\s*\)`)
	formatOp      = regexp.MustCompile(`^\s*\.format\(\s*$`)
	joinReverseOp = regexp.MustCompile(`^\s*\.join\(\s*reversed\(\s*$`)
	closeBoth     = regexp.MustCompile(`^\s*\)\s*\)`)
	field         = regexp.MustCompile(`\{(\d*)\}`)
)

// splitJoined folds "oXs".split("X").join("").
func (f *folder) splitJoined(i int) (literal, int) {
	l := f.lits[i]
	if i+2 >= len(f.lits) || !splitOp.Match(f.between(i+1)) || !thenJoin.Match(f.between(i+2)) {
		return l, i
	}
	return f.substituted(i, f.lits[i+1].value, i+2)
}

// replacedAll folds "oXs".replace(/X/g, "").
func (f *folder) replacedAll(i int) (literal, int) {
	l := f.lits[i]
	if i+1 >= len(f.lits) {
		return l, i
	}
	m := replaceAllOp.FindSubmatch(f.between(i + 1))
	if m == nil {
		return l, i
	}
	return f.substituted(i, string(m[1]), i+1)
}

// substituted is literal i with a text replaced by the literal that ends a call.
func (f *folder) substituted(i int, from string, last int) (literal, int) {
	l := f.lits[i]
	end, to := f.lits[last].end, f.lits[last].value
	m := closeCall.Find(f.rest(end))
	if m == nil || from == "" || len(to) > len(from) {
		return l, i
	}
	return f.bounded(literal{start: l.start, end: end + len(m), value: strings.ReplaceAll(l.value, from, to)}, i, last+1)
}

// cased folds "OS".lower().
func (f *folder) cased(i int) (literal, int) {
	l := f.lits[i]
	m := caseOp.FindSubmatch(f.rest(l.end))
	if m == nil {
		return l, i
	}
	value := l.value
	switch string(m[1]) {
	case "lower", "toLowerCase":
		value = strings.ToLower(value)
	case "upper", "toUpperCase":
		value = strings.ToUpper(value)
	default:
		value = swapCase(value)
	}
	return f.bounded(literal{start: l.start, end: l.end + len(m[0]), value: value}, i, i+1)
}

// formatted folds "{}{}".format("o", "s").
func (f *folder) formatted(i int) (literal, int) {
	l := f.lits[i]
	if i+1 >= len(f.lits) || !formatOp.Match(f.between(i+1)) {
		return l, i
	}
	values, next := f.run(i + 1)
	end := f.lits[next-1].end
	m := closeCall.Find(f.rest(end))
	if m == nil || strings.Count(l.value, "{") != len(field.FindAllString(l.value, -1)) {
		return l, i
	}
	n, size, ok := 0, len(l.value), true
	value := field.ReplaceAllStringFunc(l.value, func(s string) string {
		at := n
		if s != "{}" {
			at, _ = strconv.Atoi(s[1 : len(s)-1]) // what is too large is no index below
		}
		n++
		if ok = ok && at < len(values); !ok {
			return ""
		}
		if size += len(values[at]); size > maxLiteral {
			ok = false
			return ""
		}
		return values[at]
	})
	if !ok {
		return l, i
	}
	return f.bounded(literal{start: l.start, end: end + len(m), value: value}, i, next)
}

// joinedReverse folds "".join(reversed("so")).
func (f *folder) joinedReverse(i int) (literal, int) {
	l := f.lits[i]
	if i+1 >= len(f.lits) || l.value != "" || !joinReverseOp.Match(f.between(i+1)) {
		return l, i
	}
	end := f.lits[i+1].end
	m := closeBoth.Find(f.rest(end))
	if m == nil {
		return l, i
	}
	runes := []rune(f.lits[i+1].value)
	slices.Reverse(runes)
	return literal{start: l.start, end: end + len(m), value: string(runes)}, i + 2
}

// sprinted folds the constants among the arguments of fmt.Sprintf into its format: what is not
// known stays a verb.
func (f *folder) sprinted(i int) (literal, int) {
	l := f.lits[i]
	call := f.src[max(0, l.start-20):l.start]
	open := bytes.LastIndex(call, []byte("fmt.Sprintf("))
	if f.lang != gate.LanguageGo || open < 0 || len(bytes.TrimSpace(call[open+len("fmt.Sprintf("):])) > 0 {
		return l, i
	}
	pieces := verb.Split(l.value, -1)
	verbs := verb.FindAllString(l.value, -1)
	if strings.Count(l.value, "%") != len(verbs) {
		return l, i
	}
	out, next, known := pieces[0], i+1, false
	at := l.end
	for n, v := range verbs {
		for at < len(f.src) && isSpace(f.src[at]) {
			at++
		}
		if at >= len(f.src) || f.src[at] != ',' {
			return l, i
		}
		end, is := until(f.src, f.lits, at+1, next)
		for next < len(f.lits) && f.lits[next].start < end {
			next++
		}
		switch {
		case end < 0:
			return l, i
		case is && v != "%q":
			out += f.lits[next-1].value
			known = true
		default:
			out += v
		}
		out += pieces[n+1]
		at = end
	}
	if !known || at >= len(f.src) || f.src[at] != ')' {
		return l, i
	}
	return f.bounded(literal{start: max(0, l.start-20) + open, end: at + 1, value: out}, i, next)
}

var verb = regexp.MustCompile(`%[svdq]`)

// until is where the argument that begins at an offset ends, and whether it is one literal, of
// which next is the number; -1 where it is too long.
func until(src []byte, lits []literal, at, next int) (end int, is bool) {
	const far = 200 // bytes
	depth := 0
	for end = at; end < len(src) && end-at < far; end++ {
		for next < len(lits) && lits[next].end <= end {
			next++
		}
		if next < len(lits) && lits[next].start == end {
			is = len(bytes.TrimSpace(src[at:end])) == 0
			end = lits[next].end - 1
			continue
		}
		switch c := src[end]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}', ',':
			if depth == 0 {
				return end, is
			}
			if c != ',' {
				depth--
			}
		}
		is = is && isSpace(src[end])
	}
	return -1, false
}
