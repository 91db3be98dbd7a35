package workrun_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lab/agentattack"
	"github.com/aigate/gate/tools/browser/browsertest"
)

// open shows the page, without a task.
func (s *served) open(b *browsertest.Browser) *browsertest.Page {
	p := b.Page(browsertest.Screen{})
	p.Go("http://" + s.address + "/#" + s.token)
	p.Wait(`document.getElementById("status").textContent === "Ready."`)
	return p
}

// A run that sends a key: the page says what it did and that nothing of it is kept.
func TestThePageListsWhatAProgramDid(t *testing.T) {
	s := serveOf(t)
	s.place.say(
		agentattack.Call("write_file", map[string]any{"path": "plan.json", "text": plan}), runCode(stealing),
		agentattack.Answer("It is done.\n<b>All</b> of it."))
	p := s.open(browsertest.Open(t))
	p.Eval(`document.getElementById("task").value = "send the key"; document.querySelector("#ask [type=submit]").click(); 0`, nil)
	p.Wait(`document.getElementById("status").textContent === "Done."`)
	p.Eval(`document.querySelectorAll(".step").forEach(e => e.open = true); 0`, nil)
	for what, there := range map[string]string{
		"what was only written did nothing":  `document.querySelectorAll(".step")[0].querySelector("li") === null`,
		"the verdict is in the line":         `document.querySelectorAll(".step")[1].querySelector("summary.refused").textContent.includes("ran: DANGEROUS, nothing kept")`,
		"what is dangerous is marked":        `[...document.querySelectorAll(".step li.error")].some(e => e.textContent.startsWith("dangerous exfiltration/observed-"))`,
		"the code is beside it":              `[...document.querySelectorAll(".step pre")].some(e => e.textContent.includes("urllib.request.urlopen"))`,
		"the phases are named":               `/static .* s, judge .* s, start .* s, execution .* s/.test(document.querySelector("article > p:last-child").textContent)`,
		"the task is not done":               `document.querySelector("article h3.error").textContent === "Not done"`,
		"the reason is given":                `[...document.querySelectorAll("article > p.error")].some(e => e.textContent.includes("the program of step 2 did does not pass: DANGEROUS"))`,
		"the answer keeps its lines":         `document.querySelector("article p.lines").innerText === "It is done.\n<b>All</b> of it."`,
		"nothing of it is in the workspace":  `document.getElementById("files").textContent === "plan.json (` + fmt.Sprint(len(plan)) + ` bytes)"`,
		"nothing that it left is shown":      `document.querySelector("article h4") === null`,
		"nothing is said to be in a folder":  `!document.querySelector("article").textContent.includes("The results are in")`,
		"a verdict is no part of the markup": `document.querySelector("article b") === null`,
	} {
		if p.Text(there) != "true" {
			t.Errorf("%s: no, the page says\n%s", what, p.Text("document.body.innerText"))
		}
	}
	p.Good("agent, with a refused run")
}

