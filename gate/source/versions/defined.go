package versions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// statement is what is known of the text of a statement, wherever it is.
type statement struct {
	plain    string // for comparing
	names    []string
	anywhere bool
}

// statements are those that were taken apart, by language and text.
type statements map[gate.Language]map[string]*statement

// read takes a statement apart, once for all places where it is.
func (s statements) read(l gate.Language, text []byte) *statement {
	if known, ok := s[l][string(text)]; ok {
		return known
	}
	if s[l] == nil {
		s[l] = map[string]*statement{}
	}
	whole := string(text)
	out := &statement{}
	if out.names = out.defines(l, whole[:min(len(whole), maxStatement)]); len(out.names) > 0 {
		out.plain = plain(text)
		if strings.ContainsAny(out.plain, "=:") && strings.ContainsAny(out.plain, "0123456789") {
			out.plain = release.ReplaceAllString(out.plain, "$1 release")
		}
		out.plain = short(out.plain)
	}
	s[l][whole] = out
	return out
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

var (
	importing  = regexp.MustCompile(`^\s*(?:from\s+(\S+)\s+)?import\s+(.*)`)
	goImport   = regexp.MustCompile(`^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([\w./~-]+)"\s*$`)
	forLoop    = regexp.MustCompile(`^\s*(?:async\s+)?for(?:each)?\s*\(?\s*(?:const|let|var|my)?\s*([\w$, ]+?)\s+(?:in|of|:=)\b`)
	named      = regexp.MustCompile(`\bas\s+([A-Za-z_]\w*)`)
	shellNames = regexp.MustCompile(`(?:^|[\s;&|({])([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=`)
	shellOther = regexp.MustCompile(`(?:^|[\s;&|({])(?:(?:un)?alias|unset|read|export|declare|local)\s+(?:-\w+\s+)*([\w.-]+)`)
	yamlSets   = regexp.MustCompile(`^[\s-]*["']?([A-Za-z_][\w.-]*)["']?\s*:(?:\s|$)`)
	dockerSets = regexp.MustCompile(`^\s*(?:ENV|ARG|env|arg)\s+([A-Za-z_]\w*)`)
	makeSets   = regexp.MustCompile(`^\s*(?:override\s+|export\s+|define\s+)*([A-Za-z_][\w.-]*)\s*(?:[:?+!]|::)?=`)
	types      = regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?(?:type|interface)\s`)
	// release is the number of a release as a whole value. Another one is no other
	// meaning: such lines change with every update. Four numbers could be an address.
	release = regexp.MustCompile(`([=:])\s*["']?v?\d+(?:\.\d+){0,2}(?:-(?:alpha|beta|rc|pre|dev)?[.-]?\d*)?["']?\s*[;,]?$`)
	isSet   = regexp.MustCompile(`^\s*:?=(?:[^=>~]|$)`)
	word    = regexp.MustCompile(`[A-Za-z_$][\w$]*`)
)

// plainKeys are keys of YAML that say how a command is run, and name no variable.
var plainKeys = []string{"name", "uses", "with", "env", "run", "shell", "type", "image", "path", "if", "when", "id", "on", "key", "script",
	"command", "args", "steps", "jobs", "needs", "stage", "tags", "only", "rules", "version", "default", "required", "description"}

// defines returns the names that the statement defines. Each expression is tried only where a
// word of it occurs, which is much cheaper to know.
func (s *statement) defines(l gate.Language, text string) []string {
	var names []string
	switch l {
	case gate.LanguageShell:
		if strings.IndexByte(text, '=') >= 0 {
			for _, m := range shellNames.FindAllStringSubmatch(text, 50) {
				names = append(names, m[1])
			}
		}
		if containsAny(text, "alias", "unset", "read", "export", "declare", "local") {
			for _, m := range shellOther.FindAllStringSubmatch(text, 50) {
				names = append(names, m[1])
			}
		}
		if !strings.Contains(text, "for") {
			return names
		}
		if m := forLoop.FindStringSubmatch(text); m != nil {
			names = append(names, m[1])
		}
		return names
	case gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageDockerfile, gate.LanguageMakefile:
		settings := map[gate.Language]*regexp.Regexp{gate.LanguageDockerfile: dockerSets, gate.LanguageMakefile: makeSets}
		if m := cmp.Or(settings[l], yamlSets).FindStringSubmatch(text); m != nil && !(l == gate.LanguageWorkflow && strings.ToUpper(m[1]) != m[1]) && !slices.Contains(plainKeys, m[1]) {
			names = append(names, m[1])
		}
		return names
	case gate.LanguageGo:
		if strings.IndexByte(text, '"') < 0 {
			break
		}
		if m := goImport.FindStringSubmatch(text); m != nil {
			s.anywhere = true
			return []string{cmp.Or(m[1], m[2][strings.LastIndexByte(m[2], '/')+1:])}
		}
	}
	if !strings.Contains(text, "import") {
	} else if m := importing.FindStringSubmatch(text); m != nil {
		s.anywhere = true
		return importedBy(m[2])
	}
	if !strings.Contains(text, "for") {
	} else if m := forLoop.FindStringSubmatch(text); m != nil {
		return word.FindAllString(m[1], 10)
	}
	if containsAny(text, "type", "interface") && types.MatchString(text) {
		return nil // nothing of them is there at run time
	}
	if m := functionHeads[0].FindStringSubmatch(text); m != nil {
		return []string{lastPart(m[1])} // with its parameters, or with a body on the same line
	}
	if l == gate.LanguagePython && strings.Contains(text, "as") {
		for _, m := range named.FindAllStringSubmatch(text, 10) {
			names = append(names, m[1])
		}
	}
	return append(names, assigned(text)...)
}

// importedBy are the names that an import brings in.
func importedBy(list string) []string {
	var names []string
	list, _, _ = strings.Cut(list, " from ")
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(list), "(){};"), ",") {
		words := word.FindAllString(part, 20)
		if n := len(words); n > 2 && words[n-2] == "as" {
			names = append(names, words[n-1])
		} else if n > 0 {
			names = append(names, words[0])
		}
	}
	return names
}

// assigned are the names on the left of the first "=" that is in no bracket
// and no string.
func assigned(text string) []string {
	depth := 0
	for i := 0; i < min(len(text), 400); i++ {
		switch c := text[i]; c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '"', '\'', '`':
			if j := strings.IndexByte(text[i+1:], c); j >= 0 {
				i += j + 1
			}
		case '=':
			if depth > 0 {
				continue
			}
			if i+1 < len(text) && (text[i+1] == '=' || text[i+1] == '>' || text[i+1] == '~') || i > 0 && strings.IndexByte("!<>=~", text[i-1]) >= 0 {
				return nil
			}
			return targets(text[:i])
		}
	}
	return nil
}

// targets are the names that the left side of an assignment sets.
func targets(left string) []string {
	var names []string
	if strings.ContainsAny(left, "{[(") && !strings.ContainsAny(left, ".\"'") {
		return word.FindAllString(left, 20) // unpacked
	}
	for part := range strings.SplitSeq(left, ",") {
		part, _, _ = strings.Cut(part, ":")
		if in, _, ok := strings.Cut(part, "["); ok {
			if key := strings.Trim(part[len(in)+1:], `]"' +-*/|`); word.MatchString(key) {
				names = append(names, word.FindString(key))
			}
			part = in
			if strings.Contains(in, "environ") {
				continue
			}
		}
		if words := word.FindAllString(part, 20); len(words) > 0 {
			names = append(names, words[len(words)-1])
		}
	}
	return names
}
