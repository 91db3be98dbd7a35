// Package execute is the third layer: it runs what a change contains in fresh
// containers and reports what became of it.
//
//	targets → plan (pure) → units → sandbox.Run → findings, Execution
//
// It groups targets into units (a script, a module that is imported, tests, an
// install hook, a command of the policy), decides how each is run, gives the
// container the files of the change as they were when the layer started, and
// translates how the run ended and, with package behaviour, what it did.
// docs/execution.md is the same for users.
//
// What it promises: nothing of the change runs outside of a container; a file
// that a layer calls dangerous does not even enter one, unless the policy says
// so; a target whose code did not run never looks as if it had: it has the status
// not_run or a reason that says what was missing; what was left out, lost, cut off
// by the end of time or not recorded is a gap; no value of a canary is shown.
//
// What it does not do: install dependencies, record behaviour itself (the sandbox
// does), or decide about a file.
package execute
