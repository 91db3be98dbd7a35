package embedded

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of the rows that are made of a text.
const (
	maxRows    = 5000      // lines, or elements
	maxColumns = 100       // cells of one
	maxRowText = 256 << 10 // bytes of a text
)

// rows are the rows of a data file that is no document of keys and values: the elements of
// XML, the cells of a table, or the lines of a text.
func rows(content []byte) []*setting {
	if len(content) > maxRowText {
		content = content[:maxRowText]
	}
	if trimmed := bytes.TrimLeft(content, "\ufeff \t\r\n"); len(trimmed) > 0 && trimmed[0] == '<' {
		return []*setting{xmlRows(content)}
	}
	lines := &setting{kind: listSetting, line: 1}
	table := &setting{kind: listSetting, line: 1}
	var header []string
	n := 0
	for line := range strings.Lines(string(content)) {
		if n++; n > maxRows {
			break
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for _, m := range codeSpan.FindAllStringSubmatch(line, maxColumns) {
			table.add(&setting{kind: scalarSetting, text: m[1], line: n, in: table})
		}
		lines.add(&setting{kind: scalarSetting, text: line, line: n, in: lines})
		cells := cellsOf(line)
		if len(cells) < 2 {
			continue
		}
		if header == nil {
			header = cells
		}
		table.add(rowOf(cells, header, n))
	}
	return []*setting{lines, table}
}

// codeSpan is what prose marks as code.
var codeSpan = regexp.MustCompile("`([^`]+)`")

// cellsOf splits a line of a table.
func cellsOf(line string) []string {
	for _, by := range []rune{'\t', '|', ';', ','} {
		if !strings.ContainsRune(line, by) {
			continue
		}
		r := csv.NewReader(strings.NewReader(strings.Trim(line, "|")))
		r.Comma, r.LazyQuotes, r.TrimLeadingSpace = by, true, true
		cells, err := r.Read()
		if err != nil || by != ',' && by != '\t' && len(cells) < 3 && !strings.HasPrefix(line, "|") {
			continue // a command may have such a sign in it
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return cells[:min(len(cells), maxColumns)]
	}
	return nil
}

// rowOf is a row by the names of its columns, which the first line of the file gives.
func rowOf(cells, header []string, line int) *setting {
	row := &setting{kind: objectSetting, line: line}
	list := &setting{kind: listSetting, line: line, in: row}
	for i, c := range cells {
		key := ""
		if i < len(header) {
			key = header[i]
		}
		row.add(&setting{key: key, text: c, line: line, in: row})
		list.add(&setting{text: c, line: line, in: list})
	}
	row.add(list)
	return row
}

// cells are the words of an item: of a row of a table, those of its columns.
func (s *setting) cells() []string {
	if s.kind == objectSetting && len(s.items) > 0 && s.items[len(s.items)-1].kind == listSetting {
		return s.items[len(s.items)-1].words()
	}
	return s.words()
}

// xmlRows are the elements of a document, each with its attributes and its text.
func xmlRows(content []byte) *setting {
	root := &setting{kind: listSetting, line: 1}
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	lines := newLineIndex(content)
	var open []*setting
	for range maxRows {
		token, err := d.RawToken()
		if err != nil {
			break
		}
		at := lines.of(int(d.InputOffset()) - 1)
		switch t := token.(type) {
		case xml.StartElement:
			e := &setting{key: t.Name.Local, kind: objectSetting, line: at}
			for i, a := range t.Attr {
				if i < maxColumns {
					e.add(&setting{key: a.Name.Local, text: a.Value, line: at, in: e})
				}
			}
			root.add(e)
			if len(open) < maxSettingDepth {
				open = append(open, e)
			}
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			text := strings.TrimSpace(string(t))
			if len(open) == 0 || text == "" {
				continue
			}
			e := open[len(open)-1]
			e.add(&setting{text: text, line: at, in: e})
			if len(open) > 1 { // <task><cmd>x</cmd></task>: a member of the row, too
				row := open[len(open)-2]
				row.add(&setting{key: e.key, text: text, line: at, in: row})
			}
		}
	}
	return root
}
