package replayrun

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/progress"
	"github.com/aigate/gate/gate/lab/replay"
	"github.com/aigate/gate/gate/suppress"
)

// Options are what a command line may say. Run checks them.
type Options struct {
	// Path is a folder of the repository; "" is the current one.
	Path string
	// Commits is the most changes that are looked at, the newest ones.
	Commits int
	// Since leaves out what was merged before a day, written 2006-01-02.
	Since string
	// PullRequests leaves out commits that are neither a merge nor say the number of a
	// pull request in their subject, as GitHub writes it when it squashes one.
	PullRequests bool
	// Engine says which layers look; none is the static one.
	Engine engine.Options
	Cache  engine.CacheOptions
	// Parallel is how many changes are looked at side by side; 0 is one a processor.
	Parallel int
	// Suggest proposes safe usages from what was dismissed again and again.
	Suggest bool
	// Fresh looks at changes again that an earlier replay has looked at.
	Fresh bool

	Format string // of the report: text, json or html
	Output string // a file for the report; "" is standard output
}

// Process is what a replay needs of the process that it is in.
type Process struct {
	Engine *engine.Engine
	Stdout io.Writer
	// Progress takes how far it is; nil shows nothing.
	Progress gate.Handler
}

// The bounds of a replay.
const (
	maxParallel = 64
	maxSubject  = 120 // bytes
)

func writers() map[string]func(io.Writer, replay.Report) error {
	return map[string]func(io.Writer, replay.Report) error{"text": replay.WriteText, "json": replay.WriteJSON, "html": replay.WriteHTML}
}

// check refuses what makes no sense, and completes the options.
func (o *Options) check() (since time.Time, err error) {
	switch {
	case o.Commits < 1 || o.Commits > git.MaxMainline:
		return since, exit.Usagef("--commits is 1 to %d, not %d", git.MaxMainline, o.Commits)
	case o.Parallel < 0 || o.Parallel > maxParallel:
		return since, exit.Usagef("--parallel is 1 to %d, not %d", maxParallel, o.Parallel)
	case writers()[o.Format] == nil:
		return since, exit.Usagef("there is no format %q (one of text, json, html)", o.Format)
	}
	if o.Since != "" {
		if since, err = time.Parse(time.DateOnly, o.Since); err != nil {
			return since, exit.Usagef("--since %q is no day such as 2026-01-31", o.Since)
		}
	}
	if len(o.Engine.Layers) == 0 {
		o.Engine.Layers = []string{string(gate.LayerStatic)}
	}
	if o.Parallel == 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.Output != "" {
		err = exit.Failed(atomicfile.Check(o.Output))
	}
	return since, err
}

// Run replays the history and writes the report. What gate would have said is no error.
func Run(ctx context.Context, p Process, o Options) error {
	since, err := o.check()
	if err != nil {
		return err
	}
	commits, root, err := o.list(ctx, since)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	journal, err := replay.OpenJournal(o.journal(p.Engine, root))
	if err != nil {
		return exit.Failed(err)
	}
	rows, err := (&runner{p, o, journal}).all(ctx, commits)
	if cerr := journal.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return exit.Failed(fmt.Errorf("%w; the same command goes on where it was", err))
	}
	report := replay.Summarise(p.Engine.Tool(), o.Engine.Layers, rows)
	if o.Suggest {
		if report.Learned, err = learn(ctx, p.Engine, o, rows); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	if err := writers()[o.Format](&out, report); err != nil {
		return exit.Failed(err)
	}
	if o.Output != "" {
		return exit.Failed(atomicfile.Write(o.Output, out.Bytes()))
	}
	_, err = p.Stdout.Write(out.Bytes())
	return exit.Failed(err)
}

// list returns the changes, the newest first, and the folder of the repository.
func (o *Options) list(ctx context.Context, since time.Time) ([]git.Commit, string, error) {
	if dir := cmp.Or(o.Path, "."); git.IsBare(dir) {
		return nil, "", fmt.Errorf("%s is a bare repository, without a work tree; clone it and replay the clone: git clone --no-checkout %[1]s clone && gate replay clone", dir)
	}
	repo, err := change.Open(ctx, o.paths())
	if err != nil {
		return nil, "", err
	}
	defer repo.Close()
	most := o.Commits
	if o.PullRequests {
		most = git.MaxMainline
	}
	commits, err := repo.Mainline(ctx, git.MainlineOptions{Since: since, Most: most})
	if err != nil || !o.PullRequests {
		return commits, repo.Root(), err
	}
	var pulls []git.Commit
	for _, c := range commits {
		if isPull(c) && len(pulls) < o.Commits {
			pulls = append(pulls, c)
		}
	}
	return pulls, repo.Root(), nil
}

