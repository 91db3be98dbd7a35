package pickle_test

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/static/pickle"
)

func TestAPickleIsFoundBehindAnything(t *testing.T) {
	for name, evil := range map[string]string{
		"protocol 0":       "cos\nsystem\n(S'id'\ntR.",
		"an instance":      "(S'id'\nios\nsystem\n.",
		"protocol 2":       "\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R.",
		"protocol 4":       "\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.",
		"another function": "c__builtin__\neval\n(S'1'\ntR.",
	} {
		for where, before := range map[string]string{
			"a header": "MODEL\x01\x00", "a line": "model v1\n", "a false beginning": "\x80\x02}q\x00.", "much data": strings.Repeat("\x00\x80\x04\xff", 500),
		} {
			r := pickle.Inside([]byte(before + evil + "\x00\x01"))
			if r == nil || r.Worst() != pickle.Dangerous {
				t.Errorf("%s behind %s is not found: %+v", name, where, r)
			}
		}
	}
	for name, good := range map[string]string{
		"a list":  "HEAD\x80\x04]\x94(K\x01K\x02e.",
		"text":    "the\nsystem\nof a down\n",
		"random":  strings.Repeat("\x80\x03c", 1000),
		"nothing": "",
	} {
		if r := pickle.Inside([]byte(good)); r != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func FuzzInside(f *testing.F) {
	f.Add([]byte("x\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."))
	f.Add([]byte("(S'id'\nios\nsystem\n."))
	f.Fuzz(func(_ *testing.T, data []byte) { pickle.Inside(data) })
}