// Every state that a step can be in, and hostile text in each place of it.
func TestTheVerdictsOfStepsAreShownAsText(t *testing.T) {
	s := serveOf(t)
	p := s.open(browsertest.Open(t))
	const mark = `<img src=x onerror=document.title='taken'>`
	for name, tt := range map[string]struct{ step, line, class, list string }{
		"a program that is safe":    {`did: { verdict: "SAFE", decision: "pass", findings: [] }`, "ran: SAFE", "passed", ""},
		"with a note":               {`did: { verdict: "SAFE", decision: "pass", findings: [{ severity: "note", rule: "a/b", message: MARK, evidence: MARK }] }`, "ran: SAFE", "passed", "note a/b: MARK (MARK)|"},
		"that is dangerous":         {`did: { verdict: "DANGEROUS", decision: "block", findings: [{ severity: "dangerous", rule: "a/b", message: "sent it", evidence: MARK }] }`, "ran: DANGEROUS, nothing kept", "refused", "dangerous a/b: sent it (MARK)|error"},
		"whose record has a gap":    {`did: { verdict: "INCOMPLETE", decision: "incomplete", findings: [], unknown: [MARK] }`, "ran: INCOMPLETE, nothing kept", "refused", "not known: MARK|error"},
		"without a known decision":  {`did: { verdict: "SAFE", findings: [] }`, "ran: SAFE, nothing kept", "refused", ""},
		"that the layers refused":   {`refused: true, text: MARK`, "refused by the layers", "refused", ""},
		"a tool that has failed":    {`error: true, text: MARK`, "error", "refused", ""},
		"an answer that is no call": {`problem: MARK, tool: ""`, "error", "refused", ""},
		"a file that was written":   {`text: MARK, arguments: { path: MARK, text: { a: MARK } }`, "done", "", ""},
	} {
		js := strings.ReplaceAll(`document.getElementById("talk").replaceChildren(); step(document.getElementById("talk"), { number: 3, tool: "run_code", about: MARK, spent: { start_ms: 1200, run_ms: 30 }, `+tt.step+` }); 0`, "MARK", `"`+mark+`"`)
		p.Eval(js, nil)
		want := strings.ReplaceAll(tt.line, "MARK", mark)
		if got := p.Text(`document.querySelector(".step summary").textContent`); !strings.HasSuffix(got, " — "+want) || !strings.Contains(got, mark) {
			t.Errorf("%s: the line is %q, want the end %q", name, got, want)
		}
		if got := p.Text(`document.querySelector(".step summary").className`); got != tt.class {
			t.Errorf("%s: it is marked as %q, want %q", name, got, tt.class)
		}
		if got, want := p.Text(`[...document.querySelectorAll("li")].map(e => e.textContent + "|" + e.className).join("\n")`), strings.ReplaceAll(tt.list, "MARK", mark); got != want {
			t.Errorf("%s: the list is %q, want %q", name, got, want)
		}
		if got := p.Text(`document.querySelectorAll("#talk img").length + document.title + document.querySelector(".step > p:last-child").textContent`); got != "0gate agentstart 1.20 s, execution 0.03 s" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestATableIsReadAsOne(t *testing.T) {
	s := serveOf(t)
	p := s.open(browsertest.Open(t))
	wide := strings.Repeat("x,", 60) + "x"
	for text, want := range map[string]string{
		"name,value\na,1\n":                  "name|value / a|1",
		"a,b\r\n\"x, y\",\"say \"\"hi\"\"\"": `a|b / x, y|say "hi"`,
		"a\n\"two\nlines\"\n\n":              "a / two\nlines",
		"a,\n,b":                             "a| / |b",
		`a,"unclosed`:                        "a|unclosed",
		`5" pipe,<b>x</b>`:                   `5" pipe|<b>x</b>`,
		"":                                   "",
		wide:                                 strings.TrimSuffix(strings.Repeat("x|", 50), "|") + " / the rest",
		strings.Repeat("r\n", 300):           strings.TrimSuffix(strings.Repeat("r / ", 200), " / ") + " / the rest",
	} {
		data := base64.StdEncoding.EncodeToString([]byte(text))
		p.Eval(`document.getElementById("talk").replaceChildren(); output(document.getElementById("talk"), { path: "t.csv", bytes: 1, data: "`+data+`", where: "out/t.csv" }); 0`, nil)
		got := p.Text(`[...document.querySelectorAll("#talk tr")].map(r => [...r.children].map(c => c.textContent).join("|")).join(" / ") + (document.querySelector("#talk p")?.textContent === "This is the beginning. The whole table is in out/t.csv." ? " / the rest" : "")`)
		if text == "" {
			got = p.Text(`document.querySelectorAll("#talk tr").length || ""`) // a file that is empty is only named
		}
		if got != want {
			t.Errorf("%.40q is %.200q, want %.200q", text, got, want)
		}
	}
}

func TestSettingsDoNotCoverEachOther(t *testing.T) {
	s := serveOf(t)
	p := s.open(browsertest.Open(t))
	p.Eval(`document.querySelector("details:has(#settings)").open = true; 0`, nil)
	for _, screen := range []browsertest.Screen{{}, {Width: 700}, {Width: browsertest.Narrow}} {
		p.Show(screen)
		over := p.Text(`(() => { const all = [...document.querySelectorAll("#settings input")].map(e => e.getBoundingClientRect()); return all.filter((a, i) => all.some((b, k) => k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length; })()`)
		if over != "0" {
			t.Errorf("on a screen of %d: %s fields lie over others", screen.Width, over)
		}
	}
}
