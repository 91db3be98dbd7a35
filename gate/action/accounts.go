package action

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/suppress"
)

// maxAccounts is how many accounts are asked about in one run.
const maxAccounts = 50

// dismissers finds out whose dismissals count for what lies between a base and the head of
// the event: those of accounts that have the permission of the override now and took no
// part in the change. What can't be found out doesn't count. In the job of a fork, whose
// token may ask nothing, the result says that nothing was checked; the trusted half does.
type dismissers struct {
	*run
	base string
}

// find is for [engine.Suppressions].
func (d dismissers) find(ctx context.Context, p gate.Policy, names []string) map[string]suppress.Account {
	out := map[string]suppress.Account{}
	fork := d.event.Fork() && d.event.Name == event.PullRequest
	authors, err := d.authors(ctx, fork)
	for i, name := range names {
		switch {
		case slices.ContainsFunc(authors, func(a string) bool { return strings.EqualFold(a, name) }):
			out[name] = suppress.Account{Refused: name + " takes part in the change, and can't dismiss what is found in it"}
		case fork:
			out[name] = suppress.Account{}
		case err != nil:
			out[name] = suppress.Account{Refused: "it can't be found out who takes part in the change: " + err.Error()}
		case i >= maxAccounts:
			out[name] = suppress.Account{Refused: fmt.Sprintf("more than %d accounts dismissed something in the files of the change; %s was not asked about", maxAccounts, name)}
		default:
			out[name] = d.mayDismiss(ctx, p, name)
		}
	}
	return out
}

// mayDismiss asks what an account may do now.
func (d dismissers) mayDismiss(ctx context.Context, p gate.Policy, name string) suppress.Account {
	if d.asks == nil {
		return suppress.Account{Refused: fmt.Sprintf("the permission of %s can't be checked: the job has no token for GitHub's API", name)}
	}
	has, err := d.asks.Permission(ctx, name)
	switch {
	case err != nil:
		return suppress.Account{Refused: fmt.Sprintf("the permission of %s can't be checked: %v", name, err)}
	case !atLeast(has, p.Override.Permission):
		return suppress.Account{Refused: fmt.Sprintf("%s has the permission %q and %q is needed", name, has, p.Override.Permission)}
	}
	return suppress.Account{Verified: true}
}

// authors are the accounts that take part in the change: who opened the pull request, who
// pushed to it just now, and who made its commits, as far as GitHub knows.
func (d dismissers) authors(ctx context.Context, fork bool) ([]string, error) {
	e := d.event
	out := []string{e.Author}
	if e.Action == "opened" || e.Action == "synchronize" {
		out = append(out, e.Sender)
	}
	if fork || d.asks == nil {
		return out, nil
	}
	made, err := d.asks.Contributors(ctx, cmp.Or(d.base, e.BaseRef), e.Head)
	return append(out, made...), err
}
