// Package glob is the one dialect of globs: the same for every key of the policy,
// for a team's own rules and for gate's own tables.
//
//   - * and ? stay within one folder, ** is any number of folders, [a-z] and [!a-z]
//     are classes, {a,b} is a list of alternatives, and \ takes the meaning of what
//     follows it.
//   - A glob without a slash matches in every folder: *.yml is **/*.yml. One with a
//     slash starts at the root of the repository, so /Makefile is the one there.
//
// It promises that what [Check] accepts can match: a glob that validates and then
// protects nothing is worse than an error. It compares names only; it reads no files.
package glob
