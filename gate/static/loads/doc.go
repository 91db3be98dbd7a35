// Package loads finds the files that a program hands to an interpreter: what a
// command, a call or a line "include" names is run as that language, whatever its
// own name says.
//
// It promises to take any text, with work bounded by its length and by [MaxUses],
// and to look at the words only: a name that a program puts together when it runs
// is not found.
//
// It doesn't read the files that are named, and it doesn't know whether the
// program is ever run.
package loads
