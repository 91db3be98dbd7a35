// Package coverage reads what interpreters say about which lines of a program
// ran, and counts those of a change.
//
// Everything it reads was written where the program under test could write, so it
// is hostile: decoders are bounded and strict, and a claim about a file that is
// not among the sources, or about a line that has no code, is dropped. What is left
// can still be a lie of the program, in either direction. That is why it is shown
// beside a verdict and never a part of it.
//
// Nothing here runs code or touches files.
package coverage
