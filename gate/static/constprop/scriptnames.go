package constprop

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// sensitiveScript are the modules of Node whose other names are worth
// following.
var sensitiveScript = []string{"child_process", "fs", "fs/promises", "os", "http", "https", "net", "dns", "vm", "path", "crypto", "zlib",
	"axios", "node-fetch", "request", "dgram", "tls", "worker_threads", "module", "process", "undici", "got", "clipboardy", "keytar",
	"screenshot-desktop"}

var (
	jsRequire = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*(?:await\s+)?(?:require|import)\(\s*["'](?:node:)?([\w/@.-]+)["']\s*\)(\.\w+)?`)
	// Another way to a module: process.getBuiltinModule("fs"), module.require, a require that is made.
	jsModule = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*(?:(?:process\.getBuiltinModule|(?:module|process\.mainModule|require\.main)\.require|module\.constructor\._load|Module\._load|createRequire\([^()]*\))\(\s*["'](?:node:)?([\w/@.-]+)["'])\s*\)`)
	// Another name for eval, for the constructor of functions, or for a function as a promise.
	jsEval     = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:\(\s*\d\s*,\s*eval\s*\)|(?:globalThis|global|window|self)\.eval\b|eval)\s*(?:[;,\n]|$)`)
	jsFunction = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:Object\.getPrototypeOf\(\s*(?:async\s+)?function\s*\*?\s*\(\s*\)\s*\{\s*\}\s*\)|\(\s*(?:async\s*)?(?:function\s*\*?\s*)?\(\s*\)\s*(?:=>\s*)?\{\s*\}\s*\)|\[\]\.\w+|""\.\w+|\{\}\.constructor)\.constructor\s*(?:[;,\n]|$)`)
	jsPromise  = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:util\.)?promisify\(\s*([\w.]+)\s*\)`)
	// Another name for a function of a module, or for the one that asks over the network.
	jsAlias = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+)\s*(?::\s*typeof\s+[\w.]+\s*)?=\s*(?:(?:globalThis|global|window|self)\.(fetch|XMLHttpRequest)|(fetch)|(\w+\.\w+))(?:\.bind\([^()]*\))?[ \t]*(?:[;,\n]|$)`)
	// A connection or a request, which rules know by its usual name.
	jsCreates = regexp.MustCompile(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+)?(new\s+WebSocket\b|new\b)?\s*([\w.]*)\s*\(`)
	jsImport  = regexp.MustCompile(`\bimport\s+(?:\*\s+as\s+(\w+)|(\w+)\s*(?:,\s*)?)?(\{[^}]*\})?\s*from\s*["'](?:node:)?([\w/@.-]+)["']`)
)

func scriptNames(f *finder) map[string]string {
	names := map[string]string{}
	add := func(name, to string) {
		if name != to && name != "" && len(names) < maxNames {
			names[name] = to
		}
	}
	members := func(list, module, as string) {
		for part := range strings.SplitSeq(strings.Trim(list, "{} \n\t"), ",") {
			if as == ":" {
				part = strings.ReplaceAll(part, ":", " : ")
			}
			w := strings.Fields(part)
			switch {
			case len(w) == 1:
				add(w[0], module+"."+w[0])
			case len(w) == 3 && w[1] == as:
				add(w[2], module+"."+w[0])
			}
		}
	}
	f.each(jsRequire, []string{"require(", "import("}, func(m []string) {
		module := strings.ReplaceAll(m[2], "/promises", "")
		switch {
		case !slices.Contains(sensitiveScript, m[2]):
		case strings.HasPrefix(m[1], "{"):
			members(m[1], module, ":")
		default:
			add(m[1], module+m[3])
		}
	})
	f.each(jsModule, []string{"getBuiltinModule(", ".require(", "_load(", "createRequire("}, func(m []string) {
		switch {
		case !slices.Contains(sensitiveScript, m[2]):
		case strings.HasPrefix(m[1], "{"):
			members(m[1], m[2], ":")
		default:
			add(m[1], m[2])
		}
	})
	f.each(jsImport, []string{"from "}, func(m []string) {
		if !slices.Contains(sensitiveScript, m[4]) {
			return
		}
		module := strings.ReplaceAll(m[4], "/promises", "")
		add(m[1], module)
		add(m[2], module)
		members(m[3], module, "as")
	})
	f.each(jsEval, []string{"eval"}, func(m []string) { add(m[1], "eval") })
	f.each(jsFunction, []string{".constructor"}, func(m []string) { add(m[1], "Function") })
	resolve := func(name string) string {
		head, rest, _ := strings.Cut(name, ".")
		if to, ok := names[head]; ok {
			return strings.TrimSuffix(to+"."+rest, ".")
		}
		return name
	}
	f.each(jsPromise, []string{"promisify("}, func(m []string) {
		if to := resolve(m[2]); strings.HasPrefix(to, "child_process.") {
			add(m[1], to)
		}
	})
	f.each(jsAlias, []string{"const ", "let ", "var "}, func(m []string) {
		switch head, _, _ := strings.Cut(m[4], "."); {
		case m[2] != "" || m[3] != "":
			add(m[1], m[2]+m[3])
		case names[head] != "":
			add(m[1], resolve(m[4]))
		}
	})
	f.each(jsCreates, []string{"request(", "onnect", "Socket(", "DataChannel("}, func(m []string) {
		switch to := strings.Join(strings.Fields(m[2]), " "); {
		case strings.HasSuffix(m[3], ".createDataChannel"):
			add(m[1], "ws")
		case to == "new WebSocket":
			add(m[1], "ws")
		case to == "new":
			if m[3] == "net.Socket" || resolve(m[3]) == "net.Socket" {
				add(m[1], "socket")
			}
		default:
			switch to := resolve(m[3]); to {
			case "http.request", "https.request":
				add(m[1], "req")
			case "net.connect", "net.createConnection", "tls.connect":
				add(m[1], "socket")
			}
		}
	})
	return names
}
