package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
)

// Options say what judges and how long it may take. Zero values mean the
// defaults that are named.
type Options struct {
	Policy gate.JudgePolicy // Model and one host at least; Fallback may be empty
	// Comments finds what the second reading leaves out. There is no default.
	Comments Splitter
	// MaxFileBytes is the largest file that is judged as a whole. Default:
	// [gate.LargeSource].
	MaxFileBytes int64
	// Concurrency is how many requests are in flight at a time, 1 to 64. Default: as
	// many as the server turns out to work on at a time, and one more, at most 16.
	Concurrency int
	// ContextTokens is the num_ctx of every request, 4096 to 65536, lowered to what
	// the model was trained for. For a 14B model 8192 tokens take some 1.5 GiB of
	// GPU memory, and what doesn't fit is judged in parts. Default: 16384.
	ContextTokens int
	Deadlines     Deadlines
	// Cache keeps what was asked from one run to the next. Default: nothing is kept.
	Cache cache.Keeper
	// Without turns defences off, to measure what each is worth and for nothing
	// else: no policy can name one, and it excludes a Cache.
	Without []Defence
	// Seed is that of every request; runs that are to be compared have different
	// ones. The temperature stays 0. Default: 1.
	Seed int
	// Log gets what people should know and no report says: that a smaller model
	// judges, that it runs on the CPU, that a server was lost. Default: silence.
	Log *slog.Logger
	// HTTPClient sends the requests. It must not have a timeout of its own.
	// Default: one with http.DefaultTransport.
	HTTPClient *http.Client
}

// Deadlines bound how long the judge waits. Each default is named.
type Deadlines struct {
	Load    time.Duration // until the model is loaded: 5 minutes
	Request time.Duration // until one answer is complete, queueing included: 3 minutes
	Idle    time.Duration // between two tokens of one answer: 30 seconds
	Probe   time.Duration // until an over-long prompt is refused or read: 10 seconds
}

// The ranges of Options, and their defaults.
const (
	maxConcurrency       = 64
	defaultContextTokens = 16384
	minContextTokens     = 4096
	maxContextTokens     = 65536
)

// Judge is the semantic layer. It is safe for concurrent use.
type Judge struct {
	hosts         []*host
	models        []string // in order of preference
	maxFileBytes  int64
	concurrency   int
	contextTokens int
	deadlines     Deadlines
	fixed         []api.Message
	comments      Splitter
	cache         cache.Keeper
	off           ablation
	seed          int
	log           *slog.Logger

	looking sync.Mutex
	looked  map[string]inventory // by host

	mu      sync.Mutex
	current *session
	lost    map[string]string // by host, why it is not asked again
}

var _ gate.Stage = (*Judge)(nil)

// New returns a judge, or an error that names the option that is wrong. It talks
// to no one yet.
func New(o Options) (*Judge, error) {
	j := &Judge{
		maxFileBytes:  cmp.Or(o.MaxFileBytes, gate.LargeSource),
		concurrency:   o.Concurrency,
		contextTokens: cmp.Or(o.ContextTokens, defaultContextTokens),
		deadlines: Deadlines{
			Load:    cmp.Or(o.Deadlines.Load, 5*time.Minute),
			Request: cmp.Or(o.Deadlines.Request, 3*time.Minute),
			Idle:    cmp.Or(o.Deadlines.Idle, 30*time.Second),
			Probe:   cmp.Or(o.Deadlines.Probe, 10*time.Second),
		},
		fixed:    fixedMessages(),
		comments: o.Comments,
		cache:    o.Cache,
		seed:     cmp.Or(o.Seed, seed),
		log:      cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		looked:   map[string]inventory{},
		lost:     map[string]string{},
	}
	var err error
	if j.off, err = newAblation(o.Without, o.Cache); err != nil {
		return nil, err
	}
	d := j.deadlines
	switch {
	case o.Policy.Model == "":
		return nil, errors.New("judge: no model is named")
	case len(o.Policy.Hosts) == 0:
		return nil, errors.New("judge: no host is named")
	case o.Comments == nil:
		return nil, errors.New("judge: nothing finds comments (Options.Comments)")
	case j.maxFileBytes < 0:
		return nil, fmt.Errorf("judge: largest file %d is negative", j.maxFileBytes)
	case j.concurrency < 0 || j.concurrency > maxConcurrency:
		return nil, fmt.Errorf("judge: concurrency %d is not 1 to %d, or 0 for what the server takes", j.concurrency, maxConcurrency)
	case j.contextTokens < minContextTokens || j.contextTokens > maxContextTokens:
		return nil, fmt.Errorf("judge: context of %d tokens is not %d to %d", j.contextTokens, minContextTokens, maxContextTokens)
	case min(d.Load, d.Request, d.Idle, d.Probe) < 0:
		return nil, errors.New("judge: a deadline is negative")
	}
	j.models = []string{o.Policy.Model}
	if f := o.Policy.Fallback; f != "" && f != o.Policy.Model {
		j.models = append(j.models, f)
	}
	for _, base := range o.Policy.Hosts {
		client, u, err := newClient(base, o.HTTPClient, maxResponse)
		if err != nil {
			return nil, err
		}
		puller, _, err := newClient(base, o.HTTPClient, maxPull)
		if err != nil {
			return nil, err
		}
		j.hosts = append(j.hosts, &host{client, puller, u.Redacted()})
	}
	if len(j.off) > 0 {
		j.log.Warn("the judge is measured without a defence", "without", j.off.names())
	}
	return j, nil
}

