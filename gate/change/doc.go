// Package change finds out what a run looks at: the files of a folder, what is
// staged, or what changed between two commits, each as a [gate.Change] with the
// changed lines.
//
// Three packages below it do one thing each:
//
//	git       reads a repository that may be hostile
//	event     reads the webhook event that started a workflow
//	linediff  which lines of a text differ from an older one
//
// It promises that nothing is cut silently: what is not looked at is in Skipped,
// with the reason, where the user chose to leave it out, and in Incomplete
// otherwise. Trees never lead out of themselves, whatever links they hold, and
// nothing but regular files is opened. git runs in a pinned environment in which
// a hostile repository names no program (package git). The same tree gives the
// same targets in the same order.
//
// It does not say who wrote a change (package attribution) and it does not look
// for anything in the files; it reads no more of them than it takes to tell what
// they are written in and which lines differ.
package change
