// Package wasm runs WebAssembly modules: those of a change, and Go that was
// compiled for wasip1. It is an engine inside of the container: gate itself in a
// hidden mode is the program that the supervisor starts there, and interprets the
// module, so that a mistake in the interpreter is held, killed and recorded like any
// other program.
//
// What it promises: a module sees its arguments, its environment, the clock, random
// numbers and two folders in memory, the workspace and /tmp, links out of which are
// refused; it has no sockets and starts nothing; its memory is bounded in pages; a
// module that is malformed or that traps is an exit code. What it imports besides
// WASI is named, and answered with zeros so that the rest of it runs.
//
// What it does not do: translate modules to machine code. An interpreter in a
// memory-safe language is slower and starts sooner, and a module that breaks it out
// breaks out into a container.
package wasm
