package embedded

import (
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/strlit"
)

var (
	hclHere  = regexp.MustCompile(`<<-?[ \t]*"?(\w+)"?[ \t]*\r?\n`)
	hclBlock = regexp.MustCompile(`^[ \t]*([\w-]+)((?:[ \t]+(?:"[^"\n]*"|[\w-]+))*)[ \t]*\{`)
	hclValue = regexp.MustCompile(`^[ \t]*"?([\w-]+)"?[ \t]*[=:][ \t]*`)
	hclLabel = regexp.MustCompile(`"([^"\n]*)"`)
)

// hclSettings reads the blocks and values of a text in HCL. A value that is no plain
// text is an expression: it is there as a placeholder.
func hclSettings(content []byte) *setting {
	if len(content) > maxYAML {
		content = content[:maxYAML]
	}
	text := hclDocuments(string(content))
	root := &setting{kind: objectSetting}
	at, in := 0, root
	for line, left := 1, maxSettings; at < len(text) && left > 0; left-- {
		rest := text[at:]
		size := strings.IndexByte(rest, '\n') + 1
		if size == 0 {
			size = len(rest)
		}
		switch m := hclValue.FindStringIndex(rest[:size]); {
		case m != nil && strings.HasPrefix(rest[m[1]:], "{"):
			block := &setting{key: hclValue.FindStringSubmatch(rest)[1], kind: objectSetting, line: line, in: in}
			in.add(block)
			in, size = block, m[1]+1
		case m != nil:
			size = m[1] + hclEnd(rest[m[1]:])
			in.add(hclSetting(hclValue.FindStringSubmatch(rest)[1], strings.TrimSpace(rest[m[1]:size]), line, in))
			if strings.HasPrefix(rest[size:], ",") {
				size++
			} else if strings.HasPrefix(rest[size:], "}") && in.in != nil { // a { b = c }
				in = hclOuter(in)
				size++
			}
		case hclBlock.MatchString(rest[:size]):
			b := hclBlock.FindStringSubmatchIndex(rest[:size])
			block := &setting{key: rest[b[2]:b[3]], kind: objectSetting, line: line, in: in}
			for _, label := range hclLabel.FindAllStringSubmatch(rest[b[4]:b[5]], 5) {
				in.add(block)
				block = &setting{key: label[1], kind: objectSetting, line: line, in: block}
				in = block.in
			}
			in.add(block)
			in, size = block, b[1]
		case strings.HasPrefix(strings.TrimSpace(rest[:size]), "}"):
			in = hclOuter(in)
		}
		size = max(size, 1)
		line += strings.Count(rest[:size], "\n")
		at += size
	}
	return root
}

// hclOuter is the block around one, past those that stand for its labels.
func hclOuter(in *setting) *setting {
	line := in.line
	for in.in != nil {
		if in = in.in; in.line != line || in.key == "" {
			break
		}
	}
	return in
}

// hclEnd is where the value ends that a text begins with: with its line, unless
// brackets or quotes are open, or before a bracket that it did not open.
func hclEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += hclQuoted(text[i:]) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case '\n', ',':
			if depth <= 0 {
				return i
			}
		}
	}
	return len(text)
}

// hclQuoted is how long the text in quotes is that a text begins with; in its
// placeholders may hold other quotes.
func hclQuoted(text string) int {
	depth := 0
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], "${") || depth > 0 && text[i] == '{':
			depth++
			i += strings.Count(text[i:i+1], "$")
		case depth > 0 && text[i] == '}':
			depth--
		case text[i] == '\n', depth == 0 && text[i] == '"':
			return i + 1
		}
	}
	return len(text)
}

// hclSetting is a value: a text, or an expression as a placeholder.
func hclSetting(key, expression string, line int, in *setting) *setting {
	out := &setting{key: key, line: line, in: in}
	switch {
	case len(expression) > 1 && expression[0] == '"' && hclQuoted(expression) == len(expression) && strings.HasSuffix(expression, `"`):
		out.text = strlit.UnescapeLoosely(expression[1 : len(expression)-1])
	case strings.HasPrefix(expression, "["):
		out.kind = listSetting
		for _, item := range hclItems(expression) {
			out.add(hclSetting("", item, line, out))
		}
		if len(out.items) == 0 {
			out.kind, out.text = scalarSetting, "${"+expression+"}"
		}
	default:
		out.text = "${" + expression + "}"
	}
	return out
}

// hclItems are the elements of a list.
func hclItems(list string) []string {
	var out []string
	body := strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
	depth, start := 0, 0
	for i := 0; i <= len(body); i++ {
		if i == len(body) || depth == 0 && body[i] == ',' {
			if item := strings.TrimSpace(body[start:i]); item != "" {
				out = append(out, item)
			}
			start = i + 1
			continue
		}
		switch body[i] {
		case '"':
			i += hclQuoted(body[i:]) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return out
}

// hclDocuments writes the texts that end on a line with their tag as texts in quotes,
// and keeps the number of lines.
func hclDocuments(text string) string {
	if !strings.Contains(text, "<<") {
		return text
	}
	var out strings.Builder
	for {
		m := hclHere.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		tag := text[m[2]:m[3]]
		end, after := len(text), len(text)
		for at := m[1]; at < len(text); {
			line, _, _ := strings.Cut(text[at:], "\n")
			if strings.Trim(line, " \t\r,;)]}") == tag {
				i := at + strings.Index(line, tag)
				end, after = at, i+len(tag)
				break
			}
			at += len(line) + 1
		}
		out.WriteString(text[:m[0]])
		out.WriteString(strconv.Quote(text[m[1]:min(end, len(text))]))
		rest := text[after:]
		closing, more, _ := strings.Cut(rest, "\n")
		out.WriteString(closing + strings.Repeat("\n", 1+strings.Count(text[m[0]:after], "\n")))
		text = more
	}
	return out.String() + text
}
