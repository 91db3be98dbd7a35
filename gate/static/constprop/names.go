package constprop

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// maxNames bounds how many other names of one text are followed.
const maxNames = 5000

// Names returns the text with other names of modules and functions replaced by
// the names that rules know, and whether there were any: after "import os as o",
// o.system becomes os.system; after "from subprocess import run as r", r becomes
// subprocess.run; after "x = os.system", x becomes os.system. Constants that name
// programs and modules are where their names did, and in shell what variables
// hold. Lines stay as they are; offsets within them don't.
func Names(lang gate.Language, src []byte, limits *Bounds) ([]byte, bool) {
	if lang == gate.LanguageShell {
		out, ok := variables(src, limits)
		if !ok {
			return nil, false
		}
		if folded, again := Text(lang, out, limits); again {
			out = folded // what became a text of constants only now
		}
		return out, true
	}
	var names map[string]string
	f := &finder{lang: lang, src: src}
	var constants bool
	if lang == gate.LanguagePython {
		var out []byte
		if out, constants = values(src, limits); constants {
			src, f = out, &finder{lang: lang, src: out}
		}
	} else {
		if out, ok := operands(lang, src, limits); ok {
			src, constants = out, true
			f = &finder{lang: lang, src: src}
		}
		if out, ok := rename(f.lex, src, constantNames(f, limits)); ok {
			src, constants = out, true
		}
		if constants {
			if folded, ok := Text(lang, src, limits); ok {
				src = folded // what became a text of constants only now
			}
			f = &finder{lang: lang, src: src}
		}
	}
	switch lang {
	case gate.LanguagePython:
		names = pythonNames(f)
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		names = scriptNames(f)
	case gate.LanguageGo:
		names = goNames(f)
	}
	out, ok := rename(f.lex, src, names)
	if !ok && constants {
		out, ok = src, true
	}
	if lang == gate.LanguagePython {
		if ok {
			src = out
		}
		if placed, again := fromPlaces(src); again {
			return placed, true
		}
	}
	return out, ok
}

// finder looks for definitions of names. It splits the text only when there are
// some.
type finder struct {
	lang gate.Language
	src  []byte
	text *lex.Text
}

func (f *finder) lex() *lex.Text {
	if f.text == nil {
		f.text = lex.Scan(f.lang, f.src)
	}
	return f.text
}

// maxDefinition is how far a definition in brackets may go on.
const maxDefinition = 2 << 10 // bytes

// each calls do with the groups of every match that begins in code, on lines
// that hold one of the words.
func (f *finder) each(re *regexp.Regexp, words []string, do func(groups []string)) {
	for _, word := range words {
		for at := 0; at < len(f.src); {
			i := bytes.Index(f.src[at:], []byte(word))
			if i < 0 {
				break
			}
			start, end := f.around(at + i)
			at = max(end, at+i+len(word))
			if m := re.FindSubmatchIndex(f.src[start:end]); m != nil {
				f.match(start, m, do)
			}
		}
	}
}

// around is the line of an offset, longer where a bracket is open in it.
func (f *finder) around(at int) (start, end int) {
	start = at
	for start > 0 && at-start < maxDefinition && f.src[start-1] != '\n' {
		start--
	}
	for end = at; end < len(f.src) && end-at < maxDefinition; end++ {
		if f.src[end] == '\n' && bytes.LastIndexAny(f.src[start:end], "({") <= bytes.LastIndexAny(f.src[start:end], ")}") {
			break
		}
	}
	return start, end
}

func (f *finder) match(start int, m []int, do func(groups []string)) {
	at := start + m[0]
	for at < start+m[1] && isSpace(f.src[at]) {
		at++
	}
	if f.lex().At(at) != lex.Code {
		return
	}
	groups := make([]string, len(m)/2)
	for i := range groups {
		if m[2*i] >= 0 {
			groups[i] = string(bytes.TrimSpace(f.src[start+m[2*i] : start+m[2*i+1]]))
		}
	}
	do(groups)
}

