package static_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// bomb is 20 MiB of text that was packed well.
func bomb(t testing.TB) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	block := bytes.Repeat([]byte("import os; "), 1<<20/11)
	for range 20 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return "x = '" + base64.StdEncoding.EncodeToString(b.Bytes()) + "'\n"
}

// The bounds are generous: what they catch is time or memory that grows faster
// than the text.
const (
	maxTime   = 3 * time.Minute // under the race detector, on a busy machine; what is quadratic takes hours
	maxMemory = 512 << 20       // bytes of heap
)

func TestHostileFilesTakeLittleTimeAndMemory(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const size = 64 << 10 // bytes
	for _, c := range []struct {
		name string
		lang gate.Language
		text string
	}{
		{"one long line", gate.LanguagePython, strings.Repeat("os.system(x);", 4*size/13)},
		{"a keyword in every line", gate.LanguageShell, strings.Repeat("curl rm nc sh\n", size/14)},
		{"brackets that never close", gate.LanguagePython, strings.Repeat("(", size) + strings.Repeat("\nx = open('/etc/shadow')", 10_000)},
		{"deep brackets", gate.LanguageJavaScript, strings.Repeat("([{", 100_000)},
		{"deep templates", gate.LanguageJavaScript, strings.Repeat("`${", 100_000)},
		{"deep substitutions", gate.LanguageShell, strings.Repeat("\"$(", 100_000)},
		{"many here documents", gate.LanguageShell, strings.Repeat("cat <<A <<B\n", 50_000)},
		{"many slashes", gate.LanguageJavaScript, strings.Repeat("=/", size/2)},
		{"many small literals", gate.LanguagePython, "x = " + strings.Repeat("'a' + ", size/6) + "'b'"},
		{"many calls", gate.LanguagePython, strings.Repeat("os.system(\n", size/11)},
		{"many variables", gate.LanguagePython, strings.Repeat("exec(a)\nexec(b)\nc = recv()\n", size/27)},
		{"a bomb in base64", gate.LanguagePython, bomb(t)},
		{"many encoded pieces", gate.LanguagePython, strings.Repeat("x = 'aW1wb3J0IG9zO29zLnN5c3RlbSgicm0gLXJmIH4vIik='\n", size/51)},
		{"many aliases in YAML", gate.LanguageYAML, "a: &a [run]\n" + strings.Repeat("- [*a,*a,*a,*a]\n", size/16)},
		{"deep YAML", gate.LanguageYAML, "run: " + strings.Repeat("[", 20_000)},
		{"deep JSON", gate.LanguageNotebook, strings.Repeat("[", size)},
		{"nothing but line ends", gate.LanguagePython, strings.Repeat("\r\n", size)},
		{"nothing but blanks", gate.LanguagePython, strings.Repeat(" ", size) + "'x'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{"package.json": {Data: []byte(c.text)}}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			run(t, newScanner(t, nil), tree, &gate.Target{Path: "package.json", Language: c.lang})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapSys) - int64(before.HeapSys); took > maxTime || grown > maxMemory {
				t.Errorf("took %s and %d MiB", took, grown>>20)
			}
			t.Logf("%.1f MB in %s", float64(len(c.text))/1e6, took.Round(time.Millisecond))
		})
	}
}
