package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate"
)

// server is the part of the Ollama client that gate uses.
type server interface {
	chatter
	Version(ctx context.Context) (string, error)
	List(ctx context.Context) (*api.ListResponse, error)
	Show(ctx context.Context, req *api.ShowRequest) (*api.ShowResponse, error)
	ListRunning(ctx context.Context) (*api.ProcessResponse, error)
}

// host is a configured server.
type host struct {
	server
	puller puller // with room for the reports about a pull
	name   string // for people, without a password
}

type puller interface {
	Pull(ctx context.Context, req *api.PullRequest, fn api.PullProgressFunc) error
}

// compatible reports whether the host has the interface of OpenAI, and not that of Ollama.
func (h *host) compatible() bool {
	_, ok := h.server.(*compatible)
	return ok
}

// silent says that the host does not answer, and why.
func (h *host) silent(err error) string {
	what := "no Ollama server"
	if h.compatible() {
		what = "no server"
	}
	return fmt.Sprintf("%s answers at %s: %s", what, h.name, plain(err.Error()))
}

// inventory is what one host said about itself.
type inventory struct {
	at      time.Time
	version string
	models  []api.ListModelResponse
	err     error // why it said nothing
}

// questionDeadline bounds requests that a server answers from memory.
const questionDeadline = 10 * time.Second

// look asks a host what it is and has.
func (h *host) look(ctx context.Context) (inv inventory) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	version, err := h.Version(ctx)
	if err != nil {
		return inventory{err: err}
	}
	list, err := h.List(ctx)
	if err != nil {
		return inventory{version: version, err: err}
	}
	return inventory{version: version, models: list.Models}
}

// lookAgain is how long a host is taken at its word. A host that is down takes its
// time to say so, and several questions need the answer at the start of a run.
const lookAgain = time.Minute

// inventories asks hosts what they are and have, side by side.
func (j *Judge) inventories(ctx context.Context, hosts []*host) []inventory {
	j.looking.Lock()
	defer j.looking.Unlock()
	out := make([]inventory, len(hosts))
	var wg sync.WaitGroup
	for i, h := range hosts {
		if known, ok := j.looked[h.name]; ok && time.Since(known.at) < lookAgain {
			out[i] = known
			continue
		}
		wg.Go(func() {
			out[i] = h.look(ctx)
			out[i].at = time.Now()
		})
	}
	wg.Wait()
	for i, h := range hosts {
		if ctx.Err() == nil {
			j.looked[h.name] = out[i]
		}
	}
	return out
}

// find returns the entry of a model, which may be named without its tag.
func (inv inventory) find(model string) (api.ListModelResponse, bool) {
	want := withTag(model)
	i := slices.IndexFunc(inv.models, func(m api.ListModelResponse) bool {
		return strings.EqualFold(withTag(cmp.Or(m.Model, m.Name)), want)
	})
	if i < 0 {
		return api.ListModelResponse{}, false
	}
	return inv.models[i], true
}

// withTag adds the tag that Ollama assumes where none is given.
func withTag(model string) string {
	if strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		return model
	}
	return model + ":latest"
}

