// Package untested compares the tests of two versions of a program, and says which of those that
// ran before no longer run, or no longer check anything.
//
// It reads Python, JavaScript, TypeScript, Go, Java, Kotlin, C#, Rust, PHP and Ruby: where a test
// begins and ends, what is said about it (decorators, annotations, modifiers, build constraints),
// and whether the runner finds its file and its name. A test that moved within the change, or was
// renamed and still runs, is not lost. One that was deleted is lost only where what it called is
// edited, is still there, and no other test calls it.
//
// It promises to take any input with work that is bounded by its size, and that equal input gives
// equal results. It doesn't parse and runs nothing: a test that a runner is told to leave out by its
// settings is not seen here, nor what a condition decides when the tests run, except whether they
// run in CI.
package untested
