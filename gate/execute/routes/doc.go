// Package routes reads out of sources what a server can be asked: the paths of routes and
// the methods beside them.
//
// What it promises: whatever the text is, there are at most so many questions, each short
// and of printable ASCII; the same text gives the same questions. What it left out for
// want of room it says.
//
// It does not parse languages: a path that is put together at run time is not found, and
// a text that only looks like a route costs a question.
package routes
