package policy

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// maxItems bounds every list and mapping of a policy.
const maxItems = 1000

func (r *reader) scalar(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		r.doc.Fail(n, "a single value is expected here, not %s", strict.Kind(n))
		return "", false
	}
	return n.Value, true
}

func (r *reader) text(n *yaml.Node, dst *string, check func(string) error) {
	s, ok := r.scalar(n)
	if !ok {
		return
	}
	if check != nil {
		if err := check(s); err != nil {
			r.doc.Fail(n, "%v", err)
			return
		}
	}
	*dst = s
}

func (r *reader) word(n *yaml.Node, dst *string, allowed ...string) {
	r.text(n, dst, func(s string) error {
		if !slices.Contains(allowed, s) {
			return fmt.Errorf("%q is not one of %s", s, strings.Join(allowed, ", "))
		}
		return nil
	})
}

func (r *reader) leniency(n *yaml.Node, dst *gate.Leniency) {
	r.word(n, (*string)(dst), string(gate.LeniencyWarn), string(gate.LeniencyIncomplete))
}

// choose sets dst to the value of the word that n holds.
func choose[T any](r *reader, n *yaml.Node, dst *T, values map[string]T) {
	s, ok := r.scalar(n)
	if !ok {
		return
	}
	v, ok := values[s]
	if !ok {
		r.doc.Fail(n, "%q is not one of %s", s, strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		return
	}
	*dst = v
}

func (r *reader) boolean(n *yaml.Node, dst *bool) {
	choose(r, n, dst, map[string]bool{"true": true, "false": false})
}

func (r *reader) number(n *yaml.Node, dst *float64, lo, hi float64) {
	s, ok := r.scalar(n)
	if !ok {
		return
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= lo && v <= hi) {
		r.doc.Fail(n, "%q is not a number from %g to %g", s, lo, hi)
		return
	}
	*dst = v
}

func (r *reader) integer64(n *yaml.Node, dst *int64, lo, hi int64) {
	s, ok := r.scalar(n)
	if !ok {
		return
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < lo || v > hi {
		r.doc.Fail(n, "%q is not a whole number from %d to %d", s, lo, hi)
		return
	}
	*dst = v
}

func (r *reader) integer(n *yaml.Node, dst *int, lo, hi int64) {
	v := int64(*dst)
	r.integer64(n, &v, lo, hi)
	*dst = int(v)
}

func (r *reader) size(n *yaml.Node, dst *int64, lo, hi int64) {
	if s, ok := r.scalar(n); ok {
		v, err := ParseSize(s, lo, hi)
		parsed(r, n, dst, v, err)
	}
}

func (r *reader) duration(n *yaml.Node, dst *time.Duration, lo, hi time.Duration) {
	if s, ok := r.scalar(n); ok {
		v, err := ParseDuration(s, lo, hi)
		parsed(r, n, dst, v, err)
	}
}

// alert reads a threshold: an amount, a share of the limit, or off.
func (r *reader) alert(n *yaml.Node, dst *gate.Alert, amount func(string) (int64, error)) {
	s, ok := r.scalar(n)
	if !ok {
		return
	}
	if s == "off" {
		*dst = gate.Alert{Own: true}
		return
	}
	if share, found := strings.CutSuffix(s, "%"); found {
		v, err := strconv.ParseFloat(share, 64)
		if err != nil || !(v >= 1 && v <= 100) {
			r.doc.Fail(n, "%q is not a share from 1%% to 100%%", s)
			return
		}
		*dst = gate.Alert{Share: v / 100, Own: true}
		return
	}
	v, err := amount(s)
	if err != nil {
		r.doc.Fail(n, "%v, or a share such as 80%%, or off", err)
		return
	}
	*dst = gate.Alert{Amount: v, Own: true}
}

func parsed[T any](r *reader, n *yaml.Node, dst *T, v T, err error) {
	if err != nil {
		r.doc.Fail(n, "%v", err)
		return
	}
	*dst = v
}

func (r *reader) strings(n *yaml.Node, dst *[]string, check func(string) error) {
	items, ok := r.items(n)
	if !ok {
		return
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		var s string
		r.text(item, &s, check)
		out = append(out, s)
	}
	*dst = out
}

func (r *reader) items(n *yaml.Node) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		r.doc.Fail(n, "a list is expected here, such as [a, b]")
		return nil, false
	}
	if len(n.Content) > maxItems {
		r.doc.Fail(n, "the list has %d items (at most %d)", len(n.Content), maxItems)
		return nil, false
	}
	return n.Content, true
}

func (r *reader) globs(n *yaml.Node, dst *[]string) { r.strings(n, dst, checkGlob) }

