// Package workrun lets a model work in a workspace with the tools of `gate mcp`, which are
// the commands `gate agent` and `gate agent clear`:
//
//	options → memory, data (package data) → tools (package mcp), model (package judge) → work.Run → files, report
//
// What it promises: the tools are those that other agents get, through the same checks; a
// program and everything beside it pass the static layer and the judge before they run, and
// each run has a container of its own; the policy is that of the command line and of the
// user's own configuration, never that of the folder; files are handed out when all of them
// pass, or not at all; what a program did in its container decides as well, and a run that does
// not pass, or of which not all is known, leaves nothing; what the layers refused, what programs
// did, and what was found in the data is reported.
//
// The page (--web) is served to this machine and to who has the token. It shows what a program
// made as data or in a frame without scripts, and nothing in it loads from a network.
//
// What it does not do: the conversation itself (package work).
package workrun
