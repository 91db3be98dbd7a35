package static

import (
	"strings"
	"testing"
)

func TestProgramsForOtherMachinesAreToldByTheirFirstBytes(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"classes.dex", "dex\n035\x00", "Dalvik bytecode"},
		{"a.luac", "\x1bLua\x54\x00", "Lua bytecode"},
		{"a.beam", "FOR1\x00\x00\x00\x10BEAM\x00", "Erlang bytecode"},
		{"old.pyc", "\x03\xf3\r\n\x00\x00\x00\x00\x00", pythonBytecode},
		{"text that begins with MZ", "MZ" + strings.Repeat("text ", 40), ""},
		{"plan.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document whose macros can't be read"},
		{"Thumbs.db", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ""},
		{"xl/vbaProject.bin", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "macros of an office document"},
		{"xl/other.bin", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ""},
		{"YARB.txt", "YARB is a word\n", ""},
		{"a.txt", "ab\r\ncd", ""},
		{"a.png", "\x89PNG\r\n\x1a\n\x00", ""},
	} {
		if got := compiled(c.name, []byte(c.content)); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestObjectCodeIsToldByItsNameWhereNoFormatIsKnown(t *testing.T) {
	for name, want := range map[string]bool{"a_windows_amd64.syso": true, "lib/X.DLL": true, "a.png": false, "model.bin": false} {
		if got := isLinked(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
