package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/aigate/gate/sandbox/modes"
)

func main() {
	// The hidden modes come first and share nothing with the command line: they are
	// processes of containers, which speak frames, not flags.
	if code, hidden := modes.Main(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); hidden {
		os.Exit(code)
	}
	tuneGC()
	os.Exit(newApp().main(os.Args[1:]))
}

// tuneGC lets the heap grow to 64 MiB before anything is collected for the first
// time, which is what reading the rules takes and a fifth of the work of a short run.
// From then on memory is held down as always. GOGC has the last word.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const times = 16 // of the 4 MiB that a first collection waits for
	usual := debug.SetGCPercent(times * 100)
	type found struct{ by *int } // by the first collection, when nothing refers to it
	runtime.AddCleanup(&found{new(int)}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
