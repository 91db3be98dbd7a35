package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report"
)

// ruleDoc is what one rule of any layer says about itself.
type ruleDoc struct {
	id, title, why, instead string
	severity                gate.Severity
	layer                   gate.Layer
	languages               string
	refs                    []string
	details                 []string // further lines: what changes the severity, where it applies
	fixed                   bool     // no policy switches it off
	from                    string   // where a rule of the user's own stands
}

// allRules documents the rules of all layers, and those of the user's own,
// sorted by id.
func (a *app) allRules(own ...static.RuleSource) ([]ruleDoc, error) {
	known, err := a.staticRules(own)
	if err != nil {
		return nil, err
	}
	var out []ruleDoc
	for _, r := range known {
		d := staticRule(r)
		if slices.ContainsFunc(own, func(s static.RuleSource) bool { return s.Name == r.Pack }) {
			d.from = r.Source.String()
		}
		out = append(out, d)
	}
	for _, r := range execute.Rules() {
		out = append(out, ruleDoc{id: r.ID, title: r.Title, why: r.Why, instead: r.Instead, severity: r.Severity, layer: gate.LayerSandbox, languages: "any that runs"})
	}
	out = append(out, judgeRules()...)
	out = append(out, suppressionRules()...)
	slices.SortFunc(out, func(a, b ruleDoc) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}

func staticRule(r *static.Rule) ruleDoc {
	d := ruleDoc{id: r.ID, title: r.Title, why: r.Why, instead: r.Instead, severity: r.Severity, layer: gate.LayerStatic, refs: r.Refs, languages: "any text"}
	if len(r.Languages) > 0 {
		var names []string
		for _, l := range r.Languages {
			names = append(names, string(l))
		}
		d.languages = strings.Join(names, ", ")
	}
	for _, up := range r.Raise {
		d.details = append(d.details, fmt.Sprintf("%s where %s", up.To, strings.TrimPrefix(up.Because, "and ")))
	}
	for _, role := range slices.Sorted(maps.Keys(r.Roles)) {
		effect := r.Roles[role].Severity.String()
		if r.Roles[role].Off {
			effect = "off"
		}
		d.details = append(d.details, fmt.Sprintf("%s in %s files", effect, role))
	}
	if len(r.Paths) > 0 {
		d.details = append(d.details, "only in "+strings.Join(r.Paths, ", "))
	}
	return d
}

// explain is everything that a rule says about itself.
func (d ruleDoc) explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", d.id, d.title)
	fmt.Fprintf(&b, "Layer:      %s\nSeverity:   %s\n", d.layer, d.severity)
	for _, line := range d.details {
		fmt.Fprintf(&b, "            %s\n", line)
	}
	fmt.Fprintf(&b, "Languages:  %s\n", d.languages)
	if d.from != "" {
		fmt.Fprintf(&b, "From:       %s\n", d.from)
	}
	if len(d.refs) > 0 {
		fmt.Fprintf(&b, "References: %s\n", strings.Join(d.refs, ", "))
	}
	fmt.Fprintf(&b, "\nWhy it is dangerous\n  %s\n\nWhat to do instead\n  %s\n", d.why, d.instead)
	if d.layer == gate.LayerStatic && !d.fixed {
		fmt.Fprintf(&b, "\nTo switch it off, in .gate.yml:\n  rules: {disable: [%s]}\n", d.id)
	}
	return b.String()
}

// judgeRules documents what the judge's answers amount to, in the terms of
// gate/judge.
func judgeRules() []ruleDoc {
	const instead = "Read the lines that the judge names. Its word is an opinion about the text: what the other layers say beside it counts as well."
	rule := func(id string, severity gate.Severity, title, why string) ruleDoc {
		return ruleDoc{id: id, severity: severity, title: title, why: why, instead: instead, layer: gate.LayerJudge, languages: "any text"}
	}
	return []ruleDoc{
		rule(judge.RuleMalicious, gate.SeverityDangerous, "the judge calls a line malicious, and what it quotes stands there",
			"The model saw an intent to harm, and program code checked that its evidence is really in the file."),
		rule(judge.RuleSuspicious, gate.SeveritySuspicious, "the judge is not sure that the file is harmless",
			"The model saw something that an innocent program may do as well."),
		rule(judge.RuleInconsistent, gate.SeveritySuspicious, "the judge contradicts itself or the file",
			"A verdict whose evidence does not hold is a weak model, or a text that leads it astray."),
		rule(judge.RuleDisagreement, gate.SeveritySuspicious, "the judge changes its mind when comments are taken away",
			"Comments that turn a verdict are written for the reviewer, not for the program."),
	}
}

// reportRules hands the documentation of the rules to the formats that carry it.
func (a *app) reportRules(own ...static.RuleSource) ([]report.Rule, error) {
	all, err := a.allRules(own...)
	var out []report.Rule
	for _, r := range all {
		out = append(out, report.Rule{ID: r.id, Title: r.title, Help: r.why, Instead: r.instead, Severity: r.severity, Refs: r.refs})
	}
	return out, err
}
