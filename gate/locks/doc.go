// Package locks reads which dependencies the lock files of a tree name: what an
// image with them is built from, and which of them a change adds.
//
// What it promises: a tree is only read; a file is taken as text and nothing of it
// is executed; what goes into a build are lock files and the parts of manifests that
// installers need, never scripts, settings that run something, or sources; the same
// files give the same digest. What is not understood is left out and said.
//
// What it does not do: fetch or install anything, or say whether a dependency is a
// good one.
package locks
