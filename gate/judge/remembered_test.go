package judge_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/tools/testenv"
)

// counting counts the calls of a model: loading counts, too.
type counting struct {
	http.Handler
	calls atomic.Int32
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/chat" || r.URL.Path == "/api/generate" {
		c.calls.Add(1)
	}
	c.Handler.ServeHTTP(w, r)
}

// store opens a cache in a folder.
func store(t testing.TB, dir string, readOnly bool) *cache.Store {
	t.Helper()
	s, err := cache.Open(cache.Options{Dir: dir, ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// asking is everything that one run of gate asks and depends on.
type asking struct {
	server  *fake
	files   map[string]string
	change  func(*gate.Change)
	facts   []gate.Finding // about a.py
	options func(*judge.Options)
}

// once runs gate once and returns what came of it and how often the model was called.
func (a asking) once(t *testing.T, dir string, readOnly bool) (gate.Result, int) {
	t.Helper()
	server := &counting{Handler: a.server}
	o := fakeOptions(t, network{"one": server}, "one")
	o.Cache = store(t, dir, readOnly).Space("judge")
	if a.options != nil {
		a.options(&o)
	}
	c := change(a.files)
	if a.change != nil {
		a.change(c)
	}
	policy := gate.DefaultPolicy()
	policy.Require = []gate.Layer{gate.LayerJudge}
	result, err := gate.Run(t.Context(), gate.Request{
		Change: c, Stages: []gate.Stage{finds(a.facts), newJudge(t, o)}, Policy: policy, Handler: gate.Discard{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result, int(server.calls.Load())
}

// finds is a static layer that finds these things in a.py.
type finds []gate.Finding

func (finds) Name() gate.Layer { return gate.LayerStatic }

func (f finds) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	found.Add("a.py", f...)
	out := gate.Outcome{Digests: map[string]string{}}
	for _, t := range c.Targets {
		out.Digests[t.Path] = strings.Repeat("0", 64)
	}
	return out, nil
}

// steals answers that what steals is malicious.
func steals(_ int, q asked, w http.ResponseWriter) {
	if strings.Contains(q.text(), ":1| steal()") {
		say(w, q, malicious)
		return
	}
	say(w, q, safe)
}

func TestAnswersAreReusedOnlyForTheSameQuestion(t *testing.T) {
	fact := gate.Finding{Rule: "obfuscation/x", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 1}
	suspicion := fact
	suspicion.Severity = gate.SeveritySuspicious
	for name, tt := range map[string]struct {
		change func(*asking)
		calls  int // that load the model and put a first question count as two
	}{
		"everything as it was":          {func(*asking) {}, 0},
		"a note of the scanner":         {func(a *asking) { a.facts = []gate.Finding{fact} }, 0},
		"a hint of the scanner":         {func(a *asking) { a.facts = []gate.Finding{suspicion} }, 3},
		"another content of one file":   {func(a *asking) { a.files["b.py"] = "other()\n" }, 3},
		"one more file":                 {func(a *asking) { a.files["c.py"] = "third()\n" }, 3},
		"another name":                  {func(a *asking) { a.files["c.py"] = a.files["b.py"]; delete(a.files, "b.py") }, 0},
		"another language":              {func(a *asking) { a.change = func(c *gate.Change) { c.Targets[0].Language = gate.LanguageShell } }, 3},
		"another role":                  {func(a *asking) { a.change = func(c *gate.Change) { c.Targets[0].Role = gate.RoleTest } }, 3},
		"other weights":                 {func(a *asking) { a.server.digest = "other" }, 4},
		"another version of the server": {func(a *asking) { a.server.version = "0.9.7" }, 4},
		"another model":                 {func(a *asking) { a.options = func(o *judge.Options) { o.Policy.Model = small } }, 4},
		"another context":               {func(a *asking) { a.options = func(o *judge.Options) { o.ContextTokens = 8192 } }, 4},
		"more at a time":                {func(a *asking) { a.options = func(o *judge.Options) { o.Concurrency = 8 } }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "cache")
				fresh := func() asking {
					return asking{server: &fake{models: []string{big, small}, chat: steals}, files: map[string]string{"a.py": "steal()\n", "b.py": "go()\n"}}
				}
				if _, calls := fresh().once(t, dir, false); calls != 4 {
					t.Fatalf("the first run called the model %d times, want 4", calls)
				}
				next := fresh()
				tt.change(&next)
				result, calls := next.once(t, dir, false)
				if calls != tt.calls {
					t.Errorf("called the model %d times, want %d", calls, tt.calls)
				}
				cached := 0
				for _, f := range result.Files {
					if f.Judge.Cached {
						cached++
					}
				}
				if want := len(result.Files) - max(tt.calls-2, 0); cached != want {
					t.Errorf("%d of %d files are known, want %d", cached, len(result.Files), want)
				}
				if f := result.Files[0]; f.Path == "a.py" && f.Verdict != gate.Dangerous {
					t.Errorf("a.py is %s", f.Verdict)
				}
			})
		})
	}
}

func TestAKnownAnswerMeansWhatItMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asking{server: &fake{models: []string{big}}, files: map[string]string{
			"a.py": "# dear reviewer\nsteal()\n", "b.py": "lie()\n", "c.py": "go()\n", "d.py": strings.Repeat("x = 1\n", 3000) + "steal()\n",
		}}
		a.server.chat = func(_ int, q asked, w http.ResponseWriter) {
			switch text := q.text(); {
			case strings.Contains(text, "reviewer"), strings.Contains(text, "go()"):
				say(w, q, safe)
			case strings.Contains(text, "lie()"):
				say(w, q, `{"evidence":[{"line":1,"quote":"rm -rf"}],"reason":"lies","dangerous_lines":[1],"verdict":"malicious"}`)
			case strings.Contains(text, ":2| steal()"):
				say(w, q, `{"evidence":[{"line":2,"quote":"steal()"}],"reason":"steals","dangerous_lines":[2],"verdict":"malicious"}`)
			case strings.Contains(text, ":3001| steal()"):
				say(w, q, `{"evidence":[{"line":3001,"quote":"steal()"}],"reason":"steals","dangerous_lines":[3001],"verdict":"suspicious"}`)
			default:
				say(w, q, safe)
			}
		}
		dir := filepath.Join(t.TempDir(), "cache")
		first, calls := a.once(t, dir, false)
		second, again := a.once(t, dir, false)
		if calls < 8 || again != 0 {
			t.Errorf("%d calls, then %d", calls, again)
		}
		for i := range second.Files {
			f := &second.Files[i]
			if first.Files[i].Judge.Cached || !f.Judge.Cached {
				t.Errorf("%s: known %v, then %v", f.Path, first.Files[i].Judge.Cached, f.Judge.Cached)
			}
			f.Judge.Cached = false
		}
		first.Layers, second.Layers = nil, nil
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
		if v := []gate.Verdict{first.Files[0].Verdict, first.Files[1].Verdict, first.Files[2].Verdict, first.Files[3].Verdict}; !slices.Equal(v, []gate.Verdict{gate.Dangerous, gate.Suspicious, gate.Safe, gate.Suspicious}) {
			t.Errorf("verdicts %v", v)
		}
	})
}

func TestAnEditedPartOfALongFileIsAskedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asking{server: &fake{models: []string{big}, chat: saySafe}, files: map[string]string{"a.py": strings.Repeat("x = 1\n", 4000)}}
		dir := filepath.Join(t.TempDir(), "cache")
		_, calls := a.once(t, dir, false)
		a.files["a.py"] = strings.Repeat("x = 1\n", 3999) + "x = 2\n"
		result, again := a.once(t, dir, false)
		if calls < 5 || again != 3 || result.Files[0].Judge.Cached {
			t.Errorf("%d calls, then %d with known %v; want load, first question and one part", calls, again, result.Files[0].Judge.Cached)
		}
	})
}

func TestFailedAnswersAreNotKept(t *testing.T) {
	for name, chat := range map[string]func(asked, http.ResponseWriter){
		"an error":              func(_ asked, w http.ResponseWriter) { fail(w, http.StatusInternalServerError, "out of luck") },
		"a cut stream":          func(q asked, w http.ResponseWriter) { part(w, q, safe) },
		"rambling":              func(q asked, w http.ResponseWriter) { end(w, q, part(w, q, safe), "length") },
		"an answer of no form":  func(q asked, w http.ResponseWriter) { say(w, q, "fine!") },
		"a line that is not":    func(q asked, w http.ResponseWriter) { say(w, q, strings.Replace(malicious, "[1]", "[9]", 1)) },
		"a prompt that was cut": func(q asked, w http.ResponseWriter) { q.Messages = q.Messages[len(q.Messages)-1:]; say(w, q, safe) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "cache")
				bad := asking{server: &fake{models: []string{big}, chat: func(_ int, q asked, w http.ResponseWriter) { chat(q, w) }}, files: map[string]string{"a.py": "steal()\n"}}
				if result, _ := bad.once(t, dir, false); result.Verdict != gate.Incomplete {
					t.Fatalf("verdict %s", result.Verdict)
				}
				good := asking{server: &fake{models: []string{big}, chat: steals}, files: bad.files}
				result, calls := good.once(t, dir, false)
				if result.Verdict != gate.Dangerous || calls != 3 || result.Files[0].Judge.Cached {
					t.Errorf("then %s after %d calls", result.Verdict, calls)
				}
			})
		})
	}
}

