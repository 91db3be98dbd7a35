package coverage

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Shell reads the lines "script@line" of a trace of Bash. script is the name by
// which the script was started, and file that of its file in the tree: other
// names are relative to folders that are not known, and mean nothing.
func Shell(data []byte, src Sources, script, file string) (Profile, Shapes, error) {
	if len(data) > MaxReport {
		return nil, nil, fmt.Errorf("what Bash says about its lines: %w", errTooLarge)
	}
	text, ok := src[file]
	if !ok || LinesOf(text) > MaxLines {
		return Profile{}, Shapes{}, nil
	}
	traced := shellTrace(data, func(name string) bool { return name == script })
	lines, top := shellLines(text, traced[script])
	return Profile{file: lines}, Shapes{file: {Top: top, Loaded: true}}, nil
}

// ShellTests reads the same lines of all processes of a run of tests, of files of the
// workspace (a folder). Names that are relative to folders which are not known mean a file
// where only one ends with them.
func ShellTests(data []byte, src Sources, workspace string) (Profile, Shapes, error) {
	if len(data) > MaxReport {
		return nil, nil, fmt.Errorf("what Bash says about its lines: %w", errTooLarge)
	}
	files := map[string]string{} // by the name in the trace
	traced := shellTrace(data, func(name string) bool {
		file, seen := files[name]
		if !seen {
			file = shellFile(name, src, workspace)
			files[name] = file
		}
		return file != ""
	})
	all := map[string][]int{}
	for name, lines := range traced {
		all[files[name]] = append(all[files[name]], lines...)
	}
	profile, shapes := Profile{}, Shapes{}
	for file, ran := range all {
		if LinesOf(src[file]) > MaxLines {
			continue
		}
		lines, top := shellLines(src[file], ran)
		profile[file], shapes[file] = lines, Shape{Top: top, Loaded: true}
	}
	return profile, shapes, nil
}

// shellFile is the file of a name in a trace, "" for none that is known.
func shellFile(name string, src Sources, workspace string) string {
	if strings.HasPrefix(name, "/") {
		file, _ := strings.CutPrefix(path.Clean(name), workspace+"/")
		if _, ok := src[file]; ok {
			return file
		}
		return ""
	}
	name = path.Clean(name)
	if _, ok := src[name]; ok {
		return name
	}
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	found := ""
	for file := range src {
		if strings.HasSuffix(file, "/"+name) || file == name {
			if found != "" {
				return ""
			}
			found = file
		}
	}
	return found
}

// shellTrace gathers the lines "name@line" of a trace by name, sorted.
func shellTrace(data []byte, of func(name string) bool) map[string][]int {
	out := map[string][]int{}
	for line := range bytes.Lines(data) {
		name, number, ok := strings.Cut(strings.TrimSpace(string(line)), "@")
		n, err := strconv.Atoi(number)
		if ok && err == nil && n >= 1 && n <= MaxLines && name != "" && of(name) {
			out[name] = append(out[name], n)
		}
	}
	return out
}

// shellLines are the lines of a script that have commands, and which of them ran; and those
// of the commands in its first column.
func shellLines(text string, traced []int) (Lines, []gate.LineRange) {
	slices.Sort(traced)
	lines := Lines{}
	var top []gate.LineRange
	for _, c := range shellCommands(text) {
		// Bash names the line where a command ends as often as where it begins.
		i, _ := slices.BinarySearch(traced, c.first)
		ran := i < len(traced) && traced[i] <= c.last
		if ran || c.code {
			lines[c.first] = ran
			if c.top {
				top = append(top, gate.LineRange{c.first, c.last})
			}
		}
	}
	return lines, top
}

// ShellEnd reads the place of the last command that Bash traced, by the name of its
// file there.
func ShellEnd(data []byte) (name string, line int, ok bool) {
	return shellPlace(data[max(0, len(data)-8<<10):], "@last@")
}

// ShellDoubt reads the first place where Bash may skip commands that it traces.
func ShellDoubt(data []byte) (name string, line int, ok bool) {
	return shellPlace(data[:min(len(data), MaxReport)], "@doubt@")
}

// shellPlace reads the last place behind a mark.
func shellPlace(data []byte, mark string) (name string, line int, ok bool) {
	for l := range bytes.Lines(data) {
		rest, marked := bytes.CutPrefix(bytes.TrimSpace(l), []byte(mark))
		if !marked {
			continue
		}
		file, number, _ := strings.Cut(string(rest), "@")
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= MaxLines {
			name, line, ok = file, n, true
		}
	}
	return name, line, ok
}

