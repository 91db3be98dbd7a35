package netsim

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
)

// ownAddress is what services that tell callers their address say.
const ownAddress = "198.51.100.23"

// Answered is in every answer that a program may run, and in nothing else: where it is in code that
// runs, the code came from the network.
const Answered = "gate_answered"

// statement is an assignment in shells, Python, JavaScript, Ruby and files of settings.
const statement = Answered + "=1\n"

// order is a line that shells run: it starts another one, which is recorded with the statement.
const order = "sh -c ': " + Answered + "=1'\n"

const page = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>Welcome</h1><!-- " + Answered + " --></body></html>\n"

// object has the statement where programs look that take orders.
const object = `{"ok":true,"status":"ok","command":"` + Answered + `=1","cmd":"` + Answered + `=1","code":"` + Answered + `=1","script":"` + Answered + `=1","exec":"` + Answered + `=1","payload":"` + Answered + `=1","task":"` + Answered + `=1","body":"` + Answered + `=1"}`

// byExtension are inert files: what is downloaded to be run does nothing but set a variable that
// tells where it came from, in the language that it is expected in.
var byExtension = map[string][2]string{
	".sh":   {"text/x-shellscript", "#!/bin/sh\n" + statement},
	".bash": {"text/x-shellscript", "#!/bin/sh\n" + statement},
	".bin":  {"application/octet-stream", "#!/bin/sh\n" + statement},
	".elf":  {"application/octet-stream", "#!/bin/sh\n" + statement},
	".exe":  {"application/octet-stream", "MZ"},
	".ps1":  {"text/plain", "# " + statement},
	".py":   {"text/x-python", statement},
	".rb":   {"text/plain", statement},
	".pl":   {"text/plain", "# " + statement + "1;\n"},
	".php":  {"text/html; charset=utf-8", page},
	".js":   {"text/javascript", "var " + statement},
	".mjs":  {"text/javascript", "var " + statement},
	".css":  {"text/css", "/* nothing */\n"},
	".json": {"application/json", object},
	".xml":  {"application/xml", "<?xml version=\"1.0\"?>\n<empty/>\n"},
	".yaml": {"application/yaml", "{}\n"},
	".yml":  {"application/yaml", "{}\n"},
	".txt":  {"text/plain", "ok\n"},
	".csv":  {"text/csv", "id\n"},
	".zip":  {"application/zip", "PK\x05\x06" + strings.Repeat("\x00", 18)},
	".tar":  {"application/x-tar", archive()},
	".tgz":  {"application/gzip", compressed(archive())},
	".gz":   {"application/gzip", compressed(archive())},
	".gif":  {"image/gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00;"},
}

// plausible answers as some server could that has nothing to hide. There is no
// 404: a program that does not get what it came for gives up too early.
func defaultAnswer(q *httpRequest) answer {
	switch q.method {
	case http.MethodOptions:
		return answer{http.StatusNoContent, []string{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS", "Access-Control-Allow-Origin", "*"}, ""}
	case http.MethodGet, http.MethodHead:
	default:
		if wantsJSON(q) || !strings.Contains(q.header.Get("Accept"), "html") {
			return typed(http.StatusOK, "application/json", object)
		}
		return typed(http.StatusOK, "text/html; charset=utf-8", page)
	}
	if tellsAddress(q.host) {
		if strings.Contains(q.header.Get("Accept"), "json") || strings.Contains(q.query.Get("format"), "json") || strings.HasSuffix(strings.TrimSuffix(q.path, "/"), "json") || q.host == "ip-api.com" || q.host == "ipinfo.io" {
			return typed(http.StatusOK, "application/json", `{"ip":"`+ownAddress+`","query":"`+ownAddress+`","status":"success","country":"Exampleland","countryCode":"XX","city":"Example"}`)
		}
		return typed(http.StatusOK, "text/plain", ownAddress+"\n")
	}
	if file, ok := byExtension[strings.ToLower(path.Ext(q.path))]; ok {
		return typed(http.StatusOK, file[0], file[1])
	}
	if wantsJSON(q) {
		return typed(http.StatusOK, "application/json", object)
	}
	if accept := q.header.Get("Accept"); (accept == "" || strings.Contains(accept, "*/*") && !strings.Contains(accept, "html")) && q.path != "/" {
		return typed(http.StatusOK, "text/plain", statement) // for a program, in whatever language
	}
	return typed(http.StatusOK, "text/html; charset=utf-8", page)
}

// wantsJSON reports whether a program speaks to an interface for programs.
func wantsJSON(q *httpRequest) bool {
	accept := q.header.Get("Accept")
	return strings.Contains(accept, "json") || strings.Contains(q.header.Get("Content-Type"), "json") ||
		strings.HasPrefix(q.host, "api.") || strings.HasPrefix(q.path, "/api/") || strings.Contains(q.path, "/graphql")
}

// tellsAddress reports whether a host is one that programs ask who they are.
func tellsAddress(host string) bool {
	switch host {
	case "api.ipify.org", "ifconfig.me", "icanhazip.com", "checkip.amazonaws.com", "ip-api.com", "ipinfo.io", "api.myip.com", "ident.me":
		return true
	}
	return false
}

// overHTTPS answers DNS over HTTPS.
func (n *Net) overHTTPS(q *httpRequest) (answer, bool) {
	const message = "application/dns-message"
	server, address := q.s.peer(), q.s.address()
	var msg []byte
	switch {
	case q.method == http.MethodPost && q.header.Get("Content-Type") == message:
		msg = q.body
	case q.method == http.MethodGet && q.query.Has("dns"):
		var err error
		if msg, err = base64.RawURLEncoding.DecodeString(q.query.Get("dns")); err != nil {
			return answer{}, false
		}
	case q.query.Has("name") && (q.path == "/resolve" || strings.Contains(q.header.Get("Accept"), "dns-json")):
		return n.dnsJSON(q, server, address), true
	default:
		return answer{}, false
	}
	reply := n.dns.answer(server, address, msg)
	if reply == nil {
		return typed(http.StatusBadRequest, "text/plain", ""), true
	}
	return typed(http.StatusOK, message, string(reply)), true
}

func (n *Net) dnsJSON(q *httpRequest, server, address string) answer {
	name := strings.ToLower(strings.TrimSuffix(q.query.Get("name"), "."))
	n.log.add(Event{Kind: "dns", Peer: server, Address: address, Detail: "A " + name, Canaries: n.find([]byte(name))})
	type entry struct {
		Name string `json:"name"`
		Type int    `json:"type"`
		TTL  int    `json:"TTL"`
		Data string `json:"data"`
	}
	var reply struct {
		Status int     `json:"Status"`
		Answer []entry `json:"Answer,omitempty"`
	}
	if a := n.names.address(name); a.IsValid() {
		reply.Answer = []entry{{name, typeA, 60, a.String()}}
	} else {
		reply.Status = noName
	}
	var text strings.Builder
	if err := json.NewEncoder(io.Writer(&text)).Encode(reply); err != nil {
		return typed(http.StatusInternalServerError, "text/plain", "")
	}
	return typed(http.StatusOK, "application/dns-json", text.String())
}
