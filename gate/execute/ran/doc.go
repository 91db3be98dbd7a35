// Package ran decides from evidence whether a file ran: whether its top level came to
// its end, or the lines that a change touches ran.
//
//	lines + how the runs ended → status, reason, which file ended it
//
// What it promises: a file counts as run only where an interpreter says so, or where
// none can tell and nothing speaks against it; a file that did not run has a status of
// its own and a reason; the same evidence gives the same answer.
//
// What it does not do: read what interpreters write (package coverage does), run
// anything, or decide about a file. The evidence comes from where the program could
// write, so a program can forge it.
package ran
