// Package gate is the vocabulary and the pipeline of the tool: what a change
// is, what a layer reports, how findings become a verdict, and what the result
// document looks like.
//
//	Detect → Scan → Judge → Execute → Decide → Report
//
// Stages (packages gate/static, gate/judge, gate/execute) implement [Stage] and
// never import each other; handlers (package report) consume [Event]s; package gate/engine
// wires both to [Run].
//
// What it promises: [Policy.Decide] and everything it calls is pure; findings
// only accumulate; zero values mean "unknown" and are never a pass; a stage that
// panics or fails makes the run incomplete, never safe; the output order is the
// input order whatever the concurrency.
//
// What it does not do: read files from the operating system, talk to a network,
// start a process, or format anything for people. It imports the standard
// library only.
package gate
