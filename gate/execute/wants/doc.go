// Package wants reads from the error of a program what it could not go on without, and
// makes that up, so that another run gets further.
//
//	error text → argument, variable, file, folder or command → a value of the kind its name says
//
// What it promises: only a program's own words count, every text is bounded, the same text
// gives the same wants, and every made-up value can be told from what a program chose
// itself ([Mark]).
//
// What it does not do: run anything, or decide. A program can forge what it says, and gets
// no more by that than a run with values that it could have had anyway.
package wants
