// Package setupcmd is the command `gate init`: its flags, what it shows, and the question
// before anything is written.
//
// It promises that nothing is written before the whole difference was shown and, without
// --yes, the user at a terminal agreed. What is written and taken back, package setup decides.
package setupcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/buildinfo"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/gate/setup"
)

// Process is what the command needs of the process that it is in.
type Process struct {
	Engine         func() *engine.Engine
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Replay writes to Stdout what gate would have said about the last changes of a repository.
	Replay func(ctx context.Context, root string, commits int) error
}

// flags are those of the command.
type flags struct {
	setup.Options
	replay      int
	yes, remove bool
}

// Command returns the command.
func Command(p Process) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Set a repository and its coding agents up",
		Long: `init looks at a repository: its languages, its CI, the coding agents and editors that are
used here. It puts the last changes through the static rules, so that you see what gate
would have said, and shows what it would write: the policy, the workflow, the entry for
pre-commit or git's hooks, and the settings of the agents. On a terminal it asks, elsewhere
it writes with --yes only.

Files that are there are added to or left alone, never replaced. --remove takes back exactly
what init has written. Your home folder has hooks of agents, which hold for every project.`,
		Example: `  gate init                          # look, show, ask
  gate init --only policy,workflow --yes
  gate init --agents claude,cursor --only mcp,hooks
  gate init --remove`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return p.run(cmd.Context(), folder, f)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.Only, "only", nil, "only these `PARTS`: "+strings.Join(setup.Parts(), ", "))
	fl.StringSliceVar(&f.Agents, "agents", nil, "set these `AGENTS` up, or none (default: those that are found): "+strings.Join(hook.Names(), ", "))
	fl.StringVar(&f.Workflow, "workflow", "", "write the workflow for this `KIND` of runner: hosted, gpu (default: what the project uses)")
	fl.StringVar(&f.Pin, "pin", "", "the `COMMIT` of gate that the workflow names (default: the one this gate was built from)")
	fl.IntVar(&f.replay, "replay", 30, "begin with so many changes of the history; 0 is none")
	fl.BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	fl.BoolVar(&f.remove, "remove", false, "take back what init has written here")
	// The errors mean that a flag does not exist.
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(setup.Parts(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("agents", cobra.FixedCompletions(append(hook.Names(), "none"), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("workflow", cobra.FixedCompletions([]string{setup.WorkflowHosted, setup.WorkflowGPU}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p Process) run(ctx context.Context, folder string, f flags) error {
	repo, err := change.Open(ctx, []string{folder})
	if err != nil {
		return exit.Usagef("%w", err)
	}
	root := repo.Root()
	if err := repo.Close(); err != nil {
		return exit.Failed(err)
	}
	places, folders, err := p.open(root)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer func() {
		for _, place := range places {
			_ = place.Close() // only folders were opened
		}
	}()
	record, err := setup.OpenRecord(p.Engine().StateDir("init"), root)
	if err != nil {
		return exit.Failed(err)
	}
	if f.remove && !record.Empty() {
		return p.takeBack(record, places)
	}
	if f.Program, err = os.Executable(); err != nil {
		return exit.Failed(fmt.Errorf("find out where gate is: %w", err))
	}
	if f.Pin == "" {
		f.Pin = buildinfo.Commit()
		if v := buildinfo.Version(); strings.HasPrefix(v, "v") {
			f.Version = v
		}
	}
	project := setup.Look(folders.Project, folders.Home)
	edits, err := setup.Plan(project, folders, f.Options)
	if err != nil {
		return err
	}
	if f.remove {
		return unknown(root, edits)
	}
	if err := p.describe(root, project); err != nil {
		return exit.Failed(err)
	}
	if err := p.history(ctx, root, project, f); err != nil {
		return err
	}
	if err := p.write(record, places, edits, f.yes); err != nil {
		return err
	}
	return exit.Failed(p.editors(project))
}

// editors says how the editors that were found show findings. Nothing of that is written.
func (p Process) editors(project setup.Project) error {
	var out strings.Builder
	for _, h := range project.Hints() {
		fmt.Fprintf(&out, "\nTo see findings in %s while you type (docs/editors.md), in %s:\n%s", h.Editor, h.Where, lines("    ", h.Text))
	}
	_, err := io.WriteString(p.Stdout, out.String())
	return err
}

// open opens the folders that files are read from and written to.
func (p Process) open(root string) (setup.Places, setup.Folders, error) {
	project, err := os.OpenRoot(root)
	if err != nil {
		return nil, setup.Folders{}, err
	}
	places, folders := setup.Places{setup.InProject: project}, setup.Folders{Project: project.FS()}
	if home := p.Getenv("HOME"); filepath.IsAbs(home) {
		if opened, err := os.OpenRoot(home); err == nil {
			places[setup.InHome], folders.Home = opened, opened.FS()
			folders.Same = sameFolder(project, opened)
		}
	}
	return places, folders, nil
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b *os.Root) bool {
	one, err := a.Stat(".")
	if err != nil {
		return false
	}
	other, err := b.Stat(".")
	return err == nil && os.SameFile(one, other)
}

// describe tells what was found.
func (p Process) describe(root string, project setup.Project) error {
	var languages []string
	for _, c := range project.Languages[:min(len(project.Languages), 6)] {
		languages = append(languages, fmt.Sprintf("%s (%d)", c.Language, c.Files))
	}
	ci := slices.Clone(project.OtherCI)
	if len(project.Workflows) > 0 {
		runner := "hosted runners"
		if project.SelfHosted {
			runner = "self-hosted runners"
		}
		if project.GPU {
			runner += " with a GPU"
		}
		ci = append(ci, "GitHub Actions: "+strings.Join(project.Workflows, ", ")+" on "+runner)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", printable.ASCII(root))
	for _, row := range [][2]string{
		{"languages", strings.Join(languages, ", ")}, {"CI", strings.Join(ci, ", ")},
		{"agents", shown(project.Agents)}, {"editors", shown(project.Editors)},
	} {
		if row[1] == "" {
			row[1] = "none found"
		}
		fmt.Fprintf(&out, "  %-10s %s\n", row[0], printable.ASCII(gate.Clip(row[1], 300)))
	}
	_, err := io.WriteString(p.Stdout, out.String())
	return err
}

// shown lists names with what showed them.
func shown(found map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, name+" ("+found[name]+")")
	}
	return strings.Join(out, ", ")
}

// history puts the last changes through the static rules. That it can't is no reason to stop.
func (p Process) history(ctx context.Context, root string, project setup.Project, f flags) error {
	if f.replay <= 0 || !project.Git {
		return nil
	}
	fmt.Fprintf(p.Stdout, "\nWhat gate would have said about the last %d changes:\n\n", f.replay)
	if err := p.Replay(ctx, root, f.replay); err != nil {
		if ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "  nothing: %s\n", printable.ASCII(err.Error()))
	}
	return nil
}

// write shows the edits, asks, and writes them.
func (p Process) write(record *setup.Record, places setup.Places, edits []setup.Edit, yes bool) error {
	var out strings.Builder
	n := 0
	for _, e := range edits {
		if e.Left == "" {
			n++
			out.WriteByte('\n')
			fmt.Fprintf(&out, "%s: %s\n", printable.ASCII(e.Name()), e.What)
			out.WriteString(difference(e))
		}
	}
	for _, e := range edits {
		if e.Left != "" {
			fmt.Fprintf(&out, "\n%s is left alone: %s\n", printable.ASCII(e.Name()), printable.ASCII(e.Left))
			if e.ByHand != "" {
				fmt.Fprintf(&out, "  (%s) By hand:\n%s", e.What, lines("    ", e.ByHand))
			}
		}
	}
	if _, err := io.WriteString(p.Stdout, out.String()); err != nil {
		return exit.Failed(err)
	}
	if n == 0 {
		fmt.Fprintln(p.Stdout, "\nNothing is to be written.")
		return exit.Failed(record.Apply(places, edits)) // it notes what this repository uses
	}
	if !yes {
		agreed, err := p.ask(n)
		if err != nil || !agreed {
			return err
		}
	}
	if err := record.Apply(places, edits); err != nil {
		return exit.Failed(fmt.Errorf("%w; `gate init --remove` takes back what was written", err))
	}
	fmt.Fprintf(p.Stdout, "\nWritten. Next:\n")
	for _, step := range setup.Steps(edits) {
		fmt.Fprintf(p.Stdout, "  - %s\n", step)
	}
	return nil
}

// ask asks at a terminal; elsewhere it says what would write, and nothing is.
func (p Process) ask(n int) (bool, error) {
	in, ok := p.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(p.Stdout, "\nNothing was written. `gate init --yes` writes these files (%d).\n", n)
		return false, nil
	}
	fmt.Fprintf(p.Stderr, "\nWrite these files (%d)? [y/N] ", n)
	const most = 1 << 10 // bytes
	line, err := bufio.NewReader(io.LimitReader(in, most)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, exit.Failed(err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(p.Stdout, "\nNothing was written.")
	return false, nil
}

// difference is an edit as a unified diff; of a new file it is the text.
func difference(e setup.Edit) string {
	if !e.Existed {
		return lines("  + ", string(e.After))
	}
	return lines("  ", string(diff.Diff(e.Name(), e.Before, e.Name(), e.After)))
}

// lines puts a prefix in front of each line of a text from a file, which no terminal obeys then.
func lines(prefix, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(prefix+printable.ASCII(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")), " ") + "\n")
	}
	return out.String()
}

// takeBack takes back what was written, and tells what became of it.
func (p Process) takeBack(record *setup.Record, places setup.Places) error {
	uses := record.Uses
	all, err := record.Remove(places)
	kept := 0
	for _, name := range uses {
		fmt.Fprintf(p.Stdout, "~/%s: stays for the repository that it was written for\n", printable.ASCII(name))
	}
	for _, one := range all {
		if one.User != "" {
			fmt.Fprintf(p.Stdout, "%s: stays for %s, which uses it too\n", printable.ASCII(one.Name()), printable.ASCII(one.User))
			continue
		}
		if one.Kept != "" {
			kept++
			fmt.Fprintf(p.Stdout, "%s: %s\n", printable.ASCII(one.Name()), printable.ASCII(one.Kept))
			continue
		}
		fmt.Fprintf(p.Stdout, "%s: taken back\n", printable.ASCII(one.Name()))
	}
	if err != nil {
		return exit.Failed(err)
	}
	if kept > 0 {
		return &exit.Error{Code: exit.Incomplete, Err: fmt.Errorf("of %d files, %d are not as gate init left them", len(all), kept)}
	}
	return nil
}

// unknown says that there is no record to take anything back by, and which files have what
// init writes all the same: only their owner knows who put it there.
func unknown(root string, edits []setup.Edit) error {
	var there []string
	for _, e := range edits {
		if e.There() {
			there = append(there, printable.ASCII(e.Name()))
		}
	}
	more := ""
	if len(there) > 0 {
		more = "; take it out by hand where you want to: it is in " + strings.Join(there, ", ")
	}
	return exit.Usagef("nothing is known that gate init has written in %s on this machine%s", root, more)
}
