package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAnAnswerIsReadStrictly(t *testing.T) {
	good := `{"language": "python", "file": "sum", "code": "print(1)", "notes": "a  sum"}`
	p, err := decode(good, languages)
	if err != nil || p.Path != "sum.py" || p.Code != "print(1)\n" || p.Notes != "a sum" || p.Language != gate.LanguagePython {
		t.Errorf("%+v, %v", p, err)
	}
	for name, text := range map[string]string{
		"prose": "Here it is", "nothing": "", "a list": "[]", "another key": strings.Replace(good, `"file"`, `"path"`, 1), "two of them": good + good,
		"another language": strings.Replace(good, "python", "perl", 1), "no code": strings.Replace(good, "print(1)", " ", 1), "a zero byte": strings.Replace(good, "print(1)", `print(\u0000)`, 1),
		"too long": strings.Replace(good, "print(1)", strings.Repeat("x", maxCode+1), 1), "far too long": strings.Repeat(" ", maxAnswer) + good, "a number": strings.Replace(good, `"print(1)"`, "1", 1),
	} {
		if p, err := decode(text, languages); err == nil {
			t.Errorf("%s is taken for %+v", name, p)
		}
	}
	if _, err := decode(good, choice("go")); err == nil {
		t.Error("a language that was not asked for is taken")
	}
}

func TestWhatModelsPutAroundCodeIsTakenOff(t *testing.T) {
	for in, want := range map[string]string{
		"print(1)": "print(1)\n", "```python\nprint(1)\n```": "print(1)\n", "\n```\nprint(1)\n```\n": "print(1)\n",
		"print(1)\n<|im_end|>": "print(1)\n", "print('```')": "print('```')\n", "a\n```\nb": "a\n```\nb\n",
	} {
		if got := unwrapped(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestTheNameOfAProgramIsPlain(t *testing.T) {
	for _, tt := range []struct{ language, name, want string }{
		{"python", "report.py", "report.py"}, {"python", "report", "report.py"}, {"python", "report.sh", "report.py"}, {"node", "x.mjs", "x.mjs"}, {"typescript", "x.js", "x.ts"},
		{"python", "../../etc/x.py", "program.py"}, {"python", "/etc/x", "program.py"}, {"python", "setup.py", "program.py"}, {"python", "test_x.py", "program.py"}, {"python", "conftest", "program.py"},
		{"go", "x_test.go", "program.go"}, {"go", "x_windows.go", "program.go"}, {"shell", "-rf", "program.sh"}, {"shell", ".bashrc", "program.sh"}, {"python", "", "program.py"},
		{"python", "out", "program.py"}, {"python", strings.Repeat("x", 100), "program.py"}, {"python", "a\u202eb.py", "program.py"}, {"node", "x.test.js", "program.js"}, {"python", "Report.py", "report.py"},
	} {
		if got := fileName(tt.name, choice(tt.language)[0]); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.language, tt.name, got, tt.want)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add(`{"language": "python", "file": "sum", "code": "print(1)", "notes": "a  sum"}`)
	f.Add("{\"language\": \"go\", \"file\": \"../x\", \"code\": \"```\\nx\\n```<|a|>\", \"notes\": \"\"}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := decode(text, languages)
		if err != nil {
			return
		}
		if len(p.Code) > maxCode+1 || len(p.Notes) > maxNotes || notPlain(p.Path) != "" || strings.Contains(p.Path, "/") {
			t.Errorf("%+v", p)
		}
	})
}

func FuzzPathsOfFiles(f *testing.F) {
	for _, s := range []string{"a.txt", "sub/a", "../a", "a/../b", "/a", "C:x", "nul", "a\\b", "a.", ".a", "a//b", "-a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if notPlain(p) != "" {
			return
		}
		if strings.ContainsAny(p, "\\:*?\"<>|\x00 $`'") || strings.Contains(p, "..") && strings.Contains("/"+p+"/", "/../") || strings.HasPrefix(p, "/") || strings.Contains("/"+p, "/.") || strings.Contains("/"+p, "/-") {
			t.Errorf("%q is taken for a plain path", p)
		}
		if dir := t.TempDir(); true {
			if err := Write(dir, []File{{Path: p, Data: []byte("x")}}, false); err != nil {
				t.Error(fmt.Errorf("%q: %w", p, err))
			}
		}
	})
}
