// Package gate is the vocabulary and the pipeline of the tool: what a change
// is, what a layer reports, how findings become a verdict, and what the result
// document looks like.
//
//	Detect → Scan → Judge → Execute → Decide → Report
//
// Three packages are layers: they implement [Stage] and never import each other.
// Handlers (package report) consume [Event]s. Before a layer sees a change, two
// packages say what it is. All of them, and what they share:
//
//	change       which files and lines changed: git, a pull request, a folder
//	attribution  which changes an AI wrote, and the evidence
//	static       layer: rules over text, decoding, constants, data flow
//	judge        layer: a local language model, and checks of what it claims
//	execute      layer: runs the change in containers, and what it did there
//	engine       options to result: the order of a run, written once
//	action       GitHub Actions: event, engine, publication
//	doctor       what the layers need, and the command that gets it
//	deps         images with the dependencies that a commit locks
//	policy       reads .gate.yml into a [Policy]
//	suppress     which findings were accepted
//	shard        one run on several machines
//	fork         joins the results of a fork's job and of the trusted one
//	cache        keeps results from one run to the next
//	rate         how many sandbox runs an hour may have
//	deps         images with the dependencies of the base
//	doctor       what this machine has for a run, and what it lacks
//	rulebook     the rules of all layers, for people
//	agent        lets a model write a program and puts it through the layers
//	hook         answers the hooks of coding agents and of git
//	mcp          serves coding agents over the Model Context Protocol
//	lsp          serves editors over the Language Server Protocol
//	workspace    keeps the files of an agent's session
//	skill        reads skills: front matter and files
//	setup        writes what a repository and its agents need, and takes it back
//	buildinfo    the version and commit of this gate
//	lab          measures the layers; no part of the product
//	source       languages: tokens, comments, embedded code
//	locks        reads lock files
//	glob         the one dialect of globs
//	lazyregexp   expressions that are compiled when they are first used
//	hosts        which hosts the base of a change names
//	strict       reads YAML strictly
//	ways         how projects run their own tests, read from their files
//	bounded      reads at most N bytes of a file
//	atomicfile   writes files whole or not at all
//	rulebook     the catalogue of all rules
//	exchange     files between a folder and a program in the sandbox
//	printable    hostile text on a terminal
//	exit         the codes of commands, as typed errors
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
