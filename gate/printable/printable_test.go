package printable

import "testing"

func TestASCII(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"plain text is kept":                    {"src/a b~.py", "src/a b~.py"},
		"an escape sequence is broken":          {"a\x1b[2Jb", "a?[2Jb"},
		"a line end is replaced":                {"a\r\nb", "a??b"},
		"delete is replaced":                    {"a\x7fb", "a?b"},
		"a reversed order is broken":            {"a\u202eb", "a?b"},
		"a letter of another script":            {"naïve", "na?ve"},
		"a byte that is no text":                {"a\xffb", "a?b"},
		"a control sequence introducer of C1":   {"a\u009b2Jb", "a?2Jb"},
		"nothing is nothing":                    {"", ""},
		"a tab, whose width no one can foresee": {"a\tb", "a?b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ASCII(tt.in); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
