// Package ways reads how a project runs its own tests: out of scripts, settings of tools,
// Makefiles and workflows of continuous integration.
//
// What it promises: a file is taken as text and nothing of it is executed; what comes out
// are words of commands that were recognised, options that belong to how tests run,
// variables and folders, never a line for a shell; what could not be followed has a
// reason; every file, and what comes of it, is bounded.
//
// What it does not do: decide which tests run, or read anything but what it is handed.
package ways
