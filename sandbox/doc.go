// Package sandbox runs one hostile program in one fresh container and says what
// became of it: Spec in, Result out.
//
// Other parts of it:
//
//	supervisor         the first process in the container: starts and records
//	netsim             the internet that a program in a container talks to
//	egress             the one way out, where a policy opens one
//	wasm               interprets WebAssembly inside of the container
//	tools              commands that an image lacks
//	gocache            a build cache of Go, of an image and of a run
//	modes              what gate is inside of a container
//	images             builds the images that code runs in
//	filelock           a lock on a file that holds across processes
//	self               the program that is brought into containers
//	internal/wire      what gate and the supervisor say to each other
//	internal/canary    finds planted secrets in what leaves
//	internal/seccomp   makes the system call profile out of Moby's
//
// What it promises: the confinement is the literal in profile.go and nothing in
// a Spec can loosen it beyond the exceptions named there; no path of the host is
// ever mounted; input is streamed in as a tar and output is streamed out,
// bounded; a container serves one Run and is destroyed; everything carries the
// labels of its run, so that what a killed gate leaves behind is swept by the
// next one, and no one else's containers are touched.
//
// What it does not do: know languages, files to run, findings or verdicts. It
// knows nothing of package gate.
package sandbox
