package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/scan"
	"github.com/aigate/gate/gate/scan/rules"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, explain and test the static rules",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.rulesListCommand(), a.rulesExplainCommand(), a.rulesTestCommand())
	return cmd
}

func (a *app) rulesListCommand() *cobra.Command {
	var category string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules",
		Example: "  gate rules list\n  gate rules list --category exfiltration",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RULE\tSEVERITY\tLANGUAGES\tTITLE")
			shown := 0
			for _, r := range builtinRules() {
				if category != "" && r.Category() != category {
					continue
				}
				shown++
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, languageList(r), r.Title)
			}
			if shown == 0 {
				return usage("no rule has the category %q (see `gate rules list`)", category)
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&category, "category", "", "only rules of this `CATEGORY`")
	return cmd
}

func (a *app) rulesExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Say why a rule exists, what to do instead, and what it matches",
		Example: "  gate rules explain exfiltration/python-file-post",
		Args:    exactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range builtinRules() {
				ids = append(ids, r.ID+"\t"+r.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, r := range builtinRules() {
				if r.ID == args[0] {
					_, err := fmt.Fprint(a.stdout, explain(r))
					return err
				}
			}
			var near []string
			for _, r := range builtinRules() {
				if strings.Contains(r.ID, args[0]) {
					near = append(near, r.ID)
				}
			}
			if len(near) > 0 {
				return usage("there is no rule %q; did you mean %s?", args[0], strings.Join(near, ", "))
			}
			return usage("there is no rule %q (see `gate rules list`)", args[0])
		},
	}
}

func (a *app) rulesTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test DIR...",
		Short: "Check rules of your own against their samples",
		Long: `test loads the rules below each folder, as policy rules.dirs would, and runs
every rule against the samples that stand beside it.`,
		Example: "  gate rules test .gate/rules",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which folder? gate rules %s", cmd.Use)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var errs []error
			for _, dir := range args {
				rep, err := testRules(dir)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(a.stdout, "%s: %d rules, %d samples, all as they say\n", dir, rep.Rules, rep.Samples)
			}
			if len(errs) > 0 {
				return usage("%w", errors.Join(errs...))
			}
			return nil
		},
	}
}

func testRules(dir string) (scan.RuleReport, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return scan.RuleReport{}, err
	}
	defer root.Close()
	return scan.TestRules(scan.RuleSource{Name: dir, FS: root.FS()}, scan.RuleSource{FS: rules.FS})
}

// builtinRules returns gate's own rules, sorted by id. They are part of the
// program: that they load is what the tests of gate/scan show.
func builtinRules() []*scan.Rule {
	s, err := scan.New(scan.Options{Policy: gate.DefaultPolicy()})
	if err != nil {
		panic(err)
	}
	return s.Rules()
}

func languageList(r *scan.Rule) string {
	if len(r.Languages) == 0 {
		return "any text"
	}
	var names []string
	for _, l := range r.Languages {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// explain is everything that a rule says about itself.
func explain(r *scan.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", r.ID, r.Title)
	fmt.Fprintf(&b, "Severity:   %s\n", r.Severity)
	for _, up := range r.Raise {
		fmt.Fprintf(&b, "            %s when %s\n", up.To, strings.TrimPrefix(up.Because, "and "))
	}
	for _, role := range slices.Sorted(maps.Keys(r.Roles)) {
		effect := r.Roles[role].Severity.String()
		if r.Roles[role].Off {
			effect = "off"
		}
		fmt.Fprintf(&b, "            %s in %s files\n", effect, role)
	}
	fmt.Fprintf(&b, "Languages:  %s\n", languageList(r))
	if len(r.Paths) > 0 {
		fmt.Fprintf(&b, "Paths:      %s\n", strings.Join(r.Paths, ", "))
	}
	if len(r.Refs) > 0 {
		fmt.Fprintf(&b, "References: %s\n", strings.Join(r.Refs, ", "))
	}
	fmt.Fprintf(&b, "\nWhy it is dangerous\n  %s\n\nWhat to do instead\n  %s\n", r.Why, r.Instead)
	fmt.Fprintf(&b, "\nTo switch it off, in .gate.yml:\n  rules: {disable: [%s]}\n", r.ID)
	return b.String()
}
