package attribution

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aigate/gate/gate/change/git/gittest"
	"github.com/aigate/gate/tools/testenv"
)

// sample is one commit, with the pull request around it, and who really wrote
// it. Files in testdata/corpus hold lists of them; those in blind*.json were
// written by people who had not seen the table of signals.
type sample struct {
	ID      string   `json:"id"`
	AI      bool     `json:"ai"`
	Agent   string   `json:"agent"` // checked when it is set
	Author  string   `json:"author"`
	Message string   `json:"message"`
	Content string   `json:"content"` // of the file, by default something plain
	Branch  string   `json:"branch"`
	Login   string   `json:"login"`
	Title   string   `json:"title"`
	Body    string   `json:"body"`
	Labels  []string `json:"labels"`
}

// marked runs the attribution of a sample on a real commit.
func (s sample) marked(t *testing.T) (marked bool, agents []string) {
	t.Helper()
	g := gittest.New(t)
	g.Write("README.md", "x\n")
	base := g.Commit("x")
	content := s.Content
	if content == "" {
		content = "x = 1\n"
	}
	g.Write("f.py", content)
	p := identity(s.Author)
	commitAs(g, p.Name, p.Email, s.Message)
	a := attribute(t, g, base, "HEAD", Input{Pull: Pull{Branch: s.Branch, Title: s.Title, Body: s.Body, Author: s.Login, Labels: s.Labels}})["f.py"].Attribution
	return a.Basis == "marked", a.Agents
}

// TestCorpus prints precision and recall, and keeps them from falling.
func TestCorpus(t *testing.T) {
	testenv.WithoutRace(t, "one change at a time through all signals")
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var samples []sample
			if err := json.Unmarshal(data, &samples); err != nil {
				t.Fatal(err)
			}
			var hit, missed, wrong, right int
			for _, s := range samples {
				marked, agents := s.marked(t)
				switch {
				case marked && s.AI:
					hit++
					if s.Agent != "" && !slices.Contains(agents, s.Agent) {
						t.Errorf("%s: agents %v, want %s", s.ID, agents, s.Agent)
					}
				case marked:
					wrong++
					t.Logf("%s is marked, and people wrote it", s.ID)
				case s.AI:
					missed++
					t.Logf("%s is not marked, and an AI wrote it", s.ID)
				default:
					right++
				}
			}
			precision, recall := float64(hit)/float64(hit+wrong), float64(hit)/float64(hit+missed)
			t.Logf("%d by AI, %d not: precision %.2f, recall %.2f", hit+missed, wrong+right, precision, recall)
			if precision < 0.9 || recall < 0.9 {
				t.Error("precision and recall must stay at 0.90 or above")
			}
		})
	}
}
