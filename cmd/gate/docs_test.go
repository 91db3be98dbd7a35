package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

//go:generate go test -run TestTheCommandReferenceIsCurrent . -update

func TestTheCommandReferenceIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "cli.md")
	want := commandReference(newApp().root())
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not current; run `make docs` (-want +got):\n%s", file, diff)
	}
}

func TestTheRulesThatPagesSayToExplainExist(t *testing.T) {
	all, err := newApp().everyRule(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range all {
		known[r.ID] = true
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`gate rules explain ([a-z-]+/[a-z0-9-]+)`)
	found := 0
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if !known[m[1]] && !strings.HasPrefix(m[1], "own/") {
				t.Errorf("%s: there is no rule %s", page, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no page names a rule to explain")
	}
}

// commandReference writes what --help says of every command as one page.
func commandReference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nGenerated from `gate --help`. Exit codes: 0 pass, 1 blocked, 2 usage or configuration error or nothing to\nscan, 3 incomplete. `gate completion bash|zsh|fish|powershell` writes the completion of a shell.\n")
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return
		}
		if c.Runnable() && c != root {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", c.CommandPath(), c.Short)
			if c.Long != "" {
				fmt.Fprintf(&b, "%s\n\n", c.Long)
			}
			fmt.Fprintf(&b, "```\n%s\n```\n", c.UseLine())
			if c.Example != "" {
				fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
			}
			if flags := strings.TrimRight(c.LocalFlags().FlagUsages(), "\n"); flags != "" {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", flags)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return b.String()
}
