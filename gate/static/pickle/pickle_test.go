package pickle

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// The pickles are what Python's own pickle module writes, by protocol; the payload
// prints a word at most.
const (
	p0 = "cposix\nsystem\np0\n(Vtouch marker-file\np1\ntp2\nRp3\n."
	p2 = "\x80\x02cposix\nsystem\nq\x00X\x11\x00\x00\x00touch marker-fileq\x01\x85q\x02Rq\x03."
	p4 = "\x80\x04\x95\x2a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x11touch marker-file\x94\x85\x94R\x94."
	// inst is what protocol 0 wrote for instances of old classes.
	inst = "(S'touch marker-file'\nios\nsystem\n."
	obj  = "(cos\nsystem\nS'touch marker-file'\no."
	// build replaces what a class is made of.
	build = "\x80\x02c__main__\nThing\n}U\x06systemcos\nsystem\nsb."
	// computed takes the name of the function from a call.
	computed = "\x80\x04\x8c\x02oscstring\nTemplate\n)R\x93."
	data     = "\x80\x04\x95\x15\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01K\x02e\x8c\x01b\x94\x88u."
	ordered  = "\x80\x04\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94\x8c\x01a\x94K\x01s."
	array    = "\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01K\x02\x85cnumpy\ndtype\nX\x02\x00\x00\x00i8\x89\x88\x87Rb."
	project  = "\x80\x03capp.models\nScaler\n)\x81}X\x01\x00\x00\x00aK\x01sb."
)

func TestPickleCallsAreJudged(t *testing.T) {
	for _, c := range []struct {
		what, data string
		threat     Threat
		calls      string // in what loading calls
		global     string
	}{
		{"protocol 0", p0, Dangerous, `os.system("touch marker-file")`, "posix.system"},
		{"protocol 2", p2, Dangerous, `os.system("touch marker-file")`, "posix.system"},
		{"protocol 4", p4, Dangerous, `os.system("touch marker-file")`, "posix.system"},
		{"an instance of an old class", inst, Dangerous, `os.system("touch marker-file")`, "os.system"},
		{"an object of protocol 1", obj, Dangerous, `os.system("touch marker-file")`, "os.system"},
		{"a state that is a function", build, Dangerous, "setattr(__main__.Thing", "os.system"},
		{"a name that is put together", computed, Dangerous, "put together while loading", "string.Template"},
		{"exec of a text", "c__builtin__\nexec\n(S'import os'\ntR.", Dangerous, `exec("import os")`, "__builtin__.exec"},
		{"a function behind dots", "\x80\x04\x8c\x05numpy\x8c\x0bfoo.system_\x93.", Unknown, "", "numpy.foo.system_"},
		{"a module behind dots", "\x80\x04\x8c\x05numpy\x8c\x09os.system\x93.", Dangerous, "", "numpy.os.system"},
		{"a class of the project", project, Unknown, "app.models.Scaler()", "app.models.Scaler"},
		{"plain data", data, Harmless, "", ""},
		{"an ordered dict", ordered, Harmless, "", "collections.OrderedDict"},
		{"an array", array, Harmless, "", "numpy.dtype"},
		{"a second pickle behind the first", data + p4, Dangerous, "os.system", "posix.system"},
		{"a pickle that is cut short behind the call", strings.TrimSuffix(p2, "q\x03."), Dangerous, "os.system", "posix.system"},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := Read([]byte(c.data))
			if r == nil {
				t.Fatal("not a pickle")
			}
			if r.Worst() != c.threat || !strings.Contains(r.Calls, c.calls) || (c.threat == Harmless) != (r.Calls == "") && c.calls != "" {
				t.Errorf("threat %d, calls %q, error %v", r.Worst(), r.Calls, r.Err)
			}
			if c.global != "" && !slices.ContainsFunc(r.Globals, func(g Global) bool { return g.String() == c.global }) {
				t.Errorf("globals %v", r.Globals)
			}
			if cut := strings.Contains(c.what, "cut short"); (r.Err != nil) != cut {
				t.Errorf("error %v", r.Err)
			}
		})
	}
}

func TestArraysInTheMiddleOfAPickleAreSteppedOver(t *testing.T) {
	// What joblib writes: the wrapper's state, then the bytes of the array.
	dtype := func(d string) string { return "cnumpy\ndtype\nX\x02\x00\x00\x00" + d + "\x89\x88\x87R" }
	wrapped := func(d, content string) string {
		return "\x80\x03cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81}(X\x05\x00\x00\x00shapeK\x03\x85X\x05\x00\x00\x00dtype" + dtype(d) + "ub" + content + "."
	}
	if r := Read([]byte(wrapped("i2", "abcdef"))); r == nil || r.Err != nil || r.Worst() != Harmless {
		t.Errorf("an array of numbers: %+v", r)
	}
	if r := Read([]byte(wrapped("O8", p4))); r == nil || r.Err != nil || r.Worst() != Dangerous {
		t.Errorf("an array of objects: %+v", r)
	}
	if r := Read([]byte(wrapped("i2", p4))); r == nil || r.Err == nil {
		t.Errorf("an array of another size: %+v", r)
	}
}

func TestAFileOfAnArrayOfObjectsIsAPickle(t *testing.T) {
	header := "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"
	npy := numpyMagic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header
	if r := Read([]byte(npy + p4)); r == nil || r.Worst() != Dangerous {
		t.Errorf("%+v", r)
	}
	numbers := strings.Replace(npy, "'|O'", "'<f8'", 1)
	if Looks([]byte(numbers+"\x00\x01"), 200) {
		t.Error("an array of numbers is taken for a pickle")
	}
}

func TestOtherFilesAreNoPickles(t *testing.T) {
	for _, text := range []string{
		"", ".", "import os\n", "cat x\ny\n.", "c\nd\ne\n.", "# a comment\n", "(a list of things)\n.", "N.", "I wrote this.\n.", "configure\nmake\nmake install\n.",
		"{\"a\": 1}\n", "[1, 2]\n", "]\n.", "\x89PNG\r\n\x1a\n\x00\x00", "GIF89a", "\x80 text in another encoding", "Some prose.\nMore of it.\n", "Vitamins are good.\n.",
	} {
		if Looks([]byte(text), int64(len(text))) {
			if r := Read([]byte(text)); r != nil && r.Worst() > Harmless {
				t.Errorf("%q is taken for a pickle: %+v", text, r)
			}
		}
	}
}

func TestAPickleBehindALongTextIsSeen(t *testing.T) {
	long := "X\x00\x40\x00\x00" + strings.Repeat("x", 0x4000) + "0" + p0
	if !Looks([]byte(long[:8<<10]), int64(len(long))) || Read([]byte(long)).Worst() != Dangerous {
		t.Error("not seen")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{p0, p2, p4, inst, obj, build, computed, data, array, project} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Looks(data[:min(len(data), 8<<10)], int64(len(data)))
		r := Read(data)
		if r == nil {
			return
		}
		if len(r.Globals) > maxPickles*(maxGlobals+maxCalls) || len(r.Calls) > maxPickles*maxCalls*4*maxWritten {
			t.Fatalf("%d names, %d bytes of calls", len(r.Globals), len(r.Calls))
		}
	})
}
