// Package filelock locks files between processes.
//
// It promises that a lock ends with the process that holds it, however that process
// ends: the kernel keeps it, so there are no stale locks. It is advisory: only
// processes that ask are kept out.
//
// It is a leaf below the sandbox, made of system calls only, so that the project's tools
// can import it as well. It doesn't remove lock files; code that removes one has to check,
// after locking, that the path still leads to the file that is locked.
package filelock
