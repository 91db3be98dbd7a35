package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/gate/static/rules"
	"github.com/aigate/gate/gate/strict"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, explain, test and begin rules",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.rulesListCommand(), a.rulesExplainCommand(), a.rulesTestCommand(), a.rulesNewCommand())
	return cmd
}

func (a *app) rulesListCommand() *cobra.Command {
	var category string
	var dirs []string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules",
		Example: "  gate rules list\n  gate rules list --category exfiltration",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RULE\tSEVERITY\tLAYER\tLANGUAGES\tTITLE")
			shown := 0
			all, err := a.everyRule(cmd.Context(), dirs)
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
	addDirFlag(cmd, &dirs)
	return cmd
}

func (a *app) rulesExplainCommand() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:     "explain RULE",
		Short:   "Say why a rule exists, what to do instead, and what it matches",
		Example: "  gate rules explain exfiltration/python-key-file-flow\n  gate rules explain own/legacy-client --dir .gate/rules",
		Args:    exactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			all, err := a.everyRule(cmd.Context(), dirs)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return completions(all), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := a.everyRule(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			var ids, near []string
			for _, r := range all {
				ids = append(ids, r.id)
				if r.id == args[0] {
					_, err := fmt.Fprint(a.stdout, r.explain())
					return err
				}
				if strings.Contains(r.id, args[0]) {
					near = append(near, r.id)
				}
			}
			if len(near) == 0 {
				if id := strict.Closest(args[0], ids); id != "" {
					near = []string{id}
				}
			}
			if len(near) > 0 {
				return usage("there is no rule %q; did you mean %s?", args[0], strings.Join(near, ", "))
			}
			return usage("there is no rule %q (see `gate rules list`)", args[0])
		},
	}
	addDirFlag(cmd, &dirs)
	return cmd
}

// everyRule documents gate's rules and those of the user's own.
func (a *app) everyRule(ctx context.Context, dirs []string) ([]ruleDoc, error) {
	own, err := ownSources(ctx, dirs)
	if err != nil {
		return nil, err
	}
	return a.allRules(own...)
}

func (a *app) rulesTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [DIR...]",
		Short: "Check rules of your own against their samples",
		Long: `test loads the rules below each folder (default: those that rules.dirs in .gate.yml
names), and runs every rule against the samples that stand beside it: it has to
find something in each text under "match", on the line and with the severity that
are given there, and nothing under "quiet". docs/own-rules.md is a walk-through.`,
		Example: "  gate rules test\n  gate rules test .gate/rules",
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := ownSources(cmd.Context(), args)
			if err != nil {
				return err
			}
			if len(own) == 0 {
				return usage("which folder? .gate.yml names none under rules.dirs: gate rules %s", cmd.Use)
			}
			var errs []error
			for _, src := range own {
				rep, err := static.TestRules(src, static.RuleSource{FS: rules.FS})
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(a.stdout, "%s: %d rules, %d samples, all as they say\n", src.Name, rep.Rules, rep.Samples)
			}
			if len(errs) > 0 {
				return usage("%w", errors.Join(errs...))
			}
			return nil
		},
	}
}
