// Package lock keeps two runs of a project tool, in the same checkout or in two,
// from doing the same thing at the same time.
//
// It promises that a lock ends with the process that holds it, however that
// dies: the kernel keeps it, so there are no stale lock files. It is advisory:
// only those who ask are kept out.
package lock
