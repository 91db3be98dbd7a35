package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The sections of a module that hold a counted list.
const (
	firstList = 1  // types
	startList = 8  // the start function, the only one below lastList that is no list
	lastList  = 11 // data
	tagList   = 13
)

// checkCounts refuses a module that says of a list that it holds more than its
// section has bytes for. The interpreter makes room for what is said before it
// reads it: sixteen bytes would take all memory there is, which ends the process
// in a way that no one can tell from one that was killed.
func checkCounts(module []byte) error {
	const header = 8 // bytes: the name of the format and its version
	if len(module) < header {
		return nil // what it is instead is for the interpreter to say
	}
	for rest := module[header:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return errors.New("a section is longer than the module")
		}
		section := rest[1+n:][:size]
		rest = rest[1+n:][size:]
		if id < firstList || id == startList || id > lastList && id != tagList {
			continue
		}
		count, n := binary.Uvarint(section)
		if n <= 0 || count > uint64(len(section)-n) {
			return fmt.Errorf("section %d says that it lists %d things, and has %d bytes", id, count, len(section))
		}
	}
	return nil
}
