//go:build !unix

package testenv

const exeSuffix = ".exe"

// lock does nothing here: without it two test processes may build at the same
// time, which costs time and nothing else.
func lock(string) (unlock func(), err error) { return func() {}, nil }
