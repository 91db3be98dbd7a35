package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/report/github"
)

// nightlyFlags are those flags of `gate attack` that are for every night.
type nightlyFlags struct {
	history string
	issue   bool
}

func (f *nightlyFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.history, "history", "", "add a line about the run to `FILE`, which gate attack trend draws")
	cmd.Flags().BoolVar(&f.issue, "issue", false, "in GitHub Actions: keep an issue open while the run does not pass, and close it when it does")
}

func (f *nightlyFlags) check(part bool) error {
	if part && (f.history != "" || f.issue) {
		return usage("--history and --issue are for runs of the samples as a whole: not with --shard, --probes and --generate")
	}
	return nil
}

// record adds a run to the history.
func (f *nightlyFlags) record(res attack.Result, now time.Time) error {
	if f.history == "" {
		return nil
	}
	nights, err := readHistory(f.history)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--history: %w", err)
	}
	night := res.Night(now)
	if n := len(nights); n > 0 && night.Date.Before(nights[n-1].Date) {
		return fmt.Errorf("--history: the last line of %s is of %s, which is to come: is the clock of this machine right?", f.history, nights[n-1].Date.Format(time.RFC3339))
	}
	data, err := attack.EncodeHistory(append(nights, night))
	if err != nil {
		return err
	}
	return writeFile(f.history, data)
}

func readHistory(name string) ([]attack.Night, error) {
	data, err := bounded.ReadPath(name, attack.MaxHistory)
	if err != nil {
		return nil, err
	}
	return attack.ParseHistory(name, data)
}

// alarm opens, updates or closes the issue. That it could not is an error of its
// own: an alarm that nobody hears is none.
func (a *app) alarm(ctx context.Context, f attackFlags, res attack.Result) error {
	if !f.issue {
		return nil
	}
	if res.Shard != nil {
		return usage("%s is shard %d of %d: put all of them together with `gate merge` first", f.from, res.Shard.Index, res.Shard.Of)
	}
	owner, repo, ok := strings.Cut(a.getenv("GITHUB_REPOSITORY"), "/")
	if !ok {
		return usage("--issue works in GitHub Actions: GITHUB_REPOSITORY is not set")
	}
	client, err := github.New(github.Options{
		Token: a.getenv("GITHUB_TOKEN"), BaseURL: a.getenv("GITHUB_API_URL"), Owner: owner, Repo: repo,
		Author: a.getenv("GATE_AUTHOR"), MaxWait: a.apiWait,
	})
	if err != nil {
		return usage("--issue: %w", err)
	}
	link := ""
	if server, id := a.getenv("GITHUB_SERVER_URL"), a.getenv("GITHUB_RUN_ID"); server != "" && id != "" {
		link = fmt.Sprintf("%s/%s/%s/actions/runs/%s", server, owner, repo, id)
	}
	var url, done string
	if res.Decision == gate.DecisionPass {
		done = "closed"
		url, err = client.AllClear(ctx, "`gate attack` passes again. "+link)
	} else {
		done = "open"
		var text bytes.Buffer
		if err := res.WriteIssue(&text, link); err != nil {
			return incomplete(err)
		}
		url, err = client.Alarm(ctx, alarmTitle(res), text.String())
	}
	if err != nil {
		return incomplete(fmt.Errorf("the issue: %w", err))
	}
	if url != "" {
		fmt.Fprintf(a.stderr, "gate: the issue is %s: %s\n", done, url)
	}
	return nil
}

func alarmTitle(res attack.Result) string {
	if res.Decision == gate.DecisionBlock {
		return "gate attack: something is no longer stopped"
	}
	return "gate attack: not everything could be tried"
}

func (a *app) trendCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "trend HISTORY",
		Short: "Draw the history of gate attack as a picture",
		Long: `trend reads what "gate attack --history" keeps, and draws the last 90 nights as one
SVG that needs nothing else: the shares of attacks that were caught and contained,
and how many were missed, not contained or taken for an attack without being one.`,
		Example: "  gate attack trend history.jsonl -o trend.svg",
		Args:    exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			nights, err := readHistory(args[0])
			if err != nil {
				return usage("%w", err)
			}
			svg := attack.Trend(nights)
			if output != "" {
				err = writeFile(output, svg)
			} else {
				_, err = a.stdout.Write(svg)
			}
			if err != nil {
				return incomplete(fmt.Errorf("write the picture: %w", err))
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the picture to `FILE` instead of standard output")
	return cmd
}
