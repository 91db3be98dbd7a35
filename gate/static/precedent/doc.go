// Package precedent knows what the base of a change does already, so that a change that
// does the same again is not taken for news.
//
// The unit is a statement: a pipeline of a shell script, a step of a workflow or a
// Dockerfile, or a call in Python, JavaScript, TypeScript or Go. Two statements are the
// same if they do the same operation, with the same flags and method, to the same target
// with the same data; only blanks, quotes and the version numbers in the path of an
// address may differ. An address counts with its path, so a host that many share is known
// by account. So only statements that say all of that themselves have a precedent: none
// with a variable, a substitution, data from elsewhere or a target that depends on
// where it runs.
//
// Only what executes counts: code, builds and CI. Tests, fixtures, examples, documentation,
// code of others, comments, strings and data don't. What a program does is a precedent for builds and
// CI, too, and not the reverse: a build machine is thrown away. What runs at an
// installation has precedents among such commands only.
//
// It promises to read a bounded amount of the base, once and only if asked, and, where a
// bound is reached or a file can't be read, to know less and never more.
//
// It doesn't know what a statement means through its surroundings, such as an alias or
// a setting made before: such a line is judged by itself.
package precedent
