// Package self finds the program that gate brings into containers: this gate, or the one
// that was named.
//
// What it promises: what it returns is a Linux program for the engine's architecture that
// needs no library of an image; what is none is an error with the command that builds one.
//
// What it does not do: run it, or say in which mode.
package self

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
)

// maxProgram is the largest program that is taken for a build of gate, in bytes.
const maxProgram = 256 << 20

// machines are the architectures of engines in the terms of ELF files.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// UnfitError says why a program cannot be the first process of containers.
type UnfitError struct {
	Why  string
	Hint string // what to do about it
}

// Error says why, and what to do about it.
func (e *UnfitError) Error() string { return fmt.Sprintf("%s (%s)", e.Why, e.Hint) }

// Read returns the program at path, "" for this one, for an engine of an architecture in
// the terms of Go: amd64 or arm64.
func Read(path, arch string) ([]byte, error) {
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find the supervisor: %w", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find the supervisor: %w", err)
	}
	if info.Size() > maxProgram {
		return nil, fmt.Errorf("use %s as the supervisor: %d bytes are more than %d", path, info.Size(), maxProgram)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the supervisor: %w", err)
	}
	if err := check(binary, arch); err != nil {
		return nil, fmt.Errorf("use %s as the supervisor: %w", path, err)
	}
	return binary, nil
}

func check(binary []byte, arch string) error {
	unfit := func(why string) error {
		return &UnfitError{Why: why, Hint: fmt.Sprintf("build gate with GOOS=linux GOARCH=%s CGO_ENABLED=0 and name it with GATE_SUPERVISOR=FILE", arch)}
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return unfit("it is not a Linux program")
	}
	defer f.Close()
	if f.Machine != machines[arch] {
		return unfit(fmt.Sprintf("it is for %s and the engine runs on %s", f.Machine, arch))
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return unfit("it is linked dynamically, and the image need not have its libraries")
		}
	}
	return nil
}
