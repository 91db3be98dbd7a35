// Package plan decides how the targets of a change are run: which files are one
// unit, and what is started for it.
//
//	files of the change + targets + commands of the policy → units, reasons
//
// Each language has a file; what they guess from the text of a file is in guess.go.
//
// What it promises: it only looks at the files and the same files give the same
// plan; every target is in a unit or has a reason why not; a file that was too large
// to look at is lost and not passed over.
//
// What it does not do: run anything. What is set for a unit later (a clock,
// stand-ins, the restricted mode) is set on its job.
package plan