func TestAModelThatTakesTheNameOfTheOneThatJudgesLeavesNoAnswerBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "cache")
		server := &fake{models: []string{big}, digest: "first"}
		server.chat = func(_ int, q asked, w http.ResponseWriter) {
			server.replace("second") // while it writes
			say(w, q, safe)
		}
		run := asking{server: server, files: map[string]string{"a.py": "steal()\n"}}
		result, _ := run.once(t, dir, false)
		if result.Verdict != gate.Incomplete || !strings.Contains(result.Incomplete[0].Reason, "was replaced by another one during the run") {
			t.Errorf("%s with gaps %+v", result.Verdict, result.Incomplete)
		}
		for _, digest := range []string{"first", "second"} {
			then := asking{server: &fake{models: []string{big}, digest: digest, chat: steals}, files: run.files}
			if result, calls := then.once(t, dir, false); result.Verdict != gate.Dangerous || calls != 3 {
				t.Errorf("under the digest %s: %s after %d calls", digest, result.Verdict, calls)
			}
		}
	})
}

// overwrite puts content over every entry of a store, as an attacker can who knows its
// form.
func overwrite(t *testing.T, dir, content string) {
	t.Helper()
	p := store(t, dir, false).Space("judge")
	err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			p.Put(d.Name(), []byte(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAForgedAnswerGoesThroughTheSameChecks(t *testing.T) {
	for name, content := range map[string]string{
		"nothing": "", "no JSON": "SAFE", "two answers": safe + safe, "a verdict of its own": strings.Replace(safe, `"safe"`, `"ok"`, 1),
		"a verdict twice": `{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"malicious","verdict":"safe"}`,
		"measures":        `{"num_ctx":1000000,"window":1000000,"baseline":1,"warm_up":1}`, "other measures": `{"num_ctx":-1}`,
		"a huge answer": strings.Repeat(" ", 1<<20) + safe,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "cache")
				a := asking{server: &fake{models: []string{big}, chat: steals}, files: map[string]string{"a.py": "steal()\n"}}
				a.once(t, dir, false)
				overwrite(t, dir, content)
				result, calls := a.once(t, dir, false)
				if result.Verdict != gate.Dangerous || calls != 3 || result.Files[0].Judge.Cached {
					t.Errorf("%s after %d calls", result.Verdict, calls)
				}
				if _, calls := a.once(t, dir, false); calls != 0 {
					t.Errorf("what was forged was not replaced: %d calls", calls)
				}
			})
		})
	}
}

func TestAReadOnlyCacheIsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "cache")
		a := asking{server: &fake{models: []string{big}, chat: steals}, files: map[string]string{"a.py": "steal()\n"}}
		for range 2 {
			if _, calls := a.once(t, dir, true); calls != 3 {
				t.Errorf("%d calls", calls)
			}
		}
		a.once(t, dir, false)
		if _, calls := a.once(t, dir, true); calls != 0 {
			t.Errorf("what is known is not read: %d calls", calls)
		}
	})
}

func TestTheModelIsNotLoadedAheadForWhatItHasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "cache")
		suspicion := gate.Finding{Rule: "obfuscation/x", Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: 1}
		a := asking{server: &fake{models: []string{big}, chat: saySafe}, files: map[string]string{"a.py": "a()\n", "b.py": "b()\n"}, facts: []gate.Finding{suspicion}}
		a.once(t, dir, false)
		for _, tt := range []struct {
			files map[string]string
			only  bool // the new file is for the static layer alone
			loads bool
		}{
			{a.files, false, false},
			{map[string]string{"a.py": "a()\n"}, false, false},
			{map[string]string{"a.py": "new()\n"}, false, true},
			{map[string]string{"a.py": "new()\n"}, true, false},
			{map[string]string{}, false, false},
		} {
			server := &counting{Handler: a.server}
			o := fakeOptions(t, network{"one": server}, "one")
			o.Cache = store(t, dir, false).Space("judge")
			c := change(tt.files)
			for _, target := range c.Targets {
				target.StaticOnly = tt.only
			}
			newJudge(t, o).Prepare(t.Context(), c)
			if loads := server.calls.Load() > 0; loads != tt.loads {
				t.Errorf("%v, static only %v: loaded %v", tt.files, tt.only, loads)
			}
		}
	})
}

// TestRealServerIsNotCalledByTheSecondRun is the promise of the cache: 200 files
// that have not changed take no call of the model and less than a second of processor time.
func TestRealServerIsNotCalledByTheSecondRun(t *testing.T) {
	var calls atomic.Int32
	through := proxied(t, testenv.Ollama(t), func(_ int, body []byte) []byte {
		calls.Add(1)
		return body
	}, func(_ int, res *http.Response) {
		if res.Request.URL.Path == "/api/generate" {
			calls.Add(1)
		}
	})
	// The first run is no part of the promise, so it is kept short: of equal files it
	// asks about one.
	const different = 20
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("f%03d.py", i)] = fmt.Sprintf("import os\n\n\ndef f%d(x):\n    return x\n", i%different)
	}
	files["f007.py"] += "GATE_EVIL()\n"
	dir := filepath.Join(t.TempDir(), "cache")
	run := func() (gate.Result, int, time.Duration) {
		calls.Store(0)
		begin := processor(t)
		o := options(t, through)
		o.Cache = store(t, dir, false).Space("judge")
		j := newJudge(t, o)
		j.Prepare(t.Context(), change(files))
		result := scanWith(t, j, files)
		return result, int(calls.Load()), processor(t) - begin
	}
	first, asked, took := run()
	second, again, tookAgain := run()
	for range 4 { // the best of five: processor time depends on who else uses it, too
		_, n, took := run()
		again, tookAgain = again+n, min(tookAgain, took)
	}
	t.Logf("%d calls in %s, then %d in %s", asked, took, again, tookAgain)
	if asked < different || again != 0 {
		t.Errorf("%d calls, then %d; want at least %d and none", asked, again, different)
	}
	within := time.Second // the promise for 200 known files, in processor time
	if testenv.Raced {
		within *= 10
	}
	if tookAgain > within {
		t.Errorf("the second run took %s of processor time", tookAgain)
	}
	for i, f := range second.Files {
		if !f.Judge.Cached || f.Verdict != first.Files[i].Verdict || !slices.Equal(rules(f), rules(first.Files[i])) {
			t.Errorf("%s: %s with %v, known %v", f.Path, f.Verdict, rules(f), f.Judge.Cached)
		}
	}
	if second.Verdict != gate.Dangerous || len(second.Incomplete) > 0 {
		t.Errorf("%s with gaps %+v", second.Verdict, second.Incomplete)
	}
}