// Name implements [gate.Stage].
func (j *Judge) Name() gate.Layer { return gate.LayerJudge }

// Prepare connects and loads the model, so that another layer can work meanwhile,
// unless the change holds nothing that the model has not judged before. Whether it
// succeeded shows when Run is called.
func (j *Judge) Prepare(ctx context.Context, c *gate.Change) {
	if !j.seenAll(ctx, c) {
		_, _ = j.session(ctx)
	}
}

// Run judges the targets that are text, the most suspicious first.
func (j *Judge) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	jobs, out := selectJobs(c, found, j.maxFileBytes)
	if len(jobs) == 0 {
		return out, nil
	}
	progress := &progress{found: found, total: len(jobs)}
	results := j.recallAll(ctx, jobs) // one slot a job, so the order is stable
	var order []int                   // of those that have to be asked
	for i, r := range results {
		if r == nil {
			order = append(order, i)
			continue
		}
		found.Add(jobs[i].target.Path, r.findings...)
		progress.done(*r)
	}
	var err error
	if len(order) > 0 {
		s, err := j.session(ctx)
		if err != nil {
			if ctx.Err() != nil { // the files were to be judged, so each has a gap
				out.Incomplete = append(out.Incomplete, gapsOf(jobs, context.Cause(ctx))...)
				return out, context.Cause(ctx)
			}
			return out, err
		}
		found.Report(gate.Progress{Layer: gate.LayerJudge, Done: len(jobs) - len(order), Total: len(jobs), Detail: s.describe()})
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[b].worst, jobs[a].worst) })
	err = gate.ForEach(ctx, cmp.Or(j.concurrency, mostPace), len(order), func(ctx context.Context, i int) error {
		r := j.judge(ctx, jobs[order[i]])
		results[order[i]] = &r
		found.Add(jobs[order[i]].target.Path, r.findings...)
		progress.done(r)
		return nil
	})
	out.Judgements = map[string]*gate.Judgement{}
	for i, r := range results {
		switch path := jobs[i].target.Path; {
		case r == nil:
			out.Incomplete = append(out.Incomplete, gapsOf(jobs[i:i+1], cmp.Or(err, errNotReached))...)
		default:
			if r.skip != "" {
				out.Skipped = append(out.Skipped, gate.Skip{Path: path, Reason: r.skip})
			}
			for _, reason := range r.gaps {
				out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerJudge, Path: path, Reason: reason})
			}
			if r.judgement != nil {
				out.Judgements[path] = r.judgement
			}
		}
	}
	return out, err
}

var errNotReached = errors.New("not reached")

func gapsOf(jobs []job, cause error) []gate.Gap {
	var gaps []gate.Gap
	for _, job := range jobs {
		gaps = append(gaps, gate.Gap{Layer: gate.LayerJudge, Path: job.target.Path, Reason: "not judged: " + cause.Error()})
	}
	return gaps
}

// session returns the open session, or opens one on a host that is not lost.
func (j *Judge) session(ctx context.Context) (*session, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.current != nil {
		return j.current, nil
	}
	hosts := j.notLost()
	if len(hosts) == 0 {
		return nil, &gate.Unavailable{Reason: "no host is left: " + j.lost[j.hosts[len(j.hosts)-1].name], Hint: "gate doctor"}
	}
	s, err := j.connect(ctx, hosts)
	if err != nil {
		if ctx.Err() == nil && len(j.lost) > 0 {
			for _, h := range hosts { // during a run, every host is tried once
				j.lost[h.name] = err.Error()
			}
		}
		return nil, err
	}
	j.current = s
	return s, nil
}

// forget asks the hosts anew what they have: something has changed.
func (j *Judge) forget() {
	j.looking.Lock()
	defer j.looking.Unlock()
	clear(j.looked)
}

// left are the hosts that are not lost.
func (j *Judge) left() []*host {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.notLost()
}

// notLost is left, for who holds the lock.
func (j *Judge) notLost() []*host {
	var hosts []*host
	for _, h := range j.hosts {
		if _, lost := j.lost[h.name]; !lost {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// drop closes a session whose server or model is gone, so that the next question
// goes to another host.
func (j *Judge) drop(s *session, reason string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.current == s {
		j.forget()
		j.current = nil
		j.lost[s.host] = reason
		j.log.Warn("the judge has lost a server", "server", s.host, "model", s.model, "because", plain(reason), "others", len(j.notLost()))
	}
}
