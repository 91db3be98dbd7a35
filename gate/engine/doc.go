// Package engine puts a change through the layers: it is the one place where the order
// of a run is written down.
//
//	settings → change → suppressions → layers → shard → gate.Run → result
//
// A caller says where the change comes from ([Origin]: a folder, the staged content, a
// local revision, a pull request, GitHub's API) and what is to be done with it
// ([Request]); [Engine.Run] does the rest. The laboratory, which puts many small changes
// through the same layers, opens them once with [Engine.Open] and calls [Layers.Run].
// Start with [New].
//
// What it promises: this package is the only one that calls gate.Run; the policy is the
// base commit's wherever there is a base; what cannot be read ends the run with an error
// that has an exit code (package exit), never with a pass; what a run opens is closed
// with it, also when it fails.
//
// What it does not do: render a report, publish anything, or know GitHub.
package engine
