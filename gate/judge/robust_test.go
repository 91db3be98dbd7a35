package judge_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aigate/gate/gate"
)

const malicious = `{"evidence":[{"line":1,"quote":"steal()"}],"reason":"steals","dangerous_lines":[1],"verdict":"malicious"}`

// wait blocks a handler until its client has gone.
func wait(q asked) { <-q.gone }

func TestFilesAreNeverSafeWithoutAnAnswer(t *testing.T) {
	always := func(answer func(q asked, w http.ResponseWriter)) func(int, asked, http.ResponseWriter) {
		return func(_ int, q asked, w http.ResponseWriter) { answer(q, w) }
	}
	tests := map[string]struct {
		chat    func(n int, q asked, w http.ResponseWriter)
		verdict gate.Verdict
		gap     string        // part of the reason
		asked   int           // how many requests it took
		within  time.Duration // at most; 0 is at once
	}{
		"a complete answer is taken": {always(func(q asked, w http.ResponseWriter) { say(w, q, safe) }), gate.Safe, "", 1, 0},
		"a stream that ends without its end": {always(func(q asked, w http.ResponseWriter) { part(w, q, safe) }),
			gate.Incomplete, "cut off before its end", 1, 0},
		"a connection that breaks in the middle": {always(func(q asked, w http.ResponseWriter) {
			part(w, q, safe[:20])
			panic(http.ErrAbortHandler)
		}), gate.Incomplete, "connection broke", 1, 0},
		"a connection that breaks at once": {always(func(asked, http.ResponseWriter) { panic(http.ErrAbortHandler) }),
			gate.Incomplete, "cannot be reached", 4, 5 * time.Second},
		"a server that says nothing": {always(func(q asked, _ http.ResponseWriter) { wait(q) }),
			gate.Incomplete, "no complete answer within 3m0s", 1, 3 * time.Minute},
		"a server that hangs in the middle": {always(func(q asked, w http.ResponseWriter) {
			part(w, q, safe[:20])
			wait(q)
		}), gate.Incomplete, "no token for 30s", 1, time.Minute},
		"a token now and then, for ever": {always(func(q asked, w http.ResponseWriter) {
			for q.waiting() {
				part(w, q, " ")
				pause(q, 20*time.Second)
			}
		}), gate.Incomplete, "no complete answer within 3m0s", 1, 4 * time.Minute},
		"a drip of bytes that never becomes a token": {always(func(q asked, w http.ResponseWriter) {
			part(w, q, safe[:20])
			for q.waiting() {
				fmt.Fprint(w, " ")
				http.NewResponseController(w).Flush()
				pause(q, time.Second)
			}
		}), gate.Incomplete, "no token for 30s", 1, time.Minute},
		"busy three times, then free": {func(n int, q asked, w http.ResponseWriter) {
			if n <= 3 {
				fail(w, http.StatusServiceUnavailable, "server busy, please try again")
				return
			}
			say(w, q, safe)
		}, gate.Safe, "", 4, 5 * time.Second},
		"busy for ever": {always(func(_ asked, w http.ResponseWriter) {
			fail(w, http.StatusServiceUnavailable, "server busy, please try again")
		}), gate.Incomplete, "503: server busy, please try again (4 attempts)", 4, 5 * time.Second},
		"an internal error is not tried again": {always(func(_ asked, w http.ResponseWriter) {
			fail(w, http.StatusInternalServerError, "invalid JSON schema in format")
		}), gate.Incomplete, "500: invalid JSON schema in format", 1, 0},
		"an error in the middle of a stream": {always(func(q asked, w http.ResponseWriter) {
			part(w, q, safe[:20])
			fmt.Fprintln(w, `{"error":"model runner has unexpectedly stopped"}`)
		}), gate.Incomplete, "model runner has unexpectedly stopped", 1, 0},
		"the model is removed": {always(func(_ asked, w http.ResponseWriter) { fail(w, http.StatusNotFound, "model 'big' not found") }),
			gate.Incomplete, "the model is gone", 1, 0},
		"the prompt is refused": {always(func(_ asked, w http.ResponseWriter) {
			fail(w, http.StatusBadRequest, "the input length exceeds the context length")
		}), gate.Incomplete, "400: the input length exceeds", 1, 0},
		"a rambling answer": {always(func(q asked, w http.ResponseWriter) { end(w, q, part(w, q, safe[:40]), "length") }),
			gate.Incomplete, "done_reason length", 1, 0},
		"an answer that ends for another reason": {always(func(q asked, w http.ResponseWriter) { end(w, q, part(w, q, safe), "unload") }),
			gate.Incomplete, `done_reason "unload"`, 1, 0},
		"a whole answer, but never done": {always(func(q asked, w http.ResponseWriter) { part(w, q, safe); wait(q) }),
			gate.Incomplete, "no token for 30s", 1, time.Minute},
		"more after the end": {always(func(q asked, w http.ResponseWriter) { say(w, q, safe); say(w, q, safe) }),
			gate.Incomplete, "went on after the end", 1, 0},
		"not JSON": {always(func(_ asked, w http.ResponseWriter) { fmt.Fprintln(w, "<html>login</html>") }),
			gate.Incomplete, "cannot be used: <html>login</html>", 1, 0},
		"nothing at all": {always(func(asked, http.ResponseWriter) {}), gate.Incomplete, "cut off before its end", 1, 0},
		"an answer that is not what was asked for": {always(func(q asked, w http.ResponseWriter) { say(w, q, `{"verdict":"safe"}`) }),
			gate.Incomplete, `no key "evidence"`, 2, 0},
		"a valid second answer repairs the first": {func(n int, q asked, w http.ResponseWriter) {
			say(w, q, []string{"Sure! Here is the JSON:", safe}[n-1])
		}, gate.Safe, "", 2, 0},
		"a verdict twice": {always(func(q asked, w http.ResponseWriter) {
			say(w, q, `{"evidence":[],"reason":"","dangerous_lines":[],"verdict":"malicious","verdict":"safe"}`)
		}), gate.Incomplete, `key "verdict" twice`, 2, 0},
		"a line that was not shown": {always(func(q asked, w http.ResponseWriter) {
			say(w, q, `{"evidence":[],"reason":"","dangerous_lines":[7],"verdict":"suspicious"}`)
		}), gate.Incomplete, "line 7 outside of 1 to 1", 2, 0},
		"an answer without an end": {always(func(q asked, w http.ResponseWriter) {
			for q.waiting() {
				part(w, q, strings.Repeat("{", 1000))
			}
		}), gate.Incomplete, "longer than 16384 bytes", 1, 0},
		"a line without an end": {always(func(q asked, w http.ResponseWriter) {
			for chunk := bytes.Repeat([]byte("x"), 1<<16); q.waiting(); {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}), gate.Incomplete, "more than 4194304 bytes", 1, 0},
		"a gzip bomb": {always(func(_ asked, w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 64 {
				if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
					return // the client has had enough
				}
			}
			z.Close()
		}), gate.Incomplete, "cannot be used", 1, 0},
		"a prompt that was cut": {always(func(q asked, w http.ResponseWriter) {
			q.Messages = q.Messages[len(q.Messages)-1:] // counts the last message only
			say(w, q, safe)
		}), gate.Incomplete, "it was cut", 1, 0},
		"a server that does not count tokens": {always(func(q asked, w http.ResponseWriter) {
			q.Messages = nil
			say(w, q, safe)
		}), gate.Incomplete, "prompt_eval_count", 1, 0},
		"code that is passed on to another server": {always(func(q asked, w http.ResponseWriter) {
			fmt.Fprintln(w, `{"message":{"content":""},"remote_host":"https://hosted.example.com","remote_model":"m"}`)
		}), gate.Incomplete, "another host", 1, 0},
		"a redirect": {always(func(_ asked, w http.ResponseWriter) {
			w.Header().Set("Location", "http://elsewhere.example.com/api/chat")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}), gate.Incomplete, "redirected to elsewhere.example.com", 1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{models: []string{big}, chat: test.chat}
				begin := time.Now()
				result := scan(t, fakeOptions(t, network{"one": server}, "one"), map[string]string{"a.py": "go()\n"})
				if took := time.Since(begin); took > test.within {
					t.Errorf("took %s, want %s at most", took, test.within)
				}
				if result.Verdict != test.verdict || result.Files[0].Verdict != test.verdict {
					t.Errorf("verdict %s, want %s", result.Verdict, test.verdict)
				}
				if test.gap == "" != (len(result.Incomplete) == 0) || test.gap != "" && !strings.Contains(result.Incomplete[0].Reason, test.gap) {
					t.Errorf("gaps %+v, want one with %q", result.Incomplete, test.gap)
				}
				if n := len(server.asked()); n != test.asked {
					t.Errorf("asked %d times, want %d", n, test.asked)
				}
			})
		})
	}
}

