package routes

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Found are the questions for a server.
type Found struct {
	Questions []sandbox.Question
	// Named is how many of its routes the source names; Left is how many questions there
	// was no room for.
	Named, Left int
}

var (
	// literal is a text in quotes that may be a route: a path, with a method in front of
	// it as package net/http of Go has it.
	literal = regexp.MustCompile("(?:\"|'|`)(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?(?:[a-z0-9-]{1,40}(?:\\.[a-z0-9-]{1,40}){1,4})?(/[A-Za-z0-9._~!$&()*+,;=:@%/{}<>?|^\\[\\]\\\\-]*)(?:\"|'|`)")
	// django is a route without a slash in front.
	django = regexp.MustCompile(`\b(?:re_)?path\(\s*r?["']\^?([A-Za-z0-9._~:@%/<>-]*)\$?["']`)
	// router is a call in front of a route, whose name may be a method of HTTP.
	router = regexp.MustCompile(`(?i)[.@](get|post|put|patch|delete|head|options|all|any|use|route|handle|handlefunc|handler|url|path|add_url_rule|add_route|add_get|add_post|api_route|websocket|mapping|endpoint|group|mount|match)\(\s*r?$`)
	// compared is a comparison in front of one, or a label behind which it is handled.
	compared = regexp.MustCompile(`(?i)(?:[!=]==?\s*|\bcase\s+|\bstartswith\(\s*|\bhasprefix\([^()]*,\s*|\bin\s*[\[({]\s*)$`)
	// methods is the list of methods behind a route.
	methods = regexp.MustCompile(`(?i)methods?\s*[=:(]\s*[\[({]?((?:\s*["']?(?:get|post|put|patch|delete|head|options)["']?\s*,?)+)`)
	word    = regexp.MustCompile(`(?i)\b(?:get|post|put|patch|delete)\b`)
	// parameter is a part of a route that each request fills: {id}, {path...}, <int:id>,
	// :id, *.
	parameter = regexp.MustCompile(`\{([^{}/]*)\}|<([^<>/]*)>|:([A-Za-z_][A-Za-z0-9_]*)[?*+]?(?:\([^()]*\))?|\*[A-Za-z0-9_]*|\(\?P<[^<>]*>[^()]*\)|\([^()]*\)`)
	// posts is a server that tells methods apart by the names of its own.
	posts = regexp.MustCompile(`(?i)\bdo_POST\b|["'` + "`" + `]POST["'` + "`" + `]|\bMethodPost\b|\.post\(|@PostMapping`)
	// files are folders of a file system and no routes, unless a router has them.
	files = regexp.MustCompile(`^/(?:etc|usr|bin|sbin|tmp|var|dev|proc|sys|home|root|lib|lib64|opt|boot|mnt|run|Users|workspace)(?:/|$)`)
)

const (
	methodGet  = "GET"
	methodPost = "POST"

	maxText = 1 << 20 // bytes of all sources together that are looked at
	maxLine = 4 << 10 // bytes of a line; longer ones are data
)

// Of returns what the texts of a server's sources name. "/" is asked always; routes that a
// router or a comparison names come before what only looks like one.
func Of(texts ...string) Found {
	f := finder{known: map[sandbox.Question]bool{}}
	room := maxText
	var all strings.Builder
	for _, text := range texts {
		if len(text) > room {
			f.left++
		}
		text = text[:min(len(text), room)]
		room -= len(text)
		all.WriteString(text)
		for line := range strings.Lines(text) {
			if len(line) <= maxLine {
				f.line(line)
			}
		}
	}
	posted := posts.MatchString(all.String())
	first := []sandbox.Question{{Method: methodGet, Path: "/"}, {Method: methodPost, Path: "/"}}
	questions := slices.Concat(first, f.routes, f.guesses)
	if posted {
		questions = slices.Concat(questions, f.posted)
	}
	out := Found{Named: len(f.routes), Left: f.left}
	seen := map[sandbox.Question]bool{}
	for _, q := range questions {
		switch {
		case seen[q]:
		case len(out.Questions) == sandbox.MaxQuestions:
			out.Left++
		default:
			out.Questions = append(out.Questions, q)
		}
		seen[q] = true
	}
	return out
}

// finder collects questions. known keeps a text that repeats itself from filling memory.
type finder struct {
	known                   map[sandbox.Question]bool
	routes, guesses, posted []sandbox.Question
	left                    int // sources and questions for which there was no room here
}

const maxKnown = 1000

func (f *finder) line(line string) {
	for _, m := range literal.FindAllStringSubmatchIndex(line, 64) {
		before, path, after := line[:m[0]], line[m[4]:m[5]], line[m[1]:]
		named := router.FindStringSubmatch(before)
		switch {
		case m[2] >= 0:
			f.add(&f.routes, path, line[m[2]:m[3]])
		case named != nil:
			f.add(&f.routes, path, methodsOf(named[1], after)...)
		case compared.MatchString(before):
			f.add(&f.routes, path, methodGet)
			f.add(&f.posted, path, methodPost)
		case !files.MatchString(path):
			f.add(&f.guesses, path, methodGet)
			f.add(&f.posted, path, methodPost)
		}
	}
	for _, m := range django.FindAllStringSubmatch(line, 64) {
		f.add(&f.routes, "/"+strings.TrimPrefix(m[1], "/"), methodGet)
		f.add(&f.posted, "/"+strings.TrimPrefix(m[1], "/"), methodPost)
	}
}

// methodsOf are the methods of a route: that of the call in front of it, those of a list
// behind it, or both that servers usually answer.
func methodsOf(call, after string) []string {
	call = strings.TrimPrefix(strings.ToUpper(call), "ADD_")
	if m := methods.FindStringSubmatch(after); m != nil {
		var out []string
		for _, w := range word.FindAllString(m[1], 16) {
			out = append(out, strings.ToUpper(w))
		}
		return out
	}
	switch call {
	case methodGet, methodPost, "PUT", "PATCH", "DELETE":
		return []string{call}
	}
	return []string{methodGet, methodPost}
}

func (f *finder) add(to *[]sandbox.Question, path string, methods ...string) {
	path = filled(path)
	if len(path) > sandbox.MaxRoute || path == "" || strings.ContainsAny(path, "\\^|[]{}<> ") || strings.HasPrefix(path, "//") {
		return
	}
	for _, m := range methods {
		if m == "HEAD" || m == "OPTIONS" {
			m = methodGet
		}
		q := sandbox.Question{Method: m, Path: path}
		switch {
		case f.known[q]:
		case len(f.known) == maxKnown:
			f.left++
		default:
			f.known[q] = true
			*to = append(*to, q)
		}
	}
}

// filled puts a plausible value in place of each parameter.
func filled(route string) string {
	if route == "/*" || route == "/{path...}" {
		return "/index.html"
	}
	route = strings.TrimSuffix(strings.ReplaceAll(route, "{$}", ""), "$")
	return parameter.ReplaceAllStringFunc(route, func(p string) string {
		name := strings.ToLower(p)
		for _, of := range []struct{ part, value string }{
			{"uuid", "00000000-0000-4000-8000-000000000001"}, {"mail", "user@example.com"}, {"name", "example"}, {"user", "example"}, {"slug", "example"},
			{"path", "index.html"}, {"file", "index.html"}, {"date", "2026-01-15"}, {"str", "example"}, {"lang", "en"},
		} {
			if strings.Contains(name, of.part) {
				return of.value
			}
		}
		return "1"
	})
}
