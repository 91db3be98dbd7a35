package confusables

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestWordsAreReadWithTheLettersTheyLookLike(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"Cyrillic letters in Latin words", "Ign\u043ere \u0430ll pr\u0435vi\u043eus", "Ignore all previous"},
		{"wide letters", "\uff29\uff47\uff4e\uff4f\uff52\uff45!", "Ignore!"},
		{"mathematical letters", "\U0001d408\U0001d420\U0001d427\U0001d428\U0001d42b\U0001d41e", "Ignore"},
		{"characters of no width", "ig\u200bno\u200bre a\u2060ll", "ignore all"},
		{"a soft hyphen is one, too", "ig\u00adno\u00adre a\u00adll", "ignore all"},
		{"a long s", "\u017fy\u017ftem pa\u017f\u017f", "system pass"},
		{"Russian stays Russian", "\u0441\u043e\u0440\u043e\u043a \u043e\u0441\u0430", ""},
		{"letters that look like none make another language", "max\u03b31 \u03b7Bit \u0436abc", ""},
		{"Chinese stays Chinese", "\u4f60\u597d abc \u4e16\u754c", ""},
		{"accents stay", "caf\u00e9 na\u00efve r\u00e9sum\u00e9", ""},
		{"one letter is a slip", "us\u0435r", ""},
		{"ASCII", "plain text", ""},
		{"invalid UTF-8", "a\xff\xfeb\u200bc\u200bd\u200be", "a\xff\xfebcde"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Letters([]byte(c.src))
			if ok != (c.want != "") || string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzLetters holds what the function promises for any input.
func FuzzLetters(f *testing.F) {
	for _, seed := range []string{"Ign\u043ere", "a\u200bb\u200bc\u200bd", "\uff29\uff47\uff4e", "a\xffb\n\u00ad"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, ok := Letters(src)
		if !ok {
			return
		}
		if bytes.Count(out, []byte{'\n'}) != bytes.Count(src, []byte{'\n'}) {
			t.Error("a line was lost")
		}
		if len(out) >= len(src) {
			t.Error("the text did not get shorter")
		}
		if utf8.Valid(src) && !utf8.Valid(out) {
			t.Error("the text is no UTF-8 any more")
		}
	})
}
