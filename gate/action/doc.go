// Package action is gate in GitHub Actions: it turns the event of a workflow into a
// change, puts that through the engine, and publishes the outcome.
//
//	event → engine → check run, comment, annotations, step summary, outputs, SARIF
//
// [Job.PullRequest] is `gate pr`; [Job.Publish] is the trusted half for pull requests
// from forks, which checks what the untrusted half has left; [Job.Merge] publishes what
// the shards of a run come to.
//
// What it promises: the policy, the rules, the baseline and the suppressions are those of
// the base commit, and flags can only require more; a run that fails is published as a
// failure, because a check that is merely absent could be taken for one that still runs;
// text of a change reaches the log only where the runner takes no commands; nothing that
// a fork's job says makes a result better.
//
// What it does not do: decide, or speak to GitHub's API itself (package report/github
// does).
package action
