// Package job is what a unit starts: a program of one language with everything that
// is set for it, as values with fields.
//
//	plan makes a Job → each step sets fields → Line writes it down, once
//
// Every language has its own kind of [Program], and every setting (a later clock,
// calling functions, stand-ins, the restricted mode, counting lines) is a method of
// [Job] in a file of its own that says what it means for each kind.
//
// What it promises: a setting that a program cannot honour is a [NotApplicable]
// error and never ignored; jobs are values, so that setting something on one leaves
// the job that it was made from as it is; the same job gives the same line.
//
// What it does not do: run anything, or know what the line runs in.
package job
