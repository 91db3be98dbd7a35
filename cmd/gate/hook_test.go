package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hook"
)

// hangs is a static layer that never comes to an end, whatever it is told.
type hangs struct{}

func (hangs) Name() gate.Layer { return gate.LayerStatic }

func (hangs) Run(context.Context, *gate.Change, *gate.Findings) (gate.Outcome, error) {
	select {}
}

//go:generate go test -run TestThePageAboutHooksIsCurrent . -update

// What docs/hook.md says of each tool is what the program knows of it.
func TestThePageAboutHooksIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "hook.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for name, text := range map[string]string{"contracts": hook.ContractTable(), "settings": hook.SettingsPage("/usr/local/bin/gate"), "refused": hook.RefusalTable()} {
		begin, end := "<!-- "+name+": generated -->\n", "<!-- /"+name+" -->\n"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s", file, name)
		}
		want = before + begin + "\n" + text + "\n" + end + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("%s is not current; run `make docs` (-want +got):\n%s", file, diff)
	}
}
