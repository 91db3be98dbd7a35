package mcp

import (
	"archive/tar"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

// versions is the file in which an image of gate says what is in it.
const versions = "/usr/share/aigate/versions"

// Libraries says what is installed in the images for Python and for JavaScript, as they say
// themselves; "" where no container can be had, which the first program will say better. An
// image of the user's that says nothing is left out.
func (c *Client) Libraries(ctx context.Context) string {
	s := c.server
	languages := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript}
	said := make([]string, len(languages))
	var wg sync.WaitGroup
	for i, l := range languages {
		wg.Go(func() {
			res, err := s.programs.Run(ctx, engine.Program{Language: l, Argv: []string{"cat", versions}, Files: func(*tar.Writer) error { return nil }})
			if err == nil && res.Status == engine.EndedExited && res.ExitCode == 0 {
				said[i] = line(strings.TrimSpace(string(res.Stdout.Data)), maxSentence)
			}
		})
	}
	wg.Wait()
	var out []string
	for i, l := range languages {
		if said[i] != "" {
			out = append(out, fmt.Sprintf("for %s: %s", l, said[i]))
		}
	}
	return strings.Join(out, "; ")
}
