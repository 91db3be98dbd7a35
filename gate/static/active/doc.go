// Package active says which lines of a text are switched off: a job of CI that nothing
// uses, a step whose condition is false, a stage of a Dockerfile that is not built, a block
// of code under a condition that never holds.
//
// A change that switches such lines on puts them to use without touching them, so what is
// found on them is as new as if the change had added them.
//
// It promises to take any text, with work bounded by its length, and to call a line off
// only where the text itself says so. What another file switches (the target of a build,
// a variable) it doesn't know.
package active
