package job

import _ "embed"

// A program that is ended while it serves is asked with a signal to tell which of its
// lines ran. The bootstraps of Python and Node have a handler for it; a Go program gets
// one as a file of its package.

//go:embed bootstrap/told.go.txt
var goTold string

// GoTold is a file for a program of Go: it ends the program, which then writes down its
// counters, when the supervisor asks for that. It has an init function and no name of its
// own, and nothing of it is in WebAssembly.
func GoTold() []byte { return []byte("//go:build !wasm\n\npackage main\n\n" + goTold) }
