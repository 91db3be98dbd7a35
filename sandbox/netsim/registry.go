package netsim

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// packageOf tells which package of which index a request is about. The name is
// empty for requests to an index about no package in particular, both are for all
// others.
func packageOf(q *httpRequest) (index, name string) {
	path := strings.Trim(q.path, "/")
	switch q.host {
	case "pypi.org", "pypi.python.org", "test.pypi.org":
		if rest, ok := strings.CutPrefix(path, "simple/"); ok {
			return "PyPI", rest
		}
		if rest, ok := strings.CutPrefix(path, "pypi/"); ok {
			name, _, _ = strings.Cut(rest, "/")
		}
		return "PyPI", name
	case "files.pythonhosted.org":
		return "PyPI", path[strings.LastIndexByte(path, '/')+1:]
	case "registry.npmjs.org", "registry.yarnpkg.com", "registry.npmjs.com":
		if plain, err := url.PathUnescape(path); err == nil {
			path = plain
		}
		if strings.HasPrefix(path, "-/") {
			return "npm", ""
		}
		parts := strings.SplitN(path, "/", 3)
		name = parts[0]
		if strings.HasPrefix(name, "@") && len(parts) > 1 {
			name += "/" + parts[1]
		}
		return "npm", name
	case "proxy.golang.org", "goproxy.io", "goproxy.cn":
		name, _, ok := strings.Cut(path, "/@")
		if !ok {
			name = ""
		}
		return "Go", name
	case "sum.golang.org":
		if rest, ok := strings.CutPrefix(path, "lookup/"); ok {
			name, _, _ = strings.Cut(rest, "@")
		}
		return "Go", name
	case "index.crates.io", "static.crates.io", "crates.io":
		return "crates.io", path[strings.LastIndexByte(path, '/')+1:]
	case "rubygems.org", "index.rubygems.org":
		return "RubyGems", path[strings.LastIndexByte(path, '/')+1:]
	}
	return "", ""
}

// noPackage says no in the words that the index's clients understand.
func noPackage(index, name string) answer {
	switch index {
	case "npm":
		text, err := json.Marshal(map[string]string{"error": "Not found"})
		if err != nil {
			return typed(http.StatusNotFound, "application/json", "{}")
		}
		return typed(http.StatusNotFound, "application/json", string(text))
	case "Go":
		return typed(http.StatusNotFound, "text/plain; charset=UTF-8", "not found: "+clean(name, 200))
	case "PyPI":
		return typed(http.StatusNotFound, "text/html; charset=UTF-8", "<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>")
	}
	return typed(http.StatusNotFound, "text/plain", "not found")
}
