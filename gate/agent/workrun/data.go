package workrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/workspace"
)

// readData reads and fetches what the user gives. hosts lists where it may be fetched from.
func (s *session) readData(ctx context.Context, hosts []string) error {
	s.fetched = []data.Datum{}
	var addresses []string
	for _, from := range s.o.Data {
		if isAddress(from) {
			addresses = append(addresses, from)
			continue
		}
		g, err := readPath(from)
		if err != nil {
			return exit.Usagef("--data: %w", err)
		}
		for _, l := range g.Left {
			s.engine.Noticef("not given to programs: %q: %s", l.Path, l.Why)
		}
		if err := s.give(g.Files); err != nil {
			return err
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	allow, err := data.ParseList(hosts)
	if err != nil {
		return exit.Usagef("agent.data: %w", err)
	}
	fetcher := &data.Fetcher{Allow: allow, Public: engine.PublicAddress}
	if err := fetcher.Check(addresses); err != nil {
		return exit.Usagef("--data: %w", err)
	}
	if s.fetched, err = fetcher.Fetch(ctx, addresses); err != nil {
		return exit.Failed(err)
	}
	for _, d := range s.fetched {
		if err := s.give([]exchange.File{{Path: d.Name, Data: d.Data}}); err != nil {
			return err
		}
	}
	return nil
}

// give adds files to what programs can read. The tools bound all of it together.
func (s *session) give(files []exchange.File) error {
	for _, f := range files {
		if slices.ContainsFunc(s.given.Files, func(g exchange.File) bool { return g.Path == f.Path }) {
			return exit.Usagef("--data: there are two files named %q; give one folder that has both below names of their own", f.Path)
		}
		s.given.Files = append(s.given.Files, f)
		s.given.Bytes += int64(len(f.Data))
	}
	return nil
}

// isAddress reports whether data is fetched, and not read from this machine.
func isAddress(from string) bool {
	return strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://")
}

// readPath reads a folder, or one file.
func readPath(p string) (exchange.Given, error) {
	info, err := os.Stat(p)
	if err != nil {
		return exchange.Given{}, err
	}
	if info.IsDir() {
		return exchange.Read(p)
	}
	if !info.Mode().IsRegular() {
		return exchange.Given{}, fmt.Errorf("%s is neither a folder nor a regular file", p)
	}
	if err := exchange.Allowed(p); err != nil {
		return exchange.Given{}, err
	}
	text, err := bounded.ReadPath(p, workspace.MaxFile)
	if err != nil {
		return exchange.Given{}, err
	}
	return exchange.Given{Files: []exchange.File{{Path: filepath.Base(p), Data: text}}}, nil
}
