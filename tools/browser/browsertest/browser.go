package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/tools/testenv"
)

// patience bounds one answer of the browser, and what a page is waited for.
const patience = 90 * time.Second

// Browser is a Chromium that ends with the test.
type Browser struct {
	t    testing.TB
	to   *os.File
	gone chan struct{} // closed when the browser says nothing more

	mu      sync.Mutex
	last    int
	answers map[int]chan answer
	loaded  map[string]chan struct{} // by session: a page has loaded
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// Open starts a browser, or ends the test with [testenv.Missing].
func Open(t testing.TB) *Browser {
	t.Helper()
	program := testenv.Chromium(t)
	fromUs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// As root, which containers of CI are, Chromium has no sandbox of its own. It is shown
	// pages of these tests only.
	cmd := exec.CommandContext(t.Context(), program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(),
		"--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
		"--disable-extensions", "--disable-sync", "--hide-scrollbars", "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	cmd.WaitDelay = patience
	own(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fromUs.Close(), toUs.Close()
	b := &Browser{t: t, to: to, gone: make(chan struct{}), answers: map[int]chan answer{}, loaded: map[string]chan struct{}{}}
	go b.listen(from)
	t.Cleanup(func() {
		end(cmd)
		_ = cmd.Wait() // it was ended: its exit code says nothing
		<-b.gone
		_, _ = to.Close(), from.Close()
	})
	return b
}

// listen hands out what the browser says. A message ends with a zero byte.
func (b *Browser) listen(from *os.File) {
	defer close(b.gone)
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID        int
			Method    string
			SessionID string
			answer
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if to := b.answers[m.ID]; m.ID != 0 && to != nil {
			delete(b.answers, m.ID)
			to <- m.answer
		} else if to := b.loaded[m.SessionID]; m.Method == "Page.loadEventFired" && to != nil {
			select {
			case to <- struct{}{}:
			default:
			}
		}
		b.mu.Unlock()
	}
}

// call calls a method of the protocol, for a page or with "" for the browser.
func (b *Browser) call(session, method string, params map[string]any, result any) {
	b.t.Helper()
	to := make(chan answer, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.answers[id] = to
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case a := <-to:
		if a.Error != nil {
			b.t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-b.gone:
		b.t.Fatalf("%s: the browser is gone", method)
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer", method)
	}
}

// Screen is what a page is shown on.
type Screen struct {
	Width int // CSS pixels; 0 is 1280
	Dark  bool
}

// Page is one tab.
type Page struct {
	b       *Browser
	session string
}

// Page opens a tab.
func (b *Browser) Page(s Screen) *Page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{b, attached.SessionID}
	b.mu.Lock()
	b.loaded[p.session] = make(chan struct{}, 1)
	b.mu.Unlock()
	p.call("Page.enable", nil, nil)
	p.Show(s)
	return p
}

// Show shows the page on another screen.
func (p *Page) Show(s Screen) {
	p.b.t.Helper()
	if s.Width == 0 {
		s.Width = 1280
	}
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": s.Width, "height": 800, "deviceScaleFactor": 1, "mobile": s.Width < 600}, nil)
	scheme := "light"
	if s.Dark {
		scheme = "dark"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

func (p *Page) call(method string, params map[string]any, result any) {
	p.b.t.Helper()
	p.b.call(p.session, method, params, result)
}

// Go opens an address and waits until it has loaded.
func (p *Page) Go(address string) {
	p.b.t.Helper()
	p.load("Page.navigate", map[string]any{"url": address})
}

// Again loads the page again.
func (p *Page) Again() {
	p.b.t.Helper()
	p.load("Page.reload", nil)
}

func (p *Page) load(method string, params map[string]any) {
	p.b.t.Helper()
	p.b.mu.Lock()
	loaded := p.b.loaded[p.session]
	p.b.mu.Unlock()
	select {
	case <-loaded: // of what was there before
	default:
	}
	var went struct{ ErrorText string }
	p.call(method, params, &went)
	if went.ErrorText != "" {
		p.b.t.Fatalf("%v: %s", params, went.ErrorText)
	}
	select {
	case <-loaded:
	case <-p.b.gone:
		p.b.t.Fatal("the browser is gone")
	case <-time.After(patience):
		p.b.t.Fatalf("%s %v does not load", method, params)
	}
}

// Eval evaluates an expression in the page and stores its value, which may be a promise's,
// in result where that is not nil.
func (p *Page) Eval(expression string, result any) {
	p.b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if e := got.ExceptionDetails; e != nil {
		p.b.t.Fatalf("%.200s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result != nil {
		if err := json.Unmarshal(got.Result.Value, result); err != nil {
			p.b.t.Fatalf("%.200s: %v", expression, err)
		}
	}
}

// Text is the value of an expression that is a text.
func (p *Page) Text(expression string) (s string) {
	p.b.t.Helper()
	p.Eval("(async () => String("+expression+"))()", &s)
	return s
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.b.t.Helper()
	var yes bool
	p.Eval(fmt.Sprintf(`new Promise(done => {
		const look = setInterval(() => { if (%s) { clearInterval(look); done(true); } }, 20);
		setTimeout(() => { clearInterval(look); done(false); }, %d);
	})`, expression, (patience-10*time.Second).Milliseconds()), &yes)
	if !yes {
		p.b.t.Fatalf("this never comes: %s\nthe page says: %.2000s", expression, p.Text("document.body.innerText"))
	}
}

// Click clicks into the middle of what a selector finds first.
func (p *Page) Click(selector string) {
	p.b.t.Helper()
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return { X: r.x + r.width / 2, Y: r.y + r.height / 2 }; })()`, selector), &at)
	for _, what := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", map[string]any{"type": what, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// Rest gives a page the time in which it would do what it does by itself: a second.
func (p *Page) Rest() {
	p.b.t.Helper()
	p.Eval(`new Promise(done => setTimeout(done, 1000))`, nil)
}

// Screenshot is the page as a PNG in Base64.
func (p *Page) Screenshot() string {
	p.b.t.Helper()
	var shot struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	return shot.Data
}

// Color is the colour in the middle of what a selector finds first, as #rrggbb.
func (p *Page) Color(selector string) string {
	p.b.t.Helper()
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return { X: r.x + r.width / 2, Y: r.y + r.height / 2 }; })()`, selector), &at)
	var shot struct{ Data []byte }
	p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		p.b.t.Fatal(err)
	}
	r, g, b, _ := picture.At(int(at.X), int(at.Y)).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// keys are those that [Page.Press] knows, with their codes and what they type.
func keys(name string) (code int, text string) {
	switch name {
	case "Tab":
		return 9, ""
	case "Enter":
		return 13, "\r"
	case " ":
		return 32, " "
	}
	return 0, ""
}

// Press presses one key: Tab, Enter or a space.
func (p *Page) Press(name string) {
	p.b.t.Helper()
	code, text := keys(name)
	if code == 0 {
		p.b.t.Fatalf("there is no key %q", name)
	}
	down := map[string]any{"type": "keyDown", "key": name, "windowsVirtualKeyCode": code}
	if text != "" {
		down["text"] = text
	}
	p.call("Input.dispatchKeyEvent", down, nil)
	p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "windowsVirtualKeyCode": code}, nil)
}

