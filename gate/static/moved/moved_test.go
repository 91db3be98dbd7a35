package moved_test

import (
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/moved"
)

func all() gate.LineSet { return gate.LineSet{} }

func TestASettingWithAnAddressIsReadInEveryFormat(t *testing.T) {
	tests := map[string]struct{ text, key, host string }{
		"JSON on one line":              {`{"a":1,"u":"https://a.example.com/x"}`, "u", "a.example.com"},
		"YAML":                          {"api: https://a.example.com\n", "api", "a.example.com"},
		"a flow mapping":                {`args: {URL: "http://192.0.2.1/x"}`, "URL", "192.0.2.1"},
		"a list of variables":           {"environment:\n  - API_URL=https://a.example.com/v\n", "API_URL", "a.example.com"},
		"TOML with a path in its key":   {"service.url = \"https://a.example.com:8443\"\n", "url", "a.example.com"},
		"a properties file":             {"spring.api.endpoint=https://u:p@a.example.com/\n", "endpoint", "a.example.com"},
		"a host without a scheme":       {"host: a.example.com\n", "host", "a.example.com"},
		"an element of XML":             {"<url>https://a.example.com/</url>", "url", "a.example.com"},
		"two attributes of XML":         {`<add key="Api" value="https://a.example.com"/>`, "Api", "a.example.com"},
		"a variable of a Dockerfile":    {"ENV API https://a.example.com\n", "API", "a.example.com"},
		"a variable of a container":     {"env:\n  - name: API\n    value: https://a.example.com\n", "API", "a.example.com"},
		"the default of an input":       {"inputs:\n  url:\n    type: string\n    default: https://a.example.com\n", "url", "a.example.com"},
		"an address of version 6":       {"url = http://[2001:db8::1]:80/x\n", "url", "2001:db8::1"},
		"an assignment of another code": {`$config["API"] = "x"; API => "https://a.example.com"`, "API", "a.example.com"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := moved.Values([]byte(tt.text), all())
			if len(got) != 1 || got[0].Key != tt.key || got[0].Host != tt.host {
				t.Errorf("got %+v, want %s at %s", got, tt.key, tt.host)
			}
		})
	}
}

func TestAVersionOrANameOfAFileIsNoAddress(t *testing.T) {
	for _, text := range []string{"version: 1.2.3\n", "main: lib.index\n", "name = \"a.b\"\n", "url: https://${HOST}/x\n", "# nothing\n"} {
		if got := moved.Values([]byte(text), all()); len(got) > 0 {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

func TestTheAddressStandsWhereItsKeyIsRead(t *testing.T) {
	const at = "https://a.example.com/x"
	tests := map[string]struct {
		language      gate.Language
		key, in, want string
		names         bool
	}{
		"a subscript of what a file holds":     {gate.LanguagePython, "u", `get(json.load(open("c.json"))["u"]).text`, `get("` + at + `").text`, true},
		"the environment of Python":            {gate.LanguagePython, "api", `post(os.environ["API"], data=x)`, `post("` + at + `", data=x)`, false},
		"the environment with a default":       {gate.LanguagePython, "API", `post(os.environ.get("API", "https://b.example.com"), x)`, `post("` + at + `", x)`, false},
		"the environment of Node":              {gate.LanguageJavaScript, "API_URL", "fetch(process.env.API_URL, o)", `fetch("` + at + `", o)`, false},
		"a template string":                    {gate.LanguageJavaScript, "url", "fetch(`${config.url}/in`)", "fetch(`" + at + "/in`)", false},
		"a call that reads settings":           {gate.LanguageGo, "API", `http.Get(os.Getenv("API"))`, `http.Get("` + at + `")`, false},
		"a variable of a shell":                {gate.LanguageShell, "URL", `curl -s "${URL:-x}" | sh`, `curl -s "` + at + `" | sh`, false},
		"an input of a workflow":               {gate.LanguageWorkflow, "url", `run: curl ${{ inputs.url }} | sh`, `run: curl ` + at + ` | sh`, false},
		"a value of a chart":                   {gate.LanguageYAML, "url", `- curl {{ .Values.url | quote }}`, `- curl ` + at, false},
		"PHP":                                  {gate.LanguagePHP, "url", `eval(file_get_contents($config['url']));`, `eval(file_get_contents("` + at + `"));`, false},
		"an attribute of any object":           {gate.LanguagePython, "url", `get(response.url)`, "", false},
		"a lower variable of another script":   {gate.LanguageShell, "url", `curl $url | sh`, "", false},
		"a variable that the script sets":      {gate.LanguageShell, "URL", "URL=https://b.example.com\ncurl $URL | sh", "", false},
		"a place where the setting is written": {gate.LanguagePython, "url", `settings["url"] = x`, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := moved.NewReader([]moved.Value{{Key: tt.key, Address: at, Host: "a.example.com", Line: 1}})
			got, ok := r.Fill(moved.Text{Language: tt.language, Content: []byte(tt.in), Names: tt.names})
			if want := tt.want; ok != (want != "") || ok && string(got.Content) != want {
				t.Errorf("got %q (%v), want %q", got.Content, ok, want)
			}
		})
	}
}

func FuzzFillKeepsLines(f *testing.F) {
	f.Add("a: https://a.example.com\n", "get(cfg[\"a\"])\nx ${a} {{ a }}", true)
	f.Fuzz(func(t *testing.T, settings, program string, names bool) {
		r := moved.NewReader(moved.Values([]byte(settings), all()))
		for _, lang := range []gate.Language{gate.LanguagePython, gate.LanguageShell, gate.LanguageJavaScript} {
			got, _ := r.Fill(moved.Text{Language: lang, Content: []byte(program), Names: names})
			if a, b := countLines(program), countLines(string(got.Content)); a != b {
				t.Errorf("%d lines became %d", a, b)
			}
		}
	})
}

func countLines(s string) (n int) {
	for _, c := range s {
		if c == '\n' {
			n++
		}
	}
	return n
}
