// Package parts finds the files that a tool reads as a part of another one: the headers of a
// program in C, what a ninja file, a Makefile or a CMake script includes, what Bazel loads,
// the values of a chart, the variables of a play.
//
// It promises to take any text, with work bounded by its length and by [MaxParts]. It knows
// statements with the name of a file in them and what tools look for by convention; a name
// that is put together when the tool runs is not found.
//
// It reads no file. Anyone who joins the texts has to bound how deep parts are within each other.
package parts
