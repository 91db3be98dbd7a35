// Package wire is the language between gate on the host and the supervisor in
// the container: one codec of length-prefixed frames and the messages in them.
//
// It promises that whatever arrives is bounded before it is read, that JSON is
// decoded strictly, and that a frame sealed with the key of a run cannot be made
// by anybody who does not hold that key: every sealed frame carries a tag over
// its place in the stream, its kind and its payload. So a program that gets hold
// of the supervisor's output can break the stream, which ends the run as failed,
// and cannot put a word into it.
//
// It does not hide anything, and it does not know what the messages lead to.
package wire
