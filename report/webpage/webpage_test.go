package webpage

import (
	"bytes"
	"strings"
	"testing"
)

const document = `<meta http-equiv="Content-Security-Policy" content="style-src '{{.StyleHash}}'"><style>{{.Style}}</style><p>{{.Text}}`

func TestWrite(t *testing.T) {
	page := struct {
		Sheet
		Text string
	}{NewSheet("p{color:red}"), "<script>"}
	var out bytes.Buffer
	if err := Write(&out, document, page); err != nil {
		t.Fatal(err)
	}
	// printf 'p{color:red}' | openssl dgst -sha256 -binary | base64
	for _, want := range []string{"style-src 'sha256-p0bF+un5yUb9MBO6xRb8kPHlY2BdpHVtLiFkDrZPF64='", "<style>p{color:red}</style>", "<p>&lt;script&gt;"} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "&#43;", "+"), want) {
			t.Errorf("it does not hold %q:\n%s", want, &out)
		}
	}
}

func TestWriteThatFailsWritesNothing(t *testing.T) {
	for name, text := range map[string]string{"a template that is none": "{{", "a field that is not there": "before {{.Missing}}"} {
		var out bytes.Buffer
		if err := Write(&out, text, NewSheet("")); err == nil || out.Len() > 0 {
			t.Errorf("%s: %q, %v", name, &out, err)
		}
	}
}
