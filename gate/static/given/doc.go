// Package given reads what a line of one file gives a script of the tree: its arguments, its input
// and the variables of an action. It writes the script down as if these were part of it, so that
// the same rules look at what the script does with them.
//
// It knows scripts that a line starts by their name, with words or with a list; scripts of
// package.json; what follows bash -s; functions of a script that is sourced; and the inputs of
// a local action. It puts in what a program reads by number (sys.argv, process.argv, $1) and by
// the name of an option (getopts, argparse, and objects of options under their usual names).
//
// It promises to take any text, to read files only by the [Tree] that it is given, and to give back at most
// [MaxCalls] calls with texts of the length of the script and what the line gives.
package given
