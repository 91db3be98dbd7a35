package routes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/sandbox"
)

// questions are those that a text has besides the two that every server is asked.
func questions(text string) []string {
	var out []string
	for _, q := range Of(text).Questions[2:] {
		out = append(out, q.Method+" "+q.Path)
	}
	return out
}

func TestRoutesAreReadAsFrameworksWriteThem(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"Express", "app.get('/users/:id', f); router.post(`/users`, f)", []string{"GET /users/1", "POST /users"}},
		{"Express, both", "app.use('/api', f)", []string{"GET /api", "POST /api"}},
		{"Flask", `@app.route("/x/<int:id>", methods=["POST", 'put'])`, []string{"POST /x/1", "PUT /x/1"}},
		{"Flask without methods", `@app.route("/pages/<path:page>")`, []string{"GET /pages/index.html", "POST /pages/index.html"}},
		{"FastAPI", `@router.delete("/items/{item_id}")`, []string{"DELETE /items/1"}},
		{"aiohttp", `web.get('/ws', f), app.router.add_post("/hook", f)`, []string{"GET /ws", "POST /hook"}},
		{"Go", `http.HandleFunc("/healthz", f)`, []string{"GET /healthz", "POST /healthz"}},
		{"Go with a method", `mux.Handle("POST /users/{name}/mail", f)`, []string{"POST /users/example/mail"}},
		{"Go with a host and the rest", `mux.HandleFunc("GET example.com/files/{path...}", f)`, []string{"GET /files/index.html"}},
		{"Go, the end", `mux.HandleFunc("GET /about/{$}", f)`, []string{"GET /about/"}},
		{"Spring", `@PostMapping("/orders/{uuid}")`, []string{"GET /orders/00000000-0000-4000-8000-000000000001", "POST /orders/00000000-0000-4000-8000-000000000001"}},
		{"Django", "path('reports/<int:year>/', v), re_path(r'^late$', v)", []string{"GET /reports/1/", "GET /late"}},
		{"a comparison", "if self.path == '/sync':", []string{"GET /sync"}},
		{"a comparison in a server that takes more", "def do_POST(self):\n    if self.path == '/sync':", []string{"GET /sync", "POST /sync"}},
		{"a file of the system that is compared", "if req.url === '/etc/passwd'", []string{"GET /etc/passwd"}},
		{"a file of the system", `open("/etc/passwd"); x = '/tmp/a'`, nil},
		{"what may be a route", `pages.set("/late", f)`, []string{"GET /late"}},
		{"a guess behind a route", "x = '/guess'\napp.get('/route', f)", []string{"GET /route", "GET /guess"}},
		{"one route twice", "app.get('/a', f)\napp.get('/a', g)", []string{"GET /a"}},
		{"an address", `fetch("https://example.com/a")`, nil},
		{"another host", `src="//cdn.example.com/x.js"`, nil},
		{"a control character", "app.get('/a\x01b', f); app.get('/a b', f)", nil},
		{"letters that are none of ASCII", "app.get('/käse', f)", nil},
		{"a long one", "app.get('/" + strings.Repeat("a", sandbox.MaxRoute) + "', f)", nil},
		{"HEAD", "app.head('/h', f)", []string{"GET /h", "POST /h"}},
	} {
		if diff := cmp.Diff(tt.want, questions(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestRoutesWithoutRoomAreCounted(t *testing.T) {
	var text strings.Builder
	for n := range 100 {
		fmt.Fprintf(&text, "app.get('/r%d', f)\n", n)
	}
	got := Of(text.String())
	if len(got.Questions) != sandbox.MaxQuestions || got.Named != 100 || got.Left != 102-sandbox.MaxQuestions {
		t.Errorf("%d questions, %d named, %d left", len(got.Questions), got.Named, got.Left)
	}
	if got := Of(strings.Repeat(" \n", maxText/2), "app.get('/late', f)"); got.Left != 1 {
		t.Errorf("a source behind the bound: %+v", got)
	}
	if got := Of("app.get('/a', '" + strings.Repeat("x", maxLine) + "')"); len(got.Questions) != 2 {
		t.Errorf("a line of data: %+v", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("app.get('/users/:id', f)")
	f.Add("@app.route(\"/x/<int:id>\", methods=[\"POST\"])")
	f.Add("mux.Handle(\"POST /x/{id}\", f)")
	f.Add("path('(?P<x>[0-9]+)/', v)")
	f.Fuzz(func(t *testing.T, text string) {
		got := Of(text)
		spec := sandbox.Spec{Image: "x", Argv: []string{"x"}, Observe: &sandbox.Observe{}, Ask: &sandbox.Ask{Questions: got.Questions}}
		if err := (sandbox.Result{Status: sandbox.Exited, Image: "x", Runtime: "runc"}).Check(spec); err != nil {
			t.Error(err) // it is no Spec that is taken
		}
		if again := Of(text); !slices.Equal(again.Questions, got.Questions) {
			t.Error("the same text gives other questions")
		}
	})
}
