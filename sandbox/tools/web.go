package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
)

// request is what the arguments of a client of the web ask for.
type request struct {
	method, output string
	urls           []string
	header         http.Header
	body           []byte
	fail           bool
}

// takesValue are options of curl with a value that does not matter here.
var takesValue = []string{"-u", "-A", "-e", "-b", "-c", "-m", "-w", "-x", "-E", "-K", "-r", "-y", "-Y", "-z",
	"--user", "--user-agent", "--referer", "--cookie", "--cookie-jar", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--retry-max-time",
	"--write-out", "--proxy", "--cert", "--key", "--cacert", "--resolve", "--limit-rate", "--proto", "--tlsv", "--ciphers", "--interface"}

// curl asks as curl would.
func curl(c *call) int {
	r := request{header: http.Header{"User-Agent": {"curl/8.9.1"}, "Accept": {"*/*"}}}
	args := c.args
	next := func() string {
		if len(args) == 0 {
			return ""
		}
		a := args[0]
		args = args[1:]
		return a
	}
	for len(args) > 0 {
		a := next()
		option, value, joined := strings.Cut(a, "=")
		if !strings.HasPrefix(a, "--") || !joined {
			option = a
		}
		given := func() string {
			if joined && option != a {
				return value
			}
			return next()
		}
		// -sSfd DATA, -XPOST
		if strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && len(option) > 2 {
			at := strings.IndexAny(option[1:], "XdFTHou") + 1
			r.fail = r.fail || strings.Contains(option, "f")
			if strings.Contains(option, "O") {
				r.output = "O"
			}
			if at == 0 {
				continue
			}
			if rest := option[at+1:]; rest != "" {
				args = append([]string{rest}, args...)
			}
			option = "-" + option[at:at+1]
		}
		switch option {
		case "-X", "--request":
			r.method = given()
		case "-H", "--header":
			if name, text, ok := strings.Cut(given(), ":"); ok {
				r.header.Add(strings.TrimSpace(name), strings.TrimSpace(text))
			}
		case "-d", "--data", "--data-binary", "--data-raw", "--data-ascii", "--data-urlencode", "--json":
			r.add("&", c.value(given()))
		case "-F", "--form", "--form-string":
			_, text, _ := strings.Cut(given(), "=")
			r.add("\n", c.value(text))
		case "-T", "--upload-file":
			r.add("", c.value("@"+given()))
			r.method = "PUT"
		case "-o", "--output":
			r.output = given()
		case "-O", "--remote-name":
			r.output = "O"
		case "-f", "--fail":
			r.fail = true
		case "-I", "--head":
			r.method = "HEAD"
		default:
			if slices.Contains(takesValue, option) {
				given()
			} else if !strings.HasPrefix(a, "-") {
				r.urls = append(r.urls, a)
			}
		}
	}
	return c.ask(r)
}

// wget asks as wget would.
func wget(c *call) int {
	r := request{header: http.Header{"User-Agent": {"Wget/1.24"}, "Accept": {"*/*"}}, output: "O"}
	for i := 0; i < len(c.args); i++ {
		option, value, joined := strings.Cut(c.args[i], "=")
		short := strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--")
		switch {
		case option == "--post-data" || option == "--body-data":
			r.add("&", []byte(value))
		case option == "--post-file" || option == "--body-file":
			r.add("", c.value("@"+value))
		case option == "--method":
			r.method = value
		case option == "--header" && joined:
			if name, text, ok := strings.Cut(value, ":"); ok {
				r.header.Add(strings.TrimSpace(name), strings.TrimSpace(text))
			}
		case option == "--output-document":
			r.output = value
		case short && strings.Contains(option, "O"):
			_, r.output, _ = strings.Cut(c.args[i], "O")
			if r.output == "" && i+1 < len(c.args) {
				i++
				r.output = c.args[i]
			}
		case short && slices.Contains([]string{"-P", "-T", "-t", "-U", "-o", "-w"}, option):
			i++
		case !strings.HasPrefix(option, "-"):
			r.urls = append(r.urls, c.args[i])
		}
	}
	if r.output == "-" {
		r.output = ""
	}
	return c.ask(r)
}

func (r *request) add(between string, data []byte) {
	if r.body != nil {
		r.body = append(r.body, between...)
	}
	r.body = append(r.body, data...)
	if r.method == "" {
		r.method = "POST"
	}
}

// value is a text, or what is in the file that it names behind an @ or a <.
func (c *call) value(text string) []byte {
	name, file := strings.CutPrefix(text, "@")
	if !file {
		name, file = strings.CutPrefix(text, "<")
	}
	switch {
	case !file:
		return []byte(text)
	case name == "-" || name == ".":
		return c.input()
	}
	name, _, _ = strings.Cut(name, ";")
	return content(name)
}

// ask sends a request to each address and writes what is answered.
func (c *call) ask(r request) int {
	if len(r.urls) == 0 {
		return 2
	}
	ctx, end := context.WithTimeout(context.Background(), 4*patience)
	defer end()
	for _, address := range r.urls {
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
		if err != nil {
			return 3
		}
		req.Header = r.header
		if host := r.header.Get("Host"); host != "" {
			req.Host = host
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Fprintln(c.stderr, c.name+": could not connect to "+req.URL.Host)
			return 7
		}
		code := c.keep(res, r, req.URL)
		_ = res.Body.Close() // it was read
		if code != 0 {
			return code
		}
	}
	return 0
}

func (c *call) keep(res *http.Response, r request, from *url.URL) int {
	if r.fail && res.StatusCode >= http.StatusBadRequest {
		return 22
	}
	name := r.output
	if name == "O" {
		if name = path.Base(from.Path); name == "/" || name == "." {
			name = "index.html"
		}
	}
	to := c.stdout
	if name != "" && name != "-" {
		f, err := os.Create(name)
		if err != nil {
			return 23
		}
		defer f.Close()
		to = f
	}
	if _, err := io.Copy(to, io.LimitReader(res.Body, maxInput)); err != nil {
		return 23
	}
	return 0
}
