// Package gocache is a build cache of Go in two folders: one that an image has, which is
// only read, and one that a run writes. It is gate itself in a hidden mode, which the go
// command starts as its GOCACHEPROG inside of a container.
//
// What it promises: nothing is ever written to the folder of the image, whatever its
// rights are; an entry that is damaged or not complete is one that is not there. Both
// folders have the layout of the go command's own cache, so that either is one.
//
// What it does not do: trust what a run wrote beyond that run. The folder of the run is in
// its container's memory and ends with it.
package gocache
