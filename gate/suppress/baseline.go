package suppress

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/aigate/gate/gate"
)

// BaselineFile is where a repository keeps its baseline.
const BaselineFile = ".gate-baseline.json"

// Bounds of a baseline.
const (
	MaxBytes   = 8 << 20 // of the file
	maxEntries = 20_000
	maxCount   = 10_000
)

// Baseline is the findings that the owner of a repository has accepted.
type Baseline struct {
	Entries []Entry // sorted by path, layer, rule, hash
}

// Entry is one accepted finding. It covers findings of one rule in one file that
// rest on exactly this content and are not more severe.
type Entry struct {
	Path     string
	Layer    gate.Layer
	Rule     string
	Severity gate.Severity
	// Hash is of the lines of the finding ("lines:") or, for findings of whole
	// files and of the other layers, of the file ("file:"). That of a dismissal is of
	// the tokens of its statements, from source to sink ("flow:"), where they can be read.
	Hash string
	// Count is how often the lines may be in the file: a copy of what was
	// accepted is not accepted.
	Count   int
	Reason  string
	Expires Day
	// By is the account that dismissed the finding. With it, an entry is a dismissal:
	// see [Entry.Dismissal].
	By string
	// Line is where the entry is in the file that it was read from; 0 for a
	// new one.
	Line int
}

// Dismissal reports whether the entry is one: it covers a finding whose lines move or are
// formatted anew, has to name who dismissed it, and ends with its day.
func (e Entry) Dismissal() bool { return e.By != "" }

func (e Entry) compare(o Entry) int {
	return cmp.Or(cmp.Compare(e.Path, o.Path), cmp.Compare(e.Layer, o.Layer), cmp.Compare(e.Rule, o.Rule), cmp.Compare(e.Hash, o.Hash))
}

// Bytes returns the baseline as a file: one line an entry, in an order that does
// not depend on where in their files the findings are.
func (b Baseline) Bytes() ([]byte, error) {
	entries := slices.SortedFunc(slices.Values(b.Entries), Entry.compare)
	var out bytes.Buffer
	version := versionPlain
	if slices.ContainsFunc(entries, Entry.Dismissal) {
		version = versionDismissals
	}
	fmt.Fprintf(&out, "{\n  \"version\": %d,\n  \"entries\": [", version)
	for i, e := range entries {
		line, err := e.json()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n    %s", line)
	}
	if len(entries) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("]\n}\n")
	return out.Bytes(), nil
}

// json is an entry on one line.
func (e Entry) json() (string, error) {
	members := []struct {
		name  string
		value any
	}{
		{"path", e.Path}, {"rule", e.Rule}, {"layer", e.Layer}, {"severity", e.Severity}, {"hash", e.Hash},
		{"count", e.Count}, {"reason", e.Reason}, {"by", e.By}, {"expires", e.Expires},
	}
	var parts []string
	for _, m := range members {
		if m.value == 0 || m.value == Day("") || m.name == "by" && m.value == "" {
			continue
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("%q: %s", m.name, value))
	}
	return visible("{" + strings.Join(parts, ", ") + "}"), nil
}

// visible escapes what cannot be seen, so that a reviewer sees all of a name.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// check says what is wrong with an entry.
func (e Entry) check() error {
	if err := e.checkFinding(); err != nil {
		return err
	}
	return CheckReason(e.Reason)
}

// checkFinding says what is wrong with what an entry accepts.
func (e Entry) checkFinding() error {
	hex, ofLines := strings.CutPrefix(e.Hash, hashOfLines)
	if flow, ok := strings.CutPrefix(e.Hash, hashOfFlow); ok && e.Dismissal() {
		hex, ofLines = flow, true
	}
	if !ofLines {
		hex = strings.TrimPrefix(e.Hash, hashOfFile)
	}
	if err := e.checkDismissal(); err != nil {
		return err
	}
	switch {
	case !fs.ValidPath(e.Path) || e.Path == ".":
		return fmt.Errorf("%q is not a path below the root of the repository", clip(e.Path))
	case !ruleID.MatchString(e.Rule):
		return fmt.Errorf("%q is not the id of a rule", clip(e.Rule))
	case !suppressible(e.Rule):
		return fmt.Errorf("%s is about a change itself and can't be accepted in advance", e.Rule)
	case !slices.Contains(gate.Layers(), e.Layer):
		return fmt.Errorf("%q is not a layer (static, judge, sandbox)", clip(string(e.Layer)))
	case e.Severity == gate.SeverityUnknown:
		return fmt.Errorf("the severity is missing (note, suspicious, dangerous)")
	case len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" || hex == e.Hash:
		return fmt.Errorf("the hash has to be %sHEX or %sHEX, with 64 digits", hashOfLines, hashOfFile)
	case ofLines && e.Layer != gate.LayerStatic:
		return fmt.Errorf("findings of the layer %s are accepted for a whole file (%sHEX)", e.Layer, hashOfFile)
	case ofLines && (e.Count < 1 || e.Count > maxCount):
		return fmt.Errorf("the count has to be from 1 to %d", maxCount)
	case !ofLines && e.Count != 0:
		return fmt.Errorf("only an entry for lines has a count")
	}
	return nil
}

// where names an entry for people.
func (e Entry) where() string { return BaselineFile + " line " + strconv.Itoa(e.Line) }
