// Package deps is `gate deps`: images with the dependencies that a commit locks.
//
// What it promises: lock files are read from a commit, never from the work tree, and the
// policy is that commit's; one language that fails does not keep the others from being
// built, and makes the run incomplete; secrets for the installers come from the variables
// and files that the user named and from nowhere else, and are not written anywhere.
//
// What it does not do: read the lock files' syntax (package locks does), or know how an
// image is built (package images does).
package deps
