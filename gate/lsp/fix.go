package lsp

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/linediff"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/lsp/protocol"
)

// rewrite is how the lines of a finding can be written without what it is about. It is
// offered only where the static layer agrees.
type rewrite struct {
	rules   []string // ids, or a category with a slash at the end
	title   string
	pattern *regexp.Regexp
	with    string
}

// rewrites are those that mean the same without the danger, or ask for the check that is off.
func rewrites() []rewrite {
	re := regexp.MustCompile
	certificates := []string{"network/js-tls-off", "network/go-tls-off", "privilege/python-tls-off", "weakening/certificate-check-off", "supply-chain/shell-unsafe-source", "supply-chain/index-argument"}
	return []rewrite{
		{certificates, "check the certificate", re(`\b(verify|check_hostname|ssl_verify|verify_ssl)(\s*[=:]\s*)False\b`), "${1}${2}True"},
		{certificates, "check the certificate", re(`\b(rejectUnauthorized|strictSSL)(["']?\s*[=:]\s*)false\b`), "${1}${2}true"},
		{certificates, "check the certificate", re(`\bInsecureSkipVerify(\s*[=:]\s*)true\b`), "InsecureSkipVerify${1}false"},
		{certificates, "check the certificate", re(`\b(curl\b[^\n|;&]*?)\s(?:-k|--insecure)\b`), "${1}"},
		{certificates, "check the certificate", re(`\b(wget\b[^\n|;&]*?)\s--no-check-certificate\b`), "${1}"},
		{[]string{"privilege/"}, "let only the owner write", re(`\b(chmod\s+(?:-R\s+)?)0?777\b`), "${1}755"},
		{[]string{"privilege/", "weakening/file-open-to-all", "weakening/file-rights-widened"}, "let only the owner write", re(`\b0o777\b`), "0o755"},
		{[]string{"privilege/", "weakening/file-open-to-all", "weakening/file-rights-widened"}, "let only the owner write", re(`\b0o666\b`), "0o644"},
		{[]string{"deserialization/", "weakening/loads-objects"}, "load plain values only", re(`\byaml\.(?:unsafe_load|full_load|load)\(\s*([^,()]+(?:\([^()]*\))?)(?:\s*,\s*(?:Loader\s*=\s*)?yaml\.\w*Loader)?\s*\)`), "yaml.safe_load(${1})"},
		{[]string{"deserialization/", "weakening/loads-objects"}, "load tensors only", re(`\bweights_only(\s*=\s*)False\b`), "weights_only${1}True"},
		{[]string{"weakening/debug-on"}, "turn debugging off", re(`\b(debug|DEBUG)(\s*=\s*)True\b`), "${1}${2}False"},
		{[]string{"weakening/cookie-flag-off"}, "protect the cookie", re(`(?i)\b(\w*(?:secure|http_?only))(["']?\s*[=:]\s*)false\b`), "${1}${2}true"},
		{[]string{"weakening/archive-unpacked-whole", "weakening/archive-trusted"}, "unpack data only", re(`\.extractall\(\s*\)`), `.extractall(filter="data")`},
		{[]string{"weakening/archive-unpacked-whole", "weakening/archive-trusted"}, "unpack data only", re(`\.extractall\(([^()=]+)\)`), `.extractall(${1}, filter="data")`},
		{[]string{"weakening/broken-hash-for-secrets", "weakening/hash-downgraded"}, "use SHA-256", re(`\bhashlib\.(?:md5|sha1)\(`), "hashlib.sha256("},
		{[]string{"supply-chain/repository-without-tls", "supply-chain/registry-new-host", "supply-chain/pip-index", "supply-chain/npmrc", "weakening/transport-in-clear", "weakening/transport-lowered"}, "use HTTPS", re(`\bhttp://`), "https://"},
		{[]string{"workflow/write-all", "workflow/wider-permissions"}, "let the token read only", re(`\bpermissions:(\s*)write-all\b`), "permissions:${1}{contents: read}"},
	}
}

