package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// settings say what is measured, and with what.
type settings struct {
	set    string // a folder, or a .tar.gz
	out    string
	gate   string // the program, as an absolute path
	layers string
	only   []string      // ids of samples; empty for all
	within time.Duration // for one scan
	log    io.Writer
}

// run is main with its inputs as arguments; it returns the exit code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	s, err := options(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "blindrun:", err)
		return 2
	}
	if err := measureAll(ctx, s); err != nil {
		fmt.Fprintln(stderr, "blindrun:", err)
		return 1
	}
	return 0
}

func options(args []string, stderr io.Writer) (settings, error) {
	s := settings{log: stderr}
	flags := flag.NewFlagSet("blindrun", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.out, "out", "blindrun", "the `folder` for the results")
	flags.StringVar(&s.layers, "layers", "static", "the `layers` that look, such as static,sandbox")
	flags.DurationVar(&s.within, "within", 10*time.Minute, "the longest `time` for one scan")
	program := flags.String("gate", "gate", "the `program` gate")
	only := flags.String("only", "", "the `ids` of the samples to measure, with commas")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() != 1 {
		return s, errors.New("give one set: a folder with labels.jsonl, or the same as .tar.gz")
	}
	s.set = flags.Arg(0)
	if *only != "" {
		s.only = strings.Split(*only, ",")
	}
	found, err := exec.LookPath(*program)
	if err != nil {
		return s, err
	}
	s.gate, err = filepath.Abs(found) // scans run in other folders
	return s, err
}

// measureAll measures the samples that have no result yet, and writes the table.
func measureAll(ctx context.Context, s settings) (err error) {
	work, err := os.MkdirTemp("", "blindrun-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	set, err := openSet(s.set, filepath.Join(work, "set"))
	if err != nil {
		return err
	}
	of := origin{Set: set.digest, Layers: s.layers}
	if of.Gate, err = fileDigest(s.gate); err != nil {
		return err
	}
	j, err := openJournal(s.out, of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	m := measurer{settings: s, work: work}
	for n, l := range set.samples {
		if j.has(l.ID) || len(s.only) > 0 && !slices.Contains(s.only, l.ID) {
			continue
		}
		r := row{Sample: l, origin: of}
		if err := m.measure(ctx, set.folder, &r); err != nil {
			return fmt.Errorf("%s: %w", l.ID, err)
		}
		fmt.Fprintf(s.log, "%d of %d %s, %s: %s\n", n+1, len(set.samples), l.ID, l.Label, r.Verdict)
		if err := j.add(r); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.out, "blind.md"), []byte(markdown(of, len(set.samples), j.rows)), 0o644)
}

// fileDigest is the SHA-256 of a file, in hexadecimal.
func fileDigest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
