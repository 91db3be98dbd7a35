package lazyregexp

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestAnswersAreThoseOfPackageRegexpWithAnAutomatonToo(t *testing.T) {
	filler := strings.Repeat("some words of a text, 12 of them = \"x\" \n", 5)
	for _, expr := range []string{
		`(?i)\bex(?:ec|port)\b`, `(?m)^(\w+)\s*=\s*(\w*)$`, `[^\w.](run|call)\s*\(`, `a*`, `^x`, `(?m)x$`, `\Bö\B`, `literal`, `(\d+)-(\d+)?`, `\z`,
		`(?m)^literal$`, `\w+ = (?:b|c)`, `(?:\w|ö)+ \x{FFFD}\n`, `(?i)\w LITERAL`, `[a-z] (?:run ){2}`,
	} {
		for _, end := range []string{"", "export", "a = b", " run (", "x", "12-", "föo \xff", "literal"} {
			s := filler + end + "\n" + filler + "and export = of ==\n\n" + filler + end
			b := []byte(s)
			want, got := regexp.MustCompile(expr), MustCompile(expr)
			got.asked.Store(fewBytes)
			for _, c := range []struct {
				name      string
				want, got any
			}{
				{"Find", want.Find(b), got.Find(b)},
				{"FindAll", want.FindAll(b, 3), got.FindAll(b, 3)},
				{"FindAllIndex", want.FindAllIndex(b, -1), got.FindAllIndex(b, -1)},
				{"FindAllString", want.FindAllString(s, -1), got.FindAllString(s, -1)},
				{"FindAllStringIndex", want.FindAllStringIndex(s, -1), got.FindAllStringIndex(s, -1)},
				{"FindAllStringSubmatch", want.FindAllStringSubmatch(s, 2), got.FindAllStringSubmatch(s, 2)},
				{"FindAllStringSubmatchIndex", want.FindAllStringSubmatchIndex(s, -1), got.FindAllStringSubmatchIndex(s, -1)},
				{"FindAllSubmatch", want.FindAllSubmatch(b, -1), got.FindAllSubmatch(b, -1)},
				{"FindAllSubmatchIndex", want.FindAllSubmatchIndex(b, -1), got.FindAllSubmatchIndex(b, -1)},
				{"FindIndex", want.FindIndex(b), got.FindIndex(b)},
				{"FindString", want.FindString(s), got.FindString(s)},
				{"FindStringIndex", want.FindStringIndex(s), got.FindStringIndex(s)},
				{"FindStringSubmatch", want.FindStringSubmatch(s), got.FindStringSubmatch(s)},
				{"FindStringSubmatchIndex", want.FindStringSubmatchIndex(s), got.FindStringSubmatchIndex(s)},
				{"FindSubmatch", want.FindSubmatch(b), got.FindSubmatch(b)},
				{"FindSubmatchIndex", want.FindSubmatchIndex(b), got.FindSubmatchIndex(b)},
				{"Match", want.Match(b), got.Match(b)},
				{"MatchString", want.MatchString(s), got.MatchString(s)},
				{"ReplaceAllString", want.ReplaceAllString(s, "<$1>"), got.ReplaceAllString(s, "<$1>")},
				{"ReplaceAllStringFunc", want.ReplaceAllStringFunc(s, strings.ToUpper), got.ReplaceAllStringFunc(s, strings.ToUpper)},
			} {
				if !reflect.DeepEqual(c.got, c.want) {
					t.Errorf("%s of %s at the end %q: %.200v, want %.200v", c.name, expr, end, c.got, c.want)
				}
			}
		}
	}
}

func TestAnAutomatonIsMadeWhereItIsFaster(t *testing.T) {
	for expr, want := range map[string]bool{`(?i)\bexec\b`: true, `\w+ *=`: true, `literal\d`: false, `^(?:a|b)`: false, `(?m)^a`: true} {
		r := MustCompile(expr)
		r.MatchString("a")
		if r.quick != nil {
			t.Errorf("%s: made for one byte", expr)
		}
		r.MatchString(strings.Repeat(" ", fewBytes))
		if (r.quick != nil) != want {
			t.Errorf("%s: made %v", expr, r.quick != nil)
		}
	}
}

func TestWhatEveryMatchHoldsIsNotThereWithoutAMatch(t *testing.T) {
	for expr, want := range map[string]string{
		`(?m)^begin [0-7]+`: "begin ", `\w+(?:in the middle)+\w`: "in the middle", `\s(?:one){2,3}`: "one",
		`\w+(?i)any case`: "", `\s(?:one|two)`: "", `\w(?:maybe)?`: "", `\w(?:maybe)*`: "", `\wab`: "", `\w\x{FFFD}\x{FFFD}`: "",
	} {
		r := MustCompile(expr)
		r.MatchString(strings.Repeat(" ", fewBytes))
		if r.word != want {
			t.Errorf("%s: %q is part of every match, want %q", expr, r.word, want)
		}
	}
}
