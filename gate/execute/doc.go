// Package execute is the third layer: it runs what a change contains in fresh
// containers and reports how it ended and what it did.
//
//	plan → prepare → run → observe → conclude
//
// Package plan groups the targets into units (a script, a module that is imported,
// tests, an install hook, a command of the policy). Every unit carries a job (package
// job): what is started, and what is set for it. [Stage.Run] is the whole layer;
// life.go is what one unit goes through, and rounds.go the order in which all do.
// Each step has the file of its name:
//
//	prepare.go   job, policy, images, files → what a container is started with
//	run.go       one container, or the result of the same run from the cache
//	observe.go   what the program did itself, which lines ran, what was refused
//	conclude.go  findings, and the Execution of every file
//
// Package workspace is what a program finds in its container, canary what is planted
// there to be stolen, behaviour the rules about what a program did, coverage
// reads which lines ran, and ran decides from that whether a file ran at all. Package
// wants is what a program says it lacks, and what is made up for it;
// routes is what a program is asked that turns out to be a server.
// prevented.go asks whether the change is the reason that one did not, with the help
// of the base's version of it (earlier.go). docs/execution.md is the same for users.
//
// What it promises: nothing of the change runs outside of a container; a file
// that a layer calls dangerous does not even enter one, unless the policy says
// so; a target whose code did not run never looks as if it had: it has a status that
// says so and a reason, and is a finding and a gap where the change kept it from
// running; what was left out, lost, cut off
// by the end of time or not recorded is a gap; a setting of the policy that a program
// cannot honour is never ignored; no value of a canary is shown.
//
// What it does not do: install dependencies, record behaviour itself (the sandbox
// does), or decide about a file.
package execute
