package weakening

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func page(base, head string) File {
	return File{Path: "views/a.ejs", Language: gate.LanguageTemplate, Base: []byte(base), Head: []byte(head)}
}

func TestAPageIsComparedLineByLine(t *testing.T) {
	const unescaped = "weakening/template-unescaped"
	cleans := file("show.js", "", "export const show = (row) => sanitizeHtml(marked.parse(row.text));\n")
	for name, tc := range map[string]struct {
		files []File
		found bool
	}{
		"a value that is escaped no more":    {[]File{page("<p><%= row.text %></p>\n", "<p><%- row.text %></p>\n")}, true},
		"a value that the change makes safe": {[]File{page("<p><%= row.text %></p>\n", "<p><%- row.text %></p>\n"), cleans}, false},
		"a line that moved":                  {[]File{page("<p><%- row.text %></p>\n<hr>\n", "<hr>\n<p><%- row.text %></p>\n")}, false},
		"a line that no one wrote":           {[]File{page("<hr>\n", "<p><%- row.text %></p>"+strings.Repeat(" <hr>", maxLine)+"\n")}, false},
	} {
		found := engine(t).Compare(tc.files, nil)
		if got := slices.ContainsFunc(found, func(f Finding) bool { return f.Rule.ID == unescaped && f.Line == 1 }); got != tc.found {
			t.Errorf("%s: found %v, want %v: %v", name, got, tc.found, ids(found))
		}
	}
}

func TestADefaultOfAParameterDoesNotMakeItConstant(t *testing.T) {
	const head = "def find(db, name%s):\n    return db.execute(f\"SELECT id FROM users WHERE name = '{name}'\")\n"
	for _, given := range []string{"", "=None", "=\"ann\""} {
		found := engine(t).Compare([]File{file("a.py", "", strings.Replace(head, "%s", given, 1))}, nil)
		if !slices.Contains(ids(found), "quoted-value-in-query") {
			t.Errorf("name%s: %v", given, ids(found))
		}
	}
}

func TestANameThatIsOnAListOfTheProgramIsConstant(t *testing.T) {
	const (
		list  = "SORTABLE = (\"id\", \"name\")\n\n"
		begin = "def find(db, down, sort=\"id\"):\n"
		query = "    return db.execute(f\"SELECT id FROM users ORDER BY {sort} {'DESC' if down else 'ASC'}\")\n"
	)
	for name, tc := range map[string]struct {
		guard string
		found bool
	}{
		"refused where it is not listed": {"    if sort not in SORTABLE:\n        raise ValueError(sort)\n", false},
		"only noted":                     {"    if sort not in SORTABLE:\n        count(sort)\n", true},
		"not asked":                      {"", true},
	} {
		found := engine(t).Compare([]File{file("a.py", "", list+begin+tc.guard+query)}, nil)
		if got := slices.Contains(ids(found), "query-from-text"); got != tc.found {
			t.Errorf("%s: found %v, want %v: %v", name, got, tc.found, ids(found))
		}
	}
}
