// Package bounded reads files and streams of any size into a bounded amount of memory.
//
// It promises that no more than the limit is returned and hardly more than that is
// read; that only regular files are read, so that a FIFO cannot make gate wait and a
// device cannot fill its memory; and that content above the limit is an error
// ([TooLarge]) that names the file and the limit, never a truncated text that looks
// complete. Callers that want the beginning of a larger file ask for it with [Head],
// [HeadFile] or [HeadPath].
//
// It doesn't parse anything, and it doesn't keep a path inside a folder: that is what
// [os.Root] is for.
package bounded
