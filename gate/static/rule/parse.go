package rule

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// family is what one rules.yaml holds, before references are resolved.
type family struct {
	rules   []*Rule
	signals []*Matcher
}

// Bounds of a rule file. Rules come from people, but also from a repository
// that is not ours.
const (
	maxPattern  = 4 << 10 // bytes of one pattern
	minKeyword  = 2       // bytes of a keyword that a rule names
	maxKeywords = 400     // of one matcher
)

var (
	idShape     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)
	signalShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	placeholder = regexp.MustCompile(`\{\{(\d)\}\}`)
)

// reader turns a rule file into rules.
type reader struct {
	strict.Reader
	checked bool          // see Source
	table   *LiteralTable // see Source
}

var languages = sync.OnceValue(func() []string {
	all := []gate.Language{
		gate.LanguageText, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript,
		gate.LanguageShell, gate.LanguageGo, gate.LanguagePowerShell, gate.LanguageRuby,
		gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust, gate.LanguageJava,
		gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageYAML, gate.LanguageWorkflow,
		gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI, gate.LanguageNotebook,
		gate.LanguageMarkdown, gate.LanguageHTML, gate.LanguageGeneric,
	}
	return words(append(all, gate.GenericLanguages()...))
})

func roles() []string {
	return words([]gate.Role{gate.RoleSource, gate.RoleTest, gate.RoleCI, gate.RoleInfra,
		gate.RoleDocs, gate.RoleManifest, gate.RoleLock, gate.RoleGenerated})
}

func places() []string {
	return words([]Place{PlaceSource, PlaceCode, PlaceString, PlaceComment, PlaceAny})
}

func severities() []string {
	return []string{gate.SeverityDangerous.String(), gate.SeveritySuspicious.String(), gate.SeverityNote.String()}
}

func words[T ~string](of []T) []string {
	out := make([]string, len(of))
	for i, w := range of {
		out[i] = string(w)
	}
	return out
}

func (r *reader) family(root *yaml.Node, name string) family {
	var f family
	r.Mapping(root, "a rule file",
		strict.Key("signals", func(v *yaml.Node) { r.signals(v, &f) }),
		strict.Key("rules", func(v *yaml.Node) {
			r.Items(v, "rules", func(v *yaml.Node) { f.rules = append(f.rules, r.rule(v, name)) })
		}),
	)
	return f
}

// signals reads the named matchers of a family.
func (r *reader) signals(n *yaml.Node, f *family) {
	r.Pairs(n, "signals", func(k, v *yaml.Node) {
		if !signalShape.MatchString(k.Value) {
			r.Fail(k, "the name of a signal is lower-case words joined by \"-\", not %q", k.Value)
			return
		}
		var m matcherFields
		var what string
		r.Mapping(v, "a signal", append(r.matcherFields(&m),
			strict.Key("what", r.Text("what", &what)),
			strict.Key("whole", r.Flag("whole", &m.whole)),
			strict.Key("languages", r.languages(&m.languages)))...)
		if m.signal != nil {
			r.Fail(m.signal, "a signal can't be made of another signal")
		}
		if out := r.matcher(v, &m); out != nil {
			out.Signal, out.Languages, out.Whole = k.Value, m.languages, m.whole
			f.signals = append(f.signals, out)
		}
	})
}

func (r *reader) languages(dst *[]gate.Language) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.Items(n, "languages", func(v *yaml.Node) {
			r.Word("language", languages(), func(s string) { *dst = append(*dst, gate.Language(s)) })(v)
		})
	}
}