// rename replaces names in code, except behind a dot and where they are defined
// again.
func rename(split func() *lex.Text, src []byte, names map[string]string) ([]byte, bool) {
	if len(names) == 0 {
		return nil, false
	}
	text := split()
	out := make([]byte, 0, len(src)+len(src)/16)
	changed := false
	for i := 0; i < len(src); {
		if span, ok := text.Span(i); ok {
			out = append(out, src[i:span.End]...)
			i = span.End
			continue
		}
		if !char.IsWord(src[i]) {
			out = append(out, src[i])
			i++
			continue
		}
		end := i
		for end < len(src) && char.IsWord(src[end]) {
			end++
		}
		to, ok := names[string(src[i:end])]
		if ok && (i == 0 || src[i-1] != '.') && !assigned(src, end) {
			out = append(out, to...)
			changed = true
		} else {
			out = append(out, src[i:end]...)
		}
		i = end
	}
	return out, changed
}

// assigned reports whether a name that ends at an offset is given a value
// there, or is the name of an argument.
func assigned(src []byte, end int) bool {
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	if end+1 < len(src) && src[end] == ':' && src[end+1] == '=' {
		return true
	}
	return end < len(src) && src[end] == '=' && (end+1 == len(src) || src[end+1] != '=')
}

// sensitivePython are the modules whose other names are worth following.
var sensitivePython = []string{"os", "subprocess", "socket", "shutil", "pickle", "cPickle", "_pickle", "marshal", "base64", "codecs",
	"zlib", "requests", "urllib", "urllib.request", "urllib2", "httpx", "builtins", "importlib", "ctypes", "pty", "pathlib", "glob",
	"yaml", "dill", "paramiko", "smtplib", "ftplib", "platform", "getpass", "psutil", "signal", "binascii", "runpy", "winreg", "posix",
	"http.client", "tempfile", "sys", "types", "telnetlib", "asyncio"}

