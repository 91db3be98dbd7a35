package javaclass_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/aigate/gate/gate/static/javaclass"
)

// class builds the beginning of a class that uses other ones and holds texts.
func class(uses []string, texts ...string) []byte {
	out := binary.BigEndian.AppendUint32(nil, 0xcafebabe)
	out = append(out, 0, 0, 0, 52)
	out = binary.BigEndian.AppendUint16(out, uint16(1+2*len(uses)+len(texts)))
	for i, u := range uses {
		out = append(out, 7)
		out = binary.BigEndian.AppendUint16(out, uint16(2*i+2))
		out = append(binary.BigEndian.AppendUint16(append(out, 1), uint16(len(u))), u...)
	}
	for _, t := range texts {
		out = append(binary.BigEndian.AppendUint16(append(out, 1), uint16(len(t))), t...)
	}
	return append(out, 0, 0x21)
}

func TestAClassSaysWhatItNames(t *testing.T) {
	c, err := javaclass.Read(class([]string{"java/lang/Object", "a/B"}, "hello"))
	if err != nil || !slices.Equal(c.Names, []string{"java/lang/Object", "a/B"}) || !slices.Contains(c.Texts, "hello") {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestClassesThatReachNothingCompute(t *testing.T) {
	for name, want := range map[string]bool{
		"java/lang/String": true, "java/util/ArrayList": true, "a/B": true,
		"java/lang/Runtime": false, "java/lang/ProcessBuilder": false, "java/net/URL": false, "java/io/FileOutputStream": false, "javax/script/ScriptEngineManager": false,
	} {
		if c, err := javaclass.Read(class([]string{name})); err != nil || c.Computes() != want {
			t.Errorf("%s: %t, want %t (%v)", name, c.Computes(), want, err)
		}
	}
	if c, _ := javaclass.Read(class(nil, "java.lang.Runtime")); c.Computes() {
		t.Error("a class can be named by a text")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(class([]string{"a"}, "b"))
	f.Add([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05\x05"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		c, _ := javaclass.Read(data)
		_ = c.Computes()
	})
}
