// Package replayrun puts the history of a repository through the layers, as
// "gate replay" does: each change with the base and the policy that it had.
//
// It promises that nothing of the repository is changed or checked out, that what was
// done stays done when it is ended, and that a change that cannot be looked at is a row
// that says so.
//
// The figures are made by package replay.
package replayrun
