package hookrun

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/gate/printable"
)

// GitDeadline is when the hooks of git refuse by themselves: git waits for ever.
const GitDeadline = 60 * time.Second

// Bounds of what git hands to pre-push.
const (
	maxPushed = 1 << 20 // bytes
	maxRefs   = 200
)

// PreCommit puts what is staged through the static layer, and remembers the tree of a
// commit that passes. The error has the exit code; git refuses on every one.
func PreCommit(ctx context.Context, p Process, o Options) error {
	return inTime(ctx, o, func(ctx context.Context) error {
		local, err := p.Engine.OpenLocal(ctx, engine.LocalOptions{Staged: true})
		if err != nil {
			return err
		}
		defer local.Close()
		out, err := p.scan(ctx, origin{local, p, o, local.Change})
		if err != nil {
			return err
		}
		if err := p.say(out, "the commit"); err != nil {
			return err
		}
		repo, err := change.Open(ctx, nil)
		if err != nil {
			return err
		}
		defer repo.Close()
		tree, err := repo.StagedTree(ctx)
		if err == nil {
			err = p.record().add(string(tree), time.Now())
		}
		if err != nil { // the commit is good; pre-push will say that it is not known
			p.Engine.Noticef("the commit passes, and could not be remembered: %v", err)
		}
		return nil
	})
}

// PrePush puts what is pushed through the static layer, and says which of its commits were
// made without the hook pre-commit.
func PrePush(ctx context.Context, p Process, remote string, o Options) error {
	return inTime(ctx, o, func(ctx context.Context) error {
		data, err := bounded.Read(p.Stdin, "what git pushes", maxPushed)
		if err != nil {
			return exit.Failed(err)
		}
		refs, err := pushedRefs(data)
		if err != nil {
			return exit.Failed(err)
		}
		repo, err := change.Open(ctx, nil)
		if err != nil {
			return exit.Failed(err)
		}
		defer repo.Close()
		var errs []error
		done := map[pushed]bool{}
		for _, r := range refs {
			if git.OID(r.local).Zero() || done[r] { // a deletion
				continue
			}
			done[r] = true
			errs = append(errs, p.push(ctx, repo, r, remote, o))
		}
		return worstOf(errs)
	})
}

// pushed is one reference that is pushed: what it is here, and what it is there.
type pushed struct{ local, remote string }

// pushedRefs reads the lines of githooks(5): local ref, local object, remote ref, remote
// object.
func pushedRefs(data []byte) ([]pushed, error) {
	var out []pushed
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxPushed)
	for lines.Scan() {
		f := strings.Split(lines.Text(), " ")
		if len(f) != 4 || !isObject(f[1]) || !isObject(f[3]) {
			return nil, errors.New("what git pushes can't be read: a line is not of the form that githooks(5) has")
		}
		out = append(out, pushed{f[1], f[3]})
	}
	if len(out) > maxRefs {
		return nil, fmt.Errorf("%d references are pushed at once, at most %d are looked at", len(out), maxRefs)
	}
	return out, lines.Err()
}

