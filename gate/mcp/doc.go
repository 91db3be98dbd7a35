// Package mcp serves the Model Context Protocol, so that coding agents meet gate while they
// work: they scan a change or a text, run code with the files of a session, and read why
// something was refused. Below it:
//
//	mcpcmd  the flags of the command `gate mcp`
//
// What it promises: nothing of a client runs outside of a container, and nothing runs that
// the static layer calls dangerous or could not look at; a client has no say about policy,
// runtime or a way out, which are those of the start; scan_change sees the roots of the
// start only, under the policy that their commits had then, and every other tool sees the
// workspace of its session only; what a result quotes of files and programs is marked as
// data; runs, sessions, files, messages and calls are bounded; over HTTP only this machine is
// served, and a request without the token, or from a page of a browser, is refused before
// anything is read of it.
//
// What it does not do: keep files ([github.com/aigate/gate/gate/workspace]), read skills
// ([github.com/aigate/gate/gate/skill]), or decide anything about code (the layers).
package mcp
