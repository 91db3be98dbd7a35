// Package agent is what a program of a model may hand out, and how it is written to a folder
// of this machine:
//
//	task → model → call of a tool → tools → result → model → … → files
//
// What it promises: what is handed out is bounded in number, size and names, is nowhere
// executable, overwrites nothing unasked, and is written as a whole or not at all.
//
// Below it:
//
//	data      fetches what the user names for a task
//	memory    the last turns of a conversation
//	work      a task in a workspace, call by call
//	workrun   the commands `gate agent` and `gate agent clear`
//
// What it does not do: decide which files pass the layers (package workrun asks package mcp),
// or judge whether a program does what the task says.
package agent
