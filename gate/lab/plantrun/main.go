package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aigate/gate/gate/lab/attack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// settings say what is planted where.
type settings struct {
	folder  string // of bare repositories
	attacks string // the folder of the suite
	out     string
	gate    string // the program
	rounds  int    // histories that each attack is planted into
	log     io.Writer
}

const maxRounds = 100

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	s, err := options(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "plantrun:", err)
		return 2
	}
	milder, err := plantAll(ctx, s)
	if err != nil {
		fmt.Fprintln(stderr, "plantrun:", err)
		return 1
	}
	return min(milder, 1)
}

func options(args []string, stderr io.Writer) (settings, error) {
	s := settings{log: stderr}
	flags := flag.NewFlagSet("plantrun", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.attacks, "attacks", "fixtures/attacks", "the `folder` of the attacks")
	flags.StringVar(&s.out, "out", "plantrun", "the `folder` for the results")
	flags.StringVar(&s.gate, "gate", "gate", "the `program` gate")
	flags.IntVar(&s.rounds, "rounds", 2, "`how many` histories each attack is planted into")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() != 1 {
		return s, errors.New("give one folder of bare repositories")
	}
	if s.rounds < 1 || s.rounds > maxRounds {
		return s, fmt.Errorf("-rounds is %d, and 1 to %d are possible", s.rounds, maxRounds)
	}
	s.folder = flags.Arg(0)
	program, err := filepath.Abs(s.gate)
	if err == nil && strings.Contains(s.gate, "/") {
		s.gate = program // scans run in other folders
	}
	return s, err
}

// plantAll plants every attack, and returns how many got a milder verdict in a history.
func plantAll(ctx context.Context, s settings) (milder int, err error) {
	suite, err := attack.Load(os.DirFS(s.attacks), s.attacks)
	if err != nil {
		return 0, err
	}
	repos, err := filepath.Glob(filepath.Join(s.folder, "*.git"))
	if err != nil || len(repos) == 0 {
		return 0, errors.Join(err, fmt.Errorf("%s holds no bare repositories (NAME.git)", s.folder))
	}
	j, err := openJournal(s.out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	work, err := os.MkdirTemp("", "plantrun-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	p := planter{gate: s.gate, work: work}
	for n := range min(s.rounds, len(repos)) * len(suite) {
		round, i := n/len(suite), n%len(suite)
		a, repo := suite[i], repos[(i+round)%len(repos)]
		r := row{Attack: a.ID, Language: a.Language, Project: strings.TrimSuffix(filepath.Base(repo), ".git")}
		if j.has(r) {
			continue
		}
		j.alone(&r)
		if err := p.plant(ctx, a, repo, &r); err != nil {
			return 0, fmt.Errorf("%s: %w", a.ID, err)
		}
		fmt.Fprintf(s.log, "%d of %d %s in %s: %s, alone %s\n", n+1, s.rounds*len(suite), a.ID, r.Project, r.Planted, r.Alone)
		if err := j.add(r); err != nil {
			return 0, err
		}
	}
	return j.milder(), os.WriteFile(filepath.Join(s.out, "planted.md"), []byte(markdown(j.rows)), 0o644)
}
