package placeholder

import (
	"slices"
	"strings"
	"testing"
)

// known are the names that the tests know.
func known(path string, _ bool) []Value {
	of := map[string][]Value{
		"a": {Text("cur")}, "b": {Text("l")}, "env.A": {Text("cur")}, "env.B": {Text("l")}, "A": {Text("cur")}, "B": {Text("l")},
		"matrix.t": {Text("x"), Text("cur")}, "matrix.u": {Text("y"), Text("l")}, "parts": {List(Text("cur"), Text("l"))}, "UP": {Text("CURL")},
		"var.t": {Text("${local.s}")}, "local.s": {Text("cur")}, "vars.a": {Text("curl")}, "again": {Text("${again}x")},
		"m": {fromJSON(`{"k":{"n":"curl"},"l":["c","url"]}`)},
	}
	return of[path]
}

func TestPlaceholdersAreWrittenOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// GitHub
		{"${{ format('cu{0} {1}', 'rl', 'x') }}", "curl x"},
		{"${{ join(fromJSON('[\"cu\",\"rl\"]'), '') }}", "curl"},
		{"${{ env.A }}${{ env['B'] }}", "curl"},
		{"${{ github.ref == 'x' && 'make' || 'curl' }}", "curl"},
		{"${{ true && 'curl' }}", "curl"},
		{"${{ matrix.t }}${{ matrix.u }}", "curl"},
		{"${{ fromJSON('{\"a\":{\"b\":\"curl\"}}').a.b }}", "curl"},
		{"${{ fromJSON('[\"x\",\"curl\"]')[1] }}", "curl"},
		{"${{ 'it''s' }}", "it's"},
		{"${{ inputs.unknown || 'curl' }}", "curl"},
		// Azure
		{"$(a)$(b)", "curl"},
		{"${{ lower('CURL') }}", "curl"},
		{"${{ replace('c_rl', '_', 'u') }}", "curl"},
		{"${{ join('', split('cu,rl', ',')) }}", "curl"},
		{"$[ format('cu{0}', 'rl') ]", "curl"},
		{"$[variables.none]", "$[variables.none]"},
		// Jinja
		{"{{ a }}{{ b }}", "curl"},
		{"{{ a ~ b }}", "curl"},
		{"{{ 'lruc' | reverse }}", "curl"},
		{"{{ 'lruc'[::-1] }}", "curl"},
		{"{{ parts | join('') }}", "curl"},
		{"{{ ''.join(['cu', 'rl']) }}", "curl"},
		{"{{ 'CURL'.lower() }}", "curl"},
		{"{{ 'c_rl' | replace('_', 'u') }}", "curl"},
		{"{{ 'Y3VybA==' | b64decode }}", "curl"},
		{"{{ '%s%s' | format('cu', 'rl') }}", "curl"},
		{"{{ undefined | default('curl') }}", "curl"},
		{"{{ 'curl' if x else 'make' }}", "curl"},
		{"{% set c = 'cur' %}{{ c ~ 'l' }}", "curl"},
		{"{% if x %}curl{% else %}make{% endif %}", "curl"},
		{"{% if x %}make{% elif y %}curl{% endif %}", "curl"},
		{"{% for c in ['cu', 'rl'] %}{{ c }}{% endfor %}", "curl"},
		{"cu{# nothing #}{{ '' }}rl", "cu{# nothing #}rl"},
		{"{{ m.k.n }}", "curl"},
		{"{{ m['l'] | join }}", "curl"},
		// Go templates
		{"{{.a}}{{.b}}", "curl"},
		{`{{printf "%s%s" "cu" .b}}`, "cul"},
		{`{{ "CURL" | lower }}`, "curl"},
		{`{{ .UP | lower | quote }}`, "curl"},
		{`{{ replace "_" "u" "c_rl" }}`, "curl"},
		{`{{ "c_rl" | replace "_" "u" }}`, "curl"},
		{`{{ list "cu" "rl" | join "" }}`, "curl"},
		{`{{ $x := "cur" }}{{ $x }}l`, "curl"},
		{`{{- if .x }}curl{{- end }}`, "curl"},
		{`{{ "Y3VybA==" | b64dec }}`, "curl"},
		{`{{ default "curl" .nothing }}`, "curl"},
		{`{{ (printf "cu%s" "rl") }}`, "curl"},
		{`{{ trimSuffix "x" "curlx" }}`, "curl"},
		// Terraform and others
		{`${format("%s%s", "cu", "rl")}`, "curl"},
		{`${join("", ["cu", "rl"])}`, "curl"},
		{`${lower("CURL")}`, "curl"},
		{`${replace("c_rl", "/_/", "u")}`, "curl"},
		{`${substr("xcurlx", 1, 4)}`, "curl"},
		{`${var.t}l`, "curl"},
		{`${x ? "make" : "curl"}`, "curl"},
		{`${element(["x", "curl"], 1)}`, "curl"},
		{`${strrev("lruc")}`, "curl"},
		{`${"${local.s}l"}`, "curl"},
		{`${base64decode("Y3VybA==")}`, "curl"},
		{"{{user `vars.a`}}", "curl"},
		// shells, tox, configparser, command prompts, CircleCI, Concourse
		{"${A}$B", "curl"},
		{"${X:-curl}", "curl"},
		{"${X-${Y:-curl}}", "curl"},
		{"c${X:+x}url", "curl"},
		{"%A%%B%", "curl"},
		{"%(ENV_A)s%(B)s", "curl"},
		{"{env:A}{env:B}", "curl"},
		{"{env:X:{env:Y:curl}}", "curl"},
		{"{posargs:curl}", "curl"},
		{"{[parts]a}l", "curl"},
		{"<< a >><<b>>", "curl"},
		{"((a))l", "curl"},
		{"$(${A}l x)", "$(curl x)"},
		{"${localEnv:NONE:curl}", "curl"},
		{"$$A", "cur"}, {"$${X}$${A}", "${X}cur"},
	} {
		got := Expand(c.text, known).Texts
		if c.text == c.want {
			if len(got) != 0 {
				t.Errorf("%s: got %q, want it as it is", c.text, got)
			}
			continue
		}
		if !slices.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q among them", c.text, got, c.want)
		}
	}
}

