package weakening

import (
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
)

// quantity is a number of a statement with what comes before it.
type quantity struct {
	before string
	value  float64
}

var (
	// amount matches a number, a product of some, or a span of time, as the languages write them.
	amount   = regexp.MustCompile(`(?:\b(?:datetime ?\. ?)?timedelta\([^()]*\)|["'` + "`" + `]\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|m|min|minutes?|h|hours?|hrs?|d|days?|w|weeks?|y|years?|kb|mb|gb|b)["'` + "`" + `]|\b(?:time ?\. ?[A-Z][a-z]+|\d[\d_]*(?:\.\d+)?(?:e\d+)?)(?: ?(?:\*\*?|<<|-|\+) ?(?:time ?\. ?[A-Z][a-z]+|\d[\d_]*(?:\.\d+)?))*\b)`)
	keyed    = regexp.MustCompile(`(\w+) ?= ?([\d_.]+(?: ?\* ?[\d_.]+)*)`)
	factor   = regexp.MustCompile(`time ?\. ?[A-Z][a-z]+|\d[\d_]*(?:\.\d+)?(?:e\d+)?|\*\*|\*|<<|[-+]`)
	spelled  = dfa.MustCompile(`^["'` + "`" + `](\d+(?:\.\d+)?) ?([a-z]+)["'` + "`" + `]$`)
	goUnits  = map[string]float64{"Nanosecond": 1e-9, "Microsecond": 1e-6, "Millisecond": 1e-3, "Second": 1, "Minute": 60, "Hour": 3600}
	pyUnits  = map[string]float64{"microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}
	txtUnits = map[string]float64{"ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31557600, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
)

// quantities are the numbers of a statement, and its text with "#" for each of them.
func quantities(text string) (template string, out []quantity) {
	var b strings.Builder
	at := 0
	for _, m := range amount.FindAllStringIndex(text, -1) {
		v, ok := evaluate(text[m[0]:m[1]])
		if !ok {
			continue
		}
		b.WriteString(text[at:m[0]])
		b.WriteByte('#')
		at = m[1]
		out = append(out, quantity{before: text[:m[0]], value: v})
	}
	b.WriteString(text[at:])
	return b.String(), out
}

// evaluate works out a number or a span of time, which is in seconds.
func evaluate(text string) (float64, bool) {
	if m := spelled.FindStringSubmatch(text); m != nil {
		v, err := strconv.ParseFloat(m[1], 64)
		unit := txtUnits[m[2]]
		for long, u := range pyUnits {
			if unit == 0 && len(m[2]) > 2 && (strings.HasPrefix(long, m[2]) || strings.HasPrefix(m[2], "hr")) {
				unit = u
			}
		}
		if strings.HasPrefix(m[2], "year") {
			unit = txtUnits["y"]
		}
		return v * unit, err == nil && unit > 0
	}
	if strings.Contains(text, "timedelta") {
		sum := 0.0
		for _, m := range keyed.FindAllStringSubmatch(text, -1) {
			v, ok := product(m[2])
			if !ok || pyUnits[m[1]] == 0 {
				return 0, false
			}
			sum += v * pyUnits[m[1]]
		}
		return sum, sum > 0
	}
	return product(text)
}

// product works out numbers joined by operators, from left to right.
func product(text string) (float64, bool) {
	total, op := 0.0, ""
	for i, f := range factor.FindAllString(text, -1) {
		var v float64
		switch {
		case f == "*" || f == "**" || f == "<<" || f == "+" || f == "-":
			op = f
			continue
		case strings.HasPrefix(f, "time"):
			v = goUnits[f[strings.LastIndexAny(f, ". ")+1:]]
		default:
			var err error
			if v, err = strconv.ParseFloat(strings.ReplaceAll(f, "_", ""), 64); err != nil {
				return 0, false
			}
		}
		switch {
		case i == 0:
			total = v
		case op == "*":
			total *= v
		case op == "+":
			total += v
		case op == "-":
			total -= v
		case op == "<<" && v < 62:
			total *= float64(int64(1) << int64(v))
		case op == "**" && v < 64:
			p := 1.0
			for range int(v) {
				p *= total
			}
			total = p
		default:
			return 0, false
		}
	}
	return total, true
}

// maxTail is how much before a number says what it is.
const maxTail = 80 // bytes

func tail(s string) string {
	if len(s) > maxTail {
		s = s[len(s)-maxTail:]
	}
	return s
}
