// Package agent lets a model write a program for a task, and hands out what the
// program wrote:
//
//	task → model → program → all layers → container → files
//	         ↑__________ findings, errors __________|
//
// What it promises: a program is one file in a form that is checked strictly; its
// files are handed out only where every layer completed, the policy lets the
// program pass, and it ran to its end without an error; what it handed out is
// bounded in number, size and names, is nowhere executable, overwrites nothing
// unasked, and is written as a whole or not at all; a model gets so many turns and
// no more, and remembers the last six; everything that it, the program and the data
// say is hostile.
//
// Below it:
//
//	agentrun  one program for a task: the command `gate agent`
//	data      fetches what the user names for a program
//	memory    the last turns of a conversation
//	work      a task in a workspace, call by call
//	workrun   the commands `gate agent work` and `gate agent clear`
//
// What it does not do: ask a model, run a layer or a container itself (its caller
// hands these in; package agentrun does), fetch data (package data does), or judge whether a program does
// what the task says.
package agent
