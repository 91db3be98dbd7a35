//go:build !unix

package change

// openNonblock is not needed: a folder holds no FIFOs on these systems.
const openNonblock = 0
