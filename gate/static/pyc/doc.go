// Package pyc reads the texts and names in compiled modules of Python 3.8 to 3.14:
// what a module imports and calls, and the texts that it does so with.
//
// It reads the marshal format, in which the code objects of a module are stored,
// and writes their names and constants down so that rules can look at them. It does
// not read the bytecode itself: in which order things happen, and whether they
// do, it does not say.
//
// It promises bounds on the work, on the depth and on what it writes, and an error
// where a file can't be read to its end.
package pyc