func TestUnknownPlaceholdersStayAsWritten(t *testing.T) {
	for _, text := range []string{
		"${{ matrix.x }}", "{{ item }}", "$(cat x)", "$X ${Y} $1 $@ $?", "100% of it, 20% off", "cat <<EOF", "echo $((1+2))", "${{ hashFiles('x') }}",
		"{{ lookup('env', 'X') }}", "${{", "{{ (((", "%", "${}", "{{}}", "<< >>", "a{b}c", `{"a": {"b": 1}}`, "awk '{print $1}'", "${#x} ${x%y} ${!x}", "{{ .Values.x }}",
	} {
		if got := Expand(text, known); len(got.Texts) > 0 || len(got.Runs) > 0 {
			t.Errorf("%s: got %q and %q", text, got.Texts, got.Runs)
		}
	}
}

func TestACommandThatAPlaceholderRunsIsNamed(t *testing.T) {
	for _, text := range []string{"{{ lookup('pipe', 'x y') }}", `{{ query("ansible.builtin.pipe", "x " + 'y') }}`, "{{ q('pipe', 'x y') | first }}"} {
		if got := Expand(text, known).Runs; !slices.Equal(got, []string{"x y"}) {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

func TestTheWorkIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("{{ ", 20000), strings.Repeat("{{ a }}", 9000), "{{ " + strings.Repeat("(", 2000) + " }}", "${again}", "{{ again }}",
		strings.Repeat("{% if x %}", 3000), strings.Repeat("{% for i in [1,2,3,4,5,6,7,8,9] %}", 30) + "x", strings.Repeat("${x:-", 5000), strings.Repeat("%a", 20000),
	} {
		for _, got := range Expand(text, known).Texts {
			if len(got) > 1<<20 {
				t.Errorf("%.40s: %d bytes", text, len(got))
			}
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"${{ format('a{0}', 'b') }}", "{% for a in [1] %}{{ a | join('') }}{% endfor %}", "${x:-{{ a[1:] }}}", "{env:a:b}%(c)s%d%<< e >>((f))$(g)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Expand(text, known)
		Evaluate(text, known)
	})
}