// pause ends early when the client goes.
func pause(q asked, d time.Duration) {
	select {
	case <-time.After(d):
	case <-q.gone:
	}
}

func TestARepairRequestRepeatsNothingOfTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{models: []string{big}, chat: func(_ int, q asked, w http.ResponseWriter) { say(w, q, "EVIL ANSWER") }}
		scan(t, fakeOptions(t, network{"one": server}, "one"), map[string]string{"a.py": "go()\n"})
		requests := server.asked()
		if len(requests) != 2 {
			t.Fatalf("asked %d times, want 2", len(requests))
		}
		for _, m := range requests[1].Messages {
			if strings.Contains(m.Content, "EVIL ANSWER") {
				t.Errorf("the second request says %q", m.Content)
			}
		}
		if !strings.HasPrefix(requests[1].text(), requests[0].text()) || requests[1].text() == requests[0].text() {
			t.Error("the second request is not the first with a note behind it")
		}
	})
}

func TestALostHostIsReplacedByTheNext(t *testing.T) {
	lost := map[string]func(int, asked, http.ResponseWriter){
		"model removed":   func(_ int, _ asked, w http.ResponseWriter) { fail(w, http.StatusNotFound, "not found") },
		"server gone":     func(int, asked, http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"busy for ever":   func(_ int, _ asked, w http.ResponseWriter) { fail(w, http.StatusServiceUnavailable, "busy") },
		"no longer ours":  func(_ int, _ asked, w http.ResponseWriter) { fail(w, http.StatusUnauthorized, "log in") },
		"no token counts": func(_ int, q asked, w http.ResponseWriter) { q.Messages = nil; say(w, q, safe) },
	}
	for name, chat := range lost {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := &fake{models: []string{big}, chat: chat}
				two := &fake{models: []string{small}, chat: func(_ int, q asked, w http.ResponseWriter) { say(w, q, malicious) }}
				result := scan(t, fakeOptions(t, network{"one": one, "two": two}, "one", "two"),
					map[string]string{"a.py": "steal()\n", "b.py": "steal()\n"})
				for _, f := range result.Files {
					if f.Verdict != gate.Dangerous || f.Judge == nil || f.Judge.Model != small || f.Judge.Digest != "digest-of-"+small {
						t.Errorf("%s: %s, judged by %+v, want DANGEROUS by the model of the second host", f.Path, f.Verdict, f.Judge)
					}
				}
				if len(result.Incomplete) > 0 {
					t.Errorf("gaps %+v", result.Incomplete)
				}
				if n := len(one.asked()); n > 4 {
					t.Errorf("the lost host was asked %d times", n)
				}
			})
		})
	}
}

func TestAServerThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{models: []string{big}, chat: func(_ int, q asked, _ http.ResponseWriter) { wait(q) }}
		files := map[string]string{}
		for i := range 20 {
			files[fmt.Sprintf("f%02d.py", i)] = "go()\n"
		}
		result := scan(t, fakeOptions(t, network{"one": server}, "one"), files)
		if n := len(server.asked()); n != 3 {
			t.Errorf("asked %d times, want 3", n)
		}
		if len(result.Incomplete) != len(files) {
			t.Errorf("%d gaps, want one for each of %d files", len(result.Incomplete), len(files))
		}
	})
}

func TestTheEndOfARunLeavesAGapForEachFileThatWasNotJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{models: []string{big}, chat: func(n int, q asked, w http.ResponseWriter) {
			if n == 1 {
				say(w, q, safe)
				return
			}
			wait(q)
		}}
		j := newJudge(t, fakeOptions(t, network{"one": server}, "one"))
		policy := gate.DefaultPolicy()
		policy.Limits.Budget = time.Minute
		result, err := gate.Run(t.Context(), gate.Request{Stages: []gate.Stage{j}, Policy: policy, Handler: gate.Discard{},
			Change: change(map[string]string{"a.py": "a\n", "b.py": "b\n", "c.py": "c\n"})})
		if err != nil {
			t.Fatal(err)
		}
		var gaps []string
		for _, g := range result.Incomplete {
			if g.Layer == gate.LayerJudge && g.Path != "" {
				gaps = append(gaps, g.Path)
				if !strings.Contains(g.Reason, "time budget") {
					t.Errorf("reason %q does not name the budget", g.Reason)
				}
			}
		}
		if want := []string{"b.py", "c.py"}; !slices.Equal(gaps, want) {
			t.Errorf("gaps for %v, want %v", gaps, want)
		}
		if result.Files[0].Judge == nil || result.Files[0].Judge.Verdict != gate.Safe {
			t.Errorf("the file that was judged has %+v", result.Files[0].Judge)
		}
	})
}
