package constprop

import (
	"bytes"
	"testing"
)

func TestAWordThatABackslashSplitsIsPutTogether(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a word", "a | s\\\nh\nb\n", "a | sh\n \nb\n"},
		{"a word in three lines", "c\\\nu\\\nrl x\nb", "curl x\n \n \nb"},
		{"carriage returns", "s\\\r\nh\r\nb", "sh\r\n  \nb"},
		{"the last line", "s\\\nh", "sh \n"},
		{"between words", "a \\\nb\n", ""},
		{"before a blank", "a\\\n b\n", ""},
		{"an escaped backslash", "a\\\\\nb\n", ""},
		{"none", "a\nb\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Continued([]byte(c.src))
			if ok != (c.want != "") || ok && string(got) != c.want {
				t.Errorf("%q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func FuzzContinued(f *testing.F) {
	f.Add([]byte("a\\\nb\\\r\nc\\"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, ok := Continued(src)
		if ok && (len(got) != len(src) || bytes.Count(got, []byte("\n")) != bytes.Count(src, []byte("\n"))) {
			t.Errorf("%q became %q", src, got)
		}
		if _, again := Continued(got); ok && again && bytes.Equal(got, src) {
			t.Errorf("%q stays as it is", src)
		}
	})
}