// conditions reads a list of conditions. reach is what `within` is when it is
// not given.
func (r *reader) conditions(what string, reach int, dst *[]Condition) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.Items(n, what, func(v *yaml.Node) {
			c := Condition{Within: reach}
			var m matcherFields
			r.Mapping(v, "a condition", append(r.matcherFields(&m),
				strict.Key("runs", r.Word("moment", []string{"on-import"}, func(string) { c.OnImport = true })),
				strict.Key("any", r.conditions("any", reach, &c.Any)),
				strict.Key("host", r.Word("kind of host", []string{"new"}, func(string) { c.NewHost = true })),
				strict.Key("package", r.Word("kind of package", []string{"new"}, func(string) { c.NewPackage = true })),
				strict.Key("within", func(v *yaml.Node) { within(&r.Reader, v, &c.Within) }))...)
			if len(c.Any) > 0 {
				if m.signal != nil || len(m.patterns) > 0 || c.NewHost || c.OnImport {
					r.Fail(v, "\"any\" is a condition by itself, without patterns or a signal")
				}
				c.Within = 0
				*dst = append(*dst, c)
				return
			}
			if c.OnImport {
				if m.signal != nil || len(m.patterns) > 0 || c.NewHost {
					r.Fail(v, "\"runs\" is a condition by itself, without patterns or a signal")
				}
				c.Within = 0
				*dst = append(*dst, c)
				return
			}
			if c.Matcher = r.matcher(v, &m); c.Matcher == nil {
				r.Fail(v, "a condition needs patterns, a signal, \"any\" or \"runs\"")
				return
			}
			c.Captures = slices.ContainsFunc(c.Matcher.Patterns, placeholder.MatchString)
			if c.Captures && (c.Within == WithinFlow || c.Within == WithinGuard) {
				r.Fail(v, "a condition within \"flow\" can't refer to groups of the match: the flow is what connects them")
			}
			if c.Captures && (c.NewHost || c.NewPackage) {
				r.Fail(v, "a condition on a new host or package can't refer to groups of the match")
			}
			*dst = append(*dst, c)
		})
	}
}

// within reads how far from the match a condition may be.
func within(r *strict.Reader, n *yaml.Node, dst *int) {
	switch n.Value {
	case "file":
		*dst = WithinFile
		return
	case "flow":
		*dst = WithinFlow
		return
	case "guard":
		*dst = WithinGuard
		return
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 0 || v > 1000 {
		r.Fail(n, "within must be \"file\", \"flow\", \"guard\" or a number of lines from 0 to 1000, not %s", strict.Kind(n))
		return
	}
	*dst = v
}

func (r *reader) raises(dst *[]Escalation) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.Items(n, "raise", func(v *yaml.Node) {
			raise := Escalation{To: gate.SeverityDangerous}
			r.Mapping(v, "raise",
				strict.Key("to", r.severity(&raise.To)),
				strict.Key("because", r.Text("because", &raise.Because)),
				strict.Key("weak", r.Flag("weak", &raise.LowConfidence)),
				strict.Key("all", r.conditions("all", WithinFile, &raise.All)),
				strict.Key("unless", r.conditions("unless", 0, &raise.Unless)),
			)
			if len(raise.All) == 0 {
				r.Fail(v, "raise needs conditions under \"all\"")
			}
			if raise.LowConfidence && raise.To != gate.SeveritySuspicious {
				r.Fail(v, "only a raise to \"suspicious\" can be weak")
			}
			if raise.Because == "" {
				r.Fail(v, "raise needs \"because\"")
			}
			*dst = append(*dst, raise)
		})
	}
}

func (r *reader) severity(dst *gate.Severity) func(*yaml.Node) {
	return r.Word("severity", severities(), func(s string) {
		_ = dst.UnmarshalText([]byte(s)) // the word was checked
	})
}

