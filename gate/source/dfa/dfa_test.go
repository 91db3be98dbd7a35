package dfa

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var expressions = []string{
	``, `a`, `^a`, `a$`, `(?m:^a$)`, `(?m:^$)`, `\Aa\z`, `\bfoo\b`, `\Boo`, `(?i:straße|k)`, `[^a]`, `.`, `(?s:.)b`, `a{3,5}b`, `(a|b)*c`, `(?i)ſ`,
	`[\p{Greek}-]+x`, `\x{10ffff}`, `[^\x00-\x{10ffff}]`, `x*`, `(?m:^\s*(?:curl|wget)\b[^\n|]*\|\s*(?:ba)?sh\b)`, `(?:a?){20}a{20}`, `[^\n]{0,50}end`,
	`\bos\.environ\s*\[`, `é|\x{fffd}`, `(?m:a\b$)`, `a\s*$`, `o(?:[\s;)]|$)`, `a\z`, `\n\z`, `(?m:\B^)`, `a\b.\bb`,
}

// agrees compares the answer with that of package regexp.
func agrees(t *testing.T, e *Expr, re *regexp.Regexp, text []byte) {
	t.Helper()
	got, known := e.Match(text)
	if want := re.Match(text); known && got != want {
		t.Fatalf("%q in %q: %t, want %t", re, text, got, want)
	}
	parts, known := Parts(e, text)
	if !known {
		return
	}
	var found [][]int
	for _, p := range parts {
		in := re.FindAllSubmatchIndex(text[p.Start:p.End], -1)
		if in == nil {
			t.Fatalf("%q in %q: nothing in the part %v", re, text, p)
		}
		for _, at := range in {
			for i := range at {
				if at[i] >= 0 {
					at[i] += p.Start
				}
			}
			found = append(found, at)
		}
	}
	if want := re.FindAllSubmatchIndex(text, -1); !reflect.DeepEqual(found, want) {
		t.Fatalf("%q in %q: %v in the parts %v, want %v", re, text, found, parts, want)
	}
}

func TestTheAnswerIsThatOfPackageRegexp(t *testing.T) {
	pieces := []string{"a", "b", "c", "foo", "o", "\n", " ", "\r\n", "é", "\xff", "\xf0\x9f", "ſ", "K", "ß", "α", "\U0010ffff", "curl x | sh", "aaaa", "_", "end", "os.environ [", "\x00", "�"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, x := range expressions {
		e, re := New(x), regexp.MustCompile(x)
		if e == nil {
			t.Fatalf("%q is not read", x)
		}
		for range 2000 {
			var text strings.Builder
			for range rnd.IntN(12) {
				text.WriteString(pieces[rnd.IntN(len(pieces))])
			}
			agrees(t, e, re, []byte(text.String()))
		}
		if _, known := e.Match([]byte("a line\n")); !known {
			t.Errorf("%q is given up", x)
		}
	}
}

func TestAnAutomatonThatIsFullBeginsAgain(t *testing.T) {
	const x = `a[ab]{12}c`
	e, re := New(x), regexp.MustCompile(x)
	rnd := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, 40)
	for range 20_000 {
		for i := range text {
			text[i] = "aab bc"[rnd.IntN(6)]
		}
		agrees(t, e, re, text)
	}
	for _, m := range e.free {
		if m.words > 2*maxWords {
			t.Errorf("the states take %d words", m.words)
		}
	}
}

func TestTooManyStatesAreLeftToPackageRegexp(t *testing.T) {
	e := New(`a[^\n]{100}b`)
	rnd := rand.New(rand.NewPCG(5, 6))
	text := make([]byte, 64<<10)
	for i := range text {
		text[i] = "acd"[rnd.IntN(3)]
	}
	for range maxTries + 1 {
		if _, known := e.Match(text); known {
			t.Fatal("it is not given up")
		}
	}
	if _, known := e.Match([]byte("a")); known || e.free != nil {
		t.Error("it is tried again and again")
	}
	if New(`(`) != nil || New(strings.Repeat(`a{900}`, 5)) != nil {
		t.Error("an expression that can't be read, or that is too large")
	}
}

func TestAnExpressionThatAsksItsAutomatonFirst(t *testing.T) {
	for _, x := range []string{`(a+)b`, `^é(.)`, `x{0,500}y(z{400})`, `(?:a[^\n]{100}){9}`} {
		r, want := MustCompile(x), regexp.MustCompile(x)
		for _, text := range []string{"", "caab", "éa", "é\xff", "aé", "y" + strings.Repeat("z", 500)} {
			if got := r.Match([]byte(text)); got != want.MatchString(text) || r.MatchString(text) != got {
				t.Errorf("%q in %q: %t", x, text, got)
			}
			if got := r.FindStringSubmatch(text); !reflect.DeepEqual(got, want.FindStringSubmatch(text)) {
				t.Errorf("%q in %q: %q", x, text, got)
			}
			if got := r.FindSubmatch([]byte(text)); !reflect.DeepEqual(got, want.FindSubmatch([]byte(text))) {
				t.Errorf("%q in %q: %q", x, text, got)
			}
			if got := r.FindSubmatchIndex([]byte(text)); !reflect.DeepEqual(got, want.FindSubmatchIndex([]byte(text))) {
				t.Errorf("%q in %q: %v", x, text, got)
			}
		}
	}
}

func TestBytesThatCountAreToldApart(t *testing.T) {
	for x, want := range map[string]bool{`a{3}b*`: false, `(?:x[ab]{0,40})`: true, `a{20,}|b`: true, `a+`: false} {
		if got := New(x).Counts(); got != want {
			t.Errorf("%q counts: %t", x, got)
		}
	}
}

func TestGoroutinesShareAnExpression(t *testing.T) {
	e, re := New(`\bfoo\b|ba+r`), regexp.MustCompile(`\bfoo\b|ba+r`)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(n), 7))
			for range 500 {
				text := make([]byte, 30)
				for i := range text {
					text[i] = "fobar "[rnd.IntN(6)]
				}
				if got, known := e.Match(text); known && got != re.Match(text) {
					t.Errorf("%q: %t", text, got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMatch(f *testing.F) {
	for _, x := range expressions {
		f.Add(x, []byte("a foo\nbar é\xff"))
	}
	f.Fuzz(func(t *testing.T, x string, text []byte) {
		re, err := regexp.Compile(x)
		e := New(x)
		if err != nil {
			if e != nil {
				t.Fatalf("%q is read", x)
			}
			return
		}
		if e != nil {
			agrees(t, e, re, text)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	e := New(`(?m:\bdict\s*\(\s*os\.environ\s*\)|\bos\.environ\.copy\s*\(\s*\)|\bdumps\s*\(\s*(?:dict\s*\(\s*)?os\.environ)`)
	text := []byte(strings.Repeat("    body = json.dumps({\"rows\": rows}) + os.environ['A']\n", 80))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e.Match(text)
	}
}
