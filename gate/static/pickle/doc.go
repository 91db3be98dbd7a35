// Package pickle reads Python pickles of protocol 0 to 5 without loading them, and
// reports which functions and classes loading one would call, and with which
// arguments.
//
// A pickle is a program for a small machine. The package runs that program on
// values that stand for what Python would make: text and numbers are themselves,
// everything that is called is only noted. What loading would call is compared with
// a short table: what only rebuilds data is harmless, what starts programs, runs
// code or opens files is dangerous, and everything else is unknown.
//
// It promises bounds on the work and on what it keeps, and to say where a pickle
// can't be read to its end: what comes before that point is called all the same.
//
// It doesn't import anything, knows no classes of the project, and doesn't look at
// bytes behind a pickle, except for further pickles and the arrays that joblib
// writes into one.
package pickle