func (r *reader) layers(n *yaml.Node, dst *[]gate.Layer) {
	var names []string
	r.strings(n, &names, func(s string) error {
		if !slices.Contains(gate.Layers(), gate.Layer(s)) {
			return fmt.Errorf("%q is not a layer (static, judge, sandbox)", s)
		}
		return nil
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.doc.Fail(n, "at least one layer must be required")
		return
	}
	out := make([]gate.Layer, 0, len(names))
	for _, s := range names {
		out = append(out, gate.Layer(s))
	}
	*dst = out
}

func (r *reader) overrides(n *yaml.Node, dst *[]gate.PathOverride) {
	records(r, n, dst, "an override", func(o *gate.PathOverride) []strict.Field {
		return []strict.Field{
			strict.Need("match", func(v *yaml.Node) { r.text(v, &o.Match, checkGlob) }),
			strict.Need("changes", func(v *yaml.Node) { r.word(v, &o.Changes, "ai", "all") }),
		}
	})
}

// records reads a list of mappings that all have the same keys.
func records[T any](r *reader, n *yaml.Node, dst *[]T, what string, fields func(*T) []strict.Field) {
	items, ok := r.items(n)
	if !ok {
		return
	}
	out := make([]T, len(items))
	for i, item := range items {
		r.doc.Mapping(item, what, fields(&out[i])...)
	}
	*dst = out
}

func (r *reader) severities(n *yaml.Node, dst *map[string]gate.Severity) {
	out := map[string]gate.Severity{}
	r.entries(n, func(k, v *yaml.Node) {
		if err := checkRuleID(k.Value); err != nil {
			r.doc.Fail(k, "%v", err)
			return
		}
		var s gate.Severity
		choose(r, v, &s, map[string]gate.Severity{
			"dangerous": gate.SeverityDangerous, "suspicious": gate.SeveritySuspicious, "note": gate.SeverityNote})
		out[k.Value] = s
	})
	*dst = out
}

func (r *reader) images(n *yaml.Node, dst *map[gate.Language]string) {
	out := map[gate.Language]string{}
	runtimes := ImageNames()
	r.entries(n, func(k, v *yaml.Node) {
		langs, ok := runtimes[k.Value]
		if !ok {
			r.doc.Fail(k, "unknown image %q (allowed: %s)", k.Value, strings.Join(slices.Sorted(maps.Keys(runtimes)), ", "))
			return
		}
		var ref string
		r.text(v, &ref, checkName)
		for _, l := range langs {
			out[l] = ref
		}
	})
	*dst = out
}

// sizes reads a size for each of some languages.
func (r *reader) sizes(n *yaml.Node, dst *map[gate.Language]int64, lo, hi int64) {
	out := map[gate.Language]int64{}
	names := ImageNames()
	names["wasm"] = []gate.Language{gate.LanguageWasm}
	r.entries(n, func(k, v *yaml.Node) {
		langs, ok := names[k.Value]
		if !ok {
			r.doc.Fail(k, "unknown language %q (allowed: %s)", k.Value, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
			return
		}
		var size int64
		r.size(v, &size, lo, hi)
		for _, l := range langs {
			out[l] = size
		}
	})
	*dst = out
}

func (r *reader) stringMap(n *yaml.Node, dst *map[string]string, checkKey func(string) error) {
	out := map[string]string{}
	r.entries(n, func(k, v *yaml.Node) {
		if err := checkKey(k.Value); err != nil {
			r.doc.Fail(k, "%v", err)
			return
		}
		var s string
		r.text(v, &s, nil)
		out[k.Value] = s
	})
	*dst = out
}

// entries reads a mapping whose keys are the user's.
func (r *reader) entries(n *yaml.Node, read func(k, v *yaml.Node)) {
	if len(n.Content) > 2*maxItems {
		r.doc.Fail(n, "the mapping has %d entries (at most %d)", len(n.Content)/2, maxItems)
		return
	}
	r.doc.Pairs(n, "the value", read)
}

var (
	ruleIDPattern = regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+$`)
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}$`)
)

func checkRuleID(s string) error {
	if !ruleIDPattern.MatchString(s) {
		return fmt.Errorf("%q is not a rule id (category/name, see `gate rules list`)", s)
	}
	return nil
}

func checkName(s string) error {
	if !namePattern.MatchString(s) {
		return fmt.Errorf("%q is not a name (letters, digits and ._:/@-, at most 255)", s)
	}
	return nil
}

var egressPattern = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](?::([1-9]\d{0,4}))?$`)

// checkEgress takes host names: an address or a wildcard would open more than it
// says.
func checkEgress(s string) error {
	m := egressPattern.FindStringSubmatch(s)
	ok := m != nil && len(s) <= 253
	if ok && m[1] != "" {
		_, err := strconv.ParseUint(m[1], 10, 16)
		ok = err == nil
	}
	if !ok {
		return fmt.Errorf("%q is not a host such as api.example.com or api.example.com:8443 (lower case, no addresses, no wildcards)", s)
	}
	return nil
}

// checkOrigin takes what package gate/agent/data does.
func checkOrigin(s string) error {
	_, err := data.ParseOrigin(s)
	return err
}

func checkModel(s string) error {
	if s == "" {
		return nil
	}
	return checkName(s)
}

// checkImportName takes a module, or a glob in what the static layer and the restricted
// mode of Python, which matches for itself, read alike.
func checkImportName(s string) error {
	if strings.ContainsAny(s, `^{}\`) {
		return fmt.Errorf("%q: names of modules take *, ? and classes such as [a-z] and [!a-z], nothing else", s)
	}
	return glob.CheckName(s)
}

func checkGlob(s string) error {
	return glob.Check(s)
}

func checkPath(s string) error {
	if s == "" || path.IsAbs(s) || s != path.Clean(s) || s == ".." || strings.HasPrefix(s, "../") {
		return fmt.Errorf("%q is not a path below the repository", s)
	}
	return nil
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%q is not an http or https URL", s)
	}
	return nil
}
