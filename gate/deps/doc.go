// Package deps makes images with the dependencies that a commit names, so that code of a
// change runs as it does elsewhere: for `gate deps build`, and for runs that find such an
// image missing.
//
// What it promises: what is installed follows from the files that it is handed and from
// this machine's settings, never from a work tree or a change; two processes do not build
// the same image at the same time; what failed is not tried again for an hour unless
// the user asks for it; secrets for the installers come from the variables and files that
// the user named and from nowhere else, and are not written anywhere.
//
// What it does not do: read the syntax of lock files (package locks does), or know how an
// image is built (package images does).
package deps
