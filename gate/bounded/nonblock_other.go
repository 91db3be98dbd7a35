//go:build !unix

package bounded

// nonblock is not needed: a folder holds no FIFOs on these systems.
const nonblock = 0
