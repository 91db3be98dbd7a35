package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/rulebook"
)

func rulesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, explain, test and begin rules",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(rulesListCommand(a), rulesExplainCommand(a), rulesTestCommand(a), rulesNewCommand(a))
	return cmd
}

// addDirFlag is the flag of the commands that also know rules of the user's own.
func addDirFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringSliceVar(dirs, "dir", nil, "folder with rules of your own (default: those that rules.dirs in .gate.yml names)")
}

// everyRule returns gate's rules and the user's own.
func (a *app) everyRule(ctx context.Context, dirs []string) (rulebook.Entries, error) {
	own, err := rulebook.SourcesHere(ctx, dirs)
	if err != nil {
		return nil, err
	}
	return rulebook.New(a.rules).Entries(own...)
}

// reportRules documents the rules for the formats that carry it.
func (a *app) reportRules(own ...rulebook.Source) ([]gate.Rule, error) {
	return rulebook.New(a.rules).Rules(own...)
}

func rulesListCommand(a *app) *cobra.Command {
	var category string
	var dirs []string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the rules",
		Example: "  gate rules list\n  gate rules list --category exfiltration",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.everyRule(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			return all.WriteTable(a.stdout, category)
		},
	}
	cmd.Flags().StringVar(&category, "category", "", "only rules of this `CATEGORY`")
	addDirFlag(cmd, &dirs)
	return cmd
}

func rulesExplainCommand(a *app) *cobra.Command {
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
			var out []string
			for _, e := range all {
				out = append(out, e.ID+"\t"+e.Title)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := a.everyRule(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			e, err := all.Find(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.stdout, e.Explain())
			return err
		},
	}
	addDirFlag(cmd, &dirs)
	return cmd
}

func rulesTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [DIR...]",
		Short: "Check rules of your own against their samples",
		Long: `test loads the rules below each folder (default: those that rules.dirs in .gate.yml
names), and runs every rule against the samples that are beside it: it has to
find something in each text under "match", on the line and with the severity that
are given there, and nothing under "quiet". docs/own-rules.md is a walk-through.`,
		Example: "  gate rules test\n  gate rules test .gate/rules",
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := rulebook.SourcesHere(cmd.Context(), args)
			if err != nil {
				return err
			}
			if len(own) == 0 {
				return usage("which folder? .gate.yml names none under rules.dirs: gate rules %s", cmd.Use)
			}
			return rulebook.TestAll(a.stdout, own)
		},
	}
}

func rulesNewCommand(a *app) *cobra.Command {
	var dir, language string
	cmd := &cobra.Command{
		Use:   "new CATEGORY/NAME",
		Short: "Write the beginnings of a rule of your own, with its samples",
		Long: `new writes a folder with a rules.yaml and a samples.yaml that hold together: change
the patterns and the samples, and run gate rules test. docs/own-rules.md is a
walk-through.`,
		Example: "  gate rules new own/legacy-client\n  gate rules new own/legacy-client --language go --dir tools/gate-rules",
		Args:    exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			written, err := rulebook.Scaffold(dir, args[0], language)
			for _, name := range written {
				fmt.Fprintln(a.stdout, name)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "gate: next: gate rules test %s, and in .gate.yml:\n  rules: {dirs: [%s]}\n", dir, path.Clean(filepath.ToSlash(dir)))
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&dir, "dir", ".gate/rules", "`FOLDER` that holds your rules")
	fl.StringVar(&language, "language", "python", "`LANGUAGE` of the files in which the rule looks")
	complete(cmd, "language", "python", "javascript", "typescript", "shell", "go", "dockerfile", "yaml")
	return cmd
}
