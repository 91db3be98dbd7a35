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

func TestLines(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"words of every script":            {"naïve 漢字 [::1]:9", "naïve 漢字 [::1]:9"},
		"lines and tabs stay":              {"a\n\tb\n", "a\n\tb\n"},
		"an escape sequence is broken":     {"a\x1b[2Jb", `a\u{1b}[2Jb`},
		"a return does not overwrite":      {"bad\rgood", `bad\u{d}good`},
		"a reversed order is shown":        {"a\u202eb", `a\u{202e}b`},
		"a byte that is no text":           {"a\xffb", `a\u{fffd}b`},
		"a command to a runner":            {"a\n::error::b", "a\n" + `:\u{3a}error::b`},
		"a command with space before it":   {"a\n \t::stop-commands::b", "a\n \t" + `:\u{3a}stop-commands::b`},
		"an older command, wherever it is": {"a ##[error]b", `a #\u{23}[error]b`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Lines(tt.in); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
