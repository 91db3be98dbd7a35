package main

import (
	_ "embed"
	"io"

	"github.com/aigate/gate/report/webpage"
)

var (
	//go:embed page/page.html.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
)

// page is what the template shows.
type page struct {
	webpage.Sheet
	Headline string
	Columns  []matrixColumn
	Rows     []pageRow
	Lists    []pageList
}

type (
	pageRow struct {
		Carrier, Path, Runs string
		Cells               []pageCell
	}
	pageCell struct{ Text, Class string }
	pageList struct {
		Title string
		Items []failure
	}
)

// writeHTML writes the matrix as one page that needs nothing from anywhere.
func writeHTML(w io.Writer, m matrix) error {
	p := page{Sheet: webpage.NewSheet(pageStyle), Headline: m.headline(), Columns: m.Columns}
	for _, r := range m.Rows {
		row := pageRow{Carrier: r.Carrier, Path: r.Path, Runs: r.Runs}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, pageCell{c.text(), c.class()})
		}
		p.Rows = append(p.Rows, row)
	}
	for _, l := range m.lists() {
		p.Lists = append(p.Lists, pageList{l.title, l.items})
	}
	return webpage.Write(w, pageTemplate, p)
}

// class is how the page colours a cell.
func (c cell) class() string {
	switch {
	case c.Tried == 0:
		return "none"
	case c.Safe > 0:
		return "missed"
	case c.Noticed > 0:
		return "noticed"
	default:
		return "caught"
	}
}
