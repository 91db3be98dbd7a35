package canary

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

const mebibyte = 1 << 20

// hostile returns inputs of n bytes that are made to cost much.
func hostile(n int) map[string][]byte {
	fill := func(s string) []byte { return []byte(strings.Repeat(s, n/len(s)+1)[:n]) }
	random := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(random)
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	_, _ = w.Write(make([]byte, 8*mebibyte))
	w.Close()
	bomb := fill(member.String())
	return map[string][]byte{
		"random":                 random,
		"one letter":             fill("A"),
		"the start of the value": fill(value[:Part-1]),
		"the value":              fill(value),
		"starts of gzip":         fill("\x1f\x8b\x08"),
		"starts of gzip names":   fill("\x1f\x8b\x08\x08aaaaaaaa"),
		"starts of zlib":         fill("\x78\x9c"),
		"stored blocks":          fill("\x78\x01\x00\xff\xff\x00\x00"),
		"empty lines":            fill("\n\n\x04"),
		"base64 of gzip starts":  fill("=" + b64("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00")),
		"a bomb":                 bomb,
		"a bomb in base64":       []byte(b64(string(bomb)))[:n],
		"escapes":                fill(`%4\x4%41\u004`),
		"numbers":                fill("99999,0,0x"),
	}
}

func TestTimeAndMemoryAreBoundedWhateverTheInput(t *testing.T) {
	testenv.WithoutRace(t, "megabytes in one goroutine")
	m := NewMatcher(tokens)
	for name, data := range hostile(mebibyte) {
		if name != "starts of zlib" && name != "empty lines" {
			data = data[:mebibyte/16] // all the same in a shorter test
		}
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			st := m.NewStream()
			for piece := range slices.Chunk(data, 4096) {
				_, _ = st.Write(piece)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			st.Close()
			took := time.Since(start)
			runtime.GC()
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d KiB held, %d bytes inflated, %d attempts, incomplete %v",
				took, (int64(before.HeapAlloc)-int64(after.HeapAlloc))/1024, st.inflated, st.attempts, st.Incomplete())
			// Quadratic time would be many minutes.
			if took > time.Minute {
				t.Errorf("took %v", took)
			}
			if held := int64(before.HeapAlloc) - int64(after.HeapAlloc); held > 2*mebibyte {
				t.Errorf("the stream held %d bytes", held)
			}
			if n := m.inflaters.Load(); n != 0 {
				t.Errorf("%d decompressors are left", n)
			}
		})
	}
}

func TestSearchReportsWhatItSkipsAndFindsTheRest(t *testing.T) {
	testenv.WithoutRace(t, "megabytes in one goroutine")
	m := NewMatcher(tokens)
	for _, name := range []string{"a bomb", "starts of gzip names", "a bomb in base64"} {
		st := m.NewStream()
		_, _ = st.Write(hostile(mebibyte / 16)[name])
		_, _ = io.WriteString(st, " "+value)
		st.Close()
		if !st.Incomplete() {
			t.Errorf("%s: nothing says that it was too much", name)
		}
		if !slices.Contains(st.Hits(), Hit{"aws", "plain"}) {
			t.Errorf("%s: what follows it is not found: %v", name, st.Hits())
		}
	}
}

func TestDecompressorsOfAllStreamsTogetherAreBounded(t *testing.T) {
	m := NewMatcher(tokens)
	var streams []*Stream
	for range maxInflaters + 8 {
		st := m.NewStream()
		_, _ = io.WriteString(st, zip(value)[:60]) // which goes on
		streams = append(streams, st)
	}
	if n := m.inflaters.Load(); n > maxInflaters {
		t.Errorf("%d at once", n)
	}
	if !streams[len(streams)-1].Incomplete() {
		t.Error("the last one got none and does not say so")
	}
	for _, st := range streams {
		st.Close()
	}
	if n := m.inflaters.Load(); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// FuzzFind holds that nothing in front of a value hides it, and that how the data
// is cut changes nothing.
func FuzzFind(f *testing.F) {
	testenv.WithoutRace(f, "megabytes in one goroutine")
	for _, s := range shapes {
		f.Add([]byte(s.write(value)), uint8(3))
	}
	for _, data := range hostile(512) {
		f.Add(data, uint8(1))
	}
	m := NewMatcher(tokens)
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		st := m.NewStream()
		for piece := range slices.Chunk(data, int(cut)+1) {
			_, _ = st.Write(piece)
		}
		st.Close()
		if whole := m.Find(data); !slices.Equal(whole, st.Hits()) {
			t.Errorf("in one: %v, in pieces: %v", whole, st.Hits())
		}
		if n := m.inflaters.Load(); n != 0 {
			t.Errorf("%d decompressors are left", n)
		}
		for _, s := range []string{"as it is", "base64", "hex as C escapes", "base32"} {
			hidden := append(slices.Clip(data), " "+shapes[s].write(other)...)
			if !slices.Contains(m.Find(hidden), Hit{"npm", shapes[s].encoding}) {
				t.Errorf("%s is not found behind %q", s, data)
			}
		}
	})
}