var (
	pyImportAs = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([^\n#;]+)`)
	pyFrom     = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;(]+)`)
	// pyAssign matches what gives a name what runs code: a statement wherever it stands on its line,
	// with others in a row, with its type, in an expression, as a default, or by a loop.
	pyAssign = regexp.MustCompile(`(?m)(?:(?:^|[(,])[ \t]*([A-Za-z_]\w*[ \t]*:[ \t]*[\w.\[\]|, \t]{1,60}=)|(?:^|[;:,(\[{\s])((?:[A-Za-z_]\w*[ \t]*:?=[ \t]*(?:\\\n[ \t]*)?)+)|\bfor[ \t]+([A-Za-z_]\w*)[ \t]+in\b)[ \t([]*` +
		`(?:((?:os|subprocess|builtins|shutil|socket|pickle|marshal|requests|importlib)\.\w+)|getattr\([ \t]*(\w+)[ \t]*,[ \t]*["'](\w+)["'][ \t]*\)|` +
		`(?:__import__|(?:importlib\.)?import_module)\([ \t]*["']([\w.]+)["'][ \t]*\)((?:\.\w+){0,2})|(eval|exec|compile|__import__))[ \t]*(?:$|[#;,)\]}:]|(?:if|or|and)\b)`)
	pyTarget = regexp.MustCompile(`([A-Za-z_]\w*)[ \t]*:?=`)
	pyTyped  = regexp.MustCompile(`^(?:(?:else|try|finally)[ \t]*:[ \t]*)?([A-Za-z_]\w*)`)
	// pyTuple matches several names that are given several values.
	pyTuple  = regexp.MustCompile(`(?m)(?:^|[;:])[ \t]*((?:[A-Za-z_]\w*[ \t]*,[ \t]*)+[A-Za-z_]\w*)[ \t]*=[ \t]*([^\n;#=]*\b(?:os|subprocess|shutil|pickle|marshal)\.\w+[^\n;#=]*)`)
	pyRunner = regexp.MustCompile(`^(?:(?:os|subprocess|shutil|pickle|marshal)\.\w+|eval|exec|compile|__import__)$`)
)

// maxTargets bounds the names that one statement gives a value.
const maxTargets = 8

func pythonNames(f *finder) map[string]string {
	names := map[string]string{}
	add := func(name, to string) {
		if name != to && name != "" && len(names) < maxNames {
			names[name] = to
		}
	}
	f.each(pyImportAs, []string{" as "}, func(m []string) {
		for part := range strings.SplitSeq(m[1], ",") {
			if w := strings.Fields(part); len(w) == 3 && w[1] == "as" && slices.Contains(sensitivePython, w[0]) {
				add(w[2], w[0])
			}
		}
	})
	f.each(pyFrom, []string{"from "}, func(m []string) {
		if !slices.Contains(sensitivePython, m[1]) {
			return
		}
		for part := range strings.SplitSeq(strings.Trim(m[2], "()"), ",") {
			w := strings.Fields(part)
			switch {
			case len(w) == 1 && w[0] != "*" && w[0] != "path" && w[0] != "Path" && w[0] != "environ":
				add(w[0], m[1]+"."+w[0])
			case len(w) == 3 && w[1] == "as":
				add(w[2], m[1]+"."+w[0])
			}
		}
	})
	words := []string{"= os.", "= subprocess.", "= shutil.", "=os.", "=subprocess.", "getattr(", "__import__", "import_module", "= eval", "= exec", "= compile", "in (os.", "in [os.", "in (subprocess.", "in [subprocess.", "= (os.", "= (subprocess."}
	f.each(pyAssign, words, func(m []string) {
		resolve := func(name string) string {
			if to, ok := names[name]; ok {
				return to
			}
			return name
		}
		to := ""
		switch {
		case m[4] != "":
			to = m[4]
		case m[5] != "":
			to = strings.TrimPrefix(resolve(m[5])+"."+m[6], "builtins.")
		case m[7] != "":
			to = m[7] + m[8]
		case m[9] != "":
			to = m[9]
		}
		if typed := pyTyped.FindStringSubmatch(m[1]); typed != nil {
			add(typed[1], to)
		}
		for _, name := range pyTarget.FindAllStringSubmatch(m[2], maxTargets) {
			add(name[1], to)
		}
		add(m[3], to)
	})
	f.each(pyGlobal, []string{"globals(", "locals(", "vars("}, func(m []string) { add(m[1], m[2]) })
	f.each(pyStarred, []string{", os.", ", subprocess.", ", eval", ", exec"}, func(m []string) { add(m[1], m[2]) })
	for _, m := range pyMatched.FindAllSubmatch(f.src, maxTargets) {
		add(string(m[2]), string(m[1]))
	}
	f.each(pyTuple, []string{", os.", ", subprocess.", "= os.", "= subprocess."}, func(m []string) {
		values := strings.Split(m[2], ",")
		for i, name := range strings.Split(m[1], ",") {
			if i < len(values) && pyRunner.MatchString(strings.Trim(values[i], " \t()[]")) {
				add(strings.TrimSpace(name), strings.Trim(values[i], " \t()[]"))
			}
		}
	})
	return names
}

var goImport = regexp.MustCompile(`(?m)^[ \t]*(?:import[ \t]+)?([A-Za-z_]\w*)[ \t]+"((?:os|os/exec|net|net/http|syscall|unsafe|plugin|io|path/filepath|encoding/base64|encoding/hex))"`)

// goAlias is another name of what starts programs or loads code.
var goAlias = regexp.MustCompile(`(?m)^[ \t]*(?:var[ \t]+)?([A-Za-z_]\w*)[ \t]*:?=[ \t]*(exec\.Command(?:Context)?|os\.StartProcess|syscall\.(?:Exec|ForkExec)|plugin\.Open)[ \t]*(?:$|//|;)`)

func goNames(f *finder) map[string]string {
	names := map[string]string{}
	f.each(goAlias, []string{"= exec.Command", "= os.StartProcess", "= syscall.", "= plugin.Open"}, func(m []string) {
		names[m[1]] = m[2]
	})
	f.each(goImport, []string{` "os`, ` "net`, ` "syscall"`, ` "unsafe"`, ` "plugin"`, ` "io"`, ` "path/filepath"`, ` "encoding/`}, func(m []string) {
		name, path := m[1], m[2]
		if base := path[strings.LastIndexByte(path, '/')+1:]; name != base && name != "import" && name != "_" {
			names[name] = base
		}
	})
	return names
}
