// Package buildinfo is what this gate was built from.
//
// It promises no more than the linker and the Go toolchain recorded: nothing proves it.
// "gate attest" and the signatures of releases do.
package buildinfo

import "runtime/debug"

// The release build stamps both with -X.
var (
	version = "" // such as v1.2.3
	commit  = "" // 40 hexadecimal digits
)

// Version returns the stamped version, or what the Go toolchain recorded; "devel" for none.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Commit returns the commit that gate was built from, "" where that is not known or files had
// been changed that were not committed.
func Commit() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	at, clean := "", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			at = s.Value
		case "vcs.modified":
			clean = s.Value == "false"
		}
	}
	if !clean || len(at) != 40 {
		return ""
	}
	return at
}
