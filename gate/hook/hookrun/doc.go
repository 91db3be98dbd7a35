// Package hookrun is the process behind the command `gate hook`:
//
//	standard input → hook.Parse → guard and static layer → hook.Decide → standard output
//
// and, for plain git, the hooks pre-commit and pre-push over the engine's own changes.
//
// What it promises: an answer is written before the tool gives up waiting, also where
// something panics, hangs or can't be read, and then it is a refusal; policy comes from
// the user's configuration, a file or a revision that the command line names, never from
// the folder that the agent works in, and nothing suppresses a finding; nothing of the
// change runs.
//
// What it doesn't do: judge or execute. That is for `gate scan`, and for CI.
package hookrun
