package browsertest

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// Axe reports an error for each violation of a rule of axe-core that is serious or critical.
// when says in what state the page is.
func (p *Page) Axe(when string) {
	p.b.t.Helper()
	source, err := os.ReadFile(filepath.Join(testenv.Packages(p.b.t, "browser"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.b.t.Fatal(err)
	}
	p.Eval(string(source)+"; 0", nil)
	var found struct {
		Passes     int
		Violations []struct {
			ID, Impact, Help string
			Nodes            []string
		}
	}
	// What is in a frame without rights is hostile, and no part of the page.
	p.Eval(`axe.run(document, { iframes: false, resultTypes: ["violations"] }).then(r => ({ Passes: r.passes.length, Violations: r.violations.map(v => ({ ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 200)) })) }))`, &found)
	if found.Passes == 0 {
		p.b.t.Errorf("%s: axe looked at nothing", when)
	}
	for _, v := range found.Violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			p.b.t.Errorf("%s: %s (%s): %s\n%s", when, v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n"))
		}
	}
}

// Good looks at the page on a wide and a narrow screen, light and dark: axe-core finds
// nothing serious, and nothing has to be moved sideways. Where [ScreenshotsVar] names a folder,
// pictures are written to it.
func (p *Page) Good(when string) {
	p.b.t.Helper()
	for name, screen := range map[string]Screen{"wide": {}, "wide and dark": {Dark: true}, "narrow": {Width: Narrow}, "narrow and dark": {Width: Narrow, Dark: true}} {
		p.Show(screen)
		p.Axe(when + ", " + name)
		p.Fits()
		if dir := os.Getenv(ScreenshotsVar); dir != "" {
			png, err := base64.StdEncoding.DecodeString(p.Screenshot())
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, strings.NewReplacer(" ", "-", "/", "-").Replace(when+" "+name)+".png"), png, 0o600)
			}
			if err != nil {
				p.b.t.Error(err)
			}
		}
	}
	p.Show(Screen{})
}

// Narrow is the width of a small phone, in CSS pixels.
const Narrow = 375

// ScreenshotsVar is the environment variable with a folder for pictures of pages.
const ScreenshotsVar = "GATE_TEST_SCREENSHOTS"

// Document shows a page of a file and looks at it as [Page.Good] does.
func Document(t testing.TB, b *Browser, when, page string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	defer s.Close()
	p := b.Page(Screen{})
	p.Go(s.URL)
	p.Good(when)
	var open int
	p.Eval(`[...document.querySelectorAll("details")].map(e => e.open = true).length`, &open)
	if open > 0 {
		p.Good(when + ", all open")
	}
}