// shellCommand is a line of a script with those that continue it.
type shellCommand struct {
	first, last int
	code        bool // it does something where it is reached
	top         bool // it begins in the first column and is no end of another one
}

var (
	shellHeredoc = regexp.MustCompile(`(?:^|[^<])<<-?\s*\\?(['"]?)([A-Za-z_]\w*)['"]?`)
	shellName    = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	shellWord    = regexp.MustCompile(`^(?:then|else|fi|do|done|esac|in|;;&?|;&|[{}()])(?:\s|;|$)`)
	shellHead    = regexp.MustCompile(`^(?:function\s+[^\s(){}]+\s*(?:\(\s*\))?|[^\s(){}$'"=]+\s*\(\s*\))\s*\{?\s*(.*)$`)
	shellPattern = regexp.MustCompile(`^\(?[^\s()=$'"]*(?:\s*\|\s*[^\s()=$'"]+)*\)\s*(.*)$`)
	shellEnds    = regexp.MustCompile(`^(?:\s|fi\b|done\b|esac\b|else\b|elif\b|then\b|do\b|;;|[})])`)
	shellQuoted  = regexp.MustCompile(`^\(?(?:"[^"]*"|'[^']*')(?:\s*\|\s*(?:"[^"]*"|'[^']*'))*\)\s*(.*)$`)
)

// shellCommands finds the lines at which commands begin, as far as that can be
// told without a parser of the language: continued lines, quotes over several
// lines, arrays and here-documents belong to the line that began them.
func shellCommands(text string) []shellCommand {
	var out []shellCommand
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	ends := map[string][]int{} // where here-documents may end
	for i, line := range lines {
		if word := strings.TrimLeft(line, "\t"); shellName.MatchString(word) {
			ends[word] = append(ends[word], i)
		}
	}
	for i := 0; i < len(lines); i++ {
		first := i
		var at shellState
		at.read(lines[i])
		for at.open() && i+1 < len(lines) && i-first < maxCommand {
			i++
			at.read(lines[i])
		}
		if at.open() {
			i = first // something was taken for a quote and is none: what follows are lines
		}
		whole := strings.Join(lines[first:i+1], "\n")
		last := i
		for _, h := range shellHeredoc.FindAllStringSubmatch(whole, 8) {
			if at, _ := slices.BinarySearch(ends[h[2]], i+1); at < len(ends[h[2]]) {
				i = ends[h[2]][at]
				last = i
			}
		}
		out = append(out, shellCommand{first: first + 1, last: last + 1, code: shellCode(lines[first]), top: !shellEnds.MatchString(lines[first])})
	}
	return out
}

// maxCommand bounds one command, in lines.
const maxCommand = 200

// shellCode reports whether a line does something besides holding others
// together.
func shellCode(line string) bool {
	const most = 512 // bytes that are looked at
	line = strings.TrimSpace(line)
	line = line[:min(len(line), most)]
	for _, head := range []*regexp.Regexp{shellHead, shellQuoted, shellPattern} {
		if m := head.FindStringSubmatch(line); m != nil {
			line = strings.TrimSpace(m[1])
			break
		}
	}
	for word := shellWord.FindString(line); word != ""; word = shellWord.FindString(line) {
		line = strings.TrimLeft(line[len(word):], " \t;")
	}
	return line != "" && !strings.HasPrefix(line, "#")
}

// shellState is what of a command is still open at the end of a line: a quote, an
// array or a substitution, or the line itself by a backslash.
type shellState struct {
	quote  byte
	depth  int
	joined bool
}

func (s *shellState) open() bool { return s.quote != 0 || s.depth > 0 || s.joined }

func (s *shellState) read(line string) {
	s.joined = false
	before := byte(' ')
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && s.quote != '\'':
			i++
			s.joined = i >= len(line)
		case s.quote != 0:
			if c == s.quote {
				s.quote = 0
			}
		case c == '\'' || c == '"':
			s.quote = c
		case c == '#' && strings.IndexByte(" \t;", before) >= 0:
			return
		case c == '(' && (s.depth > 0 || before == '=' || before == '$'):
			s.depth++
		case c == ')' && s.depth > 0:
			s.depth--
		}
		before = c
	}
}
