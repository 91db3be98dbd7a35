package strlit

import (
	"strings"
	"testing"
)

func TestUnquote(t *testing.T) {
	for name, tt := range map[string]struct {
		literal string
		raw     bool
		value   string
		escaped bool
		ok      bool
	}{
		"double quotes":                          {`"a b"`, false, "a b", false, true},
		"single quotes":                          {`'a'`, false, "a", false, true},
		"backquotes":                             {"`a`", false, "a", false, true},
		"three quotes":                           {`"""a"b"""`, false, `a"b`, false, true},
		"an empty literal":                       {`""`, false, "", false, true},
		"line ends and tabs":                     {`"a\n\t\rb"`, false, "a\n\t\rb", false, true},
		"an escaped line end continues the line": {"\"a\\\nb\"", false, "ab", false, true},
		"hexadecimal digits":                     {`"\x41\u0042\U00000043"`, false, "ABC", true, true},
		"a code point in braces":                 {`"\u{41}b"`, false, "Ab", true, true},
		"octal digits":                           {`"\101\0"`, false, "A\x00", true, true},
		"an escaped quote is no disguise":        {`"\""`, false, `"`, false, true},
		"a raw literal":                          {`"a\x41"`, true, `a\x41`, false, true},
		"hexadecimal digits that are none":       {`"\xZZ"`, false, "", false, false},
		"hexadecimal digits that are cut":        {`"\u00"`, false, "\x00", true, true},
		"a code point that does not exist":       {`"\UFFFFFFFF"`, false, "", false, false},
		"different quotes":                       {`"a'`, false, "", false, false},
		"no quotes":                              {`ab`, false, "", false, false},
		"one quote":                              {`"`, false, "", false, false},
		"nothing":                                {``, false, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			value, escaped, ok := Unquote([]byte(tt.literal), tt.raw)
			if value != tt.value || escaped != tt.escaped || ok != tt.ok {
				t.Errorf("got %q, %v, %v", value, escaped, ok)
			}
		})
	}
}

func TestTrimQuotes(t *testing.T) {
	for literal, want := range map[string]string{
		`"a"`: "a", `'a'`: "a", "`a`": "a", `"""a"""`: "a", `""`: "", `"a`: "a", `"""a"`: `a"`, `a"`: `a"`, `"a'`: "a'", ``: "",
	} {
		if got := TrimQuotes(literal); got != want {
			t.Errorf("%s: got %q, want %q", literal, got, want)
		}
	}
}

// What the two readers of escapes make of the same text.
func TestUnescapeLooselyDiffersFromUnescape(t *testing.T) {
	for name, tt := range map[string]struct {
		text, loose, exact string
		ok                 bool
	}{
		"nothing to resolve":             {`ab`, "ab", "ab", true},
		"what both know":                 {`a\n\t\x41\u0042\"\` + "\n" + `b`, "a\n\tAB\"b", "a\n\tAB\"b", true},
		"a backslash at the end":         {`a\`, `a\`, `a\`, true},
		"a carriage return":              {`a\rb`, "arb", "a\rb", true},
		"octal digits":                   {`\101`, "101", "A", true},
		"a code point in braces":         {`\u{41}b`, "{41}b", "Ab", true},
		"digits that are none":           {`\xZZa`, "ZZa", "", false},
		"digits that are cut":            {`\u41`, "u41", "A", true},
		"digits with nothing after them": {`\x41`, "A", "A", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := UnescapeLoosely(tt.text); got != tt.loose {
				t.Errorf("loosely: got %q, want %q", got, tt.loose)
			}
			if got, _, ok := Unescape(tt.text); got != tt.exact || ok != tt.ok {
				t.Errorf("exactly: got %q, %v, want %q, %v", got, ok, tt.exact, tt.ok)
			}
		})
	}
}

func FuzzUnquote(f *testing.F) {
	for _, seed := range []string{`"a\x41"`, `'''a'''`, `"\u{110000}"`, `"\`, "`\\777`", `"\u{`, `\U0000`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, escaped, ok := Unquote([]byte(text), false)
		if !ok && (value != "" || escaped) {
			t.Errorf("%q: no literal has the value %q", text, value)
		}
		if len(value) > len(text) {
			t.Errorf("%q grows to %q", text, value)
		}
		if raw, _, fine := Unquote([]byte(text), true); fine && !strings.Contains(text, raw) {
			t.Errorf("%q: %q is not in it", text, raw)
		}
		if loose := UnescapeLoosely(TrimQuotes(text)); len(loose) > len(text) {
			t.Errorf("%q grows to %q", text, loose)
		}
	})
}
