// Package build works out what build files run: it evaluates the variables and text
// functions of a build language as far as they follow from the file itself, so that rules
// see the command that the tool would start.
//
// It starts nothing and reads no other file. Work is bounded in steps, bytes and depth.
// What does not follow from the file, and what the bounds left out, is marked in the
// text (see [Computed]) where a function of text was to make it, and stays as it is written where
// a variable comes from elsewhere.
package build
