package pyc

import (
	"encoding/base64"
	"strings"
	"testing"
)

// modules are, by the version that compiled it:
//
//	import os
//	def f(a, *, b=(1, "two")):
//	    return os.path.join(a, b[1])
//	os.system("touch marker-file")
//
// There is none of 3.14 here: its fields are those of 3.13.
func modules(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for version, text := range map[string]string{
		"3.8":  "VQ0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAAAAAAAAwAAAEAAAABzJAAAAGQAZAFsAFoAZAJkA5wBZARkBYQCWgFlAKACZAahAQEAZAFTACkH6QAAAABOKQLpAQAAAFoDdHdvKQHaAWJjAQAAAAAAAAABAAAAAgAAAAUAAABDAAAAcxIAAAB0AGoBoAJ8AHwBZAEZAKECUwApAk5yAgAAACkD2gJvc9oEcGF0aNoEam9pbikC2gFhcgMAAACpAHIIAAAA+gRhLnB52gFmAgAAAHMCAAAAAAFyCgAAAHoRdG91Y2ggbWFya2VyLWZpbGUpA3IEAAAAcgoAAADaBnN5c3RlbXIIAAAAcggAAAByCAAAAHIJAAAA2gg8bW9kdWxlPgEAAABzBAAAAAgBDgI=",
		"3.10": "bw0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAAAAAAAAwAAAEAAAABzJAAAAGQAZAFsAFoAZAJkA5wBZARkBYQCWgFlAKACZAahAQEAZAFTACkH6QAAAABOKQLpAQAAAFoDdHdvKQHaAWJjAQAAAAAAAAABAAAAAgAAAAUAAABDAAAAcxIAAAB0AGoBoAJ8AHwBZAEZAKECUwApAk5yAgAAACkD2gJvc9oEcGF0aNoEam9pbikC2gFhcgMAAACpAHIIAAAA+gRhLnB52gFmAgAAAHMCAAAAEgFyCgAAAHoRdG91Y2ggbWFya2VyLWZpbGUpA3IEAAAAcgoAAADaBnN5c3RlbXIIAAAAcggAAAByCAAAAHIJAAAA2gg8bW9kdWxlPgEAAABzBgAAAAgADgEOAg==",
		"3.11": "pw0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAADAAAAAAAAAPM6AAAAlwBkAGQBbABaAGQCZAOcAWQEhAJaAQIAZQBqAgAAAAAAAAAAZAWmAQAAqwEAAAAAAAAAAAEAZAFTACkG6QAAAABOKQLpAQAAANoDdHdvKQHaAWJjAQAAAAAAAAABAAAABQAAAAMAAADzTgAAAJcAdAAAAAAAAAAAAAAAagEAAAAAAAAAAKACAAAAAAAAAAAAAAAAAAAAAAAAAAB8AHwBZAEZAAAAAAAAAAAApgIAAKsCAAAAAAAAAABTACkCTnIDAAAAKQPaAm9z2gRwYXRo2gRqb2luKQLaAWFyBQAAAHMCAAAAICD6BGEucHnaAWZyDAAAAAIAAABzHAAAAIAA3QsNjDePPIo8mAGYMZhRnDTRCyDUCyDQBCDzAAAAAHoRdG91Y2ggbWFya2VyLWZpbGUpA3IHAAAAcgwAAADaBnN5c3RlbakAcg0AAAByCwAAAPoIPG1vZHVsZT5yEAAAAAEAAABzQwAAAPADAQEB2AAJgAmACYAJ2A4Y8AABASHwAAEBIfAAAQEh8AABASHwAAEBIeAACYAChAnQCh3RAB7UAB7QAB7QAB7QAB5yDQAAAA==",
		"3.12": "yw0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAADAAAAAAAAAPM8AAAAlwBkAGQBbABaAGQCZAOcAWQEhAJaAQIAZQBqBAAAAAAAAAAAAAAAAAAAAAAAAGQFqwEAAAAAAAABAHkBKQbpAAAAAE4pAukBAAAA2gN0d28pAdoBYmMBAAAAAAAAAAEAAAAFAAAAAwAAAPNIAAAAlwB0AAAAAAAAAAAAagIAAAAAAAAAAAAAAAAAAAAAAABqBQAAAAAAAAAAAAAAAAAAAAAAAHwAfAFkARkAAACrAgAAAAAAAFMAKQJOcgMAAAApA9oCb3PaBHBhdGjaBGpvaW4pAtoBYXIFAAAAcwIAAAAgIPoEYS5wedoBZnIMAAAAAgAAAHMbAAAAgADcCw2PN4k3jzyJPJgBmDGYUZk00wsg0AQg8wAAAAB6EXRvdWNoIG1hcmtlci1maWxlKQNyBwAAAHIMAAAA2gZzeXN0ZW2pAHINAAAAcgsAAAD6CDxtb2R1bGU+chAAAAABAAAAcx8AAADwAwEBAdsACdgOGPQAAQEh4AAJgAKHCYEJ0Aod1QAecg0AAAA=",
		"3.13": "8w0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAADAAAAAAAAAPM+AAAAlQBTAFMBSwByAFMCUwMuAVMEGgBqAnIBXABSBAAAAAAAAAAAAAAAAAAAAAAAACIAUwU1AQAAAAAAACAAZwEpBukAAAAATikC6QEAAADaA3R3bykB2gFiYwEAAAAAAAAAAQAAAAUAAAADAAAA80YAAACVAFsAAAAAAAAAAABSAgAAAAAAAAAAAAAAAAAAAAAAAFIFAAAAAAAAAAAAAAAAAAAAAAAAWAFTAQUAAAA1AgAAAAAAACQAKQJOcgMAAAApA9oCb3PaBHBhdGjaBGpvaW4pAtoBYXIFAAAAcwIAAAAgINoEYS5wedoBZnIMAAAAAgAAAHMZAAAAgADcCw2PN4k3jzyJPJgBmFGZNNMLINAEIPMAAAAAehF0b3VjaCBtYXJrZXItZmlsZSkDcgcAAAByDAAAANoGc3lzdGVtqQByDQAAAHILAAAA2gg8bW9kdWxlPnIQAAAAAQAAAHMdAAAA8AMBAQHbAAnYDhj1AAEBIeAAAocJggnQCh3VAB5yDQAAAA==",
	} {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		out[version] = data
	}
	return out
}