func (o *Options) paths() []string {
	if o.Path == "" {
		return nil
	}
	return []string{o.Path}
}

// isPull reports whether a commit is a pull request that was merged or squashed.
func isPull(c git.Commit) bool {
	subject := subjectOf(c)
	number, ok := strings.CutSuffix(subject, ")")
	i := strings.LastIndex(number, " (#")
	return len(c.Parents) > 1 || ok && i >= 0 && strings.Trim(number[i+3:], "0123456789") == "" && number[i+3:] != ""
}

func subjectOf(c git.Commit) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return gate.Clip(strings.TrimSpace(subject), maxSubject)
}

// journal is where the rows of a repository are kept.
func (o *Options) journal(e *engine.Engine, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(e.StateDir("replay"), hex.EncodeToString(sum[:8])+".jsonl")
}

// runner looks at changes.
type runner struct {
	process Process
	o       Options
	journal *replay.Journal
}

// all looks at the changes side by side, and returns a row for each.
func (r *runner) all(ctx context.Context, commits []git.Commit) ([]replay.Row, error) {
	seed, err := r.seed()
	if err != nil {
		return nil, err
	}
	rows := make([]replay.Row, len(commits))
	done := make(chan struct{}, len(commits))
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		meter := progress.Start(r.process.Progress)
		defer meter.Stop()
		n := 0
		for range done {
			n++
			meter.Show(gate.LayerStatic, n, len(commits), "changes")
		}
	}()
	err = gate.ForEach(ctx, r.o.Parallel, len(commits), func(ctx context.Context, i int) error {
		defer func() { done <- struct{}{} }()
		key := keyOf(seed, commits[i])
		if row, ok := r.journal.Known(key); ok && !r.o.Fresh {
			rows[i] = row
			return nil
		}
		row := r.look(ctx, commits[i])
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row.Key, rows[i] = key, row
		return r.journal.Add(row)
	})
	close(done)
	<-finished
	return rows, err
}

// look puts one change through the layers.
func (r *runner) look(ctx context.Context, c git.Commit) replay.Row {
	row := replay.Row{Commit: string(c.OID), Date: c.Committer.When, Subject: subjectOf(c), Author: replay.AuthorOf(c.Author.Name, c.Author.Email, false)}
	begin := time.Now()
	out, err := r.scan(ctx, c, func(out engine.Outcome) {
		row.Usages, row.MoreUsages = replay.UsagesOf(out.Result, func(path string, f gate.Finding) (string, bool) {
			return suppress.UsageText(out.Change.Head, path, f)
		})
	})
	row.Millis = time.Since(begin).Milliseconds()
	if err != nil {
		row.Failed = gate.Clip(err.Error(), gate.MaxEvidence)
		return row
	}
	row.Verdict, row.Decision, row.Files, row.Reasons = out.Result.Verdict, out.Result.Decision, len(out.Result.Files), replay.ReasonsOf(out.Result)
	for _, f := range out.Result.Files {
		if f.Attribution.AI && f.Attribution.Basis == "marked" {
			row.Author = replay.AuthorAgent
		}
	}
	return row
}

// scan puts one change through the layers. Where proposals are wanted, usages looks at the
// outcome while the files of the change can be read.
func (r *runner) scan(ctx context.Context, c git.Commit, usages func(engine.Outcome)) (engine.Outcome, error) {
	base := string(c.Parents[0])
	local, err := r.process.Engine.OpenLocal(ctx, engine.LocalOptions{Paths: r.o.paths(), Base: base, Head: string(c.OID), Options: r.o.Engine})
	if err != nil {
		return engine.Outcome{}, err
	}
	defer local.Close()
	out, err := r.process.Engine.Run(ctx, engine.Request{
		Origin: local, Selected: r.o.Engine.Selected(), Cache: r.process.Engine.CachePlace(r.o.Cache), Base: base,
		Suppress: engine.Suppressions{On: true, AgainstBase: true},
	})
	if err == nil && r.o.Suggest {
		usages(out)
	}
	return out, err
}

// seed stands for everything but the change that a row depends on: this build of gate
// and the options of its layers.
func (r *runner) seed() ([]byte, error) {
	options, err := json.Marshal(r.o.Engine)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	build, err := os.Open(self)
	if err != nil {
		return nil, err
	}
	defer build.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, build); err != nil {
		return nil, err
	}
	if r.o.Suggest {
		options = append(options, "suggest"...) // such rows say more
	}
	return append(sum.Sum(nil), options...), nil
}

func keyOf(seed []byte, c git.Commit) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", seed, c.Parents[0], c.OID))
	return hex.EncodeToString(sum[:])
}
