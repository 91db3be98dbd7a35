// Package rule is the format of the static layer's rules: what a rule says,
// how it is written in YAML, and how a folder of rules is read.
//
// It promises that a set which loads is usable as it is: every pattern
// compiles, every reference to a signal resolves, ids are unique, and every
// pattern that is looked for in whole files has keywords. What is wrong is
// reported with file, line, column and what would be allowed.
//
// It doesn't match anything (package match does) and it doesn't open files by
// itself: it reads from the file systems that it is given, so the embedded
// rules and a user's own go through the same code.
package rule
