// Package dfa says whether a regular expression matches anywhere in a text, many times
// faster than package regexp does.
//
// An [Expr] is run as a deterministic automaton, whose states are made when a text first
// leads to them. It promises the answer of [regexp.Regexp.Match], in time that is linear
// in the text, with bounded memory, from any number of goroutines.
//
// It doesn't say where the match is: where there is one, package regexp is asked.
package dfa