func isObject(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// push looks at one reference.
func (p Process) push(ctx context.Context, repo *change.Repo, r pushed, remote string, o Options) error {
	base := p.baseOf(ctx, repo, r, remote)
	local, err := p.Engine.OpenLocal(ctx, engine.LocalOptions{Base: base, Head: r.local})
	if err != nil {
		return err
	}
	defer local.Close()
	from := origin{local, p, o, local.Change}
	if base == "" {
		from.change = func(ctx context.Context, _ gate.Policy) (*gate.Change, error) { return repo.Whole(ctx, r.local) }
	}
	out, err := p.scan(ctx, from)
	if err != nil {
		return err
	}
	if base != "" {
		p.tellUnseen(ctx, repo, base, r.local)
	}
	return p.say(out, "the push")
}

// baseOf is what the other side has already: its old commit, if it is here, or where its
// main branch was last seen; "" where nothing is known.
func (p Process) baseOf(ctx context.Context, repo *change.Repo, r pushed, remote string) string {
	var candidates []string
	if !git.OID(r.remote).Zero() {
		candidates = append(candidates, r.remote)
	}
	if remote != "" && !strings.ContainsAny(remote, "/:@ ") {
		for _, branch := range []string{"HEAD", "main", "master", "trunk", "develop"} {
			candidates = append(candidates, "refs/remotes/"+remote+"/"+branch)
		}
	}
	for _, c := range candidates {
		if _, err := repo.History(ctx, c, r.local); err == nil || errors.Is(err, change.ErrTooLong) {
			return c
		}
	}
	return ""
}

// maxTold is how many commits are named.
const maxTold = 5

// tellUnseen says which commits the hook pre-commit has not seen. That is no refusal: a
// rebase makes such commits, and so does another machine; what they change is looked at.
func (p Process) tellUnseen(ctx context.Context, repo *change.Repo, base, head string) {
	h, err := repo.History(ctx, base, head)
	if err != nil {
		p.Engine.Noticef("which commits were made without the pre-commit hook is not known: %v", err)
		return
	}
	rec := p.record()
	var unseen []git.Step
	for _, s := range h.Steps {
		if len(s.Parents) < 2 && !rec.has(string(s.Tree)) { // git runs another hook for merges
			unseen = append(unseen, s)
		}
	}
	if len(unseen) == 0 {
		return
	}
	p.Engine.Noticef("%d of %d commits were made without the pre-commit hook of gate on this machine (`--no-verify`, a rebase, another machine):", len(unseen), len(h.Steps))
	for _, s := range unseen[:min(len(unseen), maxTold)] {
		subject, _, _ := strings.Cut(s.Message, "\n")
		p.Engine.Noticef("  %.12s %.72s", s.OID, printable.ASCII(subject))
	}
}

// origin is a change on this machine with the policy of a hook.
type origin struct {
	*engine.Local
	p      Process
	o      Options
	change func(context.Context, gate.Policy) (*gate.Change, error)
}

// Settings implements [engine.Origin].
func (o origin) Settings(ctx context.Context) (engine.Settings, error) {
	return settings(ctx, o.p, o.o)
}

// Change implements [engine.Origin].
func (o origin) Change(ctx context.Context, p gate.Policy) (*gate.Change, error) {
	return o.change(ctx, p)
}

// scan puts a change through the static layer. Nothing suppresses a finding.
func (p Process) scan(ctx context.Context, from engine.Origin) (gate.Result, error) {
	out, err := p.Engine.Run(ctx, engine.Request{Origin: from, Selected: []gate.Layer{gate.LayerStatic}})
	if err != nil {
		return gate.Result{}, exit.Failed(err)
	}
	return out.Result, nil
}

// say writes why a change is refused.
func (p Process) say(res gate.Result, what string) error {
	if res.Decision == gate.DecisionPass {
		return nil
	}
	var looked []hook.Looked
	for _, f := range res.Files {
		if d := decisionOf(f.Verdict, res.Decision); d != gate.DecisionPass {
			looked = append(looked, hook.Looked{At: f.Path, Decision: d, Findings: f.Findings, Gaps: gapsOf(res, f.Path)})
		}
	}
	answer := hook.Decide(nil, looked)
	if !answer.Refused() {
		answer = hook.Refuse("gate could not look at all of %s: %s", what, firstGap(res))
	}
	fmt.Fprint(p.Stderr, answer.GitWords(what))
	return exit.For(res.Decision, nil)
}

// decisionOf is what one file of a change that is refused adds to it.
func decisionOf(v gate.Verdict, whole gate.Decision) gate.Decision {
	switch {
	case v == gate.Dangerous, v == gate.Suspicious && whole == gate.DecisionBlock:
		return gate.DecisionBlock
	case v == gate.Safe, v == gate.Suspicious:
		return gate.DecisionPass
	}
	return gate.DecisionIncomplete
}

func gapsOf(res gate.Result, name string) []gate.Gap {
	var out []gate.Gap
	for _, g := range res.Incomplete {
		if g.Path == name {
			out = append(out, g)
		}
	}
	return out
}

func firstGap(res gate.Result) string {
	if len(res.Incomplete) == 0 {
		return "nothing was decided"
	}
	return res.Incomplete[0].Reason
}

// inTime ends what takes too long, with a refusal.
func inTime(ctx context.Context, o Options, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, o.Deadline)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- gate.Catch(func() error { return do(ctx) }) }()
	select {
	case err := <-ended:
		return exit.Failed(err)
	case <-ctx.Done():
		return &exit.Error{Code: exit.Incomplete, Err: errors.New("gate did not finish in time, so this is refused. Try again. A coding agent stops here, does not leave out the hook, and tells the user")}
	}
}

// worstOf is the error that says most: a block before everything else.
func worstOf(errs []error) error {
	var worst error
	for _, err := range errs {
		if coded, ok := errors.AsType[*exit.Error](err); ok && coded.Code == exit.Blocked {
			return err
		}
		if worst == nil {
			worst = err
		}
	}
	return worst
}

// record is where trees are remembered.
func (p Process) record() record { return record{p.Engine.StateDir("hook")} }
