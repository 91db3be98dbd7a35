// Package canary makes secrets that mean nothing and puts them where thieves
// look: key files in the home folder, settings of tools, the environment. Where
// one of them goes is evidence, because no program has a use for it.
//
// It promises that the values are random, new in every set and of the form that
// the real ones have, and that [Set.Clean] takes them out of what a run gave back,
// as they are and in the usual encodings, so that equal runs give equal
// documents.
//
// It does not look for canaries in traffic: the recorder in the container does.
// What a program cuts into pieces, packs or encrypts is not taken out.
package canary
