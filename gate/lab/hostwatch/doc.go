// Package hostwatch watches this machine for effects of programs that run in containers:
// listeners that nothing may reach, decoy files that nothing may touch, and the files and
// kernel settings that attacks try to change.
//
// It promises that every effect is reported once, and that a monitor which cannot look
// says so instead of reporting nothing.
//
// It does not say which program did it, and it does not look into containers: that is for
// the container engine (package engine).
package hostwatch