// applies reports whether a rewrite is for a rule.
func (r rewrite) applies(rule string) bool {
	return slices.ContainsFunc(r.rules, func(s string) bool { return s == rule || strings.HasSuffix(s, "/") && strings.HasPrefix(rule, s) })
}

// fix is an edit of lines that takes a finding away.
type fix struct {
	title string
	edit  protocol.TextEdit
	after []byte
}

// replacement puts a text in the place of a part.
func (t text) replacement(title string, start, end int, with string) fix {
	after := slices.Concat(t.data[:start], []byte(with), t.data[end:])
	return fix{title, protocol.TextEdit{Range: protocol.Range{Start: t.position(start), End: t.position(end)}, NewText: with}, after}
}

// candidates are what could take a finding away: the line written in another way, and the
// lines as the base has them.
func (x subject) candidates(f gate.Finding, before []byte) []fix {
	var out []fix
	if f.Line > 0 && f.Origin == "" {
		start, end := x.text.bounds(f.Line, max(f.EndLine, f.Line))
		lines := string(x.text.data[start:end])
		for _, r := range rewrites() {
			if !r.applies(f.Rule) {
				continue
			}
			if with := r.pattern.ReplaceAllString(lines, r.with); with != lines {
				out = append(out, x.text.replacement(r.title, start, end, with))
			}
		}
		if strings.HasPrefix(f.Rule, "hidden-text/") {
			if with := strings.Map(seen, lines); with != lines {
				out = append(out, x.text.replacement("remove what can't be seen", start, end, with))
			}
		}
	}
	if before != nil && f.InChange {
		out = append(out, x.undo(f, before)...)
	}
	return out
}

// seen drops characters that can't be seen.
func seen(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return r
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.IsControl(r),
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x2800:
		return -1
	}
	return r
}

// undo takes the changes that touch a finding back to what the base has.
func (x subject) undo(f gate.Finding, before []byte) []fix {
	old, now := linediff.Lines(before), linediff.Lines(x.text.data)
	offset := make([]int, len(now)+1)
	for i, line := range now {
		offset[i+1] = offset[i] + len(line)
	}
	from, to := max(f.Line, 1)-1, max(f.EndLine, f.Line, 1) // [from, to)
	for _, h := range linediff.Hunks(before, x.text.data) {
		if h.New.Start > to || h.New.End < from || h.New.Start == to && h.New.Start != h.New.End || h.New.End == from && h.New.Start != h.New.End {
			continue
		}
		with := string(bytes.Join(old[h.Old.Start:h.Old.End], nil))
		return []fix{x.text.replacement("take this change back", offset[h.New.Start], offset[h.New.End], with)}
	}
	return nil
}

// fixes are the edits after which the static layer does not find something any more, and
// finds nothing new.
func (s actions) fixes(ctx context.Context, x subject, l looked, f gate.Finding, tries *int) ([]fix, error) {
	before, err := x.before()
	if err != nil {
		return nil, err
	}
	var out []fix
	for _, c := range x.candidates(f, before) {
		if *tries == 0 {
			return out, nil
		}
		*tries--
		res, err := x.scan(ctx, before, c.after)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil || len(res.Incomplete) > len(l.gaps) {
			continue
		}
		var after []gate.Finding
		for _, file := range res.Files {
			after = append(after, file.Findings...)
		}
		if removes(l.findings, after, f.Rule) {
			out = append(out, c)
		}
	}
	return out, nil
}

// removes reports whether there are fewer findings of a rule, and not more of any other that
// is more than a note.
func removes(before, after []gate.Finding, rule string) bool {
	type key struct {
		severity gate.Severity
		rule     string
	}
	counted := func(all []gate.Finding) (n map[key]int, same int) {
		n = map[key]int{}
		for _, f := range all {
			if !f.Decides() {
				continue
			}
			if f.Rule == rule {
				same++
			}
			if f.Severity != gate.SeverityNote {
				n[key{f.Severity, f.Rule}]++
			}
		}
		return n, same
	}
	then, had := counted(before)
	now, has := counted(after)
	for k, n := range now {
		if n > then[k] {
			return false
		}
	}
	return has < had
}
