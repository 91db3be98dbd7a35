package static

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/reach"
	"github.com/aigate/gate/gate/static/weakening"
)

// Bounds of the look at what unchanged files do with changed constants.
const (
	maxConstants = 200      // of one file, with another value
	maxUsersRead = 2000     // unchanged files that are searched for them
	maxUsersSize = 16 << 20 // bytes of them together
	maxUsers     = 40       // that are compared
)

// constantLine matches a constant at the top of a file: a name and a short value.
var constantLine = regexp.MustCompile(`^(?:export\s+)?(?:(?:const|let|var|final)\s+)?([A-Za-z_]\w*)(?:\s*:\s*[\w.\[\]]+|\s+(?:bool|int|string))?\s*=\s*(-?[\w.]+|"[^"\\]*"|'[^'\\]*'|\{"\w+": ?\w+\})\s*(?:as const)?\s*;?\s*(?:#.*|//.*)?$`)

// constantOf is the value of a constant with its line.
type constantOf struct {
	value string
	line  int
}

// constantsOf are the constants at the top of a text.
func constantsOf(text []byte) map[string]constantOf {
	out := map[string]constantOf{}
	block := false // of constants, in Go
	for i, line := range strings.Split(string(text), "\n") {
		if block && strings.HasPrefix(line, "\t") {
			line = line[1:]
		}
		block = (block || strings.HasPrefix(line, "const (") || strings.HasPrefix(line, "var (")) && !strings.HasPrefix(line, ")")
		if m := constantLine.FindStringSubmatch(strings.TrimSuffix(line, "\r")); m != nil && len(m[2]) <= maxShownName {
			out[m[1]] = constantOf{m[2], i + 1}
		}
	}
	return out
}

// movedConstants is a target whose constants have other values.
type movedConstants struct {
	target *gate.Target
	was    map[string]constantOf
	is     map[string]constantOf
	users  int // files that were compared
}

