package versions

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of statements: a longer one is compared in part, near the line.
const (
	longStatement = 40 // lines
	besideLine    = 3  // lines on either side that count in a longer one
)

// statements finds out which lines make one statement, and how each line is read.
func (o *outline) statements() {
	n := len(o.starts)
	joined := make([]bool, n) // with the line below
	for _, at := range o.split.Joins {
		joined[o.lineOf(at)] = true
	}
	o.state = make([]uint64, n)
	for _, s := range o.split.Spans {
		first, last := o.lineOf(s.Start), o.lineOf(s.End-1)
		opening := uint64(0)
		if last > first || o.heredoc(s) {
			opening = o.opening(s, first)
		}
		for i := first; i <= last; i++ {
			indent := o.indent(i)
			inside := ""
			if s.Start < o.starts[i] && s.Class == lex.String {
				inside = string(o.src[o.starts[i]:indent]) // here, blanks are text
			}
			from := max(s.Start-indent, -1)
			o.state[i] = hash(o.state[i], int(s.Class), from, min(s.End, o.end(i))-indent, opening, inside)
			if i < last && s.Class == lex.String && !o.heredoc(s) {
				joined[i] = true
			}
		}
	}
	o.continuations(joined)
	o.statement, o.ends, o.texts = make([]int, n), make([]int, n), make([]string, n)
	for first := 0; first < n; {
		last := first
		for last+1 < n && joined[last] {
			last++
		}
		for i := first; i <= last; i++ {
			o.statement[i] = first
		}
		o.ends[first] = last
		first = last + 1
	}
}

// indent is the offset behind the blanks that a line begins with.
func (o *outline) indent(i int) int {
	at := o.starts[i]
	for at < o.end(i) && (o.src[at] == ' ' || o.src[at] == '\t') {
		at++
	}
	return at
}

// heredoc reports whether a string is the body of a here document: it begins with
// a line, below the operator.
func (o *outline) heredoc(s lex.Span) bool {
	first := o.lineOf(s.Start)
	return o.language == gate.LanguageShell && s.Class == lex.String && first > 0 && s.Start == o.starts[first] &&
		bytes.Contains(o.code(first-1), []byte("<<"))
}

// opening is what begins a string or comment of several lines, with what is done
// with it. How a comment is opened does not matter.
func (o *outline) opening(s lex.Span, first int) uint64 {
	if s.Class == lex.Comment {
		return 0
	}
	if o.heredoc(s) {
		return hash(plain(o.code(first-1)), plain(o.code(min(o.lineOf(s.End), len(o.starts)-1))))
	}
	before := o.view[o.starts[first]:min(s.Start+3, s.End)]
	after := o.view[s.End:max(s.End, o.end(o.lineOf(s.End-1)))]
	return hash(plain(before), plain(after))
}

// The ends and beginnings of lines that go on with the statement of the line above,
// in languages in which brackets and operators say so.
var (
	goesOn   = dfa.MustCompile(`(?:&&|\|\||[?:=+*|&]|=>|\b(?:return|else|do|and|or|not|if|unless))[ \t\r]*$`)
	goneOn   = dfa.MustCompile(`^[ \t]*(?:&&|\|\||[?:+|&.]|=>|and\b|or\b)`)
	headOnly = dfa.MustCompile(`^[ \t}]*(?:else[ \t]+)?(?:if|for|while)\b.*\)[ \t\r]*$`)
)

// continuations joins lines by the operators between them.
func (o *outline) continuations(joined []bool) {
	if s := shape(o.language); s != shapeBraces || o.language == gate.LanguageJSON || o.language == gate.LanguageNotebook {
		return
	}
	for i := range max(0, len(joined)-1) {
		code := o.code(i)
		if len(bytes.TrimSpace(code)) == 0 {
			continue
		}
		joined[i] = joined[i] || goesOn.Match(code) || goneOn.Match(o.code(i+1)) || headOnly.Match(code)
	}
}