// Type types a text into what has the focus.
func (p *Page) Type(text string) {
	p.b.t.Helper()
	p.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Tab presses the tab key until an expression about the element with the focus, e, is true.
// Each element on the way has to show that it has the focus.
func (p *Page) Tab(expression string) {
	p.b.t.Helper()
	for range 60 {
		p.Press("Tab")
		var at struct {
			There, Shown bool
			What         string
		}
		p.Eval(`(() => { const e = document.activeElement, s = getComputedStyle(e);
			return { There: !!(`+expression+`), Shown: e === document.body || e.tagName === "IFRAME" || s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1, What: e.outerHTML.slice(0, 120) }; })()`, &at)
		if !at.Shown {
			p.b.t.Errorf("nothing shows that this has the focus: %s", at.What)
		}
		if at.There {
			return
		}
	}
	p.b.t.Fatalf("the tab key does not lead to %s", expression)
}

// Fits reports an error where a page has to be moved sideways to be read.
func (p *Page) Fits() {
	p.b.t.Helper()
	var wide struct {
		Page, Window int
		What         []string
	}
	p.Eval(`({ Page: document.documentElement.scrollWidth, Window: window.innerWidth, What: [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120)) })`, &wide)
	if wide.Page > wide.Window {
		p.b.t.Errorf("the page is %d pixels wide on a screen of %d: %s", wide.Page, wide.Window, strings.Join(wide.What, "\n"))
	}
}