// valuesElsewhere reports which unchanged files lose a check by the new value of a constant that they
// take from a file of the change: both versions of them are compared, with the values in place.
func (s *Scanner) valuesElsewhere(ctx context.Context, c *gate.Change, results []*file, found *gate.Findings) error {
	if c.Base == nil || c.Head == nil || c.Remote {
		return nil
	}
	changed := map[string]bool{}
	var sources []*movedConstants
	for i, t := range c.Targets {
		changed[t.Path] = true
		if t.Kind != gate.ChangeModified || !t.Exists() || !t.Mode.IsRegular() || !protects(t) || weakening.ByLine(t.Language) || !weakening.Knows(t.Language) || t.Size > maxImportedSize || results[i] == nil {
			continue
		}
		head, err := c.Read(t, maxImportedSize)
		if err != nil {
			continue // the layer says so where it reads the file
		}
		base, err := bounded.ReadFile(c.Base, olderPath(t), maxImportedSize)
		if errors.Is(err, fs.ErrNotExist) || bounded.IsTooLarge(err) {
			continue
		}
		if err != nil {
			results[i].gap("the base's version can't be read, so no one knows which values are new: %v", err)
			continue
		}
		m := &movedConstants{target: t, was: constantsOf(base), is: constantsOf(head)}
		maps.DeleteFunc(m.is, func(name string, v constantOf) bool {
			old, ok := m.was[name]
			return !ok || old.value == v.value || len(name) < 3
		})
		if len(m.is) > 0 && len(m.is) <= maxConstants {
			sources = append(sources, m)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	read, size := 0, 0
	for _, name := range c.Files {
		if ctx.Err() != nil || read >= maxUsersRead || size >= maxUsersSize {
			break
		}
		lang, role := s.classify(name, 0, nil)
		if changed[name] || role != gate.RoleSource || !weakening.Knows(lang) || weakening.ByLine(lang) || built.MatchString(name) {
			continue
		}
		text, err := bounded.ReadFile(c.Head, name, maxImportedSize)
		if err != nil {
			continue // it is none of the change
		}
		read, size = read+1, size+len(text)
		for _, m := range sources {
			s.withValues(m, name, lang, text, found)
		}
	}
	return ctx.Err()
}

// withValues compares an unchanged file with the values of constants before and after the change.
func (s *Scanner) withValues(m *movedConstants, name string, lang gate.Language, text []byte, found *gate.Findings) {
	if !takesFrom(m.target, name, lang, text) {
		return
	}
	var used []string
	for _, constant := range slices.Sorted(maps.Keys(m.is)) {
		if hasWord(text, constant) {
			used = append(used, constant)
		}
	}
	if len(used) == 0 || m.users >= maxUsers {
		return
	}
	m.users++
	old, now := placed(lang, text, path.Base(reach.Stem(m.target.Path)), used, m.was), placed(lang, text, path.Base(reach.Stem(m.target.Path)), used, m.is)
	for _, x := range s.weakened.Compare([]weakening.File{{Path: name, Language: lang, Base: old, Head: now}}, nil) {
		effect := x.Rule.In(m.target.Role)
		if effect.Off || illustration.MatchString(name) || development.MatchString(m.target.Path) {
			continue
		}
		constant := used[0]
		for _, u := range used {
			if line := lineText(text, x.Line); strings.Contains(line, u) {
				constant = u
			}
		}
		line := m.is[constant].line
		one := gate.Finding{
			Rule: x.Rule.ID, Layer: gate.LayerStatic, Severity: min(effect.Severity, gate.SeveritySuspicious), Line: line, EndLine: line,
			Message: fmt.Sprintf("%s, in %s on line %d, by the new value of %s", x.Rule.Message, gate.Clip(name, maxShownName), x.Line, constant),
		}
		if !slices.ContainsFunc(found.Of(m.target.Path), func(o gate.Finding) bool { return o.Rule == one.Rule && o.Line == one.Line }) {
			found.AddNew(m.target.Path, one)
		}
	}
}

// lineText is a line of a text, 1-based.
func lineText(text []byte, n int) string {
	lines := strings.SplitN(string(text), "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// takesFrom reports whether a file takes names from a target: it imports it, or is in its package.
func takesFrom(t *gate.Target, name string, lang gate.Language, text []byte) bool {
	if lang == gate.LanguageGo && path.Dir(name) == path.Dir(t.Path) {
		return t.Language == gate.LanguageGo
	}
	f := referrer{target: &gate.Target{Path: name, Language: lang}, names: reach.Read(lang, name, text, nil, gate.LineSet{})}
	return f.imports(t.Path) > 0
}

var (
	// settled are conditions that a value decides.
	negated  = regexp.MustCompile(`!\s*(true|false)\b|\bnot\s+(True|False)\b`)
	spread   = regexp.MustCompile(`\*\*\{"(\w+)": ?(\w+)\}`)
	isTrue   = regexp.MustCompile(`\b(?:True\s+and|true\s*&&|False\s+or|false\s*\|\|)\s+`)
	neverIf  = regexp.MustCompile(`\bif\s+False\s+and\b[^\n]*:|\bif\s*\(\s*false\s*&&[^\n]*\)\s*\{`)
	opposite = map[string]string{"true": "false", "false": "true", "True": "False", "False": "True"}
)

// placed is a text with the values of constants in place of their names, also behind that of their
// module, and with what these decide.
func placed(lang gate.Language, text []byte, module string, names []string, values map[string]constantOf) []byte {
	out := string(text)
	for _, name := range names {
		spans := lex.Scan(lang, []byte(out))
		var b strings.Builder
		last := 0
		for from := 0; ; {
			i := strings.Index(out[from:], name)
			if i < 0 {
				break
			}
			first, end := from+i, from+i+len(name)
			from = end
			line := out[strings.LastIndexByte(out[:first], '\n')+1 : first]
			start := strings.TrimSpace(line)
			if isWordAt(out, first-1) || isWordAt(out, end) || spans.At(first) != lex.Code || strings.HasPrefix(start, "import") || strings.HasPrefix(start, "from ") || strings.HasPrefix(start, "const {") {
				continue
			}
			if before := out[:first]; strings.HasSuffix(before, module+".") && !isWordAt(out, first-len(module)-2) {
				first -= len(module) + 1
			} else if strings.HasSuffix(before, ".") {
				continue // of something else
			}
			b.WriteString(out[last:first] + values[name].value)
			last = end
		}
		out = b.String() + out[last:]
	}
	out = negated.ReplaceAllStringFunc(out, func(s string) string {
		for word, other := range opposite {
			if strings.HasSuffix(s, word) {
				return other
			}
		}
		return s
	})
	out = spread.ReplaceAllString(out, "$1=$2")
	out = isTrue.ReplaceAllString(out, "")
	return []byte(neverIf.ReplaceAllStringFunc(out, func(s string) string {
		if strings.HasSuffix(s, "{") {
			return "if (false) {"
		}
		return "if False:"
	}))
}

func isWordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z')
}
