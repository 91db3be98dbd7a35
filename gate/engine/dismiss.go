package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/suppress"
	"github.com/aigate/gate/report"
)

// DismissOptions say which finding is dismissed, by whom and why.
type DismissOptions struct {
	Local LocalOptions // its paths are set by Dismiss
	// Where is PATH:LINE. Of a saved result, the path is the one that the report shows.
	Where   string
	Result  string // a saved result that has the finding; "" scans the file
	Rule    string // "" for the only suspicious finding of the line
	Reason  string
	By      string
	Expires string // the last day, YYYY-MM-DD; "" is in 90 days
}

// defaultDays is how long a dismissal holds where --expires is not given.
const defaultDays = 90

// entry is what the options say of the entry.
func (o DismissOptions) entry(now time.Time) (suppress.Entry, error) {
	e := suppress.Entry{Reason: o.Reason, By: o.By, Expires: suppress.On(now.AddDate(0, 0, defaultDays))}
	if o.By == "" {
		return e, exit.Usagef("--by is missing: the account on GitHub that dismisses the finding, which needs the permission of the policy's override")
	}
	if err := suppress.CheckAccount(o.By); err != nil {
		return e, exit.Usagef("--by: %w", err)
	}
	if err := suppress.CheckReason(o.Reason); err != nil {
		return e, exit.Usagef("--reason: %w", err)
	}
	if o.Expires != "" {
		var err error
		if e.Expires, err = suppress.ParseDay(o.Expires); err != nil {
			return e, exit.Usagef("--expires: %w", err)
		}
	}
	switch {
	case e.Expires < suppress.On(now):
		return e, exit.Usagef("--expires: %s is over", e.Expires)
	case e.Expires > suppress.Latest(now):
		return e, exit.Usagef("--expires: %s is too far ahead; the latest day is %s", e.Expires, suppress.Latest(now))
	}
	return e, nil
}

