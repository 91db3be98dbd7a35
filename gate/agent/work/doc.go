// Package work lets a model do a task in a workspace, call by call:
//
//	task → model → call of a tool → tools → result → model → … → answer
//
// What it promises: a task takes so many steps and no more; an answer of the model is one
// call of a tool that was offered, or words for the user, in a form that is checked strictly;
// what a tool answered is told to the model as data, and so is what the model was told
// before; the last six turns are remembered; what no longer fits into what the model reads is
// left out from the oldest on, and it is told so; every call is in the result, those that
// were refused among them.
//
// What it does not do: ask a model or call a tool (its caller hands both in; package workrun
// does), decide what may run (package mcp does, by the layers), or judge what a task is for.
package work
