package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
			fmt.Fprintln(w, "RULE\tSEVERITY\tLAYER\tLANGUAGES\tTITLE")
			shown := 0
			all, err := a.allRules()
			if err != nil {
				return err
			}
			for _, r := range all {
				if c, _, _ := strings.Cut(r.id, "/"); category != "" && c != category {
					continue
				}
				shown++
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.id, r.severity, r.layer, r.languages, r.title)
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
			all, err := a.allRules()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var ids []string
			for _, r := range all {
				ids = append(ids, r.id+"\t"+r.title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := a.allRules()
			if err != nil {
				return err
			}
			var near []string
			for _, r := range all {
				if r.id == args[0] {
					_, err := fmt.Fprint(a.stdout, r.explain())
					return err
				}
				if strings.Contains(r.id, args[0]) {
					near = append(near, r.id)
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
