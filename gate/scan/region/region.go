package region

import (
	"github.com/aigate/gate/gate"
)

// Region is a piece of code inside a file.
type Region struct {
	Language gate.Language
	Role     gate.Role // what the surrounding makes of it; empty keeps the file's
	Text     []byte
	Lines    []int  // the line of the file for each line of Text, 1-based
	Origin   string // how it was unwrapped, for code that doesn't stand in the file as such
}

// Extract returns the code that is embedded in a file of that language and name.
func Extract(lang gate.Language, name string, content []byte) []Region {
	return nil
}
