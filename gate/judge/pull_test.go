package judge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aigate/gate/gate/judge"
)

// registry is a server that can fetch models, as it is told.
type registry struct {
	*fake
	pull  func(w http.ResponseWriter, r *http.Request)
	asked []string
}

func (g *registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/pull" {
		g.fake.ServeHTTP(w, r)
		return
	}
	var q struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	g.asked = append(g.asked, q.Model)
	g.pull(w, r)
}

func TestAModelIsPulledOnRequest(t *testing.T) {
	lines := func(w http.ResponseWriter, lines ...string) {
		for _, l := range lines {
			fmt.Fprintln(w, l)
		}
		http.NewResponseController(w).Flush()
	}
	half := []string{`{"status":"pulling manifest"}`, `{"status":"pulling 60e05f210007","digest":"sha256:60e0","total":4000,"completed":1000}`}
	done := append(slices.Clone(half), `{"status":"verifying sha256 digest"}`, `{"status":"success"}`)
	tests := map[string]struct {
		pull func(g *registry) func(http.ResponseWriter, *http.Request)
		err  string // part of it; "" for none
	}{
		"a whole pull": {func(g *registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { g.models = append(g.models, big); lines(w, done...) }
		}, ""},
		"a success without the model": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { lines(w, done...) }
		}, "says that it is done and does not have it"},
		"a stream that ends early": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { lines(w, half...) }
		}, `before its end, with "pulling 60e05f210007"`},
		"a connection that breaks": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { lines(w, half...); panic(http.ErrAbortHandler) }
		}, "ended before its end"},
		"a model that no one has": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) {
				lines(w, `{"error":"pull model manifest: file does not exist"}`)
			}
		}, "file does not exist"},
		"a refusal": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusForbidden, "not you") }
		}, "not you"},
		"silence": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, r *http.Request) { lines(w, half...); <-r.Context().Done() }
		}, "said nothing for 5m0s"},
		"a flood": {func(*registry) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, r *http.Request) {
				for flood := strings.Repeat("x", 1<<20); r.Context().Err() == nil; {
					if _, err := fmt.Fprint(w, flood); err != nil {
						return
					}
				}
			}
		}, "ended before its end"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &registry{fake: &fake{models: []string{small}, chat: saySafe}}
				g.pull = tt.pull(g)
				j := newJudge(t, fakeOptions(t, network{"two": g}, "one", "two"))
				var seen []judge.Pulling
				host, err := j.Pull(t.Context(), func(p judge.Pulling) { seen = append(seen, p) })
				if host != "http://two:11434" || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%s, %v; want an error with %q", host, err, tt.err)
				}
				if !slices.Equal(g.asked, []string{big}) {
					t.Errorf("asked for %v", g.asked)
				}
				if tt.err == "" && (len(seen) != 4 || seen[1] != judge.Pulling{Status: "pulling 60e05f210007", Done: 1000, Total: 4000}) {
					t.Errorf("seen %+v", seen)
				}
			})
		})
	}
}

func TestAModelIsNotPulledFromADeadServerOrUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJudge(t, fakeOptions(t, network{}, "one"))
		if _, err := j.Pull(t.Context(), func(judge.Pulling) {}); err == nil || !strings.Contains(err.Error(), "no Ollama server answers at http://one:11434") {
			t.Errorf("error %v", err)
		}
		g := &registry{fake: &fake{models: []string{small}, chat: saySafe}}
		scan(t, fakeOptions(t, network{"one": g}, "one"), map[string]string{"a.py": "go()\n"})
		if len(g.asked) > 0 {
			t.Errorf("a run has pulled %v", g.asked)
		}
	})
}
