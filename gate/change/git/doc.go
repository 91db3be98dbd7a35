// Package git reads a repository that may be hostile: its trees, its index, its
// commits and its blobs.
//
// It promises that nothing which the repository names is executed: no hook, no
// fsmonitor, no external diff, no textconv, no clean or smudge filter, no
// credential helper, no transport (see pinned), whatever .git/config,
// .gitattributes or .gitmodules say. The work tree is never read by git itself,
// and nothing is written, except by [Repo.Fetch]. Output is parsed by strict
// parsers with bounds on counts, lengths and time; text that does not fit is an
// error, never a guess.
//
// It does not compare contents (package linediff does), it does not decide what
// is looked at (package change does), and it does not check signatures.
package git