func TestNamesAndTextsOfEveryVersionAreRead(t *testing.T) {
	for version, data := range modules(t) {
		m := Read(data)
		if m == nil || m.Err != nil || !Looks(data[:100]) {
			t.Fatalf("%s: %+v", version, m)
		}
		for _, want := range []string{"os ; f ; system", "os ; path ; join", `"touch marker-file"`, `"two"`} {
			if !strings.Contains(m.Listing, want) {
				t.Errorf("%s: no %q in %q", version, want, m.Listing)
			}
		}
		if !strings.Contains(m.Texts, "touch marker-file\n") {
			t.Errorf("%s: %q", version, m.Texts)
		}
	}
}

func TestAModuleThatIsDamagedSaysSoAndGivesWhatWasRead(t *testing.T) {
	data := modules(t)["3.11"]
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"cut short", data[:len(data)-20], "ends within an object"},
		{"something behind it", append(append([]byte{}, data...), "more"...), "4 bytes follow its end"},
		{"an unknown type", append(append([]byte{}, data[:header]...), '?'), "unknown type"},
		{"a reference to nothing", append(append([]byte{}, data[:header]...), 'r', 9, 0, 0, 0), "is not there"},
		{"objects inside of each other", append(append([]byte{}, data[:header]...), strings.Repeat(")\x01", maxDepth+9)...), "inside of each other"},
	} {
		if m := Read(c.data); m == nil || m.Err == nil || !strings.Contains(m.Err.Error(), c.want) {
			t.Errorf("%s: %+v", c.what, m)
		}
	}
	if m := Read(data[:len(data)-20]); !strings.Contains(m.Texts, "touch marker-file") {
		t.Errorf("what was read before the end is lost: %q", m.Texts)
	}
}

func TestTuplesThatHoldEachOtherEnd(t *testing.T) {
	// Each tuple has the one before it twice: written out, they would take 2^100 texts.
	b := []byte("\xa7\x0d\x0d\x0a" + strings.Repeat("\x00", 12) + "c" + strings.Repeat("\x00", 20) + "s\x00\x00\x00\x00)\x65")
	b = append(b, "\xa9\x01N"...)
	for i := range 100 {
		b = append(b, 0xa9, 2, 'r', byte(i), 0, 0, 0, 'r', byte(i), 0, 0, 0)
	}
	if m := Read(b); m == nil || m.Err == nil {
		t.Errorf("%+v", m)
	}
}

func TestOtherFilesAreNoModules(t *testing.T) {
	for _, text := range []string{"", "import os\n", "\xa7\x0d\x0d\x0a", "\x03\xf3\x0d\x0a" + strings.Repeat("\x00", 40), "\xa7\x0d\x0d\x0a" + strings.Repeat("x", 40)} {
		if Looks([]byte(text)) {
			t.Errorf("%q", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range modules(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m := Read(data); m != nil && (len(m.Listing) > 2*maxWritten || len(m.Texts) > maxWritten) {
			t.Fatalf("%d and %d bytes", len(m.Listing), len(m.Texts))
		}
	})
}