// connect opens the best model that any of the hosts can serve: the preferred one
// on the first host that has it, else the fallback. The error is an
// *gate.Unavailable, or the cause of ctx.
func (j *Judge) connect(ctx context.Context, hosts []*host) (*session, error) {
	var problems []string
	answered, opened := false, false // some host answers; some model was tried
	inventories := j.inventories(ctx, hosts)
	for i, h := range hosts {
		if inventories[i].err != nil {
			problems = append(problems, h.silent(inventories[i].err))
		}
	}
	for _, model := range j.models {
		for i, h := range hosts {
			if inventories[i].err != nil {
				continue
			}
			answered = true
			entry, ok := inventories[i].find(model)
			if !ok {
				problems = append(problems, fmt.Sprintf("%s has no model %s", h.name, model))
				continue
			}
			s, err := j.open(ctx, h, model, entry, inventories[i].version)
			if err == nil {
				j.sayWhoJudges(s, problems)
				return s, nil
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			opened = true
			problems = append(problems, fmt.Sprintf("%s at %s: %v", model, h.name, err))
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	missing := &gate.Unavailable{Reason: strings.Join(problems, "; "), Hint: "ollama serve; to get it, see https://ollama.com/download"}
	switch {
	case opened:
		missing.Hint = "gate doctor"
	case answered:
		missing.Hint = "ollama pull " + j.models[0]
	}
	if !slices.ContainsFunc(hosts, func(h *host) bool { return !h.compatible() }) {
		missing.Hint = "gate doctor" // there is no Ollama; it names the command for the server that is
	}
	return nil, missing
}

// sayWhoJudges warns where it is not the model that was wanted, or not on a GPU.
func (j *Judge) sayWhoJudges(s *session, problems []string) {
	if s.model != j.models[0] {
		j.log.Warn("a smaller model judges", "model", s.model, "server", s.host, "because", strings.Join(problems, "; "), "fix", "gate doctor")
	}
	if s.offload > 0 {
		j.log.Warn("the model runs on the CPU in part, which is slow", "model", s.model, "server", s.host, "percent", s.offload,
			"fix", "a smaller model (judge.model), or a GPU with more memory; `ollama ps` shows what takes it")
	}
}

// newSession is a session that has not been opened.
func (j *Judge) newSession(h *host, model string, entry api.ListModelResponse, version string) *session {
	return &session{client: h, host: h.name, model: model, digest: entry.Digest, version: version,
		deadlines: j.deadlines, fixed: j.fixed, comments: j.comments, off: j.off, seed: j.seed, numCtx: j.contextTokens, pace: newLimiter(j.concurrency)}
}

// open loads a model, finds out how much the server really reads, and puts the
// first question. What goes wrong here goes wrong before any file is judged.
func (j *Judge) open(ctx context.Context, h *host, model string, entry api.ListModelResponse, version string) (*session, error) {
	s := j.newSession(h, model, entry, version)
	if entry.RemoteHost != "" || entry.RemoteModel != "" {
		return nil, errors.New("a hosted model would be sent the code; pull one that runs locally")
	}
	limit, show, err := h.contextLength(ctx, model)
	if err != nil {
		return nil, err
	}
	s.callsTools, s.thinks = abilities(show)
	s.numCtx = min(s.numCtx, limit)
	s.window = s.numCtx

	load := s.request(nil)
	load.Format = nil
	if _, err := chat(ctx, s.client, load, s.deadlines.Load, s.deadlines.Load); err != nil {
		var f *failure
		if errors.As(err, &f) && f.slow {
			return nil, fmt.Errorf("not loaded within %s", s.deadlines.Load)
		}
		return nil, fmt.Errorf("load: %w", err)
	}
	loaded := h.running(ctx, model)
	s.offload = offload(loaded.Size, loaded.SizeVRAM)
	if loaded.ContextLength > 0 { // servers from 0.10 on say it
		s.window = min(s.window, loaded.ContextLength)
	}
	// One that may run on the CPU would read a whole window of the probe before anything
	// could stop it, which takes minutes.
	unknown := loaded.ContextLength <= 0 && loaded.SizeVRAM > 0 && s.offload == 0
	if (refuses(version) || unknown) && !s.off[LengthChecks] {
		if n := s.probe(ctx); n > 0 {
			s.window = min(s.window, n)
		}
	}
	if err := s.warm(ctx); err != nil {
		return nil, err
	}
	s.cache = j.cache // not before: the first question is there to be asked
	s.keepMeasures(j.contextTokens)
	return s, nil
}

// same reports whether the server still has the model that the session was opened
// with, false where it does not say: an answer is kept under the digest of who gave
// it. That another one has taken the name is a *failure, because no one knows which
// of the two has answered.
func (s *session) same(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	list, err := s.client.List(ctx)
	if err != nil {
		return false, nil // the answer is there; it only can't be kept
	}
	entry, ok := inventory{models: list.Models}.find(s.model)
	if ok && entry.Digest != s.digest {
		return false, &failure{reason: fmt.Sprintf("the model %s on %s was replaced by another one during the run", s.model, s.host), lost: true}
	}
	return ok, nil
}

// contextLength returns how many tokens the model was trained for. Servers lower
// num_ctx to it without telling, so without it no one knows when a prompt is cut.
func (h *host) contextLength(ctx context.Context, model string) (int, *api.ShowResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	show, err := h.Show(ctx, &api.ShowRequest{Model: model})
	if err != nil {
		return 0, nil, fmt.Errorf("ask about the model: %w", err)
	}
	arch, _ := show.ModelInfo["general.architecture"].(string)
	n, _ := show.ModelInfo[arch+".context_length"].(float64)
	if n < 1 || n > 1<<30 {
		return 0, nil, errors.New("the server does not say how long a context the model has")
	}
	return int(n), show, nil
}

// running returns what the server says about a loaded model; the zero value
// where it says nothing.
func (h *host) running(ctx context.Context, model string) api.ProcessModelResponse {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	running, err := h.ListRunning(ctx)
	if err != nil {
		return api.ProcessModelResponse{}
	}
	for _, m := range running.Models {
		if strings.EqualFold(withTag(cmp.Or(m.Model, m.Name)), withTag(model)) {
			return m
		}
	}
	return api.ProcessModelResponse{}
}

// refuses reports whether a server of that version claims to refuse too long a
// prompt when truncate is false: all do from 0.13 on. Older ones cut it.
func refuses(version string) bool {
	if version == compatibleVersion {
		return true
	}
	var major, minor int
	n, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err == nil && n == 2 && (major > 0 || minor >= 13)
}

// probe sends a prompt that is certainly too long, to see whether it is refused. A
// server that answers it has cut it, and says how much it read: its real
// window. 0 means that it refused, or took too long; then the byte bound and the
// token count of each answer have to do.
func (s *session) probe(ctx context.Context) int {
	req := s.request([]api.Message{{Role: "user", Content: strings.Repeat("7\n", s.numCtx+1)}})
	req.Format = nil
	req.Options["num_predict"] = 1
	// The answer of one token ends with done_reason length, so there is always an
	// error; only the count matters.
	r, _ := chat(ctx, s.client, req, s.deadlines.Probe, s.deadlines.Probe)
	return r.promptTokens
}

// warmUpCode is judged first. Any verdict will do: what counts is that the answer
// has the form and that the server counts tokens.
const warmUpCode = "print(\"hello\")\n"

// warm puts a first question: it checks that the model keeps to the form, fills
// the server's prefix cache, and learns how many tokens the fixed part has.
func (s *session) warm(ctx context.Context) error {
	q := question{kind: kinds[gate.LanguagePython], total: 1, lines: render([]byte(warmUpCode))}
	s.warmUp = len(q.text(s.off.word(s.seed, q.lines)))
	_, r, err := s.ask(WithMeter(ctx, nil), q)
	if err != nil {
		return err
	}
	s.baseline = r.promptTokens
	if s.budget(maxFacts) < minBudget {
		return fmt.Errorf("a context of %d tokens is too small to judge anything", s.window)
	}
	return nil
}

// minBudget is the fewest bytes of code worth asking about.
const minBudget = 1024