// Dismiss writes an entry for a finding to the baseline at the root of the tree, and says
// so on w. It counts once the base commit has it.
func (e *Engine) Dismiss(ctx context.Context, o DismissOptions, w io.Writer) error {
	entry, err := o.entry(time.Now())
	if err != nil {
		return err
	}
	path, number, _ := cutLast(o.Where)
	line, err := strconv.Atoi(number)
	if err != nil || line < 1 || path == "" {
		return exit.Usagef("which finding? %q is not PATH:LINE", o.Where)
	}
	if o.Result == "" {
		o.Local.Paths = []string{path}
	}
	local, err := e.OpenLocal(ctx, o.Local)
	if err != nil {
		return err
	}
	defer local.Close()
	file, err := e.seenIn(ctx, local, o, path)
	if err != nil {
		return err
	}
	found, err := o.choose(file, line)
	if err != nil {
		return err
	}
	added, err := suppress.Dismiss(local.repo.WorkTree(), file, found, entry)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	next, err := Settings{Tree: local.repo.WorkTree()}.Baseline()
	if err != nil {
		return err
	}
	if next == nil {
		next = &suppress.Baseline{}
	}
	if err := e.writeBaseline(local, next.With(added)); err != nil {
		return err
	}
	for _, a := range added {
		fmt.Fprintf(w, "+ %s:%d  %s  %s  by %s until %s  (%s)\n", shown(a.Path), line, a.Severity, a.Rule, a.By, a.Expires, shown(a.Reason))
	}
	e.Noticef("commit %s: the dismissal counts from the base commit on, while %s has the permission and takes no part in the change", suppress.BaselineFile, entry.By)
	return nil
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// seenIn is what was found in a file: in a saved result, or by looking at it now.
func (e *Engine) seenIn(ctx context.Context, local *Local, o DismissOptions, path string) (gate.FileResult, error) {
	if o.Result != "" {
		return savedFile(local, o.Result, path)
	}
	looked, err := e.Run(ctx, Request{Origin: local, Selected: []gate.Layer{gate.LayerStatic}, Require: []gate.Layer{gate.LayerStatic},
		Suppress: Suppressions{On: true}})
	if err != nil {
		return gate.FileResult{}, err
	}
	files := slices.DeleteFunc(slices.Clone(looked.Result.Files), func(f gate.FileResult) bool { return f.Parent != "" })
	if len(files) != 1 {
		return gate.FileResult{}, exit.Usagef("%s is not one file that gate looks at", shown(path))
	}
	return files[0], nil
}

// savedFile takes a file from a saved result, which has to be about the content of now.
func savedFile(local *Local, name, path string) (gate.FileResult, error) {
	data, err := bounded.ReadPath(name, report.MaxDocument)
	if err != nil {
		return gate.FileResult{}, exit.Usagef("read the result: %w", err)
	}
	res, err := report.Decode(strings.NewReader(string(data)))
	if err != nil {
		return gate.FileResult{}, exit.Usagef("%s: %w", name, err)
	}
	path = filepath.ToSlash(path)
	i := slices.IndexFunc(res.Files, func(f gate.FileResult) bool { return f.Path == path && f.Parent == "" })
	if i < 0 {
		return gate.FileResult{}, exit.Usagef("%s says nothing of a file %s", name, shown(path))
	}
	text, err := bounded.ReadFile(local.repo.WorkTree(), path, suppress.MaxFile)
	if err != nil {
		return gate.FileResult{}, exit.Usagef("read what the finding is in: %w", err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != res.Files[i].SHA256 {
		return gate.FileResult{}, exit.Usagef("%s is about another content of %s: check out the commit that it is about, or leave out --result", name, shown(path))
	}
	return res.Files[i], nil
}

// choose returns the findings that are dismissed.
func (o DismissOptions) choose(file gate.FileResult, line int) ([]gate.Finding, error) {
	var found []gate.Finding
	var rules []string
	for _, f := range file.Findings {
		here := f.Line <= line && line <= f.EndLine && f.Line > 0
		wanted := o.Rule == f.Rule || o.Rule == "" && f.Severity >= gate.SeveritySuspicious && f.Suppressed == nil
		if here && wanted {
			found = append(found, f)
			if !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
	}
	at := fmt.Sprintf("%s:%d", shown(file.Path), line)
	switch {
	case len(found) == 0 && o.Rule == "":
		return nil, exit.Usagef("nothing suspicious is found at %s (--rule names a note)", at)
	case len(found) == 0:
		return nil, exit.Usagef("%s finds nothing at %s", o.Rule, at)
	case len(rules) > 1:
		return nil, exit.Usagef("%d rules find something at %s: which one? --rule %s", len(rules), at, strings.Join(rules, ", --rule "))
	}
	return found, nil
}

// Dismissed returns a baseline with the entries that dismiss findings of one rule in a file
// of a tree, as [Engine.Dismiss] writes them. Of the options it takes who, why and until
// when; old is the baseline so far, nil for none.
func Dismissed(o DismissOptions, tree fs.FS, file gate.FileResult, found []gate.Finding, old []byte) ([]byte, error) {
	entry, err := o.entry(time.Now())
	if err != nil {
		return nil, err
	}
	b := &suppress.Baseline{}
	if old != nil {
		if b, err = suppress.ParseBaseline(suppress.BaselineFile, old); err != nil {
			return nil, exit.Usagef("%w", err)
		}
	}
	added, err := suppress.Dismiss(tree, file, found, entry)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return baselineBytes(b.With(added))
}

// baselineBytes is a baseline as its file, which can be read again.
func baselineBytes(b suppress.Baseline) ([]byte, error) {
	data, err := b.Bytes()
	if err != nil {
		return nil, exit.Failed(err)
	}
	if len(data) > suppress.MaxBytes {
		return nil, exit.Failed(fmt.Errorf("the baseline would have %d bytes, and at most %d are read; accept fewer findings (--severity, PATH)", len(data), suppress.MaxBytes))
	}
	if _, err := suppress.ParseBaseline(suppress.BaselineFile, data); err != nil {
		return nil, exit.Failed(errors.Join(errors.New("the baseline would not be read again"), err))
	}
	return data, nil
}

// writeBaseline writes the baseline at the root of a tree.
func (e *Engine) writeBaseline(local *Local, b suppress.Baseline) error {
	data, err := baselineBytes(b)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(local.Root(), suppress.BaselineFile), data); err != nil {
		return exit.Failed(fmt.Errorf("write the baseline: %w", err))
	}
	return nil
}

// Tell prints what happened to a baseline.
func (b BaselineOutcome) Tell(stdout, stderr io.Writer) {
	show := func(sign string, entries []suppress.Entry) {
		for _, e := range entries {
			fmt.Fprintf(stdout, "%s %s  %s  %s  (%s)\n", sign, shown(e.Path), e.Severity, e.Rule, shown(e.Reason))
		}
	}
	show("+", b.Difference.Added)
	show("-", b.Difference.Removed)
	fmt.Fprintf(stdout, "%s: %d entries, %d added, %d removed\n", suppress.BaselineFile, len(b.Next.Entries), len(b.Difference.Added), len(b.Difference.Removed))
	for _, l := range b.NotAccepted {
		fmt.Fprintf(stderr, "gate: not accepted: %s\n", shown(l))
	}
	if n := len(b.Result.Incomplete); n > 0 {
		fmt.Fprintf(stderr, "gate: %d things could not be looked at (`gate scan` lists them); the entries for them were kept\n", n)
	}
}

// shown quotes a text that holds what a terminal would not just show.
func shown(s string) string {
	q := fmt.Sprintf("%q", s)
	if inner := strings.Trim(q, `"`); inner == s {
		return s
	}
	return q
}
