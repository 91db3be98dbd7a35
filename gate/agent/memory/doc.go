// Package memory is what an agent remembers of a conversation: the last six turns, as one file.
//
// What it promises: an older turn is forgotten when a new one comes; what was written is read
// back alike; a file that is too large, of another version or not text is refused.
//
// What it does not do: choose what of it a model is shown.
package memory
