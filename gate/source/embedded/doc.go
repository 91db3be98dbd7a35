// Package embedded finds code that is embedded in other files: the cells of a
// notebook, the run blocks of a workflow, the instructions of a Dockerfile, the
// recipes of a Makefile, the scripts of a package.json, the commands of files that
// build, test, start or deploy something.
//
// It promises to say, for every line of the embedded code, on which line of the
// file it is; to take any input; and to bound how much it returns by the
// size of the input.
//
// It doesn't run or resolve anything: variables, anchors, includes and build
// arguments stay as they are written.
package embedded
