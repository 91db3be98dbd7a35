package attackrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/report/github"
)

// record adds a run to the history.
func (o *Options) record(res attack.Result, now time.Time) error {
	if o.History == "" {
		return nil
	}
	nights, err := readHistory(o.History)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--history: %w", err)
	}
	night := res.Night(now)
	if n := len(nights); n > 0 && night.Date.Before(nights[n-1].Date) {
		return fmt.Errorf("--history: the last line of %s is of %s, which is to come: is the clock of this machine right?", o.History, nights[n-1].Date.Format(time.RFC3339))
	}
	data, err := attack.EncodeHistory(append(nights, night))
	if err != nil {
		return err
	}
	return atomicfile.Write(o.History, data)
}

func readHistory(name string) ([]attack.Night, error) {
	data, err := bounded.ReadPath(name, attack.MaxHistory)
	if err != nil {
		return nil, err
	}
	return attack.ParseHistory(name, data)
}

// Trend draws a history as a picture, into a file or, with "", to standard output.
func Trend(history, file string, stdout io.Writer) error {
	nights, err := readHistory(history)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	svg := attack.Trend(nights)
	if file != "" {
		err = atomicfile.Write(file, svg)
	} else {
		_, err = stdout.Write(svg)
	}
	if err != nil {
		return exit.Failed(fmt.Errorf("write the picture: %w", err))
	}
	return nil
}

// alarm opens, updates or closes the issue. That it could not is an error of its own:
// otherwise a regression would go unnoticed.
func (o *Options) alarm(ctx context.Context, p Process, res attack.Result) error {
	if !o.Issue {
		return nil
	}
	if res.Shard != nil {
		return notMerged(o.From, res)
	}
	env := p.Engine.Getenv
	owner, repo, ok := strings.Cut(env("GITHUB_REPOSITORY"), "/")
	if !ok {
		return exit.Usagef("--issue works in GitHub Actions: GITHUB_REPOSITORY is not set")
	}
	client, err := github.New(github.Options{
		Token: env("GITHUB_TOKEN"), BaseURL: env("GITHUB_API_URL"), Owner: owner, Repo: repo,
		Author: env("GATE_AUTHOR"), MaxWait: p.MaxWait,
	})
	if err != nil {
		return exit.Usagef("--issue: %w", err)
	}
	link := ""
	if server, id := env("GITHUB_SERVER_URL"), env("GITHUB_RUN_ID"); server != "" && id != "" {
		link = fmt.Sprintf("%s/%s/%s/actions/runs/%s", server, owner, repo, id)
	}
	var url, state string
	if res.Decision == gate.DecisionPass {
		state = "closed"
		url, err = client.AllClear(ctx, "`gate attack` passes again. "+link)
	} else {
		state = "open"
		var text bytes.Buffer
		if err := res.WriteIssue(&text, link); err != nil {
			return exit.Failed(err)
		}
		url, err = client.Alarm(ctx, alarmTitle(res), text.String())
	}
	if err != nil {
		return exit.Failed(fmt.Errorf("the issue: %w", err))
	}
	if url != "" {
		p.Engine.Noticef("the issue is %s: %s", state, url)
	}
	return nil
}

func alarmTitle(res attack.Result) string {
	if res.Decision == gate.DecisionBlock {
		return "gate attack: something is no longer stopped"
	}
	return "gate attack: not everything could be tried"
}