// text is a statement that takes more than one line, without the inner lines of
// strings: those have their opening as context.
func (o *outline) text(first int) string {
	if o.texts[first] != "" {
		return o.texts[first]
	}
	last := o.ends[first]
	if last-first >= longStatement {
		last = first + besideLine
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		if s, ok := o.split.Span(o.starts[i]); ok && s.Class == lex.String && s.Start < o.starts[i] && s.End > o.end(i) {
			continue
		}
		b.WriteString(plain(o.code(i)))
		b.WriteByte('\n')
	}
	o.texts[first] = b.String()
	return o.texts[first]
}

// head is the text of a statement as the header of a block.
func (o *outline) head(first int) string {
	if o.ends[first] > first {
		return o.text(first)
	}
	return plain(o.code(first))
}

// blank reports whether a line holds no code.
func (o *outline) blank(i int) bool {
	if len(bytes.TrimSpace(o.code(i))) > 0 {
		return false
	}
	s, ok := o.split.Span(o.starts[i])
	return !ok || s.Class != lex.String
}

// preamble is what the first lines say of all the text: an interpreter, an
// encoding, directives.
func (o *outline) preamble() string {
	var said []string
	for i := range min(len(o.starts), 10) {
		line := o.src[o.starts[i]:max(o.starts[i], o.end(i))]
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if i == 0 && (bytes.HasPrefix(line, []byte("#!")) || bytes.HasPrefix(line, []byte("<?")) || bytes.HasPrefix(line, []byte("\xef\xbb\xbf"))) ||
			i < 2 && encoding.Match(line) || directive.Match(line) && !ownFrontend.Match(line) {
			said = append(said, interpreter.ReplaceAllString(plain(line), "#!$1$2$3"))
		}
		if line[0] != '#' {
			break
		}
	}
	return strings.Join(said, "\n")
}

// interpreter is one in the folders of a system, found by its path or by env: the same program
// either way. Of Python it is the language.
var interpreter = regexp.MustCompile(`^#!\s*(?:/usr(?:/local)?)?/bin/(?:env\s+)?(?:(python)[\d.]*|([A-Za-z][\w.+-]*))(\s|$)`)

var (
	encoding  = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=]`)
	directive = regexp.MustCompile(`(?i)^#[ \t]*(?:escape|syntax)[ \t]*=`)
	// ownFrontend is the reader of Dockerfiles that an engine has anyway.
	ownFrontend = regexp.MustCompile(`(?i)^#[ \t]*syntax[ \t]*=[ \t]*docker/dockerfile(?::[\w.-]+)?\s*$`)
)

var (
	// functions are the headers of functions, each with the name.
	functionHeads = []*dfa.Regexp{
		dfa.MustCompile(`(?:^|\s)(?:def|function|func|fn|sub|fun|proc|method)\s*(?:\([^()]*\)\s*)?\*?\s*([\w.:$?!-]+)`),
		dfa.MustCompile(`([\w$]+)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>)`),
		dfa.MustCompile(`^(?:[\w<>\[\],.*&:@]+\s+)*([\w$.:-]+)\s*\(([^()]|\([^()]*\))*\)\s*(?:throws\s+[\w,.\s]+|const|->\s*.+|:\s*[^{]+)?$`),
	}
	controlHead = dfa.MustCompile(`^[}\s]*(?:if|else|elif|elsif|elseif|for|foreach|while|until|switch|case|catch|with|try|do|match|select|except|finally|unless|rescue|ensure|synchronized|using|lock|return|@)\b`)
	loopHead    = dfa.MustCompile(`^[}\s]*(?:async\s+)?(?:for|foreach|while|until|do|loop|select)\b`)
	// chained are the headers that depend on those before them.
	chained = dfa.MustCompile(`^[}\s]*(?:else|elif|elsif|elseif|catch|finally|except|rescue|ensure|when)\b`)
)

// function reports whether a header is that of a function, and its name.
func function(header string) (string, bool) {
	if header == "" || len(header) > 500 || controlHead.MatchString(header) {
		return "", false
	}
	for _, r := range functionHeads {
		if m := r.FindStringSubmatch(header); m != nil {
			return m[1], true
		}
	}
	return "", false
}

func loops(header string) bool { return loopHead.MatchString(header) }