func (r *reader) rule(n *yaml.Node, familyName string) *Rule {
	out := &Rule{Rule: gate.Rule{Layer: gate.LayerStatic}, Family: familyName, Source: r.At(n), Roles: map[gate.Role]Effect{}}
	var m matcherFields
	fields := append(r.matcherFields(&m),
		strict.Key("id", r.Text("id", &out.ID)),
		strict.Key("severity", r.severity(&out.Severity)),
		strict.Key("title", r.Text("title", &out.Title)),
		strict.Key("message", r.Text("message", &out.Message)),
		strict.Key("why", r.Text("why", &out.Why)),
		strict.Key("instead", r.Text("instead", &out.Instead)),
		strict.Key("refs", r.Texts("refs", &out.Refs)),
		strict.Key("languages", r.languages(&out.Languages)),
		strict.Key("paths", globsOf(r, "paths", &out.Paths)),
		strict.Key("roles", func(v *yaml.Node) { r.roles(v, out.Roles) }),
		strict.Key("check", r.Text("check", &out.Check)),
		strict.Key("change", changeOf(r, &out.Change)),
		strict.Key("all", r.conditions("all", WithinFile, &out.All)),
		strict.Key("unless", r.conditions("unless", 0, &out.Unless)),
		strict.Key("raise", r.raises(&out.Escalations)),
		strict.Key("entropy", func(v *yaml.Node) {
			e, err := strconv.ParseFloat(v.Value, 64)
			if err != nil || e <= 0 || e > 8 {
				r.Fail(v, "entropy must be a number of bits above 0 and up to 8, not %s", strict.Kind(v))
				return
			}
			out.Entropy = e
		}),
		strict.Key("redact", r.Flag("redact", &out.Redact)),
		strict.Key("weak", r.Flag("weak", &out.LowConfidence)),
		strict.Key("as-written", r.Flag("as-written", &out.AsWritten)),
	)
	r.Mapping(n, "a rule", fields...)
	out.Match = r.matcher(n, &m)
	complete(&r.Reader, n, out)
	return out
}

// globsOf reads a list of globs, each of which can match.
func globsOf(r *reader, what string, dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.Items(n, what, func(v *yaml.Node) {
			if v.Kind != yaml.ScalarNode {
				r.Fail(v, "an entry of %s must be a glob, not %s", what, strict.Kind(v))
			} else if err := glob.Check(v.Value); err != nil {
				r.Fail(v, "%s: %v", what, err)
			} else {
				*dst = append(*dst, v.Value)
			}
		})
	}
}

func (r *reader) roles(n *yaml.Node, dst map[gate.Role]Effect) {
	r.Pairs(n, "roles", func(k, v *yaml.Node) {
		r.Word("role", roles(), func(role string) {
			r.Word("severity", append(severities(), "off"), func(s string) {
				e := Effect{Off: s == "off"}
				if !e.Off {
					_ = e.Severity.UnmarshalText([]byte(s)) // the word was checked
				}
				dst[gate.Role(role)] = e
			})(v)
		})(k)
	})
}

// complete reports what a rule lacks.
func complete(r *strict.Reader, n *yaml.Node, out *Rule) {
	if n.Kind != yaml.MappingNode {
		return
	}
	if out.ID != "" && !idShape.MatchString(out.ID) {
		r.Fail(n, "the id %q is not of the form category/name in lower-case words joined by \"-\"", out.ID)
	}
	missing := func(key string, is bool) {
		if is {
			r.Fail(n, "the rule %q lacks %q", out.ID, key)
		}
	}
	missing("id", out.ID == "")
	missing("severity", out.Severity == gate.SeverityUnknown)
	missing("title", out.Title == "")
	out.Message = cmp.Or(out.Message, out.Title)
	missing("why", out.Why == "")
	missing("instead", out.Instead == "")
	if out.LowConfidence && (out.Severity != gate.SeveritySuspicious || out.Check != "") {
		r.Fail(n, "the rule %q can't be weak: only a rule with a matcher and the severity \"suspicious\" can", out.ID)
	}
	switch {
	case out.Change != nil:
		if out.Match != nil || out.Check != "" || len(out.All)+len(out.Unless)+len(out.Escalations) > 0 || out.LowConfidence {
			r.Fail(n, "the rule %q has a change, so it can't have anything else to look for", out.ID)
		}
	case out.Match == nil && out.Check == "":
		r.Fail(n, "the rule %q lacks \"patterns\" (or a signal, a check or a change)", out.ID)
	case out.Match != nil && out.Check != "":
		r.Fail(n, "the rule %q has both a check and something to match", out.ID)
	case out.Match != nil && slices.ContainsFunc(out.Match.Patterns, placeholder.MatchString):
		r.Fail(n, "the rule %q refers to a group in its own pattern; only conditions can", out.ID)
	}
}
