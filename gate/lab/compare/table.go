package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

// table runs all tools over corpora and writes what they found into a page.
type table struct {
	gate, bin, page string
	kept            string // folder in which the answers of the other tools are kept; "" keeps none
	log             io.Writer
}

// used is what is known about a tool that ran.
type used struct {
	tool
	number string // its version
}

func (t table) write(ctx context.Context, corpora []string, now time.Time) error {
	if len(corpora) == 0 {
		return errors.New("which corpora? usage: compare table CORPUS [CORPUS]…, as `make detection` calls it")
	}
	tools := []*used{}
	for _, o := range others(t.bin) {
		version, err := o.version(ctx)
		if err != nil {
			return err
		}
		tools = append(tools, &used{tool: o, number: version})
	}
	self := &used{tool: tool{name: "gate", severities: "its own", languages: compared()}}
	var measured []measured
	for _, dir := range corpora {
		m, err := t.measure(ctx, dir, self, tools)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		measured = append(measured, m)
	}
	var b bytes.Buffer
	render(&b, measured, append([]*used{self}, tools...), now)
	return t.replace(b.Bytes())
}

// compared are the languages of the table: those in which at least one of the
// tools is at home, and JavaScript.
func compared() []gate.Language {
	return []gate.Language{gate.LanguagePython, gate.LanguageShell, gate.LanguageGo, gate.LanguageJavaScript, gate.LanguageTypeScript}
}

// measured is a corpus and what all tools said about it.
type measured struct {
	about    eval.About
	measures []eval.Measure // the layers are the tools
	gate     eval.Result
}

func (t table) measure(ctx context.Context, dir string, self *used, tools []*used) (measured, error) {
	corpus, err := eval.Open(dir)
	if err != nil {
		return measured{}, err
	}
	defer corpus.Close()
	samples := slices.DeleteFunc(slices.Clone(corpus.Samples), func(s eval.Sample) bool { return !slices.Contains(compared(), s.Language) })
	root, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(corpus.Root())))
	if err != nil {
		return measured{}, err
	}
	res, err := t.runGate(ctx, dir)
	if err != nil {
		return measured{}, err
	}
	self.number = res.Tool.Version
	outcomes := map[string]*eval.Outcome{}
	var order []string
	for _, o := range res.Samples {
		if slices.Contains(compared(), o.Language) {
			o.Layers = map[string]eval.Seen{self.name: o.Layers[eval.All]}
			outcomes[o.Path] = &o
			order = append(order, o.Path)
		}
	}
	for _, u := range tools {
		j := job{root: root}
		for _, s := range samples {
			if slices.Contains(u.languages, s.Language) {
				j.samples = append(j.samples, s)
				outcomes[s.Path].Layers[u.name] = eval.Seen{}
			}
		}
		if len(j.samples) == 0 {
			continue
		}
		kept, err := t.ask(ctx, u, j)
		if err != nil {
			return measured{}, err
		}
		fmt.Fprintf(t.log, "%s: %s: %d samples, %d findings, %.1f s\n", corpus.Name, u.name, len(j.samples), len(kept.Issues), kept.Seconds)
		place(kept.Issues, outcomes, u.name)
	}
	all := make([]eval.Outcome, 0, len(order))
	for _, p := range order {
		all = append(all, *outcomes[p])
	}
	return measured{about: res.Corpus, measures: eval.Measures(all), gate: res}, nil
}

// runGate measures gate the way a user would.
func (t table) runGate(ctx context.Context, dir string) (eval.Result, error) {
	begin := time.Now()
	var res eval.Result
	cmd := exec.CommandContext(ctx, t.gate, "eval", "--quiet", "--format", "json", dir)
	out, err := cmd.Output()
	if err != nil {
		return res, fmt.Errorf("%s: %w", t.gate, err)
	}
	res, err = eval.Decode(bytes.NewReader(out))
	fmt.Fprintf(t.log, "%s: gate: %.1f s\n", res.Corpus.Name, time.Since(begin).Seconds())
	return res, err
}

// place files the issues of a tool under the samples that hold the files.
func place(issues []issue, outcomes map[string]*eval.Outcome, name string) {
	for _, i := range issues {
		for at := filepath.ToSlash(i.File); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
			o := outcomes[at]
			if o == nil {
				continue
			}
			if seen, covered := o.Layers[name]; covered && i.Level > seen.Severity {
				seen.Severity = i.Level
				o.Layers[name] = seen
			}
			break
		}
	}
}

func decodeFile(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// The marks between which the page is written.
const (
	tableBegin = "<!-- written by `make detection` -->\n"
	tableEnd   = "<!-- end -->"
)

func (t table) replace(text []byte) error {
	old, err := os.ReadFile(t.page)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), tableBegin)
	_, tail, ends := strings.Cut(rest, tableEnd)
	if !ok || !ends {
		return fmt.Errorf("%s lacks the marks %q and %q", t.page, strings.TrimSpace(tableBegin), tableEnd)
	}
	return os.WriteFile(t.page, []byte(head+tableBegin+string(text)+tableEnd+tail), 0o644)
}
