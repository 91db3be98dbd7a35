package judge_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aigate/gate/gate"
)

// offloaded is a server whose model is on the CPU by a quarter.
type offloaded struct{ *fake }

func (o offloaded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/ps" {
		fmt.Fprint(w, `{"models":[{"name":"big:14b","model":"big:14b","size":8000000000,"size_vram":6000000000}]}`)
		return
	}
	o.fake.ServeHTTP(w, r)
}

func TestPeopleAreToldWhoJudgesAndHow(t *testing.T) {
	good := func(models ...string) *fake { return &fake{models: models, chat: saySafe} }
	tests := map[string]struct {
		network network
		hosts   []string
		want    []string // parts of the only warning; nil for none
	}{
		"the preferred model on a GPU": {network{"one": good(big)}, []string{"one"}, nil},
		"a smaller model":              {network{"one": good(small)}, []string{"one"}, []string{"a smaller model judges", "model=small:7b", "http://one:11434 has no model big:14b", "gate doctor"}},
		"a model that does not load": {network{"one": refusing(big, func(_ asked, w http.ResponseWriter) {
			fail(w, http.StatusInternalServerError, "model requires more system memory (9.2 GiB) than is available (4.0 GiB)")
		})}, []string{"one"}, []string{"a smaller model judges", "requires more system memory"}},
		"a model that is too large for the GPU": {network{"one": offloaded{good(big)}}, []string{"one"}, []string{"runs on the CPU in part", "percent=25", "judge.model"}},
		"a dead host beside a good one":         {network{"two": good(big)}, []string{"one", "two"}, nil},
		"a server that is lost": {network{"one": &fake{models: []string{big}, chat: func(_ int, _ asked, w http.ResponseWriter) { fail(w, http.StatusNotFound, "gone") }}, "two": good(big)},
			[]string{"one", "two"}, []string{"has lost a server", "server=http://one:11434", "the model is gone", "others=1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				o := fakeOptions(t, tt.network, tt.hosts...)
				o.Log = slog.New(slog.NewTextHandler(&log, nil))
				result := scan(t, o, map[string]string{"a.py": "go()\n"})
				if result.Verdict != gate.Safe {
					t.Errorf("verdict %s with gaps %v", result.Verdict, result.Incomplete)
				}
				says := log.String()
				if n := strings.Count(says, "level=WARN"); n != min(len(tt.want), 1) {
					t.Errorf("%d warnings:\n%s", n, says)
				}
				for _, part := range tt.want {
					if !strings.Contains(says, part) {
						t.Errorf("no %q in\n%s", part, says)
					}
				}
			})
		})
	}
}

func TestProgressSaysWhoJudgesAndHowFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		c := change(map[string]string{"a.py": "go()\n", "b.py": "stop()\n"})
		found := gate.NewFindings(c.Targets, func(e gate.Event) {
			if p, ok := e.(gate.Progress); ok {
				got = append(got, fmt.Sprintf("%s %d/%d %s", p.Layer, p.Done, p.Total, p.Detail))
			}
		})
		server := &fake{models: []string{big}, chat: saySafe} // five tokens in 20 ms
		if _, err := newJudge(t, fakeOptions(t, network{"one": server}, "one")).Run(t.Context(), c, found); err != nil {
			t.Fatal(err)
		}
		if want := []string{"judge 0/2 big:14b at http://one:11434", "judge 1/2 250 tokens/s", "judge 2/2 250 tokens/s"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
