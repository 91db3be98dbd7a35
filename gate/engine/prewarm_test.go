package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aigate/gate/gate"
)

// waits is a static layer that finds nothing before a channel is closed.
type waits struct{ until <-chan struct{} }

func (waits) Name() gate.Layer { return gate.LayerStatic }

func (w waits) Run(ctx context.Context, _ *gate.Change, _ *gate.Findings) (gate.Outcome, error) {
	select {
	case <-w.until:
		return gate.Outcome{}, nil
	case <-ctx.Done():
		return gate.Outcome{}, context.Cause(ctx)
	}
}

// ollama is a server that has one model and closes loading when it is to load it.
// What it answers to that is the test's.
func ollama(t *testing.T, answer http.HandlerFunc) (address string, loading <-chan struct{}) {
	t.Helper()
	asked := make(chan struct{})
	var once sync.Once
	mux := http.NewServeMux()
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	mux.HandleFunc("/api/version", text(`{"version":"0.9.6"}`))
	mux.HandleFunc("/api/tags", text(`{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"0123456789ab","size":1}]}`))
	mux.HandleFunc("/api/show", text(`{"details":{"family":"qwen2"},"model_info":{"general.architecture":"qwen2","qwen2.context_length":32768}}`))
	mux.HandleFunc("/api/ps", text(`{"models":[]}`))
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&q); err == nil && len(q.Messages) == 0 {
			once.Do(func() { close(asked) })
		}
		answer(w, r)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL, asked
}

// judged builds a judge that asks this server.
func judged(t *testing.T, address string) *Layers {
	t.Helper()
	p := gate.DefaultPolicy()
	p.Judge.Hosts, p.Judge.Model, p.Judge.Fallback = []string{address}, "tiny:latest", ""
	l := &Layers{}
	e := New(Host{Stderr: io.Discard, Getenv: func(string) string { return "" }})
	if err := l.openJudge(e, Setup{Settings: Settings{Policy: p}}); err != nil {
		t.Fatal(err)
	}
	return l
}

// gated runs the layers over one file and returns what became of the judge.
func gated(t *testing.T, l *Layers, staticOnly bool) (static, judge gate.LayerResult) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // only a broken test waits that long
	defer cancel()
	res, err := l.Run(ctx, Job{
		Change: &gate.Change{
			Head:    fstest.MapFS{"a.py": {Data: []byte("x = 1\n")}},
			Targets: []*gate.Target{{Path: "a.py", Language: gate.LanguagePython, Kind: gate.ChangeAdded, Mode: 0o644, StaticOnly: staticOnly}},
		},
		Policy: gate.DefaultPolicy(),
	})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return res.Layers[0], res.Layers[1]
}

func TestTheModelIsLoadedBeforeTheStaticLayerIsDone(t *testing.T) {
	address, loading := ollama(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"no such luck"}`, http.StatusBadRequest)
	})
	l := judged(t, address)
	l.stages = append([]gate.Stage{waits{until: loading}}, l.stages...)
	l.prewarm()
	static, judge := gated(t, l, false)
	if static.Status != gate.LayerRan {
		t.Errorf("the static layer waited for a load that never came: %+v", static)
	}
	// What went wrong with the model is the judge's to say, and no more than that.
	if judge.Status == gate.LayerRan || judge.Reason == "" {
		t.Errorf("the judge says %+v", judge)
	}
}

func TestAnInterruptedRunLeavesNoLoadBehind(t *testing.T) {
	released := make(chan struct{})
	address, loading := ollama(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // loads until no one wants it any more
		close(released)
	})
	l := judged(t, address)
	l.stages = []gate.Stage{waits{until: loading}, l.stages[0]}
	l.prewarm()
	l.stages = l.stages[:1] // the judge's turn never comes
	gated(t, l, false)
	<-released
}

func TestAModelIsLoadedOnlyWhenItWillBeAsked(t *testing.T) {
	address, loading := ollama(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"not asked for"}`, http.StatusBadRequest)
	})
	done := make(chan struct{})
	close(done)
	l := judged(t, address)
	l.stages = append([]gate.Stage{waits{until: done}}, l.stages...)
	l.prewarm()
	gated(t, l, true)
	select {
	case <-loading:
		t.Error("the model was loaded for a change that only the static layer sees")
	default:
	}
}

func TestJudgeIsPreparedOnlyIfItIsOn(t *testing.T) {
	for _, tt := range []struct {
		selected []gate.Layer
		early    bool
	}{
		{[]gate.Layer{gate.LayerStatic, gate.LayerJudge}, true},
		{[]gate.Layer{gate.LayerStatic}, false},
		{[]gate.Layer{gate.LayerJudge}, false},
	} {
		e := New(Host{Stderr: io.Discard, Getenv: func(string) string { return "" }})
		l, err := e.Open(t.Context(), Setup{Settings: Settings{Policy: gate.DefaultPolicy()}, Selected: tt.selected})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := l.stages[0].(*early); ok != tt.early {
			t.Errorf("%v: prepared %v, want %v", tt.selected, ok, tt.early)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
