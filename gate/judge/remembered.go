package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
)

// What was asked before need not be asked again. What is kept is the answer of the
// model as it gave it, so that it goes through the same checks as one that comes
// from a server: an entry that an attacker has written cannot say more than a
// model could.

// knownVersion is that of what is kept and of its keys.
const knownVersion = "1"

// errUnknown is the error of a session that only knows what was asked before.
var errUnknown = errors.New("not asked before")

// key names something that a model on a server says, by everything that it depends
// on; "" where that is not known, and then nothing is kept.
func (s *session) key(parts ...string) string {
	if s.digest == "" || s.version == "" {
		return ""
	}
	return cache.Key(slices.Concat([]string{knownVersion, PromptVersion, s.model, s.digest, s.version}, parts))
}

// questionKey names the answer to a question: content, facts, prompt, schema and
// options are all in it. The code word, which follows from them, is not.
func (s *session) questionKey(q question) string {
	request, err := json.Marshal(s.request(append(slices.Clip(s.fixed), api.Message{Role: "user", Content: q.text(knownWord)})))
	if err != nil {
		return ""
	}
	return s.key("answer", string(request))
}

// recall returns the answer to a question that was asked before.
func (s *session) recall(key string, first, last int) (a answer, ok bool) {
	return cache.Recall(s.cache, key, func(content []byte) (answer, error) { return decode(string(content), first, last) })
}

// keep remembers something, where there is a memory and a name for it.
func (s *session) keep(key string, content []byte) { cache.Keep(s.cache, key, content) }

// measures are what a session has learnt about its server. Files are split by them,
// so they have to be known before anything can be found that was asked before.
type measures struct {
	NumCtx   int `json:"num_ctx"`
	Window   int `json:"window"`
	Baseline int `json:"baseline"`
	WarmUp   int `json:"warm_up"`
}

func (s *session) measuresKey(asked int) string {
	fixed, err := json.Marshal(s.fixed)
	if err != nil {
		return ""
	}
	return s.key("measures", s.host, fmt.Sprint(asked), string(fixed), string(schema))
}

// keepMeasures remembers what was learnt by opening a session with so many tokens
// asked for.
func (s *session) keepMeasures(asked int) {
	data, err := json.Marshal(measures{s.numCtx, s.window, s.baseline, s.warmUp})
	if err == nil {
		s.keep(s.measuresKey(asked), data)
	}
}

// recallMeasures takes what was learnt before, if it is possible at all.
func (s *session) recallMeasures(asked int) bool {
	_, ok := cache.Recall(s.cache, s.measuresKey(asked), func(content []byte) (m measures, err error) {
		if err := json.Unmarshal(content, &m); err != nil {
			return m, err
		}
		s.numCtx, s.window, s.baseline, s.warmUp = m.NumCtx, m.Window, m.Baseline, m.WarmUp
		if m.NumCtx < 1 || m.NumCtx > asked || m.Window < 1 || m.Window > m.NumCtx || m.Baseline < 1 || m.WarmUp < 1 || s.budget(maxFacts) < minBudget {
			return m, fmt.Errorf("impossible measures %+v", m)
		}
		return m, nil
	})
	return ok
}

// memory returns a session without a server, which knows what was asked before of
// the model that would be asked now; nil where there is none.
func (j *Judge) memory(ctx context.Context) *session {
	if j.cache == nil {
		return nil
	}
	s := j.opened()
	if s == nil {
		h, model, entry, version := j.preferred(ctx)
		if h == nil {
			return nil
		}
		s = j.newSession(h, model, entry, version)
		s.cache = j.cache
		if !s.recallMeasures(j.contextTokens) {
			return nil
		}
	}
	return &session{ // without a client
		host: s.host, model: s.model, digest: s.digest, version: s.version, fixed: s.fixed, comments: s.comments, cache: j.cache, off: s.off, seed: s.seed,
		numCtx: s.numCtx, window: s.window, baseline: s.baseline, warmUp: s.warmUp, deadlines: s.deadlines,
	}
}

// opened is the open session, or nil.
func (j *Judge) opened() *session {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.current
}

// preferred is what a session would be opened with first.
func (j *Judge) preferred(ctx context.Context) (h *host, model string, entry api.ListModelResponse, version string) {
	hosts := j.left()
	all := j.inventories(ctx, hosts)
	for _, model := range j.models {
		for i, h := range hosts {
			if entry, ok := all[i].find(model); ok && all[i].err == nil {
				return h, model, entry, all[i].version
			}
		}
	}
	return nil, "", api.ListModelResponse{}, ""
}

// recallAll returns a result for each job of which everything was asked before, nil
// for the others.
func (j *Judge) recallAll(ctx context.Context, jobs []job) []*result {
	results := make([]*result, len(jobs))
	s := j.memory(ctx)
	if s == nil {
		return results
	}
	// Its error is that of ctx, which anyone who goes on will notice.
	_ = gate.ForEach(ctx, runtime.NumCPU(), len(jobs), func(ctx context.Context, i int) error {
		begin := time.Now()
		r, err := s.readTwice(ctx, jobs[i])
		if err == nil && len(r.gaps) == 0 && r.verdict != gate.VerdictUnknown {
			out := s.result(r, begin)
			results[i] = &out
		}
		return nil
	})
	return results
}

// seenKey marks a file that was judged completely, whatever the scanner said of it.
func (s *session) seenKey(work job) string {
	sum := sha256.Sum256(work.src)
	return s.key("seen", string(work.target.Language), string(work.target.Role), hex.EncodeToString(sum[:]))
}

// seenAll reports whether a change holds nothing for the model that it has not seen
// before, so that it will probably not be needed.
func (j *Judge) seenAll(ctx context.Context, c *gate.Change) bool {
	view := *c
	view.Targets = slices.DeleteFunc(slices.Clone(c.Targets), func(t *gate.Target) bool { return t.StaticOnly })
	jobs, _ := selectJobs(&view, gate.NewFindings(nil, nil), j.maxFileBytes)
	if len(jobs) == 0 {
		return true
	}
	s := j.memory(ctx)
	return s != nil && !slices.ContainsFunc(jobs, func(work job) bool { return !cache.Has(s.cache, s.seenKey(work)) })
}
