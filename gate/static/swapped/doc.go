// Package swapped finds references that a change moved: a removed and an added line name the
// same thing, but of another owner or at another host.
//
// [Find] compares two versions of a file. An owner is the account at a forge or a registry that
// a repository, an action, a module or an image belongs to. A host counts where the line says
// that the program talks to it or takes something from it: the base of an API, a proxy, an
// issuer, a database, a mirror. [NamedIn] looks for owners in the base.
//
// It promises to be linear in its input but for a bounded number of references, and to leave
// out what is in comments, and links for people.
//
// It doesn't know who an owner is, and asks no forge.
package swapped
