// Package behaviour says what it means that a program did what it did: recorded
// events in, entries of the result document and findings out.
//
// It is pure: the same run gives the same findings. The rules are data where they
// can be, one file a subject, and every rule has its reason with it. A program
// may do much that no rule speaks of; that is in the document and is no finding.
//
// It promises that a program which does what interpreters, test runners and
// toolchains do by themselves gives no finding above a note, and that a canary
// which leaves its place is never less than suspicious, whatever else it was.
//
// It does not record anything, and it does not know lines: a finding is about a
// file as a whole.
package behaviour
