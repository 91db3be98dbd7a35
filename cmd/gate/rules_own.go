package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/static"
)

// addDirFlag is the flag of the commands that also know rules of the user's own.
func addDirFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringSliceVar(dirs, "dir", nil, "folder with rules of your own (default: those that rules.dirs in .gate.yml names)")
}

// ownSources opens the folders with rules of the user's own: the named ones, or
// those that the policy of the current tree names.
func ownSources(ctx context.Context, dirs []string) ([]static.RuleSource, error) {
	if len(dirs) > 0 {
		var out []static.RuleSource
		for _, dir := range dirs {
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return nil, usage("%s is not a folder", dir)
			}
			out = append(out, static.RuleSource{Name: dir, FS: os.DirFS(dir)})
		}
		return out, nil
	}
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return nil, usage("%w", err)
	}
	defer repo.Close()
	data, err := readLimited(repo.WorkTree(), policyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("%s: %w", policyFile, err)
	}
	p, _, err := policy.Load(policy.Source{Name: policyFile, Data: data, Trust: policy.Tree})
	if err != nil {
		return nil, &exit.Error{Code: exitUsage, Err: err}
	}
	// Not the repository's own tree, which is closed when this returns.
	return settings{policy: p, tree: os.DirFS(repo.Root())}.userRules()
}

// staticRules are gate's rules and the user's.
func (a *app) staticRules(own []static.RuleSource) ([]*static.Rule, error) {
	shipped, err := a.rules()
	if err != nil {
		return nil, incomplete(fmt.Errorf("gate's own rules: %w", err))
	}
	if len(own) == 0 {
		return shipped.Rules(), nil
	}
	p := gate.DefaultPolicy()
	for _, s := range own {
		p.Rules.Dirs = append(p.Rules.Dirs, s.Name)
	}
	s, err := static.New(static.Options{Policy: p, Rules: shipped, UserRules: own})
	if err != nil {
		return nil, usage("%w", err)
	}
	return s.Rules(), nil
}

func (a *app) rulesNewCommand() *cobra.Command {
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
			id := args[0]
			category, name, ok := strings.Cut(id, "/")
			if !ok || !fs.ValidPath(id) || strings.Contains(name, "/") || strings.ContainsAny(id, " \\:'\"") {
				return usage("%q is no id of a rule: category/name in lower-case words joined by \"-\"", id)
			}
			at := filepath.Join(dir, category+"-"+name)
			if _, err := os.Lstat(at); err == nil {
				return usage("%s exists already; add to its rules.yaml, or choose another name", at)
			}
			files := scaffold(id, language)
			if err := testScaffold(files); err != nil {
				return usage("%w", err)
			}
			if err := os.MkdirAll(at, 0o755); err != nil {
				return incomplete(err)
			}
			for _, f := range files {
				if err := os.WriteFile(filepath.Join(at, f.name), []byte(f.text), 0o644); err != nil {
					return incomplete(err)
				}
				fmt.Fprintln(a.stdout, filepath.Join(at, f.name))
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

type scaffolded struct{ name, text string }

// scaffold is a rule that works as it stands, so that the first test passes and
// what breaks it afterwards is the change.
func scaffold(id, language string) []scaffolded {
	return []scaffolded{
		{"rules.yaml", fmt.Sprintf(`rules:
  - id: %s
    severity: suspicious            # dangerous, suspicious or note
    title: calls legacy_connect     # the message of the finding
    why: It speaks a protocol without encryption.
    instead: Call secure_connect.
    languages: [%s]
    in: code                        # code, string, comment, source (code or string) or any
    patterns: ['\blegacy_connect\(']
`, id, language)},
		{"samples.yaml", fmt.Sprintf(`%s:
  match:
    - {line: 2, severity: suspicious, text: "host = 1\nlegacy_connect(host)\n"}
  quiet:
    - text: "secure_connect(host)\n"
`, id)},
	}
}

// testScaffold reports what in the id or the language makes the rule none.
func testScaffold(files []scaffolded) error {
	tree := fstest.MapFS{}
	for _, f := range files {
		tree[f.name] = &fstest.MapFile{Data: []byte(f.text), Mode: 0o644}
	}
	_, err := static.TestRules(static.RuleSource{Name: "new", FS: tree}, static.BuiltinRules())
	return err
}

// completions are what a shell may complete, with the titles.
func completions(all []ruleDoc) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.id+"\t"+r.title)
	}
	return slices.Clip(out)
}
